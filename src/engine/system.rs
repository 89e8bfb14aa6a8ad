//! The system calls an engine makes, as a trait: the kernel's, or a test's that fails on
//! purpose, or one that measures each call.

use std::ffi::CStr;

use rustix::fd::{BorrowedFd, IntoRawFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, SeekFrom};
use rustix::io::{Errno, Result};

/// A system call, for error messages and measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// `openat`
    Open,
    /// `fstat`
    Stat,
    /// `lseek`
    Seek,
    /// `read`
    Read,
    /// `write`
    Write,
    /// `fsync`
    Sync,
    /// `close`
    Close,
    /// `unlinkat`
    Unlink,
    /// `mkdirat`
    MakeDirectory,
    /// `unlinkat` of a directory
    RemoveDirectory,
    /// `pread`
    ReadAt,
    /// `pwrite`
    WriteAt,
    /// `ftruncate`
    Truncate,
    /// `io_uring_enter` and what belongs to it
    Ring,
}

impl Call {
    /// Every call, in the order of an operation.
    pub const ALL: [Self; 14] = [
        Self::Open,
        Self::Stat,
        Self::Seek,
        Self::Read,
        Self::Write,
        Self::Sync,
        Self::Close,
        Self::Unlink,
        Self::MakeDirectory,
        Self::RemoveDirectory,
        Self::ReadAt,
        Self::WriteAt,
        Self::Truncate,
        Self::Ring,
    ];

    /// The name as C has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stat => "fstat",
            Self::Seek => "lseek",
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "fsync",
            Self::Close => "close",
            Self::Unlink => "unlink",
            Self::MakeDirectory => "mkdir",
            Self::RemoveDirectory => "rmdir",
            Self::ReadAt => "pread",
            Self::WriteAt => "pwrite",
            Self::Truncate => "ftruncate",
            Self::Ring => "io_uring",
        }
    }
}

/// System calls on files relative to open directories.
///
/// Implementations make one call per method; callers go on after `EINTR` and short
/// counts. Errors are the call's `errno`.
#[allow(clippy::missing_errors_doc)] // said once above, for all of them
pub trait System: Sync {
    /// `openat`
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd>;
    /// `read`
    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize>;
    /// `write`
    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize>;
    /// `pread`
    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize>;
    /// `pwrite`
    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize>;
    /// `ftruncate`
    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()>;
    /// True when the kernel's own queue does the same as these calls; false where they
    /// are watched or changed.
    fn has_queues(&self) -> bool {
        false
    }
    /// `fsync`
    fn sync(&self, file: BorrowedFd<'_>) -> Result<()>;
    /// `close`, whose error may be the first sign of lost data. The descriptor is gone
    /// whatever it returns.
    fn close(&self, file: OwnedFd) -> Result<()>;
    /// `lseek` to the end; the new position.
    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64>;
    /// `fstat`; the preferred block size.
    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64>;
    /// `unlinkat`
    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()>;
    /// `mkdirat`, mode 0700
    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()>;
    /// `unlinkat` with `AT_REMOVEDIR`
    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()>;
}

/// The real system calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kernel;

impl System for Kernel {
    #[inline]
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        rustix::fs::openat(directory, name, flags, mode)
    }

    #[inline]
    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
        rustix::io::read(file, buffer)
    }

    #[inline]
    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        rustix::io::write(file, bytes)
    }

    #[inline]
    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
        rustix::io::pread(file, buffer, offset)
    }

    #[inline]
    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
        rustix::io::pwrite(file, bytes, offset)
    }

    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        rustix::fs::ftruncate(file, size)
    }

    fn has_queues(&self) -> bool {
        true
    }

    fn sync(&self, file: BorrowedFd<'_>) -> Result<()> {
        rustix::fs::fsync(file)
    }

    #[inline]
    fn close(&self, file: OwnedFd) -> Result<()> {
        // SAFETY: the descriptor was owned until this moment and nobody else holds it.
        unsafe { rustix::io::try_close(file.into_raw_fd()) }
    }

    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64> {
        rustix::fs::seek(file, SeekFrom::End(0))
    }

    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64> {
        Ok(rustix::fs::fstat(file)?.st_blksize as u64)
    }

    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        rustix::fs::unlinkat(directory, name, AtFlags::empty())
    }

    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        rustix::fs::mkdirat(directory, name, Mode::RWXU)
    }

    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)
    }
}

/// Makes a call again as long as a signal interrupted it.
#[inline]
pub fn retry<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}
