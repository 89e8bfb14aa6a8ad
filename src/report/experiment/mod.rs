//! Reports of experiments. They show an outcome and compute nothing: verdicts, effects and
//! summaries are fields of it.

mod classic;
mod csv;
mod html;
mod json;
mod markdown;
pub mod plot;
mod quantity;
mod style;
mod text;
mod transfers;
mod view;

use std::io::{self, Write};

use crate::experiment::outcome::Outcome;
pub use quantity::quantity;
pub use view::asked;

/// A format of the outcome.
pub struct OutcomeFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in one line.
    pub help: &'static str,
    /// Writes an outcome.
    pub render: fn(&Outcome, &mut dyn Write) -> io::Result<()>,
}

/// Every format.
pub const OUTCOME_FORMATS: &[OutcomeFormat] = &[
    OutcomeFormat { name: "text", help: "for a terminal: verdicts first", render: text::text },
    OutcomeFormat {
        name: "markdown",
        help: "the same, to paste where people talk",
        render: markdown::markdown,
    },
    OutcomeFormat {
        name: "csv",
        help: "for spreadsheets: a row for each run and metric",
        render: csv::csv,
    },
    OutcomeFormat { name: "json", help: "all of it, for programs", render: json::json },
    OutcomeFormat {
        name: "html",
        help: "one page with plots, complete in itself",
        render: html::html,
    },
    OutcomeFormat {
        name: "classic",
        help: "PostMark's Time and Data of each arm's middle run, as such posts have them",
        render: classic::classic,
    },
    OutcomeFormat {
        name: "svg-runs",
        help: "plot: every run in its order",
        render: |outcome, out| plot::alone(plot::runs::runs, outcome, out),
    },
    OutcomeFormat {
        name: "svg-effects",
        help: "plot: effects with their intervals",
        render: |outcome, out| plot::alone(plot::effects::effects, outcome, out),
    },
    OutcomeFormat {
        name: "svg-distributions",
        help: "plot: the values of each arm",
        render: |outcome, out| plot::alone(plot::distributions::distributions, outcome, out),
    },
    OutcomeFormat {
        name: "svg-latencies",
        help: "plot: how long operations take, to the slowest",
        render: |outcome, out| plot::alone(plot::latencies::latencies, outcome, out),
    },
    OutcomeFormat {
        name: "svg-timelines",
        help: "plot: operations over the time of a run",
        render: |outcome, out| plot::alone(plot::timelines::timelines, outcome, out),
    },
    OutcomeFormat {
        name: "svg-speeds",
        help: "plot: transfers by size of record",
        render: |outcome, out| plot::alone(plot::speeds::speeds, outcome, out),
    },
    OutcomeFormat {
        name: "svg-times",
        help: "plot: transfers over time",
        render: |outcome, out| plot::alone(plot::courses::by_time, outcome, out),
    },
    OutcomeFormat {
        name: "svg-positions",
        help: "plot: transfers by position in the file",
        render: |outcome, out| plot::alone(plot::courses::by_position, outcome, out),
    },
    OutcomeFormat {
        name: "svg-recovery",
        help: "plot: how much of the base each state of the drive has",
        render: |outcome, out| plot::alone(plot::recovery::recovery, outcome, out),
    },
];
