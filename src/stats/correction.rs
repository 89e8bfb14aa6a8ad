//! Several comparisons at once: at which level each may be judged.

/// Levels by Holm (1979): the chance of even one false difference among all stays `alpha`.
/// The smallest p is held to alpha/m, the next to alpha/(m − 1), …; from the first that
/// fails on, all share its level. In the order of `p`.
#[must_use]
pub fn holm(p: &[f64], alpha: f64) -> Vec<f64> {
    let mut levels = vec![alpha; p.len()];
    let mut failed = None;
    for (step, index) in ascending(p).into_iter().enumerate() {
        let own = alpha / (p.len() - step) as f64;
        let used = failed.unwrap_or(own);
        if failed.is_none() && p[index] > own {
            failed = Some(own);
        }
        levels[index] = used;
    }
    levels.into_iter().map(|alpha| 1.0 - alpha).collect()
}

/// Adjusted p by Holm, in the order of `p`.
#[must_use]
pub fn holm_adjusted(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    let mut largest: f64 = 0.0;
    for (step, index) in ascending(p).into_iter().enumerate() {
        largest = largest.max((p.len() - step) as f64 * p[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Levels by Benjamini & Hochberg (1995), of intervals by Benjamini & Yekutieli (2005):
/// among the differences found, `alpha` are false on average. In the order of `p`.
#[must_use]
pub fn false_discovery(p: &[f64], alpha: f64) -> Vec<f64> {
    let count = p.len() as f64;
    let order = ascending(p);
    let found = order
        .iter()
        .enumerate()
        .filter(|(step, index)| p[**index] <= (*step as f64 + 1.0) * alpha / count)
        .map(|(step, _)| step + 1)
        .max()
        .unwrap_or(0);
    let mut levels = vec![0.0; p.len()];
    for (step, index) in order.into_iter().enumerate() {
        // One that was not found is shown at the level it would have had to pass.
        let share = if step < found { found } else { found + 1 } as f64;
        levels[index] = 1.0 - (share * alpha / count).min(alpha);
    }
    levels
}

/// Adjusted p by Benjamini & Hochberg, in the order of `p`.
#[must_use]
pub fn false_discovery_adjusted(p: &[f64]) -> Vec<f64> {
    let count = p.len() as f64;
    let mut adjusted = vec![1.0; p.len()];
    let mut smallest: f64 = 1.0;
    for (step, index) in ascending(p).into_iter().enumerate().rev() {
        smallest = smallest.min(p[index] * count / (step as f64 + 1.0));
        adjusted[index] = smallest;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (one, other) in found.iter().zip(expected) {
            assert!((one - other).abs() < 1e-12, "{found:?} for {expected:?}");
        }
    }

    #[test]
    fn holm_goes_down_and_stops() {
        near(&holm(&[0.01, 0.04, 0.03], 0.05), &[1.0 - 0.05 / 3.0, 0.975, 0.975]);
        near(&holm(&[0.01, 0.02, 0.5], 0.05), &[1.0 - 0.05 / 3.0, 0.975, 0.95]);
        near(&holm_adjusted(&[0.01, 0.04, 0.03]), &[0.03, 0.06, 0.06]);
        near(&holm(&[0.2], 0.05), &[0.95]);
    }

    #[test]
    fn false_discoveries_as_in_r() {
        // p.adjust(c(0.01, 0.02, 0.03, 0.5), "BH")
        near(&false_discovery_adjusted(&[0.01, 0.02, 0.03, 0.5]), &[0.04, 0.04, 0.04, 0.5]);
        let levels = false_discovery(&[0.01, 0.02, 0.03, 0.5], 0.05);
        near(&levels, &[0.9625, 0.9625, 0.9625, 0.95]);
        near(&false_discovery(&[0.9, 0.8], 0.05), &[0.975, 0.975]);
    }
}
