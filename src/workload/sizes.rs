//! How large new files are, and by how much they grow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::generator::Generator;

/// Where sizes come from, as set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sizes {
    /// PostMark: uniformly between the bounds of `set size`.
    #[default]
    Uniform,
    /// Log-normally: the median in bytes, and the standard deviation of the natural
    /// logarithm.
    Lognormal {
        /// Half of the files are smaller.
        median: u64,
        /// In thousandths, so that settings stay comparable.
        sigma_thousandths: u64,
    },
    /// As the files below a directory.
    Tree(PathBuf),
}

impl Eq for Sizes {}

/// Where sizes come from, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum SizeSource {
    /// `low + R(high − low)`, appends of `R(high − size) + 1`: PostMark.
    Uniform {
        /// Low bound.
        low: u64,
        /// High bound.
        high: u64,
    },
    /// `median · e^(σ·Z)` with a standard normal Z, at least 1 byte and at most `high`.
    Lognormal {
        /// Half of the files are smaller.
        median: f64,
        /// The standard deviation of the natural logarithm.
        sigma: f64,
        /// The largest size.
        high: u64,
    },
    /// One of these, each as likely as the others.
    Samples(Arc<[u64]>),
}

/// Z of the largest log-normal size: one in 30 million is larger, and cut to it.
const LARGEST_Z: f64 = 5.4;

impl SizeSource {
    /// Log-normal sizes.
    #[must_use]
    pub fn lognormal(median: u64, sigma: f64, most: u64) -> Self {
        let median = median as f64;
        let high = (median * (sigma * LARGEST_Z).exp()).min(most as f64) as u64;
        Self::Lognormal { median, sigma, high: high.max(1) }
    }

    /// The largest size a file can come to.
    #[must_use]
    pub fn high(&self) -> u64 {
        match self {
            Self::Uniform { high, .. } | Self::Lognormal { high, .. } => *high,
            Self::Samples(sizes) => sizes.iter().copied().max().unwrap_or(1).max(1),
        }
    }

    /// The smallest size of a new file.
    #[must_use]
    pub fn low(&self) -> u64 {
        match self {
            Self::Uniform { low, .. } => *low,
            Self::Lognormal { .. } => 1,
            Self::Samples(sizes) => sizes.iter().copied().min().unwrap_or(0),
        }
    }

    /// The size of a new file.
    #[inline]
    pub fn draw(&self, generator: &mut impl Generator) -> u64 {
        match self {
            Self::Uniform { low, high } => low + generator.below(high - low),
            Self::Lognormal { median, sigma, high } => {
                let size = median * (sigma * normal(generator)).exp();
                (size.round().max(1.0) as u64).min(*high)
            }
            Self::Samples(sizes) => sizes[generator.below(sizes.len() as u64) as usize],
        }
    }

    /// How much is appended to a file of `size`: PostMark's rule, or a draw of the same
    /// distribution. None when the file would become larger than any may be.
    #[inline]
    pub fn append(&self, size: u64, generator: &mut impl Generator) -> Option<u64> {
        match self {
            Self::Uniform { high, .. } => (size < *high).then(|| generator.below(high - size) + 1),
            _ => Some(self.draw(generator).max(1)).filter(|bytes| size + bytes <= self.high()),
        }
    }
}

/// A standard normal number by the method of Box and Muller (1958).
fn normal(generator: &mut impl Generator) -> f64 {
    // In (0, 1], so that the logarithm exists.
    let mut uniform = || (f64::from(generator.draw()) + 1.0) / 4_294_967_296.0;
    let (first, second) = (uniform(), uniform());
    (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::generator::Mt19937;

    fn draws(source: &SizeSource, count: usize) -> Vec<u64> {
        let mut generator = Mt19937::new(1);
        let mut sizes: Vec<u64> = (0..count).map(|_| source.draw(&mut generator)).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn lognormal_sizes_have_their_median_and_spread() {
        let sizes = draws(&SizeSource::lognormal(8192, 1.5, u64::MAX), 100_000);
        let at = |share: f64| sizes[(share * sizes.len() as f64) as usize] as f64;
        assert!((at(0.5) / 8192.0 - 1.0).abs() < 0.03, "{}", at(0.5));
        let one_sigma = (at(0.8413) / at(0.5)).ln();
        assert!((one_sigma - 1.5).abs() < 0.03, "{one_sigma}");
        assert!(sizes[0] >= 1);
    }

    /// Kolmogorov–Smirnov: at 20,000 draws the largest distance of the distributions is
    /// above 1.95/√20,000 once in a thousand.
    #[test]
    fn samples_are_drawn_as_they_are_distributed() {
        let mut samples: Vec<u64> = (0..5000u64).map(|i| i * i % 100_003).collect();
        let drawn = draws(&SizeSource::Samples(samples.clone().into()), 20_000);
        samples.sort_unstable();
        let share = |sorted: &[u64], size: u64| {
            sorted.partition_point(|&s| s <= size) as f64 / sorted.len() as f64
        };
        let distance = samples
            .iter()
            .map(|&size| (share(&samples, size) - share(&drawn, size)).abs())
            .fold(0.0, f64::max);
        assert!(distance < 1.95 / 20_000f64.sqrt(), "{distance}");
    }

    #[test]
    fn appends_stay_within_the_largest_size() {
        let mut generator = Mt19937::new(3);
        for source in [
            SizeSource::Uniform { low: 10, high: 1000 },
            SizeSource::lognormal(100, 2.0, 5000),
            SizeSource::Samples(vec![5, 50, 500].into()),
        ] {
            for size in 1..source.high() {
                if let Some(bytes) = source.append(size, &mut generator) {
                    assert!(bytes > 0 && size + bytes <= source.high());
                }
            }
        }
    }
}
