//! Moving the blocks of one open file, one after the other or several at once.
//!
//! A [`Course`] says which block is next and is told when one has been moved; it owns the
//! order, the data and the time. A [`BlockEngine`] only makes the calls.

mod one;
mod ring;
mod threads;

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use super::{Call, Cause, System};
use crate::workload::content::Mismatch;

/// What a block is to be.
#[derive(Clone, Copy)]
pub enum Data<'a> {
    /// Read so many bytes.
    Read(usize),
    /// Write these.
    Write(&'a [u8]),
}

impl Data<'_> {
    fn length(&self) -> usize {
        match self {
            Self::Read(length) => *length,
            Self::Write(bytes) => bytes.len(),
        }
    }

    fn call(&self) -> Call {
        match self {
            Self::Read(_) => Call::ReadAt,
            Self::Write(_) => Call::WriteAt,
        }
    }
}

/// One block to move.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// Where it is in the file.
    pub offset: u64,
    /// What it is.
    pub data: Data<'a>,
}

/// The way through a file.
pub trait Course<'a>: Send {
    /// The next block; none when there is no more. It is moved in this slot, one of as
    /// many as the depth, which is free until [`moved`](Self::moved).
    fn next(&mut self, slot: usize) -> Option<Block<'a>>;

    /// The block of a slot was moved; the bytes, if it was read.
    ///
    /// # Errors
    /// The difference, when they are not what must be there.
    fn moved(&mut self, slot: usize, read: Option<&[u8]>) -> Result<(), Mismatch>;

    /// True when the file is to be synced now.
    fn sync_is_due(&mut self) -> bool;
}

/// A block that could not be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} at offset {offset}: {cause}", call.name())]
pub struct BlockError {
    /// The call that failed.
    pub call: Call,
    /// Where in the file.
    pub offset: u64,
    /// Why.
    pub cause: Cause,
}

/// Moves the blocks of a course.
pub trait BlockEngine {
    /// Moves all blocks of a course, or fails; nothing is under way any more then.
    ///
    /// # Errors
    /// [`BlockError`]
    fn play<'a>(
        &mut self,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) -> Result<(), BlockError>;

    /// What it is, for reports.
    fn name(&self) -> &'static str;
}

/// The engine for so many blocks of at most so many bytes under way at once: plain calls
/// for one, the kernel's queue (io_uring) for several, threads where there is none.
#[must_use]
pub fn block_engine<'a>(
    system: &'a dyn System,
    depth: usize,
    longest: usize,
) -> Box<dyn BlockEngine + 'a> {
    if depth <= 1 {
        return Box::new(one::OneByOne::new(system, longest));
    }
    let ring = system.has_queues().then(|| ring::Ring::new(depth, longest).ok()).flatten();
    match ring {
        Some(ring) => Box::new(ring),
        None => Box::new(threads::Threads::new(system, depth, longest)),
    }
}

/// Moves one whole block by plain calls, short counts and signals notwithstanding.
fn move_block(
    system: &dyn System,
    file: BorrowedFd<'_>,
    block: &Block<'_>,
    buffer: &mut [u8],
) -> Result<(), BlockError> {
    let mut done = 0;
    loop {
        let offset = block.offset + done as u64;
        let (rest, result) = match block.data {
            Data::Read(length) => {
                let rest = &mut buffer[done..length];
                (rest.len(), system.read_at(file, rest, offset))
            }
            Data::Write(bytes) => {
                let rest = &bytes[done..];
                (rest.len(), system.write_at(file, rest, offset))
            }
        };
        match result {
            Ok(count) if count == rest => return Ok(()),
            Ok(0) => return Err(nothing_moved(block, done)),
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(errno) => {
                let cause = Cause::Errno(errno);
                return Err(BlockError { call: block.data.call(), offset, cause });
            }
        }
    }
}

/// The error of a call that moved nothing without giving a reason.
fn nothing_moved(block: &Block<'_>, done: usize) -> BlockError {
    let cause = match block.data {
        Data::Read(length) => Cause::EndOfFile { missing: (length - done) as u64 },
        Data::Write(_) => Cause::NothingWritten,
    };
    BlockError { call: block.data.call(), offset: block.offset + done as u64, cause }
}

/// Tells the course that a block was moved.
fn tell<'a>(
    course: &mut dyn Course<'a>,
    slot: usize,
    block: &Block<'a>,
    buffer: &[u8],
) -> Result<(), BlockError> {
    let read = match block.data {
        Data::Read(length) => Some(&buffer[..length]),
        Data::Write(_) => None,
    };
    course.moved(slot, read).map_err(|mismatch| BlockError {
        call: Call::ReadAt,
        offset: block.offset,
        cause: Cause::Mismatch(mismatch),
    })
}

/// Syncs the file if the course says so.
fn sync_if_due(
    system: &dyn System,
    file: BorrowedFd<'_>,
    course: &mut dyn Course<'_>,
    offset: u64,
) -> Result<(), BlockError> {
    if !course.sync_is_due() {
        return Ok(());
    }
    super::retry(|| system.sync(file)).map_err(|errno| BlockError {
        call: Call::Sync,
        offset,
        cause: Cause::Errno(errno),
    })
}
