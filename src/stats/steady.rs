//! Whether repeated rounds have come to a steady state. Source: SNIA, *Solid State Storage
//! Performance Test Specification*, 2.0.2, "Steady State": within a window of five rounds
//! the values range over no more than 20 % of their mean, and the line of least squares
//! through them moves by no more than 10 % of it.
//!
//! One rule more, as a slow ramp keeps to both: five values that only rise, or only fall,
//! are still on their way, unless they move by less than a tenth of the range allowed.

use serde::{Deserialize, Serialize};

use crate::runner::measurement::Plateau;

/// When a state is steady.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Rounds of a window; at least 3.
    pub window: usize,
    /// The largest range of the values, as a share of their mean.
    pub range: f64,
    /// How far the line through them may move from the first to the last, the same.
    pub slope: f64,
}

/// A value that only rises or falls is steady below this share of the range.
const STILL: f64 = 0.1;

/// The window at the end of the rounds, if it is steady.
#[must_use]
pub fn plateau(rounds: &[f64], limits: &Limits) -> Option<Plateau> {
    let window = limits.window.max(3);
    let first = rounds.len().checked_sub(window)?;
    let values = &rounds[first..];
    let mean = values.iter().sum::<f64>() / window as f64;
    if !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = (most - least) / mean;
    let slope = slope(values) * (window - 1) as f64 / mean;
    let only_rises = values.windows(2).all(|pair| pair[0] < pair[1]);
    let only_falls = values.windows(2).all(|pair| pair[0] > pair[1]);
    let is_on_its_way = (only_rises || only_falls) && range >= STILL * limits.range;
    let is_steady = range <= limits.range && slope.abs() <= limits.slope && !is_on_its_way;
    is_steady.then_some(Plateau { first_round: first as u64 + 1, mean, range, slope })
}

/// Of the line of least squares, by round.
fn slope(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = values.iter().sum::<f64>() / count;
    let steps = || values.iter().enumerate().map(|(round, value)| (round as f64 - middle, value));
    let products: f64 = steps().map(|(step, value)| step * (value - mean)).sum();
    let squares: f64 = steps().map(|(step, _)| step * step).sum();
    products / squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SNIA: Limits = Limits { window: 5, range: 0.2, slope: 0.1 };

    /// The round after which a series is steady, from 1.
    fn reached(series: impl Iterator<Item = f64>) -> Option<usize> {
        let values: Vec<f64> = series.collect();
        (1..=values.len()).find(|&rounds| plateau(&values[..rounds], &SNIA).is_some())
    }

    #[test]
    fn a_drive_that_settles_is_steady_once_it_has() {
        // 100 falls to 40 by a third of the way in each round.
        let values = (0..25).map(|round| 40.0 + 60.0 * (2.0f64 / 3.0).powi(round));
        let round = reached(values).expect("it settles");
        assert!((8..=16).contains(&round), "{round}");
        assert_eq!(reached([50.0; 25].into_iter()), Some(5));
        let noisy = [50.0, 52.0, 49.0, 51.0, 50.5];
        let plateau = plateau(&noisy, &SNIA).expect("steady");
        assert_eq!(plateau.first_round, 1);
        assert!((plateau.mean - 50.5).abs() < 1e-9 && (plateau.range - 3.0 / 50.5).abs() < 1e-9);
    }

    #[test]
    fn slow_ramps_do_not_pass() {
        for per_round in [0.006, 0.01, 0.02, 0.03, 0.05, 0.1] {
            let rising = (0..25).map(|round| 100.0 * (1.0 + per_round * f64::from(round)));
            assert_eq!(reached(rising), None, "rising by {per_round}");
            let falling = (0..25).map(|round| 100.0 * (1.0f64 - per_round).powi(round));
            assert_eq!(reached(falling), None, "falling by {per_round}");
        }
        // With noise that hides single steps it is the line that tells.
        let noise = [0.02, -0.02, 0.015, -0.01, 0.0];
        let values = (0..25).map(|round| {
            100.0 * 1.035f64.powi(round) * (1.0 + noise[round as usize % noise.len()])
        });
        assert_eq!(reached(values), None);
    }

    #[test]
    fn each_limit_alone_is_heeded() {
        // Within 10 % of slope, but not of 20 % of range.
        assert_eq!(plateau(&[100.0, 125.0, 100.0, 125.0, 100.0], &SNIA), None);
        // Within 20 % of range, but not of 10 % of slope.
        assert_eq!(plateau(&[92.0, 98.0, 97.0, 104.0, 108.0], &SNIA), None);
        assert_eq!(plateau(&[100.0; 4], &SNIA), None);
        assert_eq!(plateau(&[0.0; 5], &SNIA), None);
        assert_eq!(plateau(&[1.0, f64::NAN, 1.0, 1.0, 1.0], &SNIA), None);
        let wide = Limits { range: 0.3, ..SNIA };
        assert!(plateau(&[100.0, 125.0, 100.0, 125.0, 100.0], &wide).is_some());
        let long = Limits { window: 7, ..SNIA };
        assert_eq!(plateau(&[100.0; 6], &long), None);
        assert!(plateau(&[100.0; 7], &long).is_some());
    }

    proptest! {
        #[test]
        fn it_depends_on_neither_the_unit_nor_the_rounds_before(
            values in prop::collection::vec(50f64..150.0, 5..12), unit in 1e-6f64..1e6,
        ) {
            let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
            let [one, other] = [&values, &scaled].map(|values| plateau(values, &SNIA).is_some());
            prop_assert_eq!(one, other);
            let last = &values[values.len() - 5..];
            prop_assert_eq!(one, plateau(last, &SNIA).is_some());
            if let Some(plateau) = plateau(&values, &SNIA) {
                prop_assert!(plateau.range <= 0.2 && plateau.slope.abs() <= 0.1);
            }
        }
    }
}
