//! A run over time: operations, bytes and the worst latency per interval, and where it
//! stalled.

use serde::{Deserialize, Serialize};

use super::clock::Moment;

/// More intervals than this are joined in pairs, so that a run of days stays small.
const MOST_INTERVALS: usize = 20_000;
/// An interval with fewer operations than this part of the median is a stall.
const STALL_SHARE: f64 = 0.1;
/// Fewer intervals have no median to speak of.
const FEWEST_INTERVALS: usize = 5;

/// What happened in one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Operations that ended in it.
    pub operations: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// The longest of them, nanoseconds.
    pub worst_ns: u64,
}

impl Interval {
    fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.worst_ns = self.worst_ns.max(other.worst_ns);
    }
}

/// A run (or one phase of it) over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// When its first interval begins.
    pub start: Moment,
    /// Length of an interval, nanoseconds.
    pub interval_ns: u64,
    /// The intervals.
    pub intervals: Vec<Interval>,
}

/// A time without progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// When it began.
    pub start: Moment,
    /// How long it lasted at least, nanoseconds.
    pub length_ns: u64,
}

impl Timeline {
    /// An empty one.
    #[must_use]
    pub fn new(start: Moment, interval_ns: u64) -> Self {
        Self { start, interval_ns: interval_ns.max(1), intervals: Vec::new() }
    }

    /// Adds an operation that ended at a moment and took so long.
    #[inline]
    pub fn record(&mut self, ended: Moment, bytes: u64, nanoseconds: u64) {
        let index = (ended.since(self.start) / self.interval_ns) as usize;
        if index >= self.intervals.len() {
            self.grow(ended);
            return self.record(ended, bytes, nanoseconds);
        }
        self.intervals[index].add(&Interval { operations: 1, bytes, worst_ns: nanoseconds });
    }

    #[cold]
    fn grow(&mut self, ended: Moment) {
        let mut index = (ended.since(self.start) / self.interval_ns) as usize;
        while index >= MOST_INTERVALS {
            self.halve();
            index /= 2;
        }
        let length = self.intervals.len().max(index + 1);
        self.intervals.resize(length, Interval::default());
    }

    fn halve(&mut self) {
        self.interval_ns *= 2;
        let joined = self.intervals.chunks(2).map(|pair| {
            let mut sum = pair[0];
            pair[1..].iter().for_each(|other| sum.add(other));
            sum
        });
        self.intervals = joined.collect();
    }

    /// Joins intervals until few enough reach to a moment, whether or not anything was
    /// recorded near it.
    pub fn cover(&mut self, end: Moment) {
        while end.since(self.start) / self.interval_ns > MOST_INTERVALS as u64 {
            self.halve();
        }
    }

    /// Adds all of another that began at the same moment.
    pub fn merge(&mut self, mut other: Self) {
        while self.interval_ns < other.interval_ns {
            self.halve();
        }
        while other.interval_ns < self.interval_ns {
            other.halve();
        }
        let length = self.intervals.len().max(other.intervals.len());
        self.intervals.resize(length, Interval::default());
        self.intervals.iter_mut().zip(&other.intervals).for_each(|(mine, theirs)| mine.add(theirs));
    }

    /// Whole intervals before `end` (the last, cut short, does not count) with fewer
    /// operations than a tenth of the median; neighbours are one stall.
    #[must_use]
    pub fn stalls(&self, end: Moment) -> Vec<Stall> {
        let whole = (end.since(self.start) / self.interval_ns) as usize;
        let mut counts: Vec<u64> = self.intervals.iter().map(|i| i.operations).collect();
        counts.resize(whole, 0);
        let mut sorted = counts.clone();
        sorted.sort_unstable();
        if sorted.len() < FEWEST_INTERVALS {
            return Vec::new();
        }
        let limit = sorted[sorted.len() / 2] as f64 * STALL_SHARE;
        let mut stalls: Vec<Stall> = Vec::new();
        for (index, _) in counts.iter().enumerate().filter(|&(_, &n)| (n as f64) < limit) {
            let start = Moment(self.start.0 + index as u64 * self.interval_ns);
            match stalls.last_mut() {
                Some(last) if last.start.0 + last.length_ns == start.0 => {
                    last.length_ns += self.interval_ns;
                }
                _ => stalls.push(Stall { start, length_ns: self.interval_ns }),
            }
        }
        stalls
    }

    /// The same, with times counted from `origin`.
    #[must_use]
    pub fn relative_to(mut self, origin: Moment) -> Self {
        self.start = Moment(self.start.since(origin));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_pause_is_found_with_its_time() {
        let mut timeline = Timeline::new(Moment(1000 * MS), 100 * MS);
        for at in (0..2000).filter(|at| !(700..950).contains(at)) {
            timeline.record(Moment((1000 + at) * MS), 1, MS);
        }
        let stalls = timeline.stalls(Moment(3000 * MS));
        assert_eq!(stalls, [Stall { start: Moment(1700 * MS), length_ns: 200 * MS }]);
    }

    #[test]
    fn a_pause_at_the_end_counts_too() {
        let mut timeline = Timeline::new(Moment(0), 100 * MS);
        (0..1000).for_each(|at| timeline.record(Moment(at * MS), 0, MS));
        let stalls = timeline.stalls(Moment(1350 * MS));
        assert_eq!(stalls, [Stall { start: Moment(1000 * MS), length_ns: 300 * MS }]);
    }

    #[test]
    fn a_pause_of_years_at_the_end_takes_no_memory() {
        let mut timeline = Timeline::new(Moment(0), MS);
        (0..10).for_each(|at| timeline.record(Moment(at * MS), 0, MS));
        let end = Moment(10 * 365 * 24 * 3_600_000 * MS);
        timeline.cover(end);
        assert!(end.0 / timeline.interval_ns <= MOST_INTERVALS as u64);
        assert_eq!(timeline.intervals.iter().map(|i| i.operations).sum::<u64>(), 10);
        assert_eq!(timeline.stalls(end), []);
    }

    #[test]
    fn steady_progress_has_no_stall() {
        let mut timeline = Timeline::new(Moment(0), 100 * MS);
        (0..1000).for_each(|at| timeline.record(Moment(at * MS), 0, MS));
        assert_eq!(timeline.stalls(Moment(1000 * MS)), []);
    }

    proptest! {
        #[test]
        fn sums_stay_when_intervals_are_joined(
            ends in prop::collection::vec((0u64..1 << 34, 0u64..5000, 0u64..1 << 30), 1..200),
        ) {
            let mut timeline = Timeline::new(Moment(0), 1000);
            for &(at, bytes, latency) in &ends {
                timeline.record(Moment(at), bytes, latency);
            }
            prop_assert!(timeline.intervals.len() <= MOST_INTERVALS);
            let sum = |f: fn(&Interval) -> u64| timeline.intervals.iter().map(f).sum::<u64>();
            prop_assert_eq!(sum(|i| i.operations), ends.len() as u64);
            prop_assert_eq!(sum(|i| i.bytes), ends.iter().map(|e| e.1).sum::<u64>());
            let worst = timeline.intervals.iter().map(|i| i.worst_ns).max();
            prop_assert_eq!(worst, ends.iter().map(|e| e.2).max());
        }
    }
}
