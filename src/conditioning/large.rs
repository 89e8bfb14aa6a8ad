//! Filling a file system with one file, and writing all over that file at random.

use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::room::{Room, is_full};
use super::step::{Level, SequentialFill, Torture, Until};
use super::{ConditionError, Work};
use crate::engine::Cause;
use crate::engine::blocks::{Block, BlockError, Course, Data, block_engine};
use crate::engine::nameless::LargeFile;
use crate::engine::system::retry;
use crate::workload::content::{FileContent, Mismatch};
use crate::workload::permutation::Permutation;
use crate::workload::policy::Content;

/// Bytes of the writes that fill, and of those tried when they no longer fit.
const RECORDS: [u64; 3] = [1 << 20, 64 << 10, 4 << 10];
/// Blocks between two looks at the clock and the watcher.
const BETWEEN_LOOKS: u64 = 64;

/// Bytes below which a file is not made shorter for want of room.
const SHORTEST: u64 = 1 << 20;

impl<'a> Work<'a> {
    pub(super) fn sequential_fill(&mut self, fill: &SequentialFill) -> Result<(), ConditionError> {
        let content = FileContent::of_blocks(Content::Random, self.seed(), RECORDS[0]);
        for round in 0..fill.rounds {
            let file = self.large_file()?;
            let what = format!("fill {} of {}", round + 1, fill.rounds);
            self.fill_file(&file, &content, fill.fill, &what)?;
            self.close(file)?;
            self.done.rounds += 1;
        }
        Ok(())
    }

    pub(super) fn torture(&mut self, torture: &Torture) -> Result<(), ConditionError> {
        let longest = RECORDS[0].max(torture.record);
        let content = FileContent::of_blocks(Content::Random, self.seed(), longest);
        let file = self.large_file()?;
        let size = self.fill_file(&file, &content, torture.fill, "fill")?;
        self.write_at_random(&file, &content, torture, size)?;
        self.close(file)?;
        self.done.rounds = 1;
        Ok(())
    }

    /// A new one, past the page cache where that is possible.
    fn large_file(&mut self) -> Result<LargeFile<'a>, ConditionError> {
        let create =
            |direct| LargeFile::create(self.means.system, &self.path, &self.directory, direct);
        let created = match create(true) {
            Err(error) if error.errno == Errno::INVAL => {
                let file = create(false);
                self.note("written through the page cache: the file system has no O_DIRECT".into());
                file
            }
            created => created,
        };
        created.map_err(|error| ConditionError::of_call(&self.path, error))
    }

    fn close(&mut self, file: LargeFile<'_>) -> Result<(), ConditionError> {
        file.close().map_err(|error| ConditionError::of_call(&self.path, error))?;
        self.wait_for_space()
    }

    /// Fills the file system with a file; the bytes of the file.
    fn fill_file(
        &mut self,
        file: &LargeFile<'_>,
        content: &FileContent,
        level: Level,
        what: &str,
    ) -> Result<u64, ConditionError> {
        let begun = Instant::now();
        let room = Room::of(&self.directory).map_err(|error| self.io(error))?;
        let least = RECORDS[RECORDS.len() - 1];
        let end = room.until(level).map(|bytes| bytes / least * least);
        let mut offset = 0;
        for record in RECORDS {
            let mut engine = block_engine(self.means.system, 1, record as usize);
            loop {
                let mut filling = Filling { content, record, offset, end, slice: self.slice() };
                let played = engine.play(file.descriptor(), &mut filling);
                let reached = match &played {
                    Ok(()) => filling.offset,
                    // What fitted of the last one counts as far as it is whole blocks.
                    Err(error) => error.offset / least * least,
                };
                self.done.bytes_written += reached - offset;
                let more = reached > offset;
                offset = reached;
                self.tell(what);
                match played {
                    Err(error) if takes_no_more(&error) => break,
                    Err(error) => return Err(ConditionError::of_block(&self.path, error)),
                    Ok(()) => {}
                }
                self.stop_if_asked()?;
                if !more {
                    break;
                }
            }
        }
        // Without O_DIRECT it is only now that the blocks are taken.
        match file.sync() {
            Err(error) if is_full(error.errno) => {}
            synced => synced.map_err(|error| ConditionError::of_call(&self.path, error))?,
        }
        self.done.filling_ns += begun.elapsed().as_nanos() as u64;
        self.see_least()?;
        Ok(offset)
    }

    /// Writes all over it, each block once a pass, until the time or the bytes are up.
    fn write_at_random(
        &mut self,
        file: &LargeFile<'_>,
        content: &FileContent,
        torture: &Torture,
        mut size: u64,
    ) -> Result<(), ConditionError> {
        let depth = torture.depth as usize;
        let mut engine = block_engine(self.means.system, depth, torture.record as usize);
        let begun = Instant::now();
        let mut pass = 0;
        'passes: loop {
            let blocks = size / torture.record;
            if blocks == 0 {
                self.note(format!("no room for random writes of {} bytes", torture.record));
                return Ok(());
            }
            let order = Permutation::new(blocks, self.seed());
            let mut place = 0;
            pass += 1;
            while place < blocks {
                let left = match torture.until {
                    Until::Time(time) if begun.elapsed() >= Duration::from_nanos(time) => 0,
                    Until::Time(_) => u64::MAX,
                    Until::Bytes(bytes) => {
                        bytes.saturating_sub(self.done.bytes_at_random).div_ceil(torture.record)
                    }
                };
                self.stop_if_asked()?;
                if left == 0 {
                    break 'passes;
                }
                let mut scattered = Scattered {
                    content,
                    record: torture.record,
                    order,
                    place,
                    end: blocks.min(place.saturating_add(left)),
                    pass,
                    moved: 0,
                    slice: self.slice(),
                };
                let played = engine.play(file.descriptor(), &mut scattered);
                place = scattered.place;
                let bytes = scattered.moved * torture.record;
                self.done.bytes_at_random += bytes;
                self.done.bytes_written += bytes;
                self.tell("random writes");
                match played {
                    Ok(()) => {}
                    // Where blocks are not written over in place, that takes room, too.
                    Err(error) if takes_no_more(&error) && size > SHORTEST => {
                        size = self.make_shorter(file, size / 10 * 9 / RECORDS[2] * RECORDS[2])?;
                        continue 'passes;
                    }
                    Err(error) => return Err(ConditionError::of_block(&self.path, error)),
                }
            }
        }
        file.sync().map_err(|error| ConditionError::of_call(&self.path, error))
    }

    fn make_shorter(&mut self, file: &LargeFile<'_>, size: u64) -> Result<u64, ConditionError> {
        retry(|| self.means.system.truncate(file.descriptor(), size))
            .map_err(ConditionError::errno(crate::engine::Call::Truncate, self.path.clone()))?;
        let _ = self.sync();
        self.note(
            "random writes need room of their own on this file system: the file was made shorter \
             for them"
                .into(),
        );
        Ok(size)
    }

    fn slice(&self) -> Slice {
        Slice { begun: Instant::now(), blocks: 0 }
    }
}

fn takes_no_more(error: &BlockError) -> bool {
    matches!(error.cause, Cause::Errno(errno) if is_full(errno) || errno == Errno::FBIG)
        || error.cause == Cause::NothingWritten
}

/// As much as is done between two looks at whether to stop.
struct Slice {
    begun: Instant,
    blocks: u64,
}

impl Slice {
    fn is_over(&mut self) -> bool {
        self.blocks += 1;
        self.blocks.is_multiple_of(BETWEEN_LOOKS) && self.begun.elapsed() >= super::TELL
    }
}

/// Writing in order, until an end or an error.
struct Filling<'c> {
    content: &'c FileContent,
    record: u64,
    offset: u64,
    end: Option<u64>,
    slice: Slice,
}

impl<'c> Course<'c> for Filling<'c> {
    fn next(&mut self, _: usize) -> Option<Block<'c>> {
        let left = self.end.map_or(u64::MAX, |end| end.saturating_sub(self.offset));
        if left < self.record || self.slice.is_over() {
            return None;
        }
        let data = Data::Write(self.content.at(0, self.offset, self.record as usize));
        let block = Block { offset: self.offset, data };
        self.offset += self.record;
        Some(block)
    }

    fn moved(&mut self, _: usize, _: Option<&[u8]>) -> Result<(), Mismatch> {
        Ok(())
    }

    fn sync_is_due(&mut self) -> bool {
        false
    }
}

/// Writing at random.
struct Scattered<'c> {
    content: &'c FileContent,
    record: u64,
    order: Permutation,
    place: u64,
    end: u64,
    pass: u64,
    moved: u64,
    slice: Slice,
}

impl<'c> Course<'c> for Scattered<'c> {
    fn next(&mut self, _: usize) -> Option<Block<'c>> {
        if self.place >= self.end || self.slice.is_over() {
            return None;
        }
        let offset = self.order.at(self.place) * self.record;
        self.place += 1;
        let data = Data::Write(self.content.at(self.pass, offset, self.record as usize));
        Some(Block { offset, data })
    }

    fn moved(&mut self, _: usize, _: Option<&[u8]>) -> Result<(), Mismatch> {
        self.moved += 1;
        Ok(())
    }

    fn sync_is_due(&mut self) -> bool {
        false
    }
}
