//! Every run in the order it was played.

use maud::html;

use super::axis::Axis;
use super::frame::Frame;
use super::{Plot, marks};
use crate::experiment::outcome::Outcome;
use crate::experiment::values::value;
use crate::report::experiment::quantity;

/// The headline metric of each run by its place in time.
pub fn runs(outcome: &Outcome) -> Vec<Plot> {
    let Some(metric) = outcome.headline() else { return Vec::new() };
    let arm = |name: &str| outcome.plan.arms.iter().position(|arm| arm.name == name);
    let drawn: Vec<(f64, f64, usize, bool, u64)> = outcome
        .runs
        .iter()
        .enumerate()
        .filter_map(|(place, run)| {
            let value = value(&metric.metric, run)?;
            Some((place as f64 + 1.0, value, arm(&run.arm)?, run.is_warm_up(), run.block))
        })
        .collect();
    if drawn.is_empty() {
        return Vec::new();
    }
    let values: Vec<f64> = drawn.iter().map(|(_, value, ..)| *value).collect();
    let last = outcome.runs.len() as f64;
    let frame = Frame {
        title: format!("Every run: {}", metric.metric),
        caption: "In the order they were played; hollow: warm-up, which counts for nothing. Faint \
                  lines part the blocks."
            .into(),
        x: Axis::exactly(0.0, last + 1.0, 6, |value| format!("{value:.0}")),
        x_title: "run".into(),
        y: Axis::linear(&values, 5, |value| quantity(value, &metric.unit)),
        y_title: metric.metric.clone(),
        legend: outcome.plan.arms.iter().map(|arm| arm.name.clone()).enumerate().collect(),
        height: 200.0,
    };
    let borders: Vec<f64> = drawn
        .windows(2)
        .filter(|pair| pair[0].4 != pair[1].4)
        .map(|pair| pair[1].0 - 0.5)
        .collect();
    let (top, bottom) = (frame.top(), frame.top() + frame.height);
    let body = html! {
        @for border in borders {
            @let x = format!("{:.1}", frame.x(border));
            line.grid x1=(x) x2=(x) y1=(top) y2=(bottom) {}
        }
        @for (place, value, arm, hollow, _) in &drawn {
            (marks::mark(*arm, frame.x(*place), frame.y(*value), *hollow))
        }
    };
    vec![frame.plot(body)]
}
