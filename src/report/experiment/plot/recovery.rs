//! How much of the base's throughput each arm has: what is left of a fresh drive's after
//! it was used, and what trimming or erasing brings back.

use maud::html;

use super::axis::Axis;
use super::frame::{Frame, WIDTH, shortened};
use super::{Plot, marks};
use crate::experiment::outcome::Outcome;
use crate::report::experiment::view;

/// Height of a bar with its name.
const ROW: f64 = 34.0;
/// Thickness of a bar.
const BAR: f64 = 12.0;

/// One bar an arm, of the headline metric.
pub fn recovery(outcome: &Outcome) -> Vec<Plot> {
    let shares = view::shares_of_base(outcome);
    if shares.len() < 2 {
        return Vec::new();
    }
    let ends: Vec<f64> = shares.iter().map(|share| share.high.min(4.0) * 100.0).collect();
    let most = ends.iter().copied().fold(100.0, f64::max) * 1.05;
    let height = ROW * shares.len() as f64;
    let metric = &outcome.plan.metric;
    let frame = Frame {
        title: format!("{metric}: per cent of {}", outcome.plan.base),
        caption: "Bars: estimates; lines: their intervals, from differences within blocks.".into(),
        x: Axis::exactly(0.0, most, 5, |value| format!("{value:.0}")),
        x_title: format!("% of {}", outcome.plan.base),
        y: Axis::bare(0.0, shares.len() as f64),
        y_title: String::new(),
        legend: Vec::new(),
        height,
    };
    let (top, bottom) = (frame.top(), frame.top() + height);
    let place = |value: f64| format!("{value:.1}");
    let x = |share: f64| frame.x(100.0 * share);
    let whole = place(x(1.0));
    let body = html! {
        @for (number, share) in shares.iter().enumerate() {
            @let (text, bar) =
                (top + ROW * number as f64 + 11.0, top + ROW * number as f64 + 15.0);
            text x="12" y=(place(text)) { (shortened(&share.arm, 40)) }
            text x=(WIDTH - 12.0) y=(place(text)) text-anchor="end" { (share.figure()) }
            rect x=(place(x(0.0))) y=(place(bar)) height=(BAR)
                width=(place(x(share.estimate) - x(0.0)))
                style={"fill:" (marks::colour(share.place)) ";fill-opacity:0.55"} {}
            @if share.low < share.high {
                line.line x1=(place(x(share.low))) x2=(place(x(share.high)))
                    y1=(place(bar + BAR / 2.0)) y2=(place(bar + BAR / 2.0))
                    style={"stroke:" (marks::colour(share.place))} {}
            }
        }
        line.floor x1=(whole) x2=(whole) y1=(top) y2=(bottom) {}
    };
    vec![frame.plot(body)]
}
