//! How long operations take, from the quickest to the slowest.

use maud::html;

use super::axis::Axis;
use super::frame::Frame;
use super::{Plot, marks};
use crate::experiment::outcome::Outcome;
use crate::report::experiment::quantity;
use crate::runner::latency::Latency;
use crate::workload::OperationKind;

/// Shares of operations; each step further leaves a tenth of those that are slower.
const SHARES: [(f64, &str); 7] = [
    (0.0, "0"),
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.9999, "99.99 %"),
    (1.0, "all"),
];

/// A plot for each kind of operation.
pub fn latencies(outcome: &Outcome) -> Vec<Plot> {
    OperationKind::ALL.into_iter().filter_map(|kind| plot(outcome, kind)).collect()
}

fn plot(outcome: &Outcome, kind: OperationKind) -> Option<Plot> {
    let curves: Vec<(usize, Vec<f64>)> = outcome
        .plan
        .arms
        .iter()
        .enumerate()
        .filter_map(|(arm, of)| Some((arm, curve(&merged(outcome, &of.name, kind)?)?)))
        .collect();
    let values: Vec<f64> = curves.iter().flat_map(|(_, curve)| curve.iter().copied()).collect();
    if values.is_empty() {
        return None;
    }
    let name = |arm: &usize| outcome.plan.arms[*arm].name.clone();
    let frame = Frame {
        title: format!("Latency of {kind}s", kind = kind.name()),
        caption: format!(
            "So many of all {}s of an arm took no longer. Both axes stretch the slow end.",
            kind.name()
        ),
        x: Axis::named(&SHARES.map(|(_, name)| name.to_owned())),
        x_title: format!("share of {}s", kind.name()),
        y: Axis::logarithmic(&values, short_time),
        y_title: "latency".into(),
        legend: curves.iter().map(|(arm, _)| (*arm, name(arm))).collect(),
        height: 170.0,
    };
    let places = |curve: &[f64]| -> Vec<(f64, f64)> {
        let places = curve.iter().enumerate();
        places.map(|(place, value)| (frame.x(place as f64), frame.y(*value))).collect()
    };
    let drawn: Vec<_> = curves.iter().map(|(arm, curve)| (*arm, places(curve))).collect();
    let body = html! {
        @for (arm, places) in &drawn {
            (marks::line(*arm, places))
            @for (x, y) in places { (marks::mark(*arm, *x, *y, false)) }
        }
    };
    Some(frame.plot(body))
}

/// All of an arm's latencies of a kind.
fn merged(outcome: &Outcome, arm: &str, kind: OperationKind) -> Option<Latency> {
    let mut all: Option<Latency> = None;
    for run in outcome.runs.iter().filter(|run| run.arm == arm && !run.is_warm_up()) {
        let Some(one) = run.result.latencies.as_ref().and_then(|all| all.of(kind)) else {
            continue;
        };
        match &mut all {
            None => all = Some(one.clone()),
            Some(all) => all.merge(one),
        }
    }
    all
}

/// Seconds at each share.
fn curve(latency: &Latency) -> Option<Vec<f64>> {
    let seconds = |nanoseconds: u64| nanoseconds.max(1) as f64 / 1e9;
    SHARES
        .iter()
        .map(|(share, _)| match share {
            1.0 => latency.longest().map(seconds),
            share => latency.quantile(*share).map(seconds),
        })
        .collect()
}

/// `1 ms`
fn short_time(seconds: f64) -> String {
    quantity(seconds * 1.000_000_1, "s").replace(".000", "").replace(".00", "").replace(".0", "")
}
