//! One system call per block: PostMark with `set buffering false`.

use std::rc::Rc;

use rustix::fs::{Mode, OFlags};

use super::transfer::OpenFile;
use super::{Engine, OperationError, Setup, System, Target, blocks, unlink};
use crate::interrupt::Interrupt;
use crate::workload::content::{AlignedBuffer, SourceText};

pub struct SyncEngine<'a> {
    system: &'a dyn System,
    interrupt: Interrupt,
    text: Rc<SourceText>,
    write_block: usize,
    read_buffer: AlignedBuffer,
}

impl<'a> SyncEngine<'a> {
    pub fn new(setup: Setup<'a>) -> Self {
        Self {
            system: setup.system,
            interrupt: setup.interrupt,
            text: setup.text,
            write_block: setup.write_block,
            read_buffer: AlignedBuffer::new(setup.read_block),
        }
    }

    fn open(
        &self,
        target: Target<'_>,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OpenFile<'_>, OperationError> {
        OpenFile::open(self.system, &self.interrupt, target, flags, mode)
    }

    fn write(&self, mut file: OpenFile<'_>, bytes: u64) -> Result<(), OperationError> {
        for (offset, length) in blocks(bytes, self.write_block) {
            file.write_all(self.text.at(offset, length))?;
        }
        file.close()
    }
}

impl Engine for SyncEngine<'_> {
    fn create(&mut self, target: Target<'_>, size: u64) -> Result<(), OperationError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        self.write(self.open(target, flags, Mode::from_raw_mode(0o644))?, size)
    }

    fn read(&mut self, target: Target<'_>, size: u64) -> Result<(), OperationError> {
        let flags = OFlags::RDONLY;
        let mut file = OpenFile::open(self.system, &self.interrupt, target, flags, Mode::empty())?;
        let buffer = self.read_buffer.bytes_mut();
        for (_, length) in blocks(size, buffer.len()) {
            file.read_exact(&mut buffer[..length])?;
        }
        file.close()
    }

    fn append(&mut self, target: Target<'_>, bytes: u64) -> Result<(), OperationError> {
        let flags = OFlags::RDWR | OFlags::APPEND;
        self.write(self.open(target, flags, Mode::empty())?, bytes)
    }

    fn delete(&mut self, target: Target<'_>) -> Result<(), OperationError> {
        unlink(self.system, target)
    }
}
