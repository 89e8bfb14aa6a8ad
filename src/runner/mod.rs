//! The runner: workload × engine × place → [`RunResult`].
//!
//! Owns the order of phases, stopping and cleaning up. Every way out of a run, also by
//! error, signal or panic, removes what the run made. Prints nothing.

pub mod checks;
pub mod clean;
pub mod clock;
pub mod manifest;
pub mod measurement;
mod play;
pub mod pool;
pub mod refusal;
mod unfinished;
mod warnings;

use std::path::PathBuf;
use std::rc::Rc;

use crate::engine::{Setup, System, engine};
use crate::interrupt::{Interrupt, signal_name};
use crate::workload::{Config, PostmarkStream};
use clock::Clock;
use measurement::{CleanUp, FORMAT, FORMAT_VERSION, Phase, RunResult, Status, Tool};
use play::{Play, Stop};
use pool::Pool;
pub use refusal::Refusal;

/// Told how far a run is; for whoever wants to show it.
pub trait Progress {
    /// A phase begins.
    fn begin(&mut self, phase: Phase);
    /// A tenth of the transactions is done, counted as PostMark counts: after the first,
    /// and after every further `⌊transactions / 10⌋` (at least one).
    fn tenth(&mut self);
    /// The pool is empty before its time; the phase of transactions ends.
    fn out_of_files(&mut self);
    /// A phase came to its end.
    fn end(&mut self, phase: Phase);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _: Phase) {}
    fn tenth(&mut self) {}
    fn out_of_files(&mut self) {}
    fn end(&mut self, _: Phase) {}
}

/// What a run needs besides its configuration.
pub struct Runner<'a> {
    /// The system calls.
    pub system: &'a dyn System,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Stops the run.
    pub interrupt: Interrupt,
    /// Is told how far it is.
    pub progress: &'a mut dyn Progress,
}

impl Runner<'_> {
    /// Plays one run from the first check to the last removal. `config_files` are only
    /// noted in the result.
    ///
    /// # Errors
    /// [`Refusal`] when the run cannot begin; nothing was created then. A run that begins
    /// always gives a result, whose status tells how it ended.
    pub fn run(&mut self, config: &Config, config_files: &[PathBuf]) -> Result<RunResult, Refusal> {
        config.check().map_err(Refusal::Settings)?;
        let row = engine(config.engine.name()).ok_or_else(|| {
            Refusal::Settings(format!("there is no engine '{}'", config.engine.name()))
        })?;
        let mut pool = if row.touches_files { Pool::open(config)? } else { Pool::default() };
        let mut result = unplayed(config, config_files, &mut pool);
        let interrupt = self.interrupt.clone();
        let drawn = PostmarkStream::new_unless(config, &|| interrupt.pending().is_some())
            .map_err(|_| Refusal::NoMemory(config.number))?;
        let Some((stream, text)) = drawn else {
            result.status = Stop::Interrupted(interrupt.pending().unwrap_or_default()).into();
            result.clean_up = Some(CleanUp::default());
            return Ok(result);
        };
        let beginning = text.beginning(manifest::BEGINNING).to_vec();
        let engine = (row.build)(Setup {
            system: self.system,
            text: Rc::new(text),
            read_block: config.read_block as usize,
            write_block: config.write_block as usize,
            interrupt,
        });
        // Last, so that nothing is there to be cleaned up should something before it fail.
        pool.write_manifests(config, &beginning)?;
        Play::new(self, pool, stream, engine).play(config, &mut result);
        result.warnings.extend(warnings::of(&result));
        Ok(result)
    }
}

/// The result of a run of which nothing has been played.
fn unplayed(config: &Config, config_files: &[PathBuf], pool: &mut Pool) -> RunResult {
    RunResult {
        format: FORMAT.into(),
        version: FORMAT_VERSION,
        tool: Tool::this(),
        started: jiff::Timestamp::now().to_string(),
        config_files: config_files.to_vec(),
        config: config.clone(),
        places: pool.places(),
        status: Status::Complete,
        phases: Vec::new(),
        transactions: 0,
        operations: Default::default(),
        skipped: Default::default(),
        classic_sums: Default::default(),
        clean_up: None,
        warnings: std::mem::take(&mut pool.warnings),
    }
}

impl From<Stop> for Status {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupted(signal) => Self::Interrupted { signal, name: signal_name(signal) },
            Stop::Failed(error) => Self::Failed { error: *error },
        }
    }
}
