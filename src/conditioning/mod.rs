//! Bringing a drive to a known state before it is measured: used, tortured, trimmed.
//!
//! A [`Step`] says what is to be done; [`carry_out`] does it in a directory and says what
//! came of it, also of what was stopped midway. Nothing that was made for it stays.

pub mod fill_purge;
mod large;
pub mod remains;
mod room;
pub mod step;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::engine::blocks::BlockError;
use crate::engine::nameless::CallError;
use crate::engine::{Call, Cause, System};
use crate::interrupt::Interrupt;
use crate::units::{human_bytes, human_rate};
use crate::volume::cache;
use crate::volume::device::{Device, DeviceCounts};
use crate::volume::mount::Mount;
use crate::volume::place::Place;
use crate::volume::state::{self, DriveState};
use crate::volume::trim::{self, TrimError};
use room::Room;
pub use step::{Step, StepError};

/// How often somebody who watches is told.
const TELL: Duration = Duration::from_millis(200);
/// How long it is waited for space that a file system gives back late.
const GIVE_BACK: Duration = Duration::from_secs(30);

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditioned {
    /// What was to be done.
    pub step: Step,
    /// Rounds that came to their end.
    pub rounds: u64,
    /// Files that were made.
    #[serde(default)]
    pub files: u64,
    /// Directories that were made.
    #[serde(default)]
    pub directories: u64,
    /// Bytes written, the random ones included.
    #[serde(default)]
    pub bytes_written: u64,
    /// Bytes of them that were written at random.
    #[serde(default)]
    pub bytes_at_random: u64,
    /// Bytes that the file system says it discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_trimmed: Option<u64>,
    /// How long the creating and filling took, nanoseconds.
    #[serde(default)]
    pub filling_ns: u64,
    /// How long all of it took, nanoseconds.
    pub elapsed_ns: u64,
    /// Bytes free before, for this user.
    pub free_before: u64,
    /// The fewest bytes that were free.
    pub free_least: u64,
    /// Bytes free when it was over.
    pub free_after: u64,
    /// What the device counted meanwhile, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// False when it was stopped.
    pub complete: bool,
    /// What one should know about it.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Why a drive could not be conditioned.
#[derive(Debug, thiserror::Error)]
pub enum ConditionError {
    /// What was asked for cannot be here.
    #[error("{0}")]
    Refused(String),
    /// A stop was asked for.
    #[error("interrupted")]
    Interrupted,
    /// A call failed.
    #[error("{} '{}': {cause}", call.name(), path.display())]
    Call {
        /// The call.
        call: Call,
        /// Of what.
        path: PathBuf,
        /// Why.
        cause: Cause,
    },
    /// Another error.
    #[error("'{}': {error}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What was made could not be removed.
    #[error("{number} files or directories could not be removed, the first is '{}': {error}; mend that, then use `trimark clean`", path.display())]
    Left {
        /// How many.
        number: u64,
        /// The first.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It could not be trimmed.
    #[error(transparent)]
    Trim(#[from] TrimError),
}

impl ConditionError {
    /// True when what was asked for is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Trim(error) => error.is_input(),
            _ => false,
        }
    }

    fn of_call(path: &Path, error: CallError) -> Self {
        let cause = Cause::Errno(error.errno);
        Self::Call { call: error.call, path: path.to_owned(), cause }
    }

    fn of_block(path: &Path, error: BlockError) -> Self {
        Self::Call { call: error.call, path: path.to_owned(), cause: error.cause }
    }

    fn errno(call: Call, path: PathBuf) -> impl FnOnce(Errno) -> Self {
        move |errno| Self::Call { call, path, cause: Cause::Errno(errno) }
    }
}

/// What conditioning needs of the world.
pub struct Means<'a> {
    /// The system calls.
    pub system: &'a dyn System,
    /// A request to stop.
    pub interrupt: &'a Interrupt,
    /// Is told now and then how far it is.
    pub watch: &'a dyn Fn(&str),
}

/// A step that is being carried out in a directory.
struct Work<'a> {
    means: &'a Means<'a>,
    path: PathBuf,
    directory: File,
    done: Conditioned,
    told: Instant,
    begun: Instant,
}

/// Carries out a step in a directory, which may be anywhere on its file system. What was
/// done is returned with the error that stopped it.
///
/// # Errors
/// [`ConditionError`], alone when nothing was begun; [`ConditionError::Refused`] for steps
/// that need the file system unmounted.
pub fn carry_out(
    step: &Step,
    path: &Path,
    means: &Means<'_>,
) -> Result<(Conditioned, Result<(), ConditionError>), ConditionError> {
    let failed = |error| ConditionError::Io { path: path.to_owned(), error };
    let directory = File::open(path).map_err(failed)?;
    if !directory.metadata().map_err(failed)?.is_dir() {
        return Err(ConditionError::Refused(format!("'{}' is no directory", path.display())));
    }
    let place = Place::describe(path, &directory).map_err(failed)?;
    if step.erases() {
        return Err(ConditionError::Refused(format!(
            "{} erases all there is, so it is done by `trimark compare` only: as an arm's \
             condition= on a scratch image, or on a --device that may be erased",
            step.name()
        )));
    }
    if let Some(level) = step.level() {
        room::may_fill(&directory, path, level)?;
    }
    let free = Room::free(&directory).map_err(failed)?;
    let before = place.device.as_ref().and_then(|device| device.counts());
    let mut work = Work {
        means,
        path: path.to_owned(),
        directory,
        done: Conditioned::begin(step.clone(), free),
        told: Instant::now(),
        begun: Instant::now(),
    };
    let outcome = work.step(step);
    if matches!(outcome, Err(ConditionError::Interrupted)) {
        // What was made is gone by now; that it was stopped is what counts.
        let _ = work.wait_for_space();
    }
    work.note_what_stays_free();
    let mut done = work.finish();
    done.complete = outcome.is_ok();
    let counts = place.device.as_ref().and_then(|device| device.counts());
    done.device = counts.zip(before).map(|(now, then)| now.since(&then));
    Ok((done, outcome))
}

/// Keeps what was done with the drive under a directory, for later results of it, if
/// anything was.
///
/// # Errors
/// The I/O error of keeping it.
pub fn remember(path: &Path, done: &Conditioned) -> io::Result<()> {
    if !done.complete && done.rounds == 0 && done.files == 0 && done.bytes_written == 0 {
        return Ok(());
    }
    let directory = File::open(path)?;
    let Some(device) = Device::under(&directory, Mount::of(&directory).as_ref()) else {
        return Ok(());
    };
    state::record(
        &device,
        DriveState {
            at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            step: done.step.to_string(),
            rounds: done.rounds,
            of_rounds: done.step.rounds(),
            bytes_written: done.bytes_written,
            complete: done.complete,
        },
    )
}

/// What was done of a whole step, when what was left of it was.
#[must_use]
pub fn of_all(whole: &Step, done: &Conditioned) -> Conditioned {
    let before = whole.rounds().saturating_sub(done.step.rounds());
    Conditioned { step: whole.clone(), rounds: before + done.rounds, ..done.clone() }
}

/// What is left of a step that was stopped on the drive under a directory, where that was
/// the last thing done to it.
///
/// # Errors
/// The I/O error of opening the directory.
pub fn rest_of(step: &Step, path: &Path) -> io::Result<Option<Step>> {
    let directory = File::open(path)?;
    let device = Device::under(&directory, Mount::of(&directory).as_ref());
    let last = device.and_then(|device| state::of(&device).pop());
    let stopped = last.filter(|last| !last.complete && last.step == step.to_string());
    Ok(stopped.map(|last| step.clone().with_rounds(last.of_rounds.saturating_sub(last.rounds))))
}

impl Conditioned {
    fn begin(step: Step, free: u64) -> Self {
        Self {
            step,
            rounds: 0,
            files: 0,
            directories: 0,
            bytes_written: 0,
            bytes_at_random: 0,
            bytes_trimmed: None,
            filling_ns: 0,
            elapsed_ns: 0,
            free_before: free,
            free_least: free,
            free_after: free,
            device: None,
            complete: false,
            notes: Vec::new(),
        }
    }

    /// A step that the file system's owner carried out while it was not mounted.
    #[must_use]
    pub fn unmounted(step: Step, elapsed_ns: u64) -> Self {
        Self { rounds: 1, elapsed_ns, complete: true, ..Self::begin(step, 0) }
    }
}

impl Work<'_> {
    fn step(&mut self, step: &Step) -> Result<(), ConditionError> {
        match step {
            Step::FillPurge(fill) => self.fill_purge(fill),
            Step::SequentialFill(fill) => self.sequential_fill(fill),
            Step::Torture(torture) => self.torture(torture),
            Step::Trim => {
                // Not what was deleted but not yet written back.
                self.sync()?;
                self.done.bytes_trimmed = Some(trim::free_space(&self.directory)?);
                self.done.rounds = 1;
                Ok(())
            }
            Step::Format | Step::SecureErase { .. } => {
                unreachable!("refused before anything was begun")
            }
        }
    }

    fn stop_if_asked(&self) -> Result<(), ConditionError> {
        match self.means.interrupt.pending() {
            Some(_) => Err(ConditionError::Interrupted),
            None => Ok(()),
        }
    }

    fn sync(&self) -> Result<(), ConditionError> {
        cache::sync_file_system(&self.directory).map_err(|error| self.io(error))
    }

    fn io(&self, error: io::Error) -> ConditionError {
        ConditionError::Io { path: self.path.clone(), error }
    }

    fn free(&self) -> Result<u64, ConditionError> {
        Room::free(&self.directory).map_err(|error| self.io(error))
    }

    /// Notes how little is free.
    fn see_least(&mut self) -> Result<(), ConditionError> {
        self.done.free_least = self.done.free_least.min(self.free()?);
        Ok(())
    }

    /// Says so when a file system counts bytes as free that nobody can have.
    fn note_what_stays_free(&mut self) {
        let kept = self.done.free_least;
        if self.done.step.level().is_some_and(|level| level.percent == 100)
            && self.done.rounds > 0
            && kept > 0
        {
            self.note(format!(
                "{} were free at the fullest, and not to be had: the file system keeps them for \
                 itself",
                human_bytes(kept)
            ));
        }
    }

    fn note(&mut self, note: String) {
        if !self.done.notes.contains(&note) {
            self.done.notes.push(note);
        }
    }

    /// Tells somebody who watches, not too often.
    fn tell(&mut self, what: &str) {
        if self.told.elapsed() < TELL {
            return;
        }
        self.told = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        let mut line = format!(
            "{what}: {} written, {}/s",
            human_bytes(self.done.bytes_written),
            human_bytes((self.done.bytes_written as f64 / seconds) as u64)
        );
        if self.done.files > 0 {
            let rate = human_rate(self.done.files as f64 / seconds);
            line += &format!(", {} files, {rate}/s", self.done.files);
        }
        (self.means.watch)(&line);
    }

    /// Waits until a file system that frees space late has given back what is gone.
    fn wait_for_space(&self) -> Result<(), ConditionError> {
        let begun = Instant::now();
        let (mut free, mut grown) = (0, Instant::now());
        while self.sync().is_ok() && begun.elapsed() < GIVE_BACK {
            let now = self.free()?;
            if now >= self.done.free_before || grown.elapsed() > Duration::from_secs(2) {
                break;
            }
            if now > free {
                (free, grown) = (now, Instant::now());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn finish(mut self) -> Conditioned {
        if let Ok(free) = self.free() {
            self.done.free_after = free;
        }
        self.done.elapsed_ns = self.begun.elapsed().as_nanos() as u64;
        self.done
    }
}
