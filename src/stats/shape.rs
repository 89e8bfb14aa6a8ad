//! What a series of differences looks like besides its middle: outliers, drift, memory,
//! two humps. All of it is said, and none of it changes the figures.

use super::summary::Summary;

/// So many times the median deviation from the median is out of line.
const OUT_OF_LINE: f64 = 5.0;
/// Sarle's coefficient of a uniform distribution: beyond it two humps are likely.
const TWO_HUMPS: f64 = 5.0 / 9.0;
/// With fewer values drift, memory and humps cannot be told.
const ENOUGH: usize = 10;

/// Places of the values more than five median deviations from the median.
#[must_use]
pub fn outliers(values: &[f64]) -> Vec<usize> {
    let Some(middle) = Summary::of(values).map(|summary| summary.median) else { return vec![] };
    let deviation = median_deviation(values, middle);
    let far = |value: &f64| deviation > 0.0 && (value - middle).abs() > OUT_OF_LINE * deviation;
    values.iter().enumerate().filter(|(_, value)| far(value)).map(|(place, _)| place).collect()
}

/// The median of the distances from the median.
#[must_use]
pub fn median_deviation(values: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Summary::of(&distances).map_or(0.0, |summary| summary.median)
}

/// The change from first to last along the median slope of all pairs (Theil 1950, Sen
/// 1968), if values rise or fall with their order beyond chance at 5 % (Mann 1945).
#[must_use]
pub fn trend(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < ENOUGH {
        return None;
    }
    let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |last| (first, last)));
    let (mut slopes, mut sign) = (Vec::new(), 0.0);
    for (first, last) in pairs {
        let rise = values[last] - values[first];
        slopes.push(rise / (last - first) as f64);
        sign += if rise == 0.0 { 0.0 } else { rise.signum() };
    }
    let n = count as f64;
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let beyond_chance = (sign.abs() - 1.0) / deviation > 1.96;
    beyond_chance.then(|| Summary::of(&slopes).map(|slopes| slopes.median * (n - 1.0)))?
}

/// The correlation of each value with the next, if beyond ±2/√n.
#[must_use]
pub fn memory(values: &[f64]) -> Option<f64> {
    let summary = Summary::of(values).filter(|summary| summary.count >= ENOUGH)?;
    let deviations: Vec<f64> = values.iter().map(|value| value - summary.mean).collect();
    let squares: f64 = deviations.iter().map(|deviation| deviation * deviation).sum();
    let products: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let correlation = products / squares;
    (correlation.abs() > 2.0 / (values.len() as f64).sqrt()).then_some(correlation)
}

/// True when values gather in two places: Sarle's coefficient, (skewness² + 1) by the
/// kurtosis, exceeds that of a uniform distribution. Source: SAS/STAT, PROC CLUSTER.
#[must_use]
pub fn has_two_humps(values: &[f64]) -> bool {
    let Some(summary) = Summary::of(values).filter(|summary| summary.count >= ENOUGH) else {
        return false;
    };
    // Outliers make skewness, and look like a second hump.
    if summary.deviation == 0.0 || !outliers(values).is_empty() {
        return false;
    }
    let n = summary.count as f64;
    let moment =
        |power: i32| values.iter().map(|value| (value - summary.mean).powi(power)).sum::<f64>() / n;
    let (second, third, fourth) = (moment(2), moment(3), moment(4));
    let skewness = third / second.powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0);
    let excess = (n - 1.0) / ((n - 2.0) * (n - 3.0))
        * ((n + 1.0) * (fourth / (second * second) - 3.0) + 6.0);
    let whole = excess + 3.0 * (n - 1.0).powi(2) / ((n - 2.0) * (n - 3.0));
    (skewness * skewness + 1.0) / whole > TWO_HUMPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_is_found_where_it_is() {
        let mut values = [1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.0, 1.03, 0.97];
        assert_eq!(outliers(&values), Vec::<usize>::new());
        values[3] = 2.0;
        assert_eq!(outliers(&values), [3]);
    }

    #[test]
    fn a_drift_is_found_and_its_size() {
        let rising: Vec<f64> = (0..20).map(|block| f64::from(block) * 0.01).collect();
        assert!((trend(&rising).expect("a drift") - 0.19).abs() < 1e-12);
        let level = [0.1, -0.1].repeat(10);
        assert_eq!(trend(&level), None);
    }

    #[test]
    fn memory_is_found() {
        let slow: Vec<f64> = (0..40).map(|block| (f64::from(block) / 6.0).sin()).collect();
        assert!(memory(&slow).expect("a memory") > 0.8);
        let turning = [0.1, -0.1].repeat(10);
        assert!(memory(&turning).expect("a memory") < -0.8);
    }

    #[test]
    fn two_humps_are_told_from_one() {
        let two: Vec<f64> =
            (0..20).map(|block| f64::from(block % 2) + f64::from(block) * 0.005).collect();
        assert!(has_two_humps(&two));
        let one = [-2.0, -1.2, -0.8, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.8, 1.2, 2.0];
        assert!(!has_two_humps(&one));
    }
}
