//! One run being played: phase after phase, and the way out of each.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use super::measurement::{CleanUp, Failure, Phase, PhaseTime, Recorder, RunResult, Status};
use super::pool::Pool;
use super::{Progress, Runner};
use crate::engine::name::NameBuffer;
use crate::engine::{Call, Cause, Engine, OperationError, System};
use crate::interrupt::Interrupt;
use crate::runner::clock::{Clock, Moment};
use crate::workload::{Config, FileId, Operation, PostmarkStream, Step};

/// Why a run stops before its end.
pub enum Stop {
    /// A signal.
    Interrupted(i32),
    /// A failed operation.
    Failed(Box<Failure>),
}

/// A run in progress. Dropping it removes every file and directory it made.
pub struct Play<'a> {
    system: &'a dyn System,
    clock: &'a dyn Clock,
    interrupt: Interrupt,
    progress: &'a mut dyn Progress,
    pool: Pool,
    stream: PostmarkStream,
    engine: Box<dyn Engine + 'a>,
    recorder: Recorder,
    name: NameBuffer,
    phases: Vec<PhaseTime>,
    out_of_files: bool,
    /// The create or delete that the table has done and the disk, as yet, has not: such a
    /// file is not made, or still there.
    ahead: Option<Operation>,
    /// A file whose create failed after it was there.
    half_made: Option<FileId>,
    finished: bool,
}

impl<'a> Play<'a> {
    pub fn new(
        runner: &'a mut Runner<'_>,
        pool: Pool,
        stream: PostmarkStream,
        engine: Box<dyn Engine + 'a>,
    ) -> Self {
        Self {
            system: runner.system,
            clock: runner.clock,
            interrupt: runner.interrupt.clone(),
            progress: runner.progress,
            pool,
            stream,
            engine,
            recorder: Recorder::default(),
            name: NameBuffer::default(),
            phases: Vec::with_capacity(5),
            out_of_files: false,
            ahead: None,
            half_made: None,
            finished: false,
        }
    }

    /// Plays all phases and fills in what was measured.
    pub fn play(mut self, config: &Config, result: &mut RunResult) {
        let outcome = self.phases(config);
        self.finished = true;
        match outcome {
            Ok(()) => {
                if self.out_of_files {
                    result.status = Status::OutOfFiles;
                }
                let left = self.pool.remove_manifests();
                result.clean_up =
                    (!left.is_empty()).then(|| CleanUp { left, ..Default::default() });
            }
            Err(stop) => {
                result.status = stop.into();
                result.clean_up = Some(self.clean_up());
            }
        }
        result.phases = from_whole_second(&self.phases);
        result.transactions = self.recorder.transactions;
        result.operations = self.recorder.operations;
        result.skipped = self.recorder.skipped;
        result.classic_sums = self.recorder.classic_sums;
    }

    fn phases(&mut self, config: &Config) -> Result<(), Stop> {
        let subdirectories = config.effective_subdirectories() > 0;
        if subdirectories {
            self.phase(Phase::Subdirectories, Self::make_subdirectories)?;
        }
        self.phase(Phase::Creation, |play| play.creation(config.number))?;
        self.phase(Phase::Transactions, |play| play.transactions(config.transactions))?;
        self.phase(Phase::Deletion, Self::deletion)?;
        if subdirectories {
            self.phase(Phase::SubdirectoryRemoval, Self::remove_subdirectories)?;
        }
        Ok(())
    }

    fn phase(
        &mut self,
        phase: Phase,
        body: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.progress.begin(phase);
        let start = self.clock.now();
        let outcome = body(self);
        let end = self.clock.now();
        let cut_short = phase == Phase::Transactions && self.out_of_files;
        let complete = outcome.is_ok() && !cut_short;
        self.phases.push(PhaseTime { phase, start, end, complete });
        if complete {
            self.progress.end(phase);
        } else if cut_short {
            self.progress.out_of_files();
        }
        outcome
    }

    fn creation(&mut self, number: u64) -> Result<(), Stop> {
        for _ in 0..number {
            let step = self.stream.create();
            self.ahead = step.operation();
            self.step(step, Phase::Creation)?;
        }
        Ok(())
    }

    fn transactions(&mut self, transactions: u64) -> Result<(), Stop> {
        let tenth = (transactions / 10).max(1);
        let mut until_tenth = 1;
        for _ in 0..transactions {
            let Ok(transaction) = self.stream.transaction() else {
                self.out_of_files = true;
                return Ok(());
            };
            // The stream has taken both halves, so that the second one is ahead while the
            // first is played.
            self.ahead = transaction.name.and_then(Step::operation);
            for step in [transaction.data, transaction.name].into_iter().flatten() {
                self.step(step, Phase::Transactions)?;
            }
            self.recorder.transactions += 1;
            until_tenth -= 1;
            if until_tenth == 0 {
                self.progress.tenth();
                until_tenth = tenth;
            }
        }
        Ok(())
    }

    fn deletion(&mut self) -> Result<(), Stop> {
        while let Some(operation) = self.stream.delete_next() {
            self.ahead = Some(operation);
            self.step(Step::Play(operation), Phase::Deletion)?;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, step: Step, phase: Phase) -> Result<(), Stop> {
        match step {
            Step::Skip(skip) => self.recorder.skip(skip),
            Step::Play(operation) => {
                if let Some(signal) = self.interrupt.pending() {
                    return Err(Stop::Interrupted(signal));
                }
                self.operation(&operation, phase)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, phase: Phase) -> Result<(), Stop> {
        let file = operation.file();
        if let Operation::Create { .. } = operation {
            if let Err((path, error)) = self.pool.before_create(file.number) {
                return Err(Stop::Failed(Box::new(manifest_failure(phase, path, &error))));
            }
            self.ahead = None; // from here on it may be there
        }
        let target = self.pool.target(file, &mut self.name);
        let outcome = match *operation {
            Operation::Create { size, .. } => self.engine.create(target, size),
            Operation::Read { size, .. } => self.engine.read(target, size),
            Operation::Append { bytes, .. } => self.engine.append(target, bytes),
            Operation::Delete { .. } => self.engine.delete(target),
        };
        match outcome {
            Ok(()) => {
                if let Operation::Delete { .. } = operation {
                    self.ahead = None;
                }
                self.recorder.done(operation, phase);
                Ok(())
            }
            Err(error) => Err(self.failed(operation, phase, error)),
        }
    }

    #[cold]
    fn failed(&mut self, operation: &Operation, phase: Phase, error: OperationError) -> Stop {
        self.recorder.failed(operation, phase, error.transferred);
        if let Operation::Create { file, .. } = *operation {
            if error.call == Call::Open {
                self.ahead = Some(*operation); // it is not there, or is somebody else's
            } else {
                self.half_made = Some(file);
            }
        }
        match (error.cause, self.interrupt.pending()) {
            (Cause::Interrupted, Some(signal)) => Stop::Interrupted(signal),
            _ => Stop::Failed(Box::new(self.failure(operation, phase, error))),
        }
    }

    fn failure(&self, operation: &Operation, phase: Phase, error: OperationError) -> Failure {
        let errno = match error.cause {
            Cause::Errno(errno) => Some(errno),
            _ => None,
        };
        Failure {
            phase,
            operation: operation.kind().name().into(),
            call: error.call.name().into(),
            path: self.pool.path(operation.file()),
            errno: errno.map(Errno::raw_os_error),
            message: error.cause.to_string(),
            hint: hint(operation, error).map(str::to_owned),
        }
    }

    fn make_subdirectories(&mut self) -> Result<(), Stop> {
        let interrupt = self.interrupt.clone();
        let stopped = || interrupt.pending().is_some();
        self.pool.make_subdirectories(self.system, stopped).map_err(|error| match error {
            None => Stop::Interrupted(interrupt.pending().unwrap_or_default()),
            Some((path, errno)) => directory_failure(Phase::Subdirectories, path, errno),
        })
    }

    fn remove_subdirectories(&mut self) -> Result<(), Stop> {
        self.pool
            .remove_subdirectories(self.system)
            .map_err(|(path, errno)| directory_failure(Phase::SubdirectoryRemoval, path, errno))
    }

    fn clean_up(&mut self) -> CleanUp {
        if self.pool.is_nowhere() {
            return CleanUp::default();
        }
        let (not_made, not_deleted) = match self.ahead.take() {
            Some(Operation::Create { file, .. }) => (Some(file), None),
            Some(Operation::Delete { file }) => (None, Some(file)),
            _ => (None, None),
        };
        let in_table = std::iter::from_fn(|| self.stream.delete_next().map(|op| op.file()));
        // First what `clean` could least tell from a user's, should we be killed in here.
        let half_made = self.half_made.take();
        let whole = in_table.filter(|&file| Some(file) != not_made && Some(file) != half_made);
        let files = half_made.into_iter().chain(whole).chain(not_deleted);
        self.pool.clean_up(self.system, files)
    }
}

impl Drop for Play<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.clean_up();
        }
    }
}

/// The times counted from the whole second in which the run began: small numbers, and
/// still at the same places within their seconds.
fn from_whole_second(phases: &[PhaseTime]) -> Vec<PhaseTime> {
    let origin = phases.first().map_or(Moment(0), |first| first.start.second_begun());
    let relative = |moment: Moment| Moment(moment.since(origin));
    let moved = |time: &PhaseTime| PhaseTime {
        start: relative(time.start),
        end: relative(time.end),
        ..*time
    };
    phases.iter().map(moved).collect()
}

fn directory_failure(phase: Phase, path: PathBuf, errno: Errno) -> Stop {
    let (operation, call, hint) = if phase == Phase::Subdirectories {
        let hint =
            (errno == Errno::EXIST).then_some("it was there before the run and was left untouched");
        ("make subdirectory", Call::MakeDirectory, hint)
    } else {
        let hint = (errno == Errno::NOTEMPTY).then_some("something was put into it during the run");
        ("remove subdirectory", Call::RemoveDirectory, hint)
    };
    Stop::Failed(Box::new(Failure {
        phase,
        operation: operation.into(),
        call: call.name().into(),
        path,
        errno: Some(errno.raw_os_error()),
        message: io::Error::from(errno).to_string(),
        hint: hint.map(str::to_owned),
    }))
}

fn manifest_failure(phase: Phase, path: PathBuf, error: &io::Error) -> Failure {
    Failure {
        phase,
        operation: "update manifest".into(),
        call: "pwrite".into(),
        path,
        errno: error.raw_os_error(),
        message: error.to_string(),
        hint: None,
    }
}

/// What may mend a failed operation, where the error tells.
fn hint(operation: &Operation, error: OperationError) -> Option<&'static str> {
    let Cause::Errno(errno) = error.cause else { return None };
    match errno {
        Errno::EXIST if matches!(operation, Operation::Create { .. }) => {
            Some("it was there before the run and was left untouched; use an empty directory")
        }
        Errno::NOSPC => Some("the file system is full: lower `set number` or `set size`"),
        Errno::DQUOT => Some("your disk quota is used up: lower `set number` or `set size`"),
        Errno::FBIG => Some("larger than this file system or your limits allow: lower `set size`"),
        Errno::ROFS => Some("the file system is, or has become, read-only"),
        Errno::NOENT => Some("something else removed it during the run"),
        Errno::IO => Some("the device failed: see the kernel's log"),
        _ => None,
    }
}
