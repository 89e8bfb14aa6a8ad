//! System calls that are measured one by one.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Result;

use super::clock::Clock;
use super::latency::CallLatencies;
use crate::engine::{Call, System};

/// Passes calls on and records how long each took. One worker's; the lock is never waited
/// for.
pub struct TimedSystem<'a> {
    inner: &'a dyn System,
    clock: &'a dyn Clock,
    /// As long as it is true, calls are not recorded.
    paused: Arc<AtomicBool>,
    latencies: Mutex<CallLatencies>,
}

impl<'a> TimedSystem<'a> {
    /// Measures the calls of `inner` by a clock, unless paused.
    pub fn new(inner: &'a dyn System, clock: &'a dyn Clock, paused: Arc<AtomicBool>) -> Self {
        Self { inner, clock, paused, latencies: Mutex::default() }
    }

    /// What was recorded so far.
    pub fn latencies(&self) -> CallLatencies {
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn time<T>(&self, call: Call, body: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.paused.load(Ordering::Relaxed) {
            return body();
        }
        let begun = self.clock.now();
        let result = body();
        let elapsed = self.clock.now().since(begun);
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner).record(call, elapsed);
        result
    }
}

impl System for TimedSystem<'_> {
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        self.time(Call::Open, || self.inner.open(directory, name, flags, mode))
    }

    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
        self.time(Call::Read, || self.inner.read(file, buffer))
    }

    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        self.time(Call::Write, || self.inner.write(file, bytes))
    }

    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.time(Call::ReadAt, || self.inner.read_at(file, buffer, offset))
    }

    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
        self.time(Call::WriteAt, || self.inner.write_at(file, bytes, offset))
    }

    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        self.time(Call::Truncate, || self.inner.truncate(file, size))
    }

    fn sync(&self, file: BorrowedFd<'_>) -> Result<()> {
        self.time(Call::Sync, || self.inner.sync(file))
    }

    fn close(&self, file: OwnedFd) -> Result<()> {
        self.time(Call::Close, || self.inner.close(file))
    }

    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.time(Call::Seek, || self.inner.seek_end(file))
    }

    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.time(Call::Stat, || self.inner.block_size(file))
    }

    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.time(Call::Unlink, || self.inner.unlink(directory, name))
    }

    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.time(Call::MakeDirectory, || self.inner.make_directory(directory, name))
    }

    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.time(Call::RemoveDirectory, || self.inner.remove_directory(directory, name))
    }
}
