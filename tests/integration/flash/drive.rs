//! A model of a flash drive: writes are fast as long as there are erased blocks for them,
//! and slow after that, as blocks must be erased first; discarding makes erased ones.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Result;
use trimark::engine::{Kernel, System};
use trimark::runner::clock::{Clock, Moment};

/// Nanoseconds of a byte into an erased block: 200 MB/s.
const FAST: f64 = 5.0;
/// Nanoseconds of a byte that waits for a block to be erased: 20 MB/s.
const SLOW: f64 = 50.0;
/// How much writes differ from each other, either way.
const JITTER: f64 = 0.02;

/// The drive, and the clock it takes its time by.
pub struct FlashDrive {
    capacity: u64,
    /// Bytes in erased blocks.
    erased: AtomicU64,
    now: AtomicU64,
    wears: bool,
    source: Mutex<Xoshiro256PlusPlus>,
}

impl FlashDrive {
    /// A fresh one of so many bytes; one that does not wear is as fast as ever.
    pub fn new(capacity: u64, wears: bool) -> Self {
        Self {
            capacity,
            erased: AtomicU64::new(capacity),
            now: AtomicU64::new(1_000_000_000_000),
            wears,
            source: Mutex::new(Xoshiro256PlusPlus::seed_from_u64(7)),
        }
    }

    /// Discards all of it: nothing of what it holds is needed.
    pub fn discard(&self) {
        self.erased.store(self.capacity, Relaxed);
    }

    /// Bytes in erased blocks.
    pub fn erased(&self) -> u64 {
        self.erased.load(Relaxed)
    }

    fn take(&self, bytes: u64) {
        let erased = self.erased.load(Relaxed);
        let fast = erased.min(bytes);
        self.erased.store(erased - fast, Relaxed);
        let slow = (bytes - fast) as f64 * if self.wears { SLOW } else { FAST };
        self.pass(fast as f64 * FAST + slow);
    }

    fn pass(&self, nanoseconds: f64) {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let share = source.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0;
        let nanoseconds = nanoseconds * (1.0 + JITTER * share);
        self.now.fetch_add(nanoseconds as u64, Relaxed);
    }
}

impl Clock for FlashDrive {
    fn now(&self) -> Moment {
        Moment(self.now.load(Relaxed))
    }
}

impl System for FlashDrive {
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        Kernel.open(directory, name, flags, mode)
    }

    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
        self.pass(buffer.len() as f64 * FAST / 2.0);
        Kernel.read(file, buffer)
    }

    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        let count = Kernel.write(file, bytes)?;
        self.take(count as u64);
        Ok(count)
    }

    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.pass(buffer.len() as f64 * FAST / 2.0);
        Kernel.read_at(file, buffer, offset)
    }

    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
        let count = Kernel.write_at(file, bytes, offset)?;
        self.take(count as u64);
        Ok(count)
    }

    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        Kernel.truncate(file, size)
    }

    fn sync(&self, file: BorrowedFd<'_>) -> Result<()> {
        Kernel.sync(file)
    }

    fn close(&self, file: OwnedFd) -> Result<()> {
        Kernel.close(file)
    }

    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64> {
        Kernel.seek_end(file)
    }

    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64> {
        Kernel.block_size(file)
    }

    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        Kernel.unlink(directory, name)
    }

    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        Kernel.make_directory(directory, name)
    }

    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        Kernel.remove_directory(directory, name)
    }
}
