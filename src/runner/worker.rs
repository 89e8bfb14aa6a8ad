//! One worker: it plays its stream of operations on its pool, and removes whatever is
//! left of it in the end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::clock::{Clock, Moment};
use super::failure::{self, Stop};
use super::measurement::{CleanUp, Phase};
use super::pool::Pool;
use super::recorder::Recorder;
use crate::engine::name::NameBuffer;
use crate::engine::{Call, Cause, Engine, OperationError, System};
use crate::interrupt::Interrupt;
use crate::workload::policy::LatencyLevel;
use crate::workload::{Config, FileId, Operation, PostmarkStream, Step};

/// What ends the transactions.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// So many of them.
    pub transactions: u64,
    /// So many nanoseconds from the worker's start.
    pub duration: Option<u64>,
}

/// What the workers of a run share.
#[derive(Clone)]
pub struct Shared<'a> {
    /// For cleaning up.
    pub system: &'a dyn System,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Stops all of them.
    pub interrupt: Interrupt,
    /// Set by one that failed: the others stop, too.
    pub abandon: Arc<AtomicBool>,
    /// True while transactions are played that do not count.
    pub warming_up: Arc<AtomicBool>,
    /// Transactions done by all of them, now and then; for showing progress.
    pub done: Arc<AtomicU64>,
}

/// A worker. Dropping it removes every file and directory it made.
pub struct Worker<'a> {
    shared: Shared<'a>,
    pub pool: Pool,
    stream: PostmarkStream,
    engine: Box<dyn Engine + 'a>,
    pub recorder: Recorder,
    name: NameBuffer,
    timed: bool,
    /// The pieces each file was written in, where reads are verified.
    pieces: Option<HashMap<FileId, Vec<u64>>>,
    /// True when the pool was empty before the transactions were done.
    pub out_of_files: bool,
    /// The create or delete that the table has done and the disk, as yet, has not: such a
    /// file is not made, or still there.
    ahead: Option<Operation>,
    /// A file whose create failed after it was there.
    half_made: Option<FileId>,
    clean: bool,
}

/// Every how many transactions the shared count is brought up to date.
const REPORT_EVERY: u64 = 64;

impl<'a> Worker<'a> {
    pub fn new(
        config: &Config,
        shared: Shared<'a>,
        pool: Pool,
        stream: PostmarkStream,
        engine: Box<dyn Engine + 'a>,
    ) -> Self {
        Self {
            shared,
            pool,
            stream,
            engine,
            recorder: Recorder::new(config.interval_ns),
            name: NameBuffer::default(),
            timed: config.latency != LatencyLevel::Off,
            pieces: config.verify.then(HashMap::new),
            out_of_files: false,
            ahead: None,
            half_made: None,
            clean: false,
        }
    }

    /// Makes the initial pool.
    pub fn creation(&mut self, number: u64) -> Result<(), Stop> {
        for _ in 0..number {
            let step = self.stream.create();
            self.step(step, Phase::Creation)?;
        }
        Ok(())
    }

    /// Plays transactions up to the limit, and tells `after` the number of each.
    pub fn transactions(
        &mut self,
        phase: Phase,
        limit: Limit,
        mut after: impl FnMut(u64),
    ) -> Result<(), Stop> {
        // From here, not from before the phase: what is done in between takes its time, too.
        let deadline = limit
            .duration
            .map(|duration| Moment(self.shared.clock.now().0.saturating_add(duration)));
        for number in 1..=limit.transactions {
            let Ok(data) = self.stream.data_half() else {
                self.out_of_files = true;
                return Ok(());
            };
            if let Some(step) = data {
                self.step(step, phase)?;
            }
            if let Some(step) = self.stream.name_half() {
                self.step(step, phase)?;
            }
            if phase == Phase::Transactions {
                self.recorder.transactions += 1;
            }
            if number.is_multiple_of(REPORT_EVERY) {
                self.shared.done.fetch_add(REPORT_EVERY, Ordering::Relaxed);
            }
            after(number);
            if deadline.is_some_and(|deadline| self.shared.clock.now() >= deadline) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Deletes every file left.
    pub fn deletion(&mut self) -> Result<(), Stop> {
        while let Some(operation) = self.stream.delete_next() {
            self.step(Step::Play(operation), Phase::Deletion)?;
        }
        Ok(())
    }

    /// The files of its pool.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.stream.files()
    }

    #[inline]
    fn step(&mut self, step: Step, phase: Phase) -> Result<(), Stop> {
        match step {
            Step::Skip(skip) => self.recorder.skip(skip, phase),
            Step::Play(operation) => {
                self.ahead = Some(operation);
                if let Some(signal) = self.shared.interrupt.pending() {
                    return Err(Stop::Interrupted(signal));
                }
                if self.shared.abandon.load(Ordering::Relaxed) {
                    return Err(Stop::Abandoned);
                }
                self.operation(&operation, phase)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, phase: Phase) -> Result<(), Stop> {
        if let Operation::Create { file, .. } = operation {
            if let Err((path, error)) = self.pool.before_create(file.number) {
                let failure = failure::of_manifest(phase, path, &error);
                return Err(self.abandon(Stop::Failed(Box::new(failure))));
            }
            self.ahead = None; // from here on it may be there
        }
        let begun = if self.timed { self.shared.clock.now() } else { Moment(0) };
        match self.play(operation) {
            Ok(()) => {
                self.ahead = None;
                self.recorder.done(operation, phase);
                if self.timed {
                    self.recorder.time(operation, phase, begun, self.shared.clock.now());
                }
                if let Some(pieces) = &mut self.pieces {
                    note_pieces(pieces, operation);
                }
                Ok(())
            }
            Err(error) => Err(self.failed(operation, phase, error)),
        }
    }

    #[inline]
    fn play(&mut self, operation: &Operation) -> Result<(), OperationError> {
        let file = operation.file();
        let target = self.pool.target(file, &mut self.name);
        match *operation {
            Operation::Create { size, .. } => self.engine.create(target, size),
            Operation::Read { size, .. } => {
                let pieces = self.pieces.as_ref().and_then(|all| all.get(&file));
                self.engine.read(target, size, pieces.map(Vec::as_slice))
            }
            Operation::Append { size, bytes, .. } => self.engine.append(target, size, bytes),
            Operation::Delete { .. } => self.engine.delete(target),
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
        match (error.cause, self.shared.interrupt.pending()) {
            (Cause::Interrupted, Some(signal)) => Stop::Interrupted(signal),
            _ => {
                let path = self.pool.path(operation.file());
                let failure = failure::of_operation(operation, phase, path, error);
                self.abandon(Stop::Failed(Box::new(failure)))
            }
        }
    }

    fn abandon(&self, stop: Stop) -> Stop {
        self.shared.abandon.store(true, Ordering::Relaxed);
        stop
    }

    /// Says that the run came to its end and left nothing.
    pub fn is_clean(&mut self) {
        self.clean = true;
    }

    /// Removes what is left of it.
    pub fn clean_up(&mut self) -> CleanUp {
        self.clean = true;
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
        self.pool.clean_up(self.shared.system, files)
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if !self.clean {
            self.clean_up();
        }
    }
}

fn note_pieces(pieces: &mut HashMap<FileId, Vec<u64>>, operation: &Operation) {
    match *operation {
        Operation::Create { file, size } => {
            pieces.insert(file, vec![size]);
        }
        Operation::Append { file, bytes, .. } => pieces.entry(file).or_default().push(bytes),
        Operation::Delete { file } => {
            pieces.remove(&file);
        }
        Operation::Read { .. } => {}
    }
}
