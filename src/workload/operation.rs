//! One operation on one file: data only.

use serde::{Deserialize, Serialize};

/// Which file: its running number gives the name, its directory the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The running number of its creation in this run, from 1; its name in decimal.
    pub number: u64,
    /// `location × subdirectories + subdirectory`; the location alone without subdirectories.
    pub directory: u32,
}

/// A file with its size, as kept in the file table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PooledFile {
    /// Which file.
    pub id: FileId,
    /// Its size in bytes.
    pub size: u64,
}

/// The four operations of PostMark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// A new file is written.
    Create,
    /// A whole file is read.
    Read,
    /// A file grows at its end.
    Append,
    /// A file is removed.
    Delete,
}

impl OperationKind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Create, Self::Read, Self::Append, Self::Delete];

    /// Its name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Append => "append",
            Self::Delete => "delete",
        }
    }
}

/// One operation, with all an engine must know. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Make a new file of `size` bytes.
    Create {
        /// The file to make.
        file: FileId,
        /// Its size.
        size: u64,
    },
    /// Read all `size` bytes of a file.
    Read {
        /// The file to read.
        file: FileId,
        /// Its present size.
        size: u64,
    },
    /// Add `bytes` at the end of a file that has `size`.
    Append {
        /// The file to grow.
        file: FileId,
        /// Its size before.
        size: u64,
        /// How much is added.
        bytes: u64,
    },
    /// Remove a file.
    Delete {
        /// The file to remove.
        file: FileId,
    },
}

impl Operation {
    /// The kind of this operation.
    #[must_use]
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Create { .. } => OperationKind::Create,
            Self::Read { .. } => OperationKind::Read,
            Self::Append { .. } => OperationKind::Append,
            Self::Delete { .. } => OperationKind::Delete,
        }
    }

    /// The file it acts on.
    #[must_use]
    pub fn file(&self) -> FileId {
        match *self {
            Self::Create { file, .. }
            | Self::Read { file, .. }
            | Self::Append { file, .. }
            | Self::Delete { file } => file,
        }
    }

    /// The bytes it moves when it succeeds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match *self {
            Self::Create { size, .. } | Self::Read { size, .. } => size,
            Self::Append { bytes, .. } => bytes,
            Self::Delete { .. } => 0,
        }
    }
}

/// Why PostMark silently does nothing where an operation was due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// A create found the file table full.
    TableFull,
    /// An append met a file already at the largest size.
    FileFull,
}

/// What one half of a transaction comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An operation to play.
    Play(Operation),
    /// Nothing, for this reason; it still counts as a transaction.
    Skip(Skip),
}

impl Step {
    /// The operation, if there is one to play.
    #[inline]
    #[must_use]
    pub fn operation(self) -> Option<Operation> {
        match self {
            Self::Play(operation) => Some(operation),
            Self::Skip(_) => None,
        }
    }
}
