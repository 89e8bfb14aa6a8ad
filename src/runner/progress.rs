//! Telling how far a run is.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::phase::Phase;

/// What the counter comes to when all transfers are done.
pub const ALL_TRANSFERRED: u64 = 10_000;

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
    /// Where the run is to count its transactions while it plays, or how much of
    /// [`ALL_TRANSFERRED`] it is, for a look from outside the timed path.
    fn counter(&self) -> Option<Arc<AtomicU64>> {
        None
    }
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
