//! All metrics of an experiment, compared: which comparisons belong together, and at which
//! level each is judged.

use super::comparison::{Comparison, Role, Scale};
use super::contrast::{Contrast, base_values, contrasts};
use super::design::{Design, Findings, Rules, Series};
use super::judge::{Standard, decisive_p, judge};
use super::summary::Summary;
use super::{correction, estimate, floor, shape};

/// Compares all metrics. The headline's contrasts are one family, held together by Holm's
/// rule (in a factorial: its three effects); all others are another, by the rate of false
/// discoveries. Findings come in the order of `series`.
#[must_use]
pub fn analyse(series: &[Series], headline: &str, design: &Design, rules: &Rules) -> Vec<Findings> {
    let all: Vec<Vec<Contrast>> = series.iter().map(|series| contrasts(series, design)).collect();
    let family = |which: Family| -> Vec<(usize, usize)> {
        let places = all.iter().enumerate().flat_map(|(metric, contrasts)| {
            (0..contrasts.len()).map(move |contrast| (metric, contrast))
        });
        places
            .filter(|(metric, contrast)| {
                let is_headline = series[*metric].metric == headline;
                let in_question = design.factorial.is_none() || all[*metric][*contrast].is_effect;
                (is_headline && in_question) == (which == Family::Headline)
            })
            .collect()
    };
    let mut judged: Vec<Vec<Option<Comparison>>> =
        all.iter().map(|contrasts| vec![None; contrasts.len()]).collect();
    for which in [Family::Headline, Family::Secondary] {
        let members = family(which);
        let p: Vec<f64> = members
            .iter()
            .map(|(metric, contrast)| decisive_p(&all[*metric][*contrast]).unwrap_or(1.0))
            .collect();
        let (levels, adjusted) = which.corrected(&p, rules);
        for (index, (metric, contrast)) in members.into_iter().enumerate() {
            let one = &all[metric][contrast];
            let noise = rules.known_noise.filter(|_| series[metric].metric == headline);
            let standard =
                standard(&series[metric], design, rules, one.scale, levels[index], noise);
            let mut comparison = judge(one, &standard);
            comparison.p_adjusted = comparison.p.map(|_| adjusted[index]);
            if which == Family::Headline {
                let base = base_values(&series[metric], design, one.scale);
                comparison.notes.extend(notes(one, &base));
            }
            judged[metric][contrast] = Some(comparison);
        }
    }
    series
        .iter()
        .zip(judged)
        .map(|(series, comparisons)| Findings {
            metric: series.metric.clone(),
            role: if series.metric == headline { Role::Headline } else { Role::Secondary },
            comparisons: comparisons.into_iter().flatten().collect(),
        })
        .collect()
}

/// Comparisons that are corrected together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Headline,
    Secondary,
}

impl Family {
    /// Levels and adjusted p.
    fn corrected(self, p: &[f64], rules: &Rules) -> (Vec<f64>, Vec<f64>) {
        let alpha = 1.0 - rules.confidence;
        let adjusted = match self {
            Self::Headline => correction::holm_adjusted(p),
            Self::Secondary => correction::false_discovery_adjusted(p),
        };
        let levels = if rules.sequential {
            // Every look counts, so the p of this one cannot order them: equal shares.
            vec![1.0 - alpha / p.len().max(1) as f64; p.len()]
        } else {
            match self {
                Self::Headline => correction::holm(p, alpha),
                Self::Secondary => correction::false_discovery(p, alpha),
            }
        };
        (levels, adjusted)
    }
}

fn standard<'a>(
    series: &Series,
    design: &Design,
    rules: &'a Rules,
    scale: Scale,
    level: f64,
    noise: Option<f64>,
) -> Standard<'a> {
    let base = base_values(series, design, scale);
    let known = noise.filter(|_| scale == Scale::Ratio);
    let mean = Summary::of(&base).map_or(0.0, |summary| summary.mean);
    Standard {
        rules,
        level,
        floor: floor::half_width(&base, known, rules.confidence),
        base_mean: if scale == Scale::Difference { mean } else { 1.0 },
        better: series.better,
        wording: series.wording,
    }
}

/// What is to be said about a headline contrast besides its figures.
fn notes(contrast: &Contrast, base: &[f64]) -> Vec<String> {
    let differences = &contrast.differences;
    let per_cent = |change: f64| 100.0 * change.exp_m1();
    let mut notes = Vec::new();
    if contrast.scale == Scale::Ratio {
        if let Some(change) = shape::trend(base) {
            notes.push(format!(
                "the base itself drifted by {:+.1} % from the first block to the last; blocks cancel \
                 that",
                per_cent(change)
            ));
        }
        if let Some(change) = shape::trend(differences) {
            notes.push(format!(
                "the difference itself changed by {:+.1} % from the first block to the last",
                per_cent(change)
            ));
        }
    }
    if let Some(correlation) = shape::memory(differences) {
        notes.push(format!(
            "the differences of neighbouring blocks go together (correlation {correlation:+.2}): the \
             interval is narrower or wider than it should be"
        ));
    }
    if shape::has_two_humps(differences) {
        notes.push("the differences gather in two places: look at the plot of runs".into());
    }
    notes
}

/// Half the width that the widest headline interval has reached, as a share, by the
/// confidence sequence; none while one is unbounded, or where shares have no meaning.
#[must_use]
pub fn sequential_half_width(series: &Series, design: &Design, rules: &Rules) -> Option<f64> {
    let contrasts = contrasts(series, design);
    let asked: Vec<&Contrast> = contrasts
        .iter()
        .filter(|contrast| design.factorial.is_none() || contrast.is_effect)
        .collect();
    let level = 1.0 - (1.0 - rules.confidence) / asked.len().max(1) as f64;
    let widths = asked.into_iter().map(|contrast| {
        let interval = estimate::sequence(&contrast.differences, level)?;
        let half = (interval.high.exp_m1() - interval.low.exp_m1()) / 2.0;
        (contrast.scale == Scale::Ratio).then_some(half)
    });
    widths.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}
