//! The runner: workload × engine × place → [`RunResult`].
//!
//! Owns the order of phases, stopping and cleaning up. Every way out of a run, also by
//! error, signal or panic, removes what the run made. Prints nothing.

pub mod checks;
pub mod clean;
pub mod clock;
pub mod course;
mod evidence;
mod failure;
pub mod latency;
pub mod location;
pub mod manifest;
pub mod measurement;
pub mod phase;
mod play;
pub mod pool;
pub mod progress;
mod recorder;
pub mod refusal;
mod sizes;
pub mod tally;
mod timed;
pub mod timeline;
pub mod transferred;
mod transfers;
mod unfinished;
mod warnings;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{Setup, System, engine};
use crate::interrupt::Interrupt;
use crate::workload::content::FileContent;
use crate::workload::policy::LatencyLevel;
use crate::workload::sizes::SizeSource;
use crate::workload::transfer::WorkloadKind;
use crate::workload::{Config, PostmarkStream};
use clock::Clock;
use failure::Stop;
use latency::CallLatencies;
use measurement::{CleanUp, RunResult};
use play::Play;
use pool::{About, Pool};
pub use progress::{NoProgress, Progress};
pub use refusal::Refusal;
use sizes::size_source;
use timed::TimedSystem;
use worker::{Shared, Worker};

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
        if config.workload == WorkloadKind::Transfers {
            return transfers::play(self, config, config_files);
        }
        let config = &sizes::with_fan_out(config)?;
        let row = engine(config.engine.name()).ok_or_else(|| {
            Refusal::Settings(format!("there is no engine '{}'", config.engine.name()))
        })?;
        let run = format!("{}-{}", std::process::id(), jiff::Timestamp::now().as_nanosecond());
        let mut pool = if row.touches_files { Pool::open(config)? } else { Pool::default() };
        let sizes = size_source(config)?;
        let mut result = RunResult::new(config, config_files, pool.places());
        result.warnings = std::mem::take(&mut pool.warnings);
        let Some(streams) = self.draw(config, &sizes)? else {
            let signal = self.interrupt.pending().unwrap_or_default();
            result.status = Stop::Interrupted(signal).into();
            result.clean_up = Some(CleanUp::default());
            return Ok(result);
        };
        let devices = pool.devices();
        let about = About { config, sizes: &sizes, run: &run };
        // From here on something is there to be cleaned up.
        let (pools, base) = self.pools(row.touches_files, pool, &about, &streams)?;
        let warming_up = Arc::default();
        let timed: Vec<TimedSystem<'_>> = if config.latency == LatencyLevel::On {
            let timed = |_| TimedSystem::new(self.system, self.clock, Arc::clone(&warming_up));
            pools.iter().map(timed).collect()
        } else {
            Vec::new()
        };
        let shared = Shared {
            system: self.system,
            clock: self.clock,
            interrupt: self.interrupt.clone(),
            abandon: Arc::default(),
            warming_up,
            done: self.progress.counter().unwrap_or_default(),
        };
        type Share = (usize, (Pool, (PostmarkStream, FileContent)));
        let worker = |(index, (pool, (stream, text))): Share| {
            let system: &dyn System = match timed.get(index) {
                Some(timed) => timed,
                None => self.system,
            };
            let engine = (row.build)(setup(config, system, text, self.interrupt.clone()));
            Worker::new(config, shared.clone(), pool, stream, engine)
        };
        let workers = pools.into_iter().zip(streams).enumerate().map(worker).collect();
        Play::new(config, shared.clone(), self.progress, workers, base, devices).play(&mut result);
        if let Some(latencies) = &mut result.latencies {
            let mut calls = CallLatencies::default();
            timed.iter().for_each(|timed| calls.merge(&timed.latencies()));
            latencies.calls = calls.named();
        }
        result.warnings.extend(warnings::of(&result));
        Ok(result)
    }
}

/// What an engine of this configuration is built from.
fn setup<'a>(
    config: &Config,
    system: &'a dyn System,
    text: FileContent,
    interrupt: Interrupt,
) -> Setup<'a> {
    Setup {
        system,
        text: Arc::new(text),
        read_block: config.read_block as usize,
        write_block: config.write_block as usize,
        fsync_interval: config.sync.fsync_interval(),
        direct: config.direct,
        interrupt,
    }
}

impl Runner<'_> {
    /// The pool of every worker, manifests written, and with several of them what holds
    /// their pools.
    fn pools(
        &self,
        touches_files: bool,
        mut pool: Pool,
        about: &About<'_>,
        streams: &[(PostmarkStream, FileContent)],
    ) -> Result<(Vec<Pool>, Option<Pool>), Refusal> {
        let beginning = |(_, text): &(_, FileContent)| text.beginning(manifest::BEGINNING).to_vec();
        let beginnings: Vec<Vec<u8>> = streams.iter().map(beginning).collect();
        match beginnings.as_slice() {
            all if !touches_files => Ok((all.iter().map(|_| Pool::default()).collect(), None)),
            [only] => {
                pool.write_manifests(about, only)?;
                Ok((vec![pool], None))
            }
            all => {
                pool.write_manifests(about, &[])?;
                Ok((pool.split(about, all, self.system)?, Some(pool)))
            }
        }
    }

    /// The stream and content of every worker; none when interrupted, as large contents
    /// take seconds.
    fn draw(
        &self,
        config: &Config,
        sizes: &SizeSource,
    ) -> Result<Option<Vec<(PostmarkStream, FileContent)>>, Refusal> {
        let stop = || self.interrupt.pending().is_some();
        let mut streams = Vec::new();
        for worker in 0..config.workers {
            let drawn = PostmarkStream::of_worker(config, sizes, worker, &stop);
            match drawn.map_err(|_| Refusal::NoMemory(config.number))? {
                Some(stream) => streams.push(stream),
                None => return Ok(None),
            }
        }
        Ok(Some(streams))
    }
}
