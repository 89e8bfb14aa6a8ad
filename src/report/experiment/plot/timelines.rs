//! Operations over the time of a run.

use super::Plot;
use super::axis::Axis;
use super::frame::Frame;
use crate::experiment::outcome::Outcome;
use crate::report::experiment::classic::middle;
use crate::report::experiment::quantity::round_number;
use crate::runner::measurement::Phase;

/// Operations per second during the transactions of each arm's middle run.
pub fn timelines(outcome: &Outcome) -> Vec<Plot> {
    let curves: Vec<(usize, Vec<(f64, f64)>)> = outcome
        .plan
        .arms
        .iter()
        .enumerate()
        .filter_map(|(arm, of)| Some((arm, curve(outcome, &of.name)?)))
        .collect();
    let all = || curves.iter().flat_map(|(_, curve)| curve.iter().copied());
    let rates: Vec<f64> = all().map(|(_, rate)| rate).chain([0.0]).collect();
    let times: Vec<f64> = all().map(|(time, _)| time).chain([0.0]).collect();
    if curves.is_empty() {
        return Vec::new();
    }
    let frame = Frame {
        title: "Operations over time, each arm's middle run".into(),
        caption: "During the transactions, by interval.".into(),
        x: Axis::linear(&times, 6, |value| {
            format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
        }),
        x_title: "seconds".into(),
        y: Axis::linear(&rates, 4, round_number),
        y_title: "operations per second".into(),
        legend: curves
            .iter()
            .map(|(arm, _)| (*arm, outcome.plan.arms[*arm].name.clone()))
            .collect(),
        height: 180.0,
    };
    vec![frame.curves(&curves)]
}

/// The middle of each whole interval, seconds, and operations per second in it.
fn curve(outcome: &Outcome, arm: &str) -> Option<Vec<(f64, f64)>> {
    let run = middle(outcome, arm)?;
    let of_phase = |phase: Phase| run.result.timelines.iter().find(|line| line.phase == phase);
    let timeline = &of_phase(Phase::Transactions)?.timeline;
    let length = timeline.interval_ns as f64 / 1e9;
    // The last is cut short by the end of the phase.
    let whole = run.result.elapsed(Phase::Transactions)? / timeline.interval_ns.max(1);
    let curve: Vec<(f64, f64)> = timeline
        .intervals
        .iter()
        .take(whole as usize)
        .enumerate()
        .map(|(place, interval)| {
            ((place as f64 + 0.5) * length, interval.operations as f64 / length)
        })
        .collect();
    (curve.len() > 1).then_some(curve)
}
