//! The values of each arm, next to each other.

use maud::html;

use super::axis::Axis;
use super::frame::{Frame, shortened};
use super::{Plot, marks};
use crate::experiment::outcome::Outcome;
use crate::report::experiment::quantity;

/// Height of a row: a line of text, and the values below.
const ROW: f64 = 44.0;

/// The headline metric's values, a row for each arm.
pub fn distributions(outcome: &Outcome) -> Vec<Plot> {
    let Some(metric) = outcome.headline() else { return Vec::new() };
    let values: Vec<f64> = metric.arms.iter().flat_map(|arm| arm.values.iter().copied()).collect();
    if values.is_empty() {
        return Vec::new();
    }
    let frame = Frame {
        title: format!("Values of each arm: {}", metric.metric),
        caption: "A mark for each block; the line is the median.".into(),
        x: Axis::linear(&values, 5, |value| quantity(value, &metric.unit)),
        x_title: metric.metric.clone(),
        y: Axis::bare(0.0, 1.0),
        y_title: String::new(),
        legend: Vec::new(),
        height: ROW * metric.arms.len() as f64,
    };
    let top = frame.top();
    let body = html! {
        @for (number, arm) in metric.arms.iter().enumerate() {
            @let row = top + ROW * number as f64;
            text x="12" y=(row + 12.0) { (shortened(&arm.arm, 62)) }
            @if let Some(summary) = arm.summary {
                @let x = format!("{:.1}", frame.x(summary.median));
                line.axis x1=(x) x2=(x) y1=(row + 16.0) y2=(row + 40.0) {}
            }
            @for (value, block) in arm.values.iter().zip(&arm.blocks) {
                // Apart, so that equal values do not hide each other.
                @let apart = (block % 5) as f64 * 4.0 - 8.0;
                (marks::mark(number, frame.x(*value), row + 28.0 + apart, false))
            }
        }
    };
    vec![frame.plot(body)]
}
