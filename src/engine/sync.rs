//! One system call per block: PostMark with `set buffering false`.

use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

use super::transfer::OpenFile;
use super::{Engine, OperationError, Setup, SyncSchedule, System, Target, blocks, unlink};
use crate::interrupt::Interrupt;
use crate::workload::content::{AlignedBuffer, FileContent};

/// Mode of new files.
const FILE_MODE: Mode = Mode::from_raw_mode(0o644);

pub struct SyncEngine<'a> {
    system: &'a dyn System,
    interrupt: Interrupt,
    text: Arc<FileContent>,
    write_block: usize,
    schedule: SyncSchedule,
    /// `O_DIRECT`, or nothing.
    flags: OFlags,
    read_buffer: AlignedBuffer,
}

impl<'a> SyncEngine<'a> {
    pub fn new(setup: Setup<'a>) -> Self {
        Self {
            system: setup.system,
            interrupt: setup.interrupt,
            text: setup.text,
            write_block: setup.write_block,
            schedule: SyncSchedule::new(setup.fsync_interval),
            flags: if setup.direct { OFlags::DIRECT } else { OFlags::empty() },
            read_buffer: AlignedBuffer::new(setup.read_block),
        }
    }

    /// Opens a file and writes `bytes` of its content from `from` on.
    fn write(
        &mut self,
        target: Target<'_>,
        flags: OFlags,
        from: u64,
        bytes: u64,
    ) -> Result<(), OperationError> {
        let flags = flags | self.flags;
        let mut file = OpenFile::open(self.system, &self.interrupt, target, flags, FILE_MODE)?;
        for (offset, length) in blocks(bytes, self.write_block) {
            file.write_all(self.text.at(target.key, from + offset, length))?;
        }
        if self.schedule.is_due() {
            file.sync()?;
        }
        file.close()
    }
}

impl Engine for SyncEngine<'_> {
    fn create(&mut self, target: Target<'_>, size: u64) -> Result<(), OperationError> {
        self.write(target, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, 0, size)
    }

    fn read(
        &mut self,
        target: Target<'_>,
        size: u64,
        pieces: Option<&[u64]>,
    ) -> Result<(), OperationError> {
        let flags = OFlags::RDONLY | self.flags;
        let mut file = OpenFile::open(self.system, &self.interrupt, target, flags, Mode::empty())?;
        let buffer = self.read_buffer.bytes_mut();
        for (offset, length) in blocks(size, buffer.len()) {
            let block = &mut buffer[..length];
            file.read_exact(block)?;
            file.compare(&self.text, target.key, pieces, offset, block)?;
        }
        file.close()
    }

    fn append(&mut self, target: Target<'_>, size: u64, bytes: u64) -> Result<(), OperationError> {
        let from = self.text.append_from(size);
        self.write(target, OFlags::RDWR | OFlags::APPEND, from, bytes)
    }

    fn delete(&mut self, target: Target<'_>) -> Result<(), OperationError> {
        unlink(self.system, target)
    }
}
