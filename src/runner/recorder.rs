//! Counts and times while a run goes on.

use super::clock::Moment;
use super::latency::{Latencies, OperationLatencies};
use super::measurement::{
    ClassicSums, OperationTallies, Phase, PhaseTimeline, RunResult, Skipped, Tally,
};
use super::timeline::Timeline;
use crate::workload::{Operation, OperationKind, Skip};

/// What one worker counted and timed.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    operations: OperationTallies,
    skipped: Skipped,
    classic_sums: ClassicSums,
    /// Transactions done.
    pub transactions: u64,
    latencies: OperationLatencies,
    interval_ns: u64,
    /// A timeline per phase that was timed.
    timelines: Vec<(Phase, Timeline)>,
    phase_start: Moment,
    timed: bool,
}

impl Recorder {
    /// An empty one, with intervals of so many nanoseconds.
    #[must_use]
    pub fn new(interval_ns: u64) -> Self {
        Self { interval_ns, ..Self::default() }
    }

    /// A phase begins: times of its operations count from here.
    pub fn begin(&mut self, start: Moment) {
        self.phase_start = start;
    }

    /// Notes a completed operation.
    #[inline]
    pub fn done(&mut self, operation: &Operation, phase: Phase) {
        let tally = self.tally(operation.kind(), phase);
        tally.count += 1;
        tally.bytes += operation.bytes();
        if phase != Phase::WarmUp {
            self.add_classic(operation);
        }
    }

    /// Notes how long it took; operations of the warm-up are not timed.
    #[inline]
    pub fn time(&mut self, operation: &Operation, phase: Phase, begun: Moment, ended: Moment) {
        if phase == Phase::WarmUp {
            return;
        }
        let elapsed = ended.since(begun);
        self.latencies.record(operation.kind(), elapsed);
        if self.timelines.last().is_none_or(|(last, _)| *last != phase) {
            self.timelines.push((phase, Timeline::new(self.phase_start, self.interval_ns)));
            self.timed = true;
        }
        if let Some((_, timeline)) = self.timelines.last_mut() {
            timeline.record(ended, operation.bytes(), elapsed);
        }
    }

    /// Notes the bytes a failed operation had moved.
    pub fn failed(&mut self, operation: &Operation, phase: Phase, transferred: u64) {
        self.tally(operation.kind(), phase).bytes += transferred;
    }

    /// Notes a half transaction that did nothing.
    pub fn skip(&mut self, skip: Skip, phase: Phase) {
        match skip {
            _ if phase == Phase::WarmUp => {}
            Skip::TableFull => self.skipped.creates += 1,
            Skip::FileFull => self.skipped.appends += 1,
        }
    }

    fn tally(&mut self, kind: OperationKind, phase: Phase) -> &mut Tally {
        let tally = self.operations.of_mut(kind);
        match phase {
            Phase::Transactions => &mut tally.mixed,
            Phase::WarmUp => &mut tally.warm_up,
            _ => &mut tally.alone,
        }
    }

    fn add_classic(&mut self, operation: &Operation) {
        match *operation {
            Operation::Create { size, .. } => self.classic_sums.written += size as f32,
            Operation::Append { bytes, .. } => self.classic_sums.written += bytes as f32,
            Operation::Read { size, .. } => self.classic_sums.read += size as f32,
            Operation::Delete { .. } => {}
        }
    }

    /// Adds what another worker counted.
    pub fn merge(&mut self, other: Self) {
        self.operations.add(&other.operations);
        self.skipped.creates += other.skipped.creates;
        self.skipped.appends += other.skipped.appends;
        self.classic_sums.read += other.classic_sums.read;
        self.classic_sums.written += other.classic_sums.written;
        self.transactions += other.transactions;
        self.latencies.merge(&other.latencies);
        self.timed |= other.timed;
        for (phase, timeline) in other.timelines {
            match self.timelines.iter_mut().find(|(known, _)| *known == phase) {
                Some((_, mine)) => mine.merge(timeline),
                None => self.timelines.push((phase, timeline)),
            }
        }
    }

    /// Puts everything into the result, times counted from `origin`.
    pub fn fill(self, result: &mut RunResult, origin: Moment) {
        result.transactions = self.transactions;
        result.operations = self.operations;
        result.skipped = self.skipped;
        result.classic_sums = self.classic_sums;
        if self.timed {
            let operations = self.latencies.named();
            result.latencies = Some(Latencies { operations, calls: Vec::new() });
        }
        for (phase, timeline) in self.timelines {
            let end = result.phase(phase).map_or(Moment(0), |time| time.end);
            let mut timeline = timeline.relative_to(origin);
            timeline.cover(end);
            let stalls = timeline.stalls(end);
            result.timelines.push(PhaseTimeline { phase, timeline, stalls });
        }
    }
}
