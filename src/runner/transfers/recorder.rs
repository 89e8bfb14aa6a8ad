//! A pass as a course for the block engine: which block is next, when each began and
//! ended, and whether what was read is right.

use std::sync::atomic::{AtomicU64, Ordering};

use super::cliff;
use crate::engine::blocks::{Block, Course, Data};
use crate::interrupt::Interrupt;
use crate::runner::clock::{Clock, Moment};
use crate::runner::latency::Latency;
use crate::runner::progress::ALL_TRANSFERRED;
use crate::runner::timeline::Timeline;
use crate::runner::transferred::{Part, Positions, Transferred};
use crate::volume::activity::ProcessCounts;
use crate::workload::content::{FileContent, Mismatch};
use crate::workload::transfer::Pass;

/// Parts into which a file is divided at most.
const MOST_PARTS: u64 = 128;

/// What a pass goes by.
pub struct About<'a> {
    /// The order of its blocks.
    pub pass: Pass,
    /// What the file holds.
    pub content: &'a FileContent,
    /// Which writing of the file this is, or which it was that is read.
    pub writing: u64,
    /// Whether what is read is compared.
    pub verify: bool,
    /// A sync after so many writes.
    pub sync_every: Option<u64>,
    /// Length of an interval, nanoseconds.
    pub interval_ns: u64,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Stops it.
    pub interrupt: &'a Interrupt,
    /// Told how much is done.
    pub counter: &'a AtomicU64,
    /// Passes before this one, and of how many.
    pub place: (u64, u64),
}

/// Blocks between two words on how much is done.
const BETWEEN_WORDS: u64 = 256;

/// A pass under way.
pub struct PassRecorder<'a> {
    about: About<'a>,
    next: u64,
    /// Begin and place of the block in each slot.
    slots: Vec<(Moment, u64)>,
    start: Moment,
    last: Moment,
    under_way: u64,
    operations: u64,
    latency_sum_ns: u64,
    latency: Latency,
    timeline: Timeline,
    positions: Positions,
    /// True when it stopped for a signal.
    pub interrupted: bool,
}

impl<'a> PassRecorder<'a> {
    /// A pass that begins now, with so many slots.
    pub fn begin(about: About<'a>, slots: usize) -> Self {
        let blocks = about.pass.blocks();
        let part_blocks = blocks.div_ceil(MOST_PARTS).max(1);
        let parts = blocks.div_ceil(part_blocks);
        let start = about.clock.now();
        Self {
            timeline: Timeline::new(start, about.interval_ns),
            positions: Positions {
                part_bytes: part_blocks * about.pass.record,
                parts: vec![Part::default(); parts as usize],
            },
            about,
            next: 0,
            slots: vec![(start, 0); slots],
            start,
            last: start,
            under_way: 0,
            operations: 0,
            latency_sum_ns: 0,
            latency: Latency::default(),
            interrupted: false,
        }
    }

    /// What it came to.
    pub fn finish(self, depth: u64, played_by: &str) -> Transferred {
        let pass = self.about.pass;
        let complete = self.operations == pass.blocks();
        let mut timeline = self.timeline;
        timeline.cover(self.last);
        Transferred {
            pattern: pass.pattern,
            record: pass.record,
            file_bytes: pass.blocks() * pass.record,
            operations: self.operations,
            bytes: self.operations * pass.record,
            start: self.start,
            end: self.last,
            sync_ns: None,
            complete,
            played_by: played_by.to_owned(),
            depth,
            latency_sum_ns: self.latency_sum_ns,
            latency: self.latency,
            stalls: timeline.stalls(self.last),
            cliff: cliff::find(&timeline),
            timeline,
            positions: self.positions,
            device: None,
            process: ProcessCounts::default(),
        }
    }
}

impl<'a> Course<'a> for PassRecorder<'a> {
    #[inline]
    fn next(&mut self, slot: usize) -> Option<Block<'a>> {
        if self.about.interrupt.pending().is_some() {
            self.interrupted = true;
            return None;
        }
        let pass = &self.about.pass;
        let offset = pass.offset(self.next)?;
        if self.next.is_multiple_of(BETWEEN_WORDS) {
            let (before, of) = self.about.place;
            let within = ALL_TRANSFERRED * self.next / pass.blocks().max(1);
            let done = (before * ALL_TRANSFERRED + within) / of.max(1);
            self.about.counter.store(done, Ordering::Relaxed);
        }
        self.next += 1;
        let length = pass.record as usize;
        let data = if pass.pattern.writes() {
            Data::Write(self.about.content.at(self.about.writing, offset, length))
        } else {
            Data::Read(length)
        };
        self.under_way += 1;
        self.slots[slot] = (self.about.clock.now(), offset);
        Some(Block { offset, data })
    }

    #[inline]
    fn moved(&mut self, slot: usize, read: Option<&[u8]>) -> Result<(), Mismatch> {
        let now = self.about.clock.now();
        let (begun, offset) = self.slots[slot];
        let record = self.about.pass.record;
        let elapsed = now.since(begun);
        self.operations += 1;
        self.latency_sum_ns += elapsed;
        self.latency.record(elapsed);
        self.timeline.record(now, record, elapsed);
        let part = &mut self.positions.parts[(offset / self.positions.part_bytes) as usize];
        part.bytes += record;
        part.elapsed_ns += elapsed / self.under_way.max(1);
        self.under_way = self.under_way.saturating_sub(1);
        self.last = now;
        match read {
            Some(bytes) if self.about.verify => {
                let pieces = [self.about.pass.blocks() * record];
                let wrong = self.about.content.check(self.about.writing, &pieces, offset, bytes);
                wrong.map_or(Ok(()), Err)
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn sync_is_due(&mut self) -> bool {
        self.about.pass.pattern.writes()
            && self.about.sync_every.is_some_and(|every| self.operations.is_multiple_of(every))
    }
}
