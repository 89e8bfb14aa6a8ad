//! The parts of a run, and when they were: data only.

use serde::{Deserialize, Serialize};

use super::clock::Moment;

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Making the subdirectories.
    Subdirectories,
    /// Making the initial pool.
    Creation,
    /// Transactions.
    Transactions,
    /// Deleting every file that is left.
    Deletion,
    /// Removing the subdirectories.
    SubdirectoryRemoval,
    /// Forcing the initial pool to the device.
    CreationSync,
    /// Writing back and emptying the page cache.
    CacheDrop,
    /// Transactions that do not count.
    WarmUp,
    /// Forcing what the transactions wrote to the device.
    TransactionSync,
    /// Forcing the deletes to the device.
    DeletionSync,
    /// Transfers of one large file, with all that lies between them.
    Transfers,
}

impl Phase {
    /// Its name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Subdirectories => "subdirectories",
            Self::Creation => "creation",
            Self::Transactions => "transactions",
            Self::Deletion => "deletion",
            Self::SubdirectoryRemoval => "subdirectory removal",
            Self::CreationSync => "sync after creation",
            Self::CacheDrop => "emptying caches",
            Self::WarmUp => "warm-up",
            Self::TransactionSync => "sync after trans.",
            Self::DeletionSync => "sync after deletion",
            Self::Transfers => "transfers",
        }
    }
}

/// When a phase was, and whether it came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Which.
    pub phase: Phase,
    /// Its beginning.
    pub start: Moment,
    /// Its end.
    pub end: Moment,
    /// False when the run stopped in it.
    pub complete: bool,
}

impl PhaseTime {
    /// Its length in nanoseconds.
    #[must_use]
    pub fn elapsed(&self) -> u64 {
        self.end.since(self.start)
    }
}
