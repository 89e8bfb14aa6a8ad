//! Whole transfers on top of single calls: going on after short counts and signals, and
//! counting what really moved.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::system::retry;
use super::{Call, Cause, OperationError, System, Target};
use crate::interrupt::Interrupt;
use crate::workload::content::FileContent;

/// An open file that counts the bytes moved through it and closes with a check.
pub struct OpenFile<'a> {
    system: &'a dyn System,
    interrupt: &'a Interrupt,
    file: OwnedFd,
    /// Bytes read or written so far.
    transferred: u64,
}

impl<'a> OpenFile<'a> {
    /// Opens a file, with `O_CLOEXEC`.
    pub fn open(
        system: &'a dyn System,
        interrupt: &'a Interrupt,
        target: Target<'_>,
        flags: OFlags,
        mode: Mode,
    ) -> Result<Self, OperationError> {
        let flags = flags | OFlags::CLOEXEC;
        let file = retry(|| system.open(target.directory, target.name, flags, mode))
            .map_err(|errno| OperationError::new(Call::Open, errno, 0))?;
        Ok(Self { system, interrupt, file, transferred: 0 })
    }

    /// The system the file is of.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// The descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The error of a call on this file.
    pub fn failure(&self, call: Call, cause: Cause) -> OperationError {
        OperationError { call, cause, transferred: self.transferred }
    }

    /// Writes all bytes. Of none, one call is made all the same.
    #[inline]
    pub fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), OperationError> {
        if self.interrupt.pending().is_some() {
            return Err(self.failure(Call::Write, Cause::Interrupted));
        }
        loop {
            match self.system.write(self.file.as_fd(), bytes) {
                Ok(0) if !bytes.is_empty() => {
                    return Err(self.failure(Call::Write, Cause::NothingWritten));
                }
                Ok(written) => {
                    self.transferred += written as u64;
                    bytes = &bytes[written..];
                    if bytes.is_empty() {
                        return Ok(());
                    }
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(self.failure(Call::Write, Cause::Errno(errno))),
            }
        }
    }

    /// Reads until the buffer is full. Of an empty one, one call is made all the same.
    #[inline]
    pub fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), OperationError> {
        let mut filled = 0;
        loop {
            filled += self.read_some(&mut buffer[filled..])?;
            if filled == buffer.len() {
                return Ok(());
            }
        }
    }

    /// One read; at least a byte unless the buffer is empty.
    #[inline]
    pub fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, OperationError> {
        if self.interrupt.pending().is_some() {
            return Err(self.failure(Call::Read, Cause::Interrupted));
        }
        match retry(|| self.system.read(self.file.as_fd(), buffer)) {
            Ok(0) if !buffer.is_empty() => {
                let missing = buffer.len() as u64;
                Err(self.failure(Call::Read, Cause::EndOfFile { missing }))
            }
            Ok(read) => {
                self.transferred += read as u64;
                Ok(read)
            }
            Err(errno) => Err(self.failure(Call::Read, Cause::Errno(errno))),
        }
    }

    /// Compares a block read at `offset` of a file written in these pieces with what must
    /// be there; without pieces, does nothing.
    #[inline]
    pub fn compare(
        &self,
        content: &FileContent,
        key: u64,
        pieces: Option<&[u64]>,
        offset: u64,
        block: &[u8],
    ) -> Result<(), OperationError> {
        match pieces.and_then(|pieces| content.check(key, pieces, offset, block)) {
            Some(mismatch) => Err(self.failure(Call::Read, Cause::Mismatch(mismatch))),
            None => Ok(()),
        }
    }

    /// `fsync`
    pub fn sync(&self) -> Result<(), OperationError> {
        retry(|| self.system.sync(self.file.as_fd()))
            .map_err(|errno| self.failure(Call::Sync, Cause::Errno(errno)))
    }

    /// Closes the file. On Linux a descriptor is closed even when `close` was interrupted
    /// by a signal, so `EINTR` is no failure and must not be tried again.
    #[inline]
    pub fn close(self) -> Result<(), OperationError> {
        match self.system.close(self.file) {
            Ok(()) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(OperationError::new(Call::Close, errno, self.transferred)),
        }
    }
}
