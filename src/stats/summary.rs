//! The spread of repeated measurements.

use serde::{Deserialize, Serialize};

/// A few numbers about several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (n − 1 in the denominator); 0 for a single one.
    pub deviation: f64,
    /// The least.
    pub least: f64,
    /// The middle one, or the mean of the middle two.
    pub median: f64,
    /// The most.
    pub most: f64,
}

impl Summary {
    /// Of some finite values; none of none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let count = sorted.len();
        let mean = sorted.iter().sum::<f64>() / count as f64;
        let squares = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        Some(Self { count, mean, deviation, least, median, most })
    }

    /// The standard deviation by the mean; none for a mean of 0.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        (self.mean != 0.0).then(|| self.deviation / self.mean.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let summary = Summary::of(&[4.0, 2.0, 8.0, 6.0]).expect("four values");
        assert_eq!((summary.mean, summary.median), (5.0, 5.0));
        assert_eq!((summary.least, summary.most), (2.0, 8.0));
        assert!((summary.deviation - (20.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Summary::of(&[3.0]).map(|one| one.deviation), Some(0.0));
        assert_eq!(Summary::of(&[]), None);
    }
}
