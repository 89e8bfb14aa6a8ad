//! The noise floor: how large a difference identical arms show.

use super::estimate::student_factor;
use super::shape::{median_deviation, outliers};
use super::summary::Summary;

/// The half-width of the interval of identical arms with as many blocks: from a known
/// standard deviation of their differences, or from the base's own values, each set
/// against the one before, as two runs of a block would be. None of fewer than three.
#[must_use]
pub fn half_width(base: &[f64], known: Option<f64>, level: f64) -> Option<f64> {
    let deviation = known.or_else(|| deviation_of_steps(base))?;
    Some(student_factor(base.len() as f64, level) * deviation)
}

fn deviation_of_steps(base: &[f64]) -> Option<f64> {
    let steps: Vec<f64> = base.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let summary = Summary::of(&steps).filter(|summary| summary.count > 1)?;
    if outliers(&steps).is_empty() {
        return Some(summary.deviation);
    }
    // One stalled run is no measure of the others: the normal distribution's deviation
    // that has this median deviation.
    Some(1.4826 * median_deviation(&steps, summary.median))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_pairs_of_such_runs_would_give() {
        // Steps of ±0.02: a standard deviation of 0.02 · √(9/8).
        let base: Vec<f64> = (0..10).map(|block| f64::from(block % 2) * 0.02).collect();
        let floor = half_width(&base, None, 0.95).expect("a floor");
        let deviation = Summary::of(&[0.02, -0.02, 0.02, -0.02, 0.02, -0.02, 0.02, -0.02, 0.02]);
        let deviation = deviation.expect("nine").deviation;
        assert!((floor - 2.262_157 * deviation / 10f64.sqrt()).abs() < 1e-6);
        assert!((half_width(&base, Some(0.1), 0.95).expect("known") - 0.071_535).abs() < 1e-5);
        assert_eq!(half_width(&base[..2], None, 0.95), None);
    }

    #[test]
    fn one_stalled_run_does_not_raise_it() {
        let calm: Vec<f64> = [0.0, 0.01, -0.01, 0.02, 0.0, 0.01, -0.02, 0.01, 0.0, 0.01].to_vec();
        let mut stalled = calm.clone();
        stalled[5] = 3.0;
        let floor = |base: &[f64]| half_width(base, None, 0.95).expect("a floor");
        assert!(floor(&stalled) < 2.0 * floor(&calm));
    }
}
