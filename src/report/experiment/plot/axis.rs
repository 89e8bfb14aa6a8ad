//! Axes: from values to places, with numbers people would choose.

/// An axis from its lowest to its highest value.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    /// Where its numbers are, and what is written there.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Over these values, a little beyond them, about `count` numbers on it.
    pub fn linear(values: &[f64], count: usize, label: impl Fn(f64) -> String) -> Self {
        let (low, high) = bounds(values);
        let room = (high - low).max(high.abs() * 1e-3).max(f64::MIN_POSITIVE) * 0.05;
        Self::exactly(low - room, high + room, count, label)
    }

    /// From `low` to `high`.
    pub fn exactly(low: f64, high: f64, count: usize, label: impl Fn(f64) -> String) -> Self {
        let step = nice((high - low) / count as f64);
        let first = (low / step).ceil() as i64;
        let ticks = (first..)
            .map(|index| index as f64 * step)
            .take_while(|value| *value <= high)
            .take(50)
            .map(|value| (value, label(value)))
            .collect();
        Self { low, high, is_logarithmic: false, ticks }
    }

    /// From `low` to `high`, without numbers.
    pub fn bare(low: f64, high: f64) -> Self {
        Self { low, high, is_logarithmic: false, ticks: Vec::new() }
    }

    /// Over these values, all above 0, by powers of ten.
    pub fn logarithmic(values: &[f64], label: impl Fn(f64) -> String) -> Self {
        let (low, high) = bounds(values);
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        let high = if high > low { high } else { low + 1.0 };
        let ticks = (low as i32..=high as i32).map(|power| 10f64.powi(power));
        let ticks = ticks.map(|value| (value, label(value))).collect();
        Self { low, high, is_logarithmic: true, ticks }
    }

    /// From the least to the largest of these sizes in bytes, in order, by powers of two.
    pub fn doublings(sizes: &[u64]) -> Self {
        let power = |size: Option<&u64>| (size.copied().unwrap_or(1).max(1) as f64).log10();
        let (low, high) = (power(sizes.first()), power(sizes.last()));
        let high = if high > low { high } else { low + 1.0 };
        // A number needs so much room.
        let every = sizes.len().div_ceil(10);
        let shown = sizes.iter().rev().step_by(every).rev();
        let ticks = shown.map(|size| (*size as f64, short_size(*size))).collect();
        Self { low, high, is_logarithmic: true, ticks }
    }

    /// Places of its own, in equal steps.
    pub fn named(names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(place, name)| (place as f64, name.clone()));
        let high = names.len().saturating_sub(1).max(1) as f64;
        Self { low: 0.0, high, is_logarithmic: false, ticks: ticks.collect() }
    }

    /// Where a value lies, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// `4K`, `1M`
fn short_size(bytes: u64) -> String {
    match bytes {
        0..1024 => bytes.to_string(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}

fn bounds(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The step of 1, 2 or 5 times a power of ten that is about as large.
fn nice(step: f64) -> f64 {
    if step.is_nan() || step <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    factors
        .into_iter()
        .map(|factor| factor * power)
        .find(|nice| *nice >= step * 0.8)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_round() {
        let axis = Axis::linear(&[3.0, 97.0], 5, |value| format!("{value}"));
        let names: Vec<&str> = axis.ticks.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["0", "20", "40", "60", "80", "100"]);
        let axis = Axis::logarithmic(&[2e-6, 3e-3], |value| format!("{value:e}"));
        assert_eq!(axis.ticks.len(), 5);
    }

    #[test]
    fn each_doubling_is_a_step_of_one_length() {
        let sizes: Vec<u64> = (0..9).map(|power| 4096 << power).collect();
        let axis = Axis::doublings(&sizes);
        let names: Vec<&str> = axis.ticks.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"]);
        for (step, size) in sizes.iter().enumerate() {
            assert!((axis.share(*size as f64) - step as f64 / 8.0).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn every_value_is_on_the_axis_and_in_order(
            values in prop::collection::vec(-1e9f64..1e9, 2..20), count in 2usize..9,
        ) {
            let axis = Axis::linear(&values, count, |value| value.to_string());
            prop_assert!(axis.ticks.len() <= count + count / 4 + 2);
            for pair in values.windows(2) {
                let (one, other) = (axis.share(pair[0]), axis.share(pair[1]));
                prop_assert!((0.0..=1.0).contains(&one));
                prop_assert!(pair[0] <= pair[1] || one >= other);
            }
        }
    }
}
