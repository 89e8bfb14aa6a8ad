//! A system whose calls a test counts, delays, holds back or falsifies.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Result;
use trimark::engine::{Call, Kernel, System};

/// What a test does before a call; the number counts calls of that kind from 1.
type Before<'a> = Box<dyn Fn(Call, u64) + Sync + 'a>;
/// What a test does to what was read; the number counts reads from 1.
type AfterRead<'a> = Box<dyn Fn(u64, &mut [u8]) + Sync + 'a>;

/// The kernel's calls, watched.
pub struct Watched<'a> {
    counts: [AtomicU64; Call::ALL.len()],
    direct_opens: AtomicU64,
    before: Before<'a>,
    after_read: AfterRead<'a>,
}

impl<'a> Watched<'a> {
    /// Only counts.
    pub fn new() -> Self {
        Self::calling(|_, _| {})
    }

    /// Does something before every call.
    pub fn calling(before: impl Fn(Call, u64) + Sync + 'a) -> Self {
        Self {
            counts: Default::default(),
            direct_opens: AtomicU64::new(0),
            before: Box::new(before),
            after_read: Box::new(|_, _| {}),
        }
    }

    /// Changes what is read.
    pub fn reading(after_read: impl Fn(u64, &mut [u8]) + Sync + 'a) -> Self {
        Self { after_read: Box::new(after_read), ..Self::new() }
    }

    /// How often a call was made.
    pub fn count(&self, call: Call) -> u64 {
        self.counts[call as usize].load(Ordering::SeqCst)
    }

    /// How many files were opened past the page cache.
    pub fn direct_opens(&self) -> u64 {
        self.direct_opens.load(Ordering::SeqCst)
    }

    fn begin(&self, call: Call) -> u64 {
        let number = self.counts[call as usize].fetch_add(1, Ordering::SeqCst) + 1;
        (self.before)(call, number);
        number
    }
}

impl System for Watched<'_> {
    fn open(
        &self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        self.begin(Call::Open);
        let direct = u64::from(flags.contains(OFlags::DIRECT));
        self.direct_opens.fetch_add(direct, Ordering::SeqCst);
        Kernel.open(directory, name, flags, mode)
    }

    fn read(&self, file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize> {
        let number = self.begin(Call::Read);
        let length = Kernel.read(file, buffer)?;
        (self.after_read)(number, &mut buffer[..length]);
        Ok(length)
    }

    fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        self.begin(Call::Write);
        Kernel.write(file, bytes)
    }

    fn read_at(&self, file: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let number = self.begin(Call::ReadAt);
        let length = Kernel.read_at(file, buffer, offset)?;
        (self.after_read)(number, &mut buffer[..length]);
        Ok(length)
    }

    fn write_at(&self, file: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
        self.begin(Call::WriteAt);
        Kernel.write_at(file, bytes, offset)
    }

    fn truncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        self.begin(Call::Truncate);
        Kernel.truncate(file, size)
    }

    fn sync(&self, file: BorrowedFd<'_>) -> Result<()> {
        self.begin(Call::Sync);
        Kernel.sync(file)
    }

    fn close(&self, file: OwnedFd) -> Result<()> {
        self.begin(Call::Close);
        Kernel.close(file)
    }

    fn seek_end(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.begin(Call::Seek);
        Kernel.seek_end(file)
    }

    fn block_size(&self, file: BorrowedFd<'_>) -> Result<u64> {
        self.begin(Call::Stat);
        Kernel.block_size(file)
    }

    fn unlink(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.begin(Call::Unlink);
        Kernel.unlink(directory, name)
    }

    fn make_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.begin(Call::MakeDirectory);
        Kernel.make_directory(directory, name)
    }

    fn remove_directory(&self, directory: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.begin(Call::RemoveDirectory);
        Kernel.remove_directory(directory, name)
    }
}
