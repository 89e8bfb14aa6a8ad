//! Location of paired differences: Student's t, signed ranks, and an interval that holds
//! at every look.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::comparison::Interval;
use super::summary::Summary;

/// Up to so many differences, the distribution of signed ranks is computed exactly.
const EXACT: usize = 60;

/// The quantile of Student's distribution; infinite without degrees of freedom.
#[must_use]
pub fn t_quantile(probability: f64, degrees: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) => student.inverse_cdf(probability),
        Err(_) => f64::INFINITY,
    }
}

/// Mean and its two-sided interval by Student's t; none of fewer than two.
#[must_use]
pub fn student(differences: &[f64], level: f64) -> Option<Interval> {
    let summary = Summary::of(differences).filter(|summary| summary.count > 1)?;
    let degrees = summary.count as f64 - 1.0;
    let half = t_quantile((1.0 + level) / 2.0, degrees) * standard_error(&summary);
    around(summary.mean, half)
}

/// Probability of so large a mean without an effect, by Student's t, two-sided.
#[must_use]
pub fn student_p(differences: &[f64]) -> Option<f64> {
    let summary = Summary::of(differences).filter(|summary| summary.count > 1)?;
    let error = standard_error(&summary);
    if error == 0.0 {
        return Some(if summary.mean == 0.0 { 1.0 } else { 0.0 });
    }
    let student = StudentsT::new(0.0, 1.0, summary.count as f64 - 1.0).ok()?;
    Some((2.0 * student.sf((summary.mean / error).abs())).min(1.0))
}

/// Hodges and Lehmann's estimate, the median of the means of all pairs, with the interval
/// of the signed-rank test; none where so few differences cannot reach the level.
/// Source: Hodges & Lehmann (1963); Hollander & Wolfe, *Nonparametric Statistical Methods*.
#[must_use]
pub fn signed_rank(differences: &[f64], level: f64) -> Option<Interval> {
    let means = pair_means(differences);
    let estimate = Summary::of(&means)?.median;
    let cut = critical(differences.len(), (1.0 - level) / 2.0).checked_sub(1)?;
    let (low, high) = (means.get(cut)?, means.get(means.len() - 1 - cut)?);
    Some(Interval { estimate, low: *low, high: *high })
}

/// Probability of signed ranks as uneven without an effect, two-sided. Differences of 0
/// are left out, equal ones share their ranks.
#[must_use]
pub fn signed_rank_p(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() {
        return None;
    }
    let mut sizes: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    sizes.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (mut positive, mut negative, mut start) = (0.0, 0.0, 0);
    while start < sizes.len() {
        let equal = sizes[start..].iter().take_while(|d| d.abs() == sizes[start].abs()).count();
        let rank = start as f64 + (equal as f64 + 1.0) / 2.0;
        for size in &sizes[start..start + equal] {
            *(if *size > 0.0 { &mut positive } else { &mut negative }) += rank;
        }
        start += equal;
    }
    // Rounded up where ranks are shared, which only makes it less likely to reject.
    let smaller = f64::min(positive, negative).ceil() as usize;
    Some((2.0 * at_most(sizes.len(), smaller)).min(1.0))
}

/// The means of all pairs, each with itself too, in rising order (Walsh averages).
fn pair_means(differences: &[f64]) -> Vec<f64> {
    let pairs = differences.iter().enumerate().flat_map(|(place, first)| {
        differences[place..].iter().map(move |second| (first + second) / 2.0)
    });
    let mut means: Vec<f64> = pairs.collect();
    means.sort_by(f64::total_cmp);
    means
}

/// The largest k with P(W < k) ≤ tail, W the sum of ranks of one sign.
fn critical(count: usize, tail: f64) -> usize {
    if count <= EXACT {
        let mut sum = 0.0;
        let distribution = rank_sums(count);
        return distribution
            .iter()
            .take_while(|probability| {
                sum += **probability;
                sum <= tail
            })
            .count();
    }
    let (mean, deviation) = rank_moments(count);
    let below = Normal::standard().inverse_cdf(tail);
    (mean + below * deviation).floor().max(0.0) as usize
}

/// P(W ≤ sum)
fn at_most(count: usize, sum: usize) -> f64 {
    if count <= EXACT {
        return rank_sums(count).iter().take(sum + 1).sum();
    }
    let (mean, deviation) = rank_moments(count);
    Normal::standard().cdf((sum as f64 + 0.5 - mean) / deviation)
}

/// Mean and standard deviation of the sum of ranks of one sign.
fn rank_moments(count: usize) -> (f64, f64) {
    let n = count as f64;
    (n * (n + 1.0) / 4.0, (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt())
}

/// The probability of each sum of ranks of one sign: every rank is in it or not, as a
/// coin falls.
fn rank_sums(count: usize) -> Vec<f64> {
    let mut sums = vec![1.0];
    for rank in 1..=count {
        let mut next = vec![0.0; sums.len() + rank];
        for (sum, probability) in sums.iter().enumerate() {
            next[sum] += probability / 2.0;
            next[sum + rank] += probability / 2.0;
        }
        sums = next;
    }
    sums
}

/// Weight of the mixture: effects are expected to be about as large as the standard
/// deviation of a difference. It decides how narrow the interval is, not whether it holds.
const MIXTURE: f64 = 1.0;

/// Mean with an interval that holds at every look at once: a confidence sequence.
///
/// It is made of the t test's Bayes factor with a normal prior of the standardised effect,
/// `√r · ((1 + t²/ν) / (1 + r·t²/ν))^(n/2)` with `r = c/(c + n)`, `ν = n − 1`, which
/// without an effect is a martingale from 1 on, and so exceeds 1/α with probability α at
/// most, ever (Ville). Source: Lai, *On confidence sequences* (1976); Wang & Ramdas,
/// *Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
/// variance* (2023). None as long as it is unbounded.
#[must_use]
pub fn sequence(differences: &[f64], level: f64) -> Option<Interval> {
    let summary = Summary::of(differences).filter(|summary| summary.count > 1)?;
    around(summary.mean, sequence_factor(summary.count as f64, level)? * summary.deviation)
}

/// Half the width of the confidence sequence, in standard deviations.
#[must_use]
pub fn sequence_factor(count: f64, level: f64) -> Option<f64> {
    let ratio = MIXTURE / (MIXTURE + count);
    let bound = (1.0 / (ratio.sqrt() * (1.0 - level))).powf(2.0 / count);
    let rest = 1.0 - bound * ratio;
    (rest > 0.0 && count > 1.0)
        .then(|| ((count - 1.0) * (bound - 1.0) / rest).sqrt() / count.sqrt())
}

/// Half the width of Student's interval, in standard deviations.
#[must_use]
pub fn student_factor(count: f64, level: f64) -> f64 {
    t_quantile((1.0 + level) / 2.0, count - 1.0) / count.sqrt()
}

fn standard_error(summary: &Summary) -> f64 {
    summary.deviation / (summary.count as f64).sqrt()
}

fn around(estimate: f64, half: f64) -> Option<Interval> {
    let (low, high) = (estimate - half, estimate + half);
    half.is_finite().then_some(Interval { estimate, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Differences of Student's own example (1908, additional hours of sleep), with the
    /// results that R's t.test and wilcox.test give for them.
    const SLEEP: [f64; 10] = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];

    #[test]
    fn student_as_in_the_textbook() {
        let interval = student(&SLEEP, 0.95).expect("ten");
        assert!((interval.estimate - 1.58).abs() < 1e-12);
        assert!((interval.low - 0.700_114).abs() < 1e-5, "{interval:?}");
        assert!((interval.high - 2.459_886).abs() < 1e-5);
        assert!((student_p(&SLEEP).expect("ten") - 0.002_833).abs() < 1e-6);
    }

    #[test]
    fn signed_ranks_as_in_tables() {
        // The critical values of the two-sided test at 5 %: 0, 2, 3, 5, 8, …, 52 at 20.
        let tabled = [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (15, 25), (20, 52)];
        for (count, largest) in tabled {
            assert_eq!(critical(count, 0.025), largest + 1, "{count}");
        }
        assert_eq!(critical(5, 0.025), 0);
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
        let six = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).expect("just enough");
        assert_eq!((six.low, six.estimate, six.high), (1.0, 3.5, 6.0));
        assert_eq!(signed_rank_p(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(0.03125));
        assert_eq!(signed_rank_p(&[0.0; 8]), Some(1.0));
    }

    #[test]
    fn exact_and_normal_ranks_meet() {
        let (mean, deviation) = rank_moments(EXACT);
        let near = mean + Normal::standard().inverse_cdf(0.025) * deviation;
        assert!((critical(EXACT, 0.025) as f64 - near).abs() < 3.0);
    }

    #[test]
    fn a_confidence_sequence_is_wider_than_an_interval_and_narrows() {
        assert_eq!(sequence_factor(2.0, 0.95), None);
        for count in [20.0, 100.0, 1000.0] {
            let factor = sequence_factor(count, 0.95).expect("bounded");
            assert!(factor > student_factor(count, 0.95) && factor < 3.2 / count.sqrt() * 1.3);
        }
    }

    proptest! {
        #[test]
        fn intervals_hold_their_estimate_and_follow_the_data(
            values in prop::collection::vec(-1.0f64..1.0, 8..40), shift in -3.0f64..3.0,
        ) {
            let shifted: Vec<f64> = values.iter().map(|value| value + shift).collect();
            let negated: Vec<f64> = values.iter().map(|value| -value).collect();
            for interval in [student, signed_rank, sequence] {
                let Some(one) = interval(&values, 0.95) else { continue };
                let moved = interval(&shifted, 0.95).expect("as many");
                let turned = interval(&negated, 0.95).expect("as many");
                prop_assert!(one.low <= one.estimate && one.estimate <= one.high);
                prop_assert!((moved.low - one.low - shift).abs() < 1e-9);
                prop_assert!((turned.high + one.low).abs() < 1e-9);
            }
        }
    }
}
