//! Throughput of transfers over time and over the file, arms overlaid.

use super::Plot;
use super::axis::Axis;
use super::frame::Frame;
use crate::experiment::outcome::Outcome;
use crate::report::experiment::quantity::round_number;
use crate::report::experiment::transfers::{self, over_file, over_time};
use crate::runner::transferred::Transferred;
use crate::units::human_bytes;
use crate::workload::transfer::Pattern;

/// A plot over time for each pattern.
pub fn by_time(outcome: &Outcome) -> Vec<Plot> {
    let plots = Pattern::ALL.into_iter().filter_map(|pattern| {
        let passes = transfers::courses(outcome, pattern);
        let title = format!("{} over time", name(pattern, passes.first()?.1));
        let kind = Kind { title, x_title: "seconds", course: &over_time };
        plot(outcome, &passes, &kind)
    });
    plots.collect()
}

/// A plot by position for each pattern that goes through the file in order.
pub fn by_position(outcome: &Outcome) -> Vec<Plot> {
    let in_order = Pattern::ALL.into_iter().filter(|pattern| !pattern.is_random());
    let plots = in_order.filter_map(|pattern| {
        let passes = transfers::courses(outcome, pattern);
        let title = format!("{} by position", name(pattern, passes.first()?.1));
        let all = passes.iter().map(|(_, pass)| pass.file_bytes).max()?;
        let (unit, size) =
            if all >= 1 << 31 { ("GiB", f64::from(1 << 30)) } else { ("MiB", f64::from(1 << 20)) };
        let course = |pass: &Transferred| {
            let parts = over_file(pass).into_iter();
            parts.map(|(place, rate)| (place / size, rate)).collect()
        };
        let x_title = format!("{unit} from the beginning of the file");
        let kind = Kind { title, x_title: &x_title, course: &course };
        plot(outcome, &passes, &kind)
    });
    plots.collect()
}

fn name(pattern: Pattern, pass: &Transferred) -> String {
    format!("{}, {}", pattern.name(), human_bytes(pass.record))
}

/// What the two plots differ in.
struct Kind<'k> {
    title: String,
    x_title: &'k str,
    course: &'k dyn Fn(&Transferred) -> Vec<(f64, f64)>,
}

/// None where no pass has a course.
fn plot(outcome: &Outcome, passes: &[(usize, &Transferred)], kind: &Kind<'_>) -> Option<Plot> {
    let curves = passes.iter().map(|(arm, pass)| (*arm, (kind.course)(pass)));
    let curves: Vec<(usize, Vec<(f64, f64)>)> =
        curves.filter(|(_, curve)| !curve.is_empty()).collect();
    if curves.is_empty() {
        return None;
    }
    let all = || curves.iter().flat_map(|(_, curve)| curve);
    let places: Vec<f64> = all().map(|(place, _)| *place).chain([0.0]).collect();
    let rates: Vec<f64> = all().map(|(_, rate)| *rate).chain([0.0]).collect();
    let frame = Frame {
        title: kind.title.clone(),
        caption: "Each arm's middle run.".into(),
        x: Axis::linear(&places, 6, round_number),
        x_title: kind.x_title.to_owned(),
        y: Axis::linear(&rates, 4, round_number),
        y_title: "MB/s (10⁶ bytes)".into(),
        legend: curves
            .iter()
            .map(|(arm, _)| (*arm, outcome.plan.arms[*arm].name.clone()))
            .collect(),
        height: 190.0,
    };
    Some(frame.curves(&curves))
}
