//! What an outcome says of transfers of one large file: MB/s by size of record, arm by
//! arm, and what one pass looks like over time and over the file.

use super::classic::middle;
use super::quantity::four_digits;
use super::view::Table;
use crate::experiment::outcome::Outcome;
use crate::runner::transferred::Transferred;
use crate::units::{human_bytes, human_duration};
use crate::workload::transfer::Pattern;

/// Bytes of a megabyte, as the rates have it.
pub(super) const MEGABYTE: f64 = 1e6;
/// A course over time has at least so many intervals.
const FEWEST: usize = 10;
/// A course over the file has at least so many parts.
const FEWEST_PARTS: usize = 3;

/// What the runs of an arm came to, MB/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Speed {
    pub least: f64,
    pub median: f64,
    pub most: f64,
    pub runs: usize,
}

/// One pattern by size of record: of each arm that has it, its place among the arms and
/// its speed for each of the records.
pub(super) struct PatternSpeeds {
    pub pattern: Pattern,
    pub records: Vec<u64>,
    pub arms: Vec<(usize, Vec<Option<Speed>>)>,
}

/// Every pattern that was played.
pub(super) fn speeds(outcome: &Outcome) -> Vec<PatternSpeeds> {
    Pattern::ALL.into_iter().filter_map(|pattern| of_pattern(outcome, pattern)).collect()
}

fn of_pattern(outcome: &Outcome, pattern: Pattern) -> Option<PatternSpeeds> {
    let all = outcome.runs.iter().flat_map(|run| &run.result.transfers);
    let mut records: Vec<u64> =
        all.filter(|pass| pass.pattern == pattern).map(|pass| pass.record).collect();
    records.sort_unstable();
    records.dedup();
    let arms = outcome.plan.arms.iter().enumerate().map(|(place, arm)| {
        let of = |record: &u64| speed(outcome, &arm.name, pattern, *record);
        (place, records.iter().map(of).collect::<Vec<_>>())
    });
    let arms: Vec<_> = arms.filter(|(_, speeds)| speeds.iter().any(Option::is_some)).collect();
    (!arms.is_empty()).then_some(PatternSpeeds { pattern, records, arms })
}

fn speed(outcome: &Outcome, arm: &str, pattern: Pattern, record: u64) -> Option<Speed> {
    let runs = outcome.runs.iter().filter(|run| run.arm == arm && !run.is_warm_up());
    let passes = runs.flat_map(|run| &run.result.transfers);
    let passes =
        passes.filter(|pass| pass.pattern == pattern && pass.record == record && pass.complete);
    let mut rates: Vec<f64> =
        passes.filter_map(Transferred::rate).map(|rate| rate / MEGABYTE).collect();
    rates.sort_by(f64::total_cmp);
    let middle = rates.len() / 2;
    let median = match rates.len() {
        0 => return None,
        length if length % 2 == 1 => rates[middle],
        _ => f64::midpoint(rates[middle - 1], rates[middle]),
    };
    let (least, most) = (*rates.first()?, *rates.last()?);
    Some(Speed { least, median, most, runs: rates.len() })
}

/// The medians, and each arm's change against the base in per cent; none without transfers.
pub(super) fn table(outcome: &Outcome) -> Option<Table> {
    let patterns = speeds(outcome);
    if patterns.is_empty() {
        return None;
    }
    let base = outcome.plan.arms.iter().position(|arm| arm.name == outcome.plan.base).unwrap_or(0);
    let mut head = vec!["pattern".to_owned(), "record".into()];
    for (place, arm) in outcome.plan.arms.iter().enumerate() {
        head.push(format!("{}, MB/s", arm.name));
        if place != base {
            head.push("change".into());
        }
    }
    let mut rows = Vec::new();
    for of in &patterns {
        for (index, record) in of.records.iter().enumerate() {
            let of_arm = |place: usize| {
                let found = of.arms.iter().find(|(arm, _)| *arm == place);
                found.and_then(|(_, speeds)| speeds[index])
            };
            let mut row = vec![of.pattern.name().to_owned(), human_bytes(*record)];
            for place in 0..outcome.plan.arms.len() {
                let speed = of_arm(place);
                row.push(speed.map_or_else(|| "–".into(), |speed| four_digits(speed.median)));
                if place != base {
                    row.push(change(of_arm(base), speed));
                }
            }
            rows.push(row);
        }
    }
    Some(Table { head, rows })
}

fn change(base: Option<Speed>, speed: Option<Speed>) -> String {
    match (base, speed) {
        (Some(base), Some(speed)) if base.median > 0.0 => {
            let change = 100.0 * (speed.median / base.median - 1.0);
            format!("{change:+.1} %").replace('-', "−")
        }
        _ => "–".into(),
    }
}

/// The pass of each arm's middle run that shows a pattern best: the one that took the
/// base, or the first arm that has it, longest.
pub(super) fn courses(outcome: &Outcome, pattern: Pattern) -> Vec<(usize, &Transferred)> {
    let passes = |arm: &str| {
        let run = middle(outcome, arm);
        run.into_iter().flat_map(|run| &run.result.transfers).filter(|pass| pass.pattern == pattern)
    };
    let arms = &outcome.plan.arms;
    let longest = arms.iter().find_map(|arm| passes(&arm.name).max_by_key(|pass| pass.elapsed()));
    let Some(record) = longest.map(|pass| pass.record) else { return Vec::new() };
    let of_arm = |arm: &str| passes(arm).find(|pass| pass.record == record);
    arms.iter().enumerate().filter_map(|(place, arm)| Some((place, of_arm(&arm.name)?))).collect()
}

/// Megabytes per second over the time of a pass, seconds; nothing of passes that are too
/// short for a course.
pub(super) fn over_time(pass: &Transferred) -> Vec<(f64, f64)> {
    let length = pass.timeline.interval_ns as f64 / 1e9;
    // The last is cut short by the end.
    let whole = (pass.elapsed() / pass.timeline.interval_ns.max(1)) as usize;
    if whole < FEWEST {
        return Vec::new();
    }
    let intervals = pass.timeline.intervals.iter().take(whole).enumerate();
    intervals
        .map(|(place, interval)| {
            ((place as f64 + 0.5) * length, interval.bytes as f64 / length / MEGABYTE)
        })
        .collect()
}

/// Megabytes per second over the file, by bytes from its beginning; nothing of files in
/// fewer parts than a course has.
pub(super) fn over_file(pass: &Transferred) -> Vec<(f64, f64)> {
    let length = pass.positions.part_bytes as f64;
    if pass.positions.parts.len() < FEWEST_PARTS {
        return Vec::new();
    }
    let parts = pass.positions.parts.iter().enumerate();
    parts
        .filter_map(|(place, part)| Some(((place as f64 + 0.5) * length, part.rate()? / MEGABYTE)))
        .collect()
}

/// What stands out in each arm's middle run: cliffs and stalls.
pub(super) fn findings(outcome: &Outcome) -> Vec<String> {
    let mut findings = Vec::new();
    for arm in &outcome.plan.arms {
        let Some(run) = middle(outcome, &arm.name) else { continue };
        for pass in &run.result.transfers {
            let name =
                format!("{}, {} {}", arm.name, pass.pattern.name(), human_bytes(pass.record));
            if let Some(cliff) = pass.cliff {
                findings.push(format!(
                    "{name}: CLIFF after {} and {}: from {} to {} MB/s, {:.0} % less",
                    human_duration(cliff.after_ns),
                    human_bytes(cliff.after_bytes),
                    four_digits(cliff.rate_before / MEGABYTE),
                    four_digits(cliff.rate_after / MEGABYTE),
                    100.0 * cliff.depth()
                ));
            }
            if let Some(longest) = pass.stalls.iter().map(|stall| stall.length_ns).max() {
                findings.push(format!(
                    "{name}: {} stalls, the longest of {}",
                    pass.stalls.len(),
                    human_duration(longest)
                ));
            }
        }
    }
    findings
}
