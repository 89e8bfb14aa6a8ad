//! Rounds until a steady state, next to each other.

use std::io::{self, Write};

use super::experiment::quantity;
use crate::runner::measurement::RunResult;
use crate::stats::metrics::metric;

/// Writes a line per round and what they came to.
///
/// # Errors
/// Those of the writer.
pub fn steady(runs: &[RunResult], out: &mut dyn Write) -> io::Result<()> {
    let Some(last) = runs.last().and_then(|run| run.round.as_ref()) else { return Ok(()) };
    let unit = metric(&last.metric).map_or("", |row| row.unit);
    writeln!(out, "\n{:<8}{}", "round", last.metric)?;
    for round in runs.iter().filter_map(|run| run.round.as_ref()) {
        let value = round.value.map_or_else(|| "-".into(), |value| quantity(value, unit));
        let within = last.steady.is_some_and(|window| round.number >= window.first_round);
        writeln!(out, "{:<8}{value}{}", round.number, if within { "  steady" } else { "" })?;
    }
    match last.steady {
        Some(window) => writeln!(
            out,
            "STEADY STATE in rounds {} to {}: {} on average, ranging over {:.1} % of it, moving by \
             {:+.1} %",
            window.first_round,
            last.number,
            quantity(window.mean, unit),
            100.0 * window.range,
            100.0 * window.slope
        ),
        None if last.number == last.of => {
            writeln!(out, "NO STEADY STATE in {} rounds", last.of)
        }
        None => writeln!(out, "NO STEADY STATE: stopped after {} rounds", last.number),
    }
}
