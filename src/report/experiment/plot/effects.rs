//! Effects with their intervals, against no difference, the margin and the noise floor.

use maud::{Markup, html};

use super::axis::Axis;
use super::frame::{Frame, shortened};
use super::{Plot, marks};
use crate::experiment::outcome::{MetricOutcome, Outcome};
use crate::report::experiment::view;
use crate::stats::comparison::{Comparison, Interval, Role, Scale};

/// Height of a row: a line of text, and the interval below.
const ROW: f64 = 34.0;

/// Intervals of the headline, and of all other metrics whose effects are shares.
pub fn effects(outcome: &Outcome) -> Vec<Plot> {
    let rows = |role: Role| -> Vec<(String, &Comparison, Interval)> {
        let metrics = outcome.metrics.iter().filter(|metric| metric.role == role);
        metrics.flat_map(|metric| shares(metric, role)).collect()
    };
    let plots = [
        (rows(Role::Headline), "Effect on the headline metric, per cent"),
        (rows(Role::Secondary), "Effects on secondary metrics, per cent"),
    ];
    let margin = outcome.plan.margin;
    plots
        .into_iter()
        .filter(|(rows, _)| !rows.is_empty())
        .map(|(rows, title)| plot(title, &rows, margin))
        .collect()
}

fn shares(metric: &MetricOutcome, role: Role) -> Vec<(String, &Comparison, Interval)> {
    let name = |comparison: &Comparison| match role {
        Role::Headline => view::subject(comparison),
        Role::Secondary => format!("{}: {}", metric.metric, comparison.contrast),
    };
    metric
        .comparisons
        .iter()
        .filter(|comparison| comparison.scale == Scale::Ratio)
        .filter_map(|comparison| Some((name(comparison), comparison, comparison.effect?)))
        .collect()
}

fn plot(title: &str, rows: &[(String, &Comparison, Interval)], margin: f64) -> Plot {
    let ends = rows.iter().flat_map(|(_, _, effect)| [effect.low.abs(), effect.high.abs()]);
    // One interval of thousands of per cent would flatten all others.
    let most = 100.0 * ends.fold(1.3 * margin, f64::max).min(3.0);
    let height = ROW * rows.len() as f64;
    let frame = Frame {
        title: title.to_owned(),
        caption: format!(
            "Estimate and interval. Line: no difference; band: the margin of ±{} %; dashes: the \
             noise floor, below which nothing is claimed.",
            crate::report::experiment::quantity(100.0 * margin, "1")
                .trim_end_matches('0')
                .trim_end_matches('.')
        ),
        x: Axis::exactly(-most, most, 6, |value| {
            let digits = usize::from(most < 5.0);
            let text = format!("{:+.digits$}", value).replace('-', "−");
            if value.abs() < 1e-9 { "0".into() } else { text }
        }),
        x_title: "change against the base, %".into(),
        y: Axis::bare(0.0, rows.len() as f64),
        y_title: String::new(),
        legend: Vec::new(),
        height,
    };
    let (top, bottom) = (frame.top(), frame.top() + height);
    let per_cent = |value: f64| frame.x(100.0 * value);
    let width = per_cent(margin) - per_cent(-margin);
    let zero = format!("{:.1}", per_cent(0.0));
    let body = html! {
        rect.band x=(format!("{:.1}", per_cent(-margin))) y=(top) width=(format!("{width:.1}"))
            height=(height) {}
        line.axis x1=(zero) x2=(zero) y1=(top) y2=(bottom) {}
        @for (number, (name, comparison, effect)) in rows.iter().enumerate() {
            (row(name, comparison, effect, top + ROW * number as f64, most / 100.0, &per_cent))
        }
    };
    frame.plot(body)
}

fn row(
    name: &str,
    comparison: &Comparison,
    effect: &Interval,
    top: f64,
    most: f64,
    x: &dyn Fn(f64) -> f64,
) -> Markup {
    let (text, middle) = (top + 13.0, top + 23.0);
    let place = |value: f64| format!("{value:.1}");
    html! {
        text x="12" y=(place(text)) { (shortened(name, 62)) }
        @if let Some(floor) = comparison.floor.filter(|floor| *floor < most) {
            @for end in [-floor, floor] {
                @let end = place(x(end));
                line.floor x1=(end) x2=(end) y1=(place(middle - 7.0)) y2=(place(middle + 7.0)) {}
            }
        }
        line.line x1=(place(x(effect.low))) x2=(place(x(effect.high))) y1=(place(middle))
            y2=(place(middle)) style={"stroke:" (marks::colour(0))} {}
        (marks::mark(0, x(effect.estimate), middle, false))
    }
}
