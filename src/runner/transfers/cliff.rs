//! Finding where a transfer became slow and stayed so.
//!
//! Of all splits of the intervals in two, the one is taken that leaves the least squares
//! about the two means ("binary segmentation"; Scott and Knott, 1974). It is a cliff if
//! the median after it lies well below the one before, and nearly all intervals agree on
//! which side they are.

use crate::runner::timeline::Timeline;
use crate::runner::transferred::Cliff;

/// Fewer intervals on either side make no cliff.
const FEWEST: usize = 3;
/// The rate after a cliff is below this share of the one before.
const DROP: f64 = 0.7;
/// So many of the intervals on either side lie on their side of the middle.
const AGREE: f64 = 0.8;

/// The cliff of a transfer over time, if there is one. The last interval, cut short, does
/// not count.
pub fn find(timeline: &Timeline) -> Option<Cliff> {
    let whole = timeline.intervals.len().checked_sub(1)?;
    let bytes: Vec<f64> = timeline.intervals[..whole].iter().map(|i| i.bytes as f64).collect();
    let split = best_split(&bytes)?;
    let (before, after) = bytes.split_at(split);
    let (high, low) = (median(before), median(after));
    let middle = f64::midpoint(high, low);
    let share = |side: &[f64], fits: &dyn Fn(f64) -> bool| {
        side.iter().filter(|&&bytes| fits(bytes)).count() as f64 / side.len() as f64
    };
    let is_cliff = low < DROP * high
        && share(before, &|bytes| bytes > middle) >= AGREE
        && share(after, &|bytes| bytes < middle) >= AGREE;
    let seconds = timeline.interval_ns as f64 / 1e9;
    is_cliff.then(|| Cliff {
        after_ns: split as u64 * timeline.interval_ns,
        after_bytes: timeline.intervals[..split].iter().map(|i| i.bytes).sum(),
        rate_before: high / seconds,
        rate_after: low / seconds,
    })
}

/// How many values lie before the split that leaves the least squares.
fn best_split(values: &[f64]) -> Option<usize> {
    let total: f64 = values.iter().sum();
    let count = values.len() as f64;
    let mut sum = 0.0;
    let mut best = None;
    for (index, value) in values.iter().enumerate() {
        sum += value;
        let (before, after) = (index + 1, values.len() - index - 1);
        if before < FEWEST || after < FEWEST {
            continue;
        }
        // The squares that a split takes away, up to a constant factor.
        let difference = sum / before as f64 - (total - sum) / after as f64;
        let gain = difference * difference * before as f64 * after as f64 / count;
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((before, gain));
        }
    }
    best.map(|(split, _)| split)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::clock::Moment;

    const MS: u64 = 1_000_000;

    fn timeline(bytes: impl IntoIterator<Item = u64>) -> Timeline {
        let mut timeline = Timeline::new(Moment(0), 100 * MS);
        for (index, bytes) in bytes.into_iter().enumerate() {
            timeline.record(Moment((index as u64 * 100 + 50) * MS), bytes, MS);
        }
        timeline
    }

    #[test]
    fn a_drop_is_found_where_it_is() {
        let noisy = |at: u64, level: u64| level + (at * 7919) % (level / 10);
        let values = (0..100).map(|at| noisy(at, if at < 30 { 20_000_000 } else { 3_000_000 }));
        let cliff = find(&timeline(values.clone())).expect("a cliff");
        assert_eq!(cliff.after_ns, 3_000 * MS);
        assert_eq!(cliff.after_bytes, values.take(30).sum::<u64>());
        assert!((0.83..0.87).contains(&cliff.depth()), "{}", cliff.depth());
    }

    #[test]
    fn spikes_slopes_rises_and_noise_are_none() {
        let spiky = (0..100).map(|at| if at % 10 == 3 { 0 } else { 10_000_000 });
        assert_eq!(find(&timeline(spiky)), None);
        let rise = (0..100).map(|at| if at < 50 { 1_000_000 } else { 9_000_000 });
        assert_eq!(find(&timeline(rise)), None);
        let noise = (0..100u64).map(|at| 10_000_000 + (at * 7919) % 3_000_000);
        assert_eq!(find(&timeline(noise)), None);
        assert_eq!(find(&timeline([])), None);
        assert_eq!(find(&timeline([5, 5, 5, 1, 1])), None);
    }
}
