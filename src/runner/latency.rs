//! How long operations and system calls took: HDR histograms, mergeable, and kept in
//! JSON without loss.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::Call;
use crate::workload::OperationKind;

/// Significant digits of a recorded value: 0.1 %.
const DIGITS: u8 = 3;
/// Longer latencies are recorded as this, nanoseconds: an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// The distribution of one kind of latency, nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    histogram: Histogram<u64>,
    /// The longest, exactly.
    longest: u64,
}

impl Default for Latency {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS)
            .expect("1 ns to 1 h at 3 digits are bounds a histogram can have");
        Self { histogram, longest: 0 }
    }
}

impl Latency {
    /// Adds one latency.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.histogram.saturating_record(nanoseconds);
        self.longest = self.longest.max(nanoseconds);
    }

    /// Adds all latencies of another.
    pub fn merge(&mut self, other: &Self) {
        // Both have the same bounds, so adding cannot fail.
        let added = self.histogram.add(&other.histogram);
        debug_assert!(added.is_ok());
        self.longest = self.longest.max(other.longest);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The latency not exceeded by this share (0 to 1) of them, nanoseconds; none when
    /// there are none.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.value_at_quantile(share).min(self.longest))
    }

    /// The longest, nanoseconds; none when there are none.
    #[must_use]
    pub fn longest(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.longest)
    }
}

/// The form in JSON: the usual quantiles for reading, the buckets for computing.
#[derive(Serialize, Deserialize)]
struct Stored {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    p50_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    p90_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    p99_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    p999_ns: Option<u64>,
    max_ns: u64,
    /// Lowest value of each bucket in use, nanoseconds, and the count in it.
    buckets: Vec<(u64, u64)>,
}

impl Serialize for Latency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buckets = self
            .histogram
            .iter_recorded()
            .map(|bucket| {
                let lowest = self.histogram.lowest_equivalent(bucket.value_iterated_to());
                (lowest, bucket.count_at_value())
            })
            .collect();
        Stored {
            count: self.count(),
            p50_ns: self.quantile(0.5),
            p90_ns: self.quantile(0.9),
            p99_ns: self.quantile(0.99),
            p999_ns: self.quantile(0.999),
            max_ns: self.longest,
            buckets,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let mut latency = Self::default();
        for (value, count) in stored.buckets {
            latency.histogram.saturating_record_n(value, count);
        }
        latency.longest = stored.max_ns;
        Ok(latency)
    }
}

/// The latencies of a run, where they were measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latencies {
    /// By kind of operation, from the first call to the last.
    pub operations: Vec<NamedLatency>,
    /// By system call within operations; empty unless these were measured.
    pub calls: Vec<NamedLatency>,
}

/// A latency with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedLatency {
    /// `create`, … or `open`, …
    pub name: String,
    /// Its distribution.
    #[serde(flatten)]
    pub latency: Latency,
}

impl Latencies {
    /// The latencies of one kind of operation, if there are any.
    #[must_use]
    pub fn of(&self, kind: OperationKind) -> Option<&Latency> {
        self.operations.iter().find(|named| named.name == kind.name()).map(|named| &named.latency)
    }
}

/// Records latencies by kind of operation.
#[derive(Debug, Clone, Default)]
pub struct OperationLatencies([Latency; 4]);

impl OperationLatencies {
    /// Adds one.
    #[inline]
    pub fn record(&mut self, kind: OperationKind, nanoseconds: u64) {
        self.0[kind as usize].record(nanoseconds);
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// Those that occurred, named.
    #[must_use]
    pub fn named(&self) -> Vec<NamedLatency> {
        named(OperationKind::ALL.map(OperationKind::name).into_iter().zip(&self.0))
    }
}

/// Records latencies by system call.
#[derive(Debug, Clone, Default)]
pub struct CallLatencies([Latency; Call::ALL.len()]);

impl CallLatencies {
    /// Adds one.
    #[inline]
    pub fn record(&mut self, call: Call, nanoseconds: u64) {
        self.0[call as usize].record(nanoseconds);
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// Those that occurred, named.
    #[must_use]
    pub fn named(&self) -> Vec<NamedLatency> {
        named(Call::ALL.map(Call::name).into_iter().zip(&self.0))
    }
}

fn named<'a>(all: impl Iterator<Item = (&'static str, &'a Latency)>) -> Vec<NamedLatency> {
    all.filter(|(_, latency)| latency.count() > 0)
        .map(|(name, latency)| NamedLatency { name: name.into(), latency: latency.clone() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn json_keeps_everything(values in prop::collection::vec(0u64..1 << 44, 0..200)) {
            let mut latency = Latency::default();
            values.iter().for_each(|&value| latency.record(value));
            let text = serde_json::to_string(&latency).expect("serialises");
            let back: Latency = serde_json::from_str(&text).expect("reads back");
            prop_assert_eq!(&back, &latency);
            prop_assert_eq!(latency.count(), values.len() as u64);
            prop_assert_eq!(latency.longest(), values.iter().copied().max());
        }

        #[test]
        fn merging_is_recording_all(
            left in prop::collection::vec(0u64..1 << 40, 0..100),
            right in prop::collection::vec(0u64..1 << 40, 0..100),
        ) {
            let of = |values: &[u64]| {
                let mut latency = Latency::default();
                values.iter().for_each(|&value| latency.record(value));
                latency
            };
            let mut merged = of(&left);
            merged.merge(&of(&right));
            prop_assert_eq!(merged, of(&[left, right].concat()));
        }
    }

    #[test]
    fn quantiles_are_within_a_thousandth() {
        let mut latency = Latency::default();
        (1..=100_000).for_each(|value| latency.record(value));
        for (share, exact) in [(0.5, 50_000.0), (0.9, 90_000.0), (0.999, 99_900.0)] {
            let value = latency.quantile(share).expect("not empty") as f64;
            assert!((value / exact - 1.0).abs() < 0.001, "{value} for {exact}");
        }
        assert_eq!(Latency::default().quantile(0.5), None);
    }
}
