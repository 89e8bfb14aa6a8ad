//! The differences that are compared: arms against the base, effects of a factorial.

use super::comparison::Scale;
use super::design::{Design, Series};

/// One thing to compare, with its differences block by block.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The arm or effect.
    pub name: String,
    /// What it is set against.
    pub base: String,
    /// True for main effects and interactions.
    pub is_effect: bool,
    /// How it is set against the base.
    pub scale: Scale,
    /// ln(arm/base) or arm − base, of each complete block.
    pub differences: Vec<f64>,
}

/// The contrasts of a metric: effects of a factorial first, then each arm.
#[must_use]
pub fn contrasts(series: &Series, design: &Design) -> Vec<Contrast> {
    let rows = complete(series);
    // Zeros have no logarithm; one of them decides for the whole metric.
    let ratio = rows.iter().flatten().all(|value| *value > 0.0);
    let scale = if ratio { Scale::Ratio } else { Scale::Difference };
    let scaled = |value: f64| if ratio { value.ln() } else { value };
    let rows: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|value| scaled(*value)).collect()).collect();
    let base = &design.arms[design.base];
    let contrast = |name: String, base: &str, is_effect, of: &dyn Fn(&[f64]) -> f64| Contrast {
        name,
        base: base.to_owned(),
        is_effect,
        scale,
        differences: rows.iter().map(|row| of(row)).collect(),
    };
    let mut all = Vec::new();
    if let Some(factorial) = &design.factorial {
        let [neither, first, second, both] = factorial.cells;
        let [one, other] = &factorial.factors;
        all.push(contrast(one.clone(), &format!("without {one}"), true, &|row| {
            ((row[first] - row[neither]) + (row[both] - row[second])) / 2.0
        }));
        all.push(contrast(other.clone(), &format!("without {other}"), true, &|row| {
            ((row[second] - row[neither]) + (row[both] - row[first])) / 2.0
        }));
        // How the effect of both differs from that of each, one after the other.
        all.push(contrast(format!("{one} × {other}"), "adding up", true, &|row| {
            row[both] - row[first] - row[second] + row[neither]
        }));
    }
    for (place, arm) in design.arms.iter().enumerate() {
        if place != design.base {
            all.push(contrast(arm.clone(), base, false, &|row| row[place] - row[design.base]));
        }
    }
    all
}

/// The blocks in which every arm has the value.
pub(super) fn complete(series: &Series) -> Vec<Vec<f64>> {
    series.values.iter().filter_map(|row| row.iter().copied().collect()).collect()
}

/// The base's values in complete blocks, on the scale of a contrast.
pub(super) fn base_values(series: &Series, design: &Design, scale: Scale) -> Vec<f64> {
    let values = complete(series).into_iter().map(|row| row[design.base]);
    match scale {
        Scale::Ratio => values.map(f64::ln).collect(),
        Scale::Difference => values.collect(),
    }
}
