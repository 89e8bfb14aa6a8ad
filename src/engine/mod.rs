//! How one operation touches the file system.
//!
//! An [`Engine`] plays single operations on named files through a [`System`]; it knows
//! names and bytes, but no configuration, no pool and no clock. Adding one: a file here
//! and a row in [`ENGINES`]; the conformance tests walk the table.

pub mod blocks;
mod buffered;
pub mod name;
pub mod nameless;
mod null;
mod sync;
pub mod system;
mod transfer;

use std::ffi::CStr;
use std::sync::Arc;

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use crate::interrupt::Interrupt;
use crate::workload::content::{FileContent, Mismatch};
use system::retry;
pub use system::{Call, Kernel, System};

/// A file by the directory it is under and its name relative to that.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// An open directory.
    pub directory: BorrowedFd<'a>,
    /// The name below it, at most one subdirectory deep.
    pub name: &'a CStr,
    /// Tells files apart whose contents differ.
    pub key: u64,
}

/// What made an operation fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The system call failed.
    #[error("{}", std::io::Error::from(*.0))]
    Errno(Errno),
    /// The file ended before the bytes that had been written to it.
    #[error("the file ends {missing} bytes early")]
    EndOfFile {
        /// Bytes that should have followed.
        missing: u64,
    },
    /// A write of some bytes reported that it wrote none.
    #[error("the call wrote nothing and gave no reason")]
    NothingWritten,
    /// A file does not hold what was written to it.
    #[error(
        "the file differs at offset {}: byte {:#04x} expected, {:#04x} found",
        .0.offset, .0.expected, .0.found
    )]
    Mismatch(Mismatch),
    /// A stop was asked for in the middle of a large file.
    #[error("interrupted")]
    Interrupted,
}

/// A failed operation: the call, why, and what had been transferred before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}: {cause}", call.name())]
pub struct OperationError {
    /// The call that failed.
    pub call: Call,
    /// Why.
    pub cause: Cause,
    /// Bytes read or written by this operation before it failed.
    pub transferred: u64,
}

impl OperationError {
    fn new(call: Call, errno: Errno, transferred: u64) -> Self {
        Self { call, cause: Cause::Errno(errno), transferred }
    }
}

/// Plays single operations. Every method moves all its bytes or fails.
pub trait Engine: Send {
    /// Makes a new file of `size` bytes. Never touches one that exists.
    ///
    /// # Errors
    /// [`OperationError`]; unless the call is [`Call::Open`] the file is there.
    fn create(&mut self, target: Target<'_>, size: u64) -> Result<(), OperationError>;

    /// Reads the whole file, `size` bytes; with `pieces`, the sizes in which it was
    /// written, compares it with what must be there.
    ///
    /// # Errors
    /// [`OperationError`]
    fn read(
        &mut self,
        target: Target<'_>,
        size: u64,
        pieces: Option<&[u64]>,
    ) -> Result<(), OperationError>;

    /// Adds `bytes` bytes at the end of a file of `size` bytes.
    ///
    /// # Errors
    /// [`OperationError`]
    fn append(&mut self, target: Target<'_>, size: u64, bytes: u64) -> Result<(), OperationError>;

    /// Removes the file.
    ///
    /// # Errors
    /// [`OperationError`]
    fn delete(&mut self, target: Target<'_>) -> Result<(), OperationError>;
}

/// What an engine is built from.
pub struct Setup<'a> {
    /// The system calls.
    pub system: &'a dyn System,
    /// What is written.
    pub text: Arc<FileContent>,
    /// Bytes of one read.
    pub read_block: usize,
    /// Bytes of one write.
    pub write_block: usize,
    /// Every how many writing operations the file is synced; none for never.
    pub fsync_interval: Option<u64>,
    /// Bypasses the page cache, where the engine can.
    pub direct: bool,
    /// Stops even in the middle of a large file.
    pub interrupt: Interrupt,
}

/// One engine of the table.
pub struct EngineRow {
    /// Its name in scripts.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// False when it leaves the file system alone.
    pub touches_files: bool,
    /// Builds it.
    pub build: for<'a> fn(Setup<'a>) -> Box<dyn Engine + 'a>,
}

/// Every engine.
pub const ENGINES: &[EngineRow] = &[
    EngineRow {
        name: "sync",
        help: "a system call per block, as PostMark with `set buffering false`",
        touches_files: true,
        build: |setup| Box::new(sync::SyncEngine::new(setup)),
    },
    EngineRow {
        name: "buffered",
        help: "the calls of C's stdio, as PostMark with `set buffering true`",
        touches_files: true,
        build: |setup| Box::new(buffered::BufferedEngine::new(setup)),
    },
    EngineRow {
        name: "null",
        help: "touches nothing: shows the program's own share of the time",
        touches_files: false,
        build: |_| Box::new(null::NullEngine),
    },
];

/// The engine of that name.
#[must_use]
pub fn engine(name: &str) -> Option<&'static EngineRow> {
    ENGINES.iter().find(|row| row.name == name)
}

/// Tells which writing operations end with a sync.
struct SyncSchedule {
    interval: Option<u64>,
    written: u64,
}

impl SyncSchedule {
    fn new(interval: Option<u64>) -> Self {
        Self { interval, written: 0 }
    }

    /// Counts one writing operation; true when it is to be synced.
    fn is_due(&mut self) -> bool {
        self.written += 1;
        self.interval.is_some_and(|interval| self.written.is_multiple_of(interval))
    }
}

/// Removes a file; shared by the engines that have files.
fn unlink(system: &dyn System, target: Target<'_>) -> Result<(), OperationError> {
    retry(|| system.unlink(target.directory, target.name))
        .map_err(|errno| OperationError::new(Call::Unlink, errno, 0))
}

/// The offset and length of each block of `size` bytes, the remainder last, also when it
/// is of zero length.
fn blocks(size: u64, block: usize) -> impl Iterator<Item = (u64, usize)> {
    let whole = size / block as u64;
    let rest = (size % block as u64) as usize;
    (0..whole)
        .map(move |index| (index * block as u64, block))
        .chain(std::iter::once((whole * block as u64, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::EngineKind;

    #[test]
    fn every_kind_has_a_row() {
        for kind in EngineKind::ALL {
            assert!(engine(kind.name()).is_some(), "{}", kind.name());
        }
        assert_eq!(ENGINES.len(), EngineKind::ALL.len());
    }

    #[test]
    fn the_remainder_comes_last_even_when_empty() {
        assert_eq!(blocks(1000, 512).collect::<Vec<_>>(), [(0, 512), (512, 488)]);
        assert_eq!(blocks(1024, 512).collect::<Vec<_>>(), [(0, 512), (512, 512), (1024, 0)]);
        assert_eq!(blocks(3, 512).collect::<Vec<_>>(), [(0, 3)]);
    }
}
