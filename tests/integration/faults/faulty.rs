//! System calls that fail on purpose: the n-th of any kind, in a chosen way.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, Result};
use trimark::engine::{Call, Kernel, System};
use trimark::interrupt::Interrupt;

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It fails with this error, and does nothing. (`close` closes all the same, as on
    /// Linux.)
    Error(Errno),
    /// A transfer moves half its bytes only; other calls are left alone.
    Half,
    /// A transfer moves a single byte only; other calls are left alone.
    OneByte,
    /// A transfer of some bytes moves none; other calls are left alone.
    NoByte,
    /// It panics.
    Panic,
    /// A stop is asked for just before it, and nothing else happens.
    Stop,
}

/// How long the fault lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// The one call.
    Once,
    /// The same call on the same path, from then on.
    SamePath,
    /// Every change of a directory, from then on: a file system that became read-only.
    Changes,
    /// Every second call, from then on.
    EverySecond,
}

/// A call at which a fault happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub call: Call,
    pub path: PathBuf,
    /// False for a fault of transfers at a call that is none (or of no bytes).
    pub took_effect: bool,
}

/// The kernel's system calls with one fault.
pub struct FaultySystem {
    fault: Fault,
    lasting: Lasting,
    at: u64,
    /// What [`Fault::Stop`] raises.
    pub interrupt: Interrupt,
    calls: AtomicU64,
    hit: Mutex<Option<Hit>>,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    removed: Mutex<Vec<(PathBuf, Vec<u8>)>>,
}

/// Also after a panic, which some faults are.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultySystem {
    /// Does `fault` at call number `at`, counted from 1; never for 0.
    pub fn new(at: u64, fault: Fault, lasting: Lasting) -> Self {
        Self {
            fault,
            lasting,
            at,
            interrupt: Interrupt::default(),
            calls: AtomicU64::default(),
            hit: Mutex::default(),
            bytes_read: AtomicU64::default(),
            bytes_written: AtomicU64::default(),
            removed: Mutex::default(),
        }
    }

    /// Without any fault.
    pub fn sound() -> Self {
        Self::new(0, Fault::Half, Lasting::Once)
    }

    /// The first call at which the fault happened.
    pub fn hit(&self) -> Option<Hit> {
        lock(&self.hit).clone()
    }

    pub fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }

    /// Bytes that the kernel said it read and wrote.
    pub fn bytes_moved(&self) -> (u64, u64) {
        (self.bytes_read.load(Relaxed), self.bytes_written.load(Relaxed))
    }

    /// Every file removed, in order, with what it held.
    pub fn removed(&self) -> Vec<(PathBuf, Vec<u8>)> {
        lock(&self.removed).clone()
    }

    /// The fault for this call, if there is one.
    fn fault(&self, call: Call, path: impl Fn() -> PathBuf) -> Option<Fault> {
        let number = self.calls.fetch_add(1, Relaxed) + 1;
        if number == self.at {
            let transfer = matches!(self.fault, Fault::Half | Fault::OneByte | Fault::NoByte);
            let took_effect = !transfer;
            if self.fault == Fault::Stop {
                self.interrupt.raise(15);
            }
            *lock(&self.hit) = Some(Hit { call, path: path(), took_effect });
            return Some(self.fault);
        }
        let hit = lock(&self.hit);
        let hit = hit.as_ref()?;
        let again = match self.lasting {
            Lasting::Once => false,
            Lasting::SamePath => hit.call == call && hit.path == path(),
            Lasting::Changes => matches!(
                call,
                Call::Open
                    | Call::Write
                    | Call::Unlink
                    | Call::MakeDirectory
                    | Call::RemoveDirectory
            ),
            Lasting::EverySecond => (number - self.at).is_multiple_of(2),
        };
        again.then_some(self.fault)
    }

    /// The error of a call that moves no bytes.
    fn check(&self, call: Call, path: impl Fn() -> PathBuf) -> Result<()> {
        match self.fault(call, path) {
            Some(Fault::Error(errno)) => Err(errno),
            // Past the panic hook: thousands of messages would help nobody.
            Some(Fault::Panic) => std::panic::resume_unwind(Box::new("a panic on purpose")),
            _ => Ok(()),
        }
    }

    /// How many of `length` bytes a transfer may move.
    fn allowed(&self, call: Call, file: BorrowedFd<'_>, length: usize) -> Result<usize> {
        let allowed = match self.fault(call, || path_of(file)) {
            Some(Fault::Error(errno)) => return Err(errno),
            Some(Fault::Panic) => std::panic::resume_unwind(Box::new("a panic on purpose")),
            Some(Fault::Half) => length.div_ceil(2),
            Some(Fault::OneByte) => length.min(1),
            Some(Fault::NoByte) => 0,
            Some(Fault::Stop) | None => length,
        };
        if allowed < length
            && let Some(hit) = lock(&self.hit).as_mut()
        {
            hit.took_effect = true;
        }
        Ok(allowed)
    }
}

impl System for FaultySystem {
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        self.check(Call::Open, || below(directory, name))?;
        Kernel.open(directory, name, flags, mode)
    }

    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
        let allowed = self.allowed(Call::Read, file, buffer.len())?;
        if allowed == 0 && !buffer.is_empty() {
            return Ok(0);
        }
        let read = Kernel.read(file, &mut buffer[..allowed])?;
        self.bytes_read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }

    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        let allowed = self.allowed(Call::Write, file, bytes.len())?;
        if allowed == 0 && !bytes.is_empty() {
            return Ok(0);
        }
        let written = Kernel.write(file, &bytes[..allowed])?;
        self.bytes_written.fetch_add(written as u64, Relaxed);
        Ok(written)
    }

    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let allowed = self.allowed(Call::ReadAt, file, buffer.len())?;
        if allowed == 0 && !buffer.is_empty() {
            return Ok(0);
        }
        let read = Kernel.read_at(file, &mut buffer[..allowed], offset)?;
        self.bytes_read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }

    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
        let allowed = self.allowed(Call::WriteAt, file, bytes.len())?;
        if allowed == 0 && !bytes.is_empty() {
            return Ok(0);
        }
        let written = Kernel.write_at(file, &bytes[..allowed], offset)?;
        self.bytes_written.fetch_add(written as u64, Relaxed);
        Ok(written)
    }

    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        self.check(Call::Truncate, || path_of(file))?;
        Kernel.truncate(file, size)
    }

    fn sync(&self, file: BorrowedFd<'_>) -> Result<()> {
        self.check(Call::Sync, || path_of(file))?;
        Kernel.sync(file)
    }

    fn close(&self, file: OwnedFd) -> Result<()> {
        let checked = self.check(Call::Close, || path_of(file.as_fd()));
        Kernel.close(file)?;
        checked
    }

    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.check(Call::Seek, || path_of(file))?;
        Kernel.seek_end(file)
    }

    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.check(Call::Stat, || path_of(file))?;
        Kernel.block_size(file)
    }

    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.check(Call::Unlink, || below(directory, name))?;
        let path = below(directory, name);
        let content = std::fs::read(&path).unwrap_or_default();
        Kernel.unlink(directory, name)?;
        lock(&self.removed).push((path, content));
        Ok(())
    }

    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.check(Call::MakeDirectory, || below(directory, name))?;
        Kernel.make_directory(directory, name)
    }

    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.check(Call::RemoveDirectory, || below(directory, name))?;
        Kernel.remove_directory(directory, name)
    }
}

/// Where an open file is.
fn path_of(file: BorrowedFd<'_>) -> PathBuf {
    std::fs::read_link(Path::new("/proc/self/fd").join(file.as_raw_fd().to_string()))
        .expect("an open file has a path")
}

fn below(directory: BorrowedFd<'_>, name: &CStr) -> PathBuf {
    path_of(directory).join(OsStr::from_bytes(name.to_bytes()))
}
