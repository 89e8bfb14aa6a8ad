//! Counts of operations and bytes: data only.

use serde::{Deserialize, Serialize};

use crate::workload::OperationKind;

/// How many operations, and how many bytes they moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Operations completed.
    pub count: u64,
    /// Bytes read or written, those of a failed operation included.
    pub bytes: u64,
}

/// The tallies of one kind of operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindTally {
    /// In the phase of its own: creation or deletion.
    pub alone: Tally,
    /// Among the transactions.
    pub mixed: Tally,
    /// Among the transactions of the warm-up; part of no total and no rate.
    #[serde(default)]
    pub warm_up: Tally,
}

impl KindTally {
    /// Alone and mixed together.
    #[must_use]
    pub fn total(&self) -> Tally {
        Tally {
            count: self.alone.count + self.mixed.count,
            bytes: self.alone.bytes + self.mixed.bytes,
        }
    }
}

/// The tallies of all kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationTallies {
    /// Creates.
    pub create: KindTally,
    /// Reads.
    pub read: KindTally,
    /// Appends.
    pub append: KindTally,
    /// Deletes.
    pub delete: KindTally,
}

impl OperationTallies {
    /// The tally of one kind.
    #[must_use]
    pub fn of(&self, kind: OperationKind) -> &KindTally {
        match kind {
            OperationKind::Create => &self.create,
            OperationKind::Read => &self.read,
            OperationKind::Append => &self.append,
            OperationKind::Delete => &self.delete,
        }
    }

    pub(super) fn of_mut(&mut self, kind: OperationKind) -> &mut KindTally {
        match kind {
            OperationKind::Create => &mut self.create,
            OperationKind::Read => &mut self.read,
            OperationKind::Append => &mut self.append,
            OperationKind::Delete => &mut self.delete,
        }
    }

    /// Adds another worker's.
    pub(super) fn add(&mut self, other: &Self) {
        for kind in OperationKind::ALL {
            let (mine, theirs) = (self.of_mut(kind), other.of(kind));
            for (mine, theirs) in [
                (&mut mine.alone, theirs.alone),
                (&mut mine.mixed, theirs.mixed),
                (&mut mine.warm_up, theirs.warm_up),
            ] {
                mine.count += theirs.count;
                mine.bytes += theirs.bytes;
            }
        }
    }

    /// Bytes read.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.total().bytes
    }

    /// Bytes written: creates and appends.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.create.total().bytes + self.append.total().bytes
    }
}

/// Transactions whose half silently did nothing; PostMark counts them as done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Creates that found the file table full.
    pub creates: u64,
    /// Appends to a file already at the largest size.
    pub appends: u64,
}

/// PostMark's byte counters: 32-bit floats that lose what is too small for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassicSums {
    /// Bytes read.
    pub read: f32,
    /// Bytes written.
    pub written: f32,
}
