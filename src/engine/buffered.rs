//! The system calls that C's stdio makes, as glibc does: PostMark with
//! `set buffering true` (`fopen` "w", "r", "a"; one `fwrite` or `fread` per block).
//!
//! Not stdio itself, because that hides short writes and errors. The rules, observed on
//! glibc: the buffer is the file's preferred block size, at most 8192 bytes, asked for
//! (`fstat`) at the first transfer; what fills it is written when more comes; whole
//! buffers bypass it.

use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

use super::system::retry;
use super::transfer::OpenFile;
use super::{
    Call, Cause, Engine, OperationError, Setup, SyncSchedule, System, Target, blocks, unlink,
};
use crate::interrupt::Interrupt;
use crate::workload::content::{AlignedBuffer, FileContent};

/// glibc's `BUFSIZ`: the largest buffer it takes by itself.
const LARGEST_BUFFER: usize = 8192;
/// Mode of files made by `fopen`.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);

pub struct BufferedEngine<'a> {
    system: &'a dyn System,
    interrupt: Interrupt,
    text: Arc<FileContent>,
    write_block: usize,
    schedule: SyncSchedule,
    read_block: AlignedBuffer,
    buffer: AlignedBuffer,
}

impl<'a> BufferedEngine<'a> {
    pub fn new(setup: Setup<'a>) -> Self {
        Self {
            system: setup.system,
            interrupt: setup.interrupt,
            text: setup.text,
            write_block: setup.write_block,
            schedule: SyncSchedule::new(setup.fsync_interval),
            read_block: AlignedBuffer::new(setup.read_block),
            buffer: AlignedBuffer::new(LARGEST_BUFFER),
        }
    }

    fn write(
        &mut self,
        target: Target<'_>,
        flags: OFlags,
        from: u64,
        bytes: u64,
    ) -> Result<(), OperationError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | flags;
        let file = OpenFile::open(self.system, &self.interrupt, target, flags, FILE_MODE)?;
        if flags.contains(OFlags::APPEND) {
            retry(|| file.system().seek_end(file.descriptor()))
                .map_err(|errno| file.failure(Call::Seek, Cause::Errno(errno)))?;
        }
        let stream = Stream::new(file, self.buffer.bytes_mut());
        let mut writer = Writer { stream, filled: 0 };
        for (offset, length) in blocks(bytes, self.write_block) {
            writer.write(self.text.at(target.key, from + offset, length))?;
        }
        if self.schedule.is_due() {
            writer.flush()?;
            writer.stream.file.sync()?;
        }
        writer.close()
    }
}

impl Engine for BufferedEngine<'_> {
    fn create(&mut self, target: Target<'_>, size: u64) -> Result<(), OperationError> {
        self.write(target, OFlags::EXCL | OFlags::TRUNC, 0, size)
    }

    fn read(
        &mut self,
        target: Target<'_>,
        size: u64,
        pieces: Option<&[u64]>,
    ) -> Result<(), OperationError> {
        let flags = OFlags::RDONLY;
        let file = OpenFile::open(self.system, &self.interrupt, target, flags, Mode::empty())?;
        let stream = Stream::new(file, self.buffer.bytes_mut());
        let mut reader = Reader { stream, start: 0, end: 0 };
        let block = self.read_block.bytes_mut();
        for (offset, length) in blocks(size, block.len()) {
            let block = &mut block[..length];
            reader.read(block)?;
            reader.stream.file.compare(&self.text, target.key, pieces, offset, block)?;
        }
        reader.stream.file.close()
    }

    fn append(&mut self, target: Target<'_>, size: u64, bytes: u64) -> Result<(), OperationError> {
        let from = self.text.append_from(size);
        self.write(target, OFlags::APPEND, from, bytes)
    }

    fn delete(&mut self, target: Target<'_>) -> Result<(), OperationError> {
        unlink(self.system, target)
    }
}

/// What a `FILE` is for both directions: the file and its buffer.
struct Stream<'a> {
    file: OpenFile<'a>,
    memory: &'a mut [u8],
    /// Bytes of `memory` in use as the buffer; 0 before the first transfer.
    capacity: usize,
}

impl<'a> Stream<'a> {
    fn new(file: OpenFile<'a>, memory: &'a mut [u8]) -> Self {
        Self { file, memory, capacity: 0 }
    }

    fn allocate(&mut self) -> Result<(), OperationError> {
        if self.capacity > 0 {
            return Ok(());
        }
        let preferred = retry(|| self.file.system().block_size(self.file.descriptor()))
            .map_err(|errno| self.file.failure(Call::Stat, Cause::Errno(errno)))?;
        self.capacity = match usize::try_from(preferred) {
            Ok(size) if size > 0 && size < LARGEST_BUFFER => size,
            _ => LARGEST_BUFFER,
        };
        Ok(())
    }

    /// The part of a transfer that bypasses the buffer. (glibc: all of it with a buffer
    /// too small to be worth it.)
    fn direct_part(&self, length: usize) -> usize {
        if self.capacity < 128 { length } else { length - length % self.capacity }
    }
}

/// A `FILE` open for writing: `filled` bytes wait in the buffer.
struct Writer<'a> {
    stream: Stream<'a>,
    filled: usize,
}

impl Writer<'_> {
    /// `fwrite`
    fn write(&mut self, bytes: &[u8]) -> Result<(), OperationError> {
        let room = self.stream.capacity - self.filled;
        let (fitting, rest) = bytes.split_at(bytes.len().min(room));
        self.keep(fitting);
        if rest.is_empty() {
            return Ok(());
        }
        self.stream.allocate()?;
        self.flush()?;
        let (direct, rest) = rest.split_at(self.stream.direct_part(rest.len()));
        if !direct.is_empty() {
            self.stream.file.write_all(direct)?;
        }
        self.keep(rest);
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.stream.memory[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    fn flush(&mut self) -> Result<(), OperationError> {
        if self.filled > 0 {
            self.stream.file.write_all(&self.stream.memory[..self.filled])?;
            self.filled = 0;
        }
        Ok(())
    }

    /// `fclose`
    fn close(mut self) -> Result<(), OperationError> {
        self.flush()?;
        self.stream.file.close()
    }
}

/// A `FILE` open for reading: the buffer's bytes from `start` to `end` are unread.
struct Reader<'a> {
    stream: Stream<'a>,
    start: usize,
    end: usize,
}

impl Reader<'_> {
    /// `fread`
    fn read(&mut self, mut block: &mut [u8]) -> Result<(), OperationError> {
        if block.is_empty() {
            return Ok(());
        }
        self.stream.allocate()?;
        loop {
            let have = block.len().min(self.end - self.start);
            let (filled, rest) = block.split_at_mut(have);
            filled.copy_from_slice(&self.stream.memory[self.start..self.start + have]);
            self.start += have;
            block = rest;
            if block.is_empty() {
                return Ok(());
            }
            if block.len() < self.stream.capacity {
                let buffer = &mut self.stream.memory[..self.stream.capacity];
                (self.start, self.end) = (0, self.stream.file.read_some(buffer)?);
            } else {
                let direct = self.stream.direct_part(block.len());
                let read = self.stream.file.read_some(&mut block[..direct])?;
                block = &mut block[read..];
                if block.is_empty() {
                    return Ok(());
                }
            }
        }
    }
}
