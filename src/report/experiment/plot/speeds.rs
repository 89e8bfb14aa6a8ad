//! Throughput of transfers by size of record.

use maud::html;

use super::axis::Axis;
use super::frame::Frame;
use super::{Plot, marks};
use crate::experiment::outcome::Outcome;
use crate::report::experiment::quantity::round_number;
use crate::report::experiment::transfers::{self, PatternSpeeds};

/// A plot for each pattern that was played with several sizes.
pub fn speeds(outcome: &Outcome) -> Vec<Plot> {
    let patterns = transfers::speeds(outcome);
    patterns.iter().filter(|of| of.records.len() > 1).map(|of| plot(outcome, of)).collect()
}

fn plot(outcome: &Outcome, of: &PatternSpeeds) -> Plot {
    let all = of.arms.iter().flat_map(|(_, speeds)| speeds.iter().flatten());
    let mut ends: Vec<f64> = all.flat_map(|speed| [speed.least, speed.most]).collect();
    ends.push(0.0);
    let frame = Frame {
        title: format!("{} by size of record", of.pattern.name()),
        caption: "Median of each arm's runs; lines from the slowest to the fastest of them.".into(),
        x: Axis::doublings(&of.records),
        x_title: "record, each step twice the size".into(),
        y: Axis::linear(&ends, 4, round_number),
        y_title: "MB/s (10⁶ bytes)".into(),
        legend: of
            .arms
            .iter()
            .map(|(arm, _)| (*arm, outcome.plan.arms[*arm].name.clone()))
            .collect(),
        height: 190.0,
    };
    let drawn: Vec<_> = of
        .arms
        .iter()
        .map(|(arm, speeds)| {
            let known = of.records.iter().zip(speeds);
            let known = known.filter_map(|(record, speed)| Some((*record, (*speed)?)));
            let places = known.map(|(record, speed)| {
                let y = [speed.least, speed.median, speed.most].map(|value| frame.y(value));
                (frame.x(record as f64), y)
            });
            (*arm, places.collect::<Vec<_>>())
        })
        .collect();
    let body = html! {
        @for (arm, places) in &drawn {
            (marks::line(*arm, &places.iter().map(|(x, [_, y, _])| (*x, *y)).collect::<Vec<_>>()))
            @for (x, [least, median, most]) in places {
                (marks::whisker(*arm, *x, *least, *most))
                (marks::mark(*arm, *x, *median, false))
            }
        }
    };
    frame.plot(body)
}
