//! Repeated runs next to each other, and their spread.

use std::io::{self, Write};

use crate::runner::measurement::RunResult;
use crate::stats::metrics::metric;
use crate::stats::summary::Summary;
use crate::units::human_rate;

/// What is shown of each run.
const SHOWN: [(&str, &str); 4] = [
    ("transactions_per_second", "transactions/s"),
    ("created_alone_per_second", "created alone/s"),
    ("deleted_alone_per_second", "deleted alone/s"),
    ("total_seconds", "total s"),
];

/// Writes a line per run and one for each number of the spread.
///
/// # Errors
/// Those of the writer.
pub fn spread(runs: &[RunResult], out: &mut dyn Write) -> io::Result<()> {
    let value = |run: &RunResult, name: &str| metric(name).and_then(|row| (row.value)(run));
    let columns: Vec<Option<Summary>> = SHOWN
        .iter()
        .map(|(name, _)| {
            Summary::of(&runs.iter().filter_map(|run| value(run, name)).collect::<Vec<_>>())
        })
        .collect();
    write!(out, "\n{:<22}", format!("{} iterations", runs.len()))?;
    SHOWN.iter().try_for_each(|(_, title)| write!(out, "{title:>18}"))?;
    writeln!(out)?;
    let mut line = |title: &str, cells: Vec<Option<String>>| {
        write!(out, "  {title:<20}")?;
        for cell in cells {
            write!(out, "{:>18}", cell.unwrap_or_else(|| "-".into()))?;
        }
        writeln!(out)
    };
    for (index, run) in runs.iter().enumerate() {
        let cells = SHOWN.iter().map(|(name, _)| value(run, name).map(human_rate)).collect();
        line(&(index + 1).to_string(), cells)?;
    }
    let each = |number: fn(&Summary) -> String| {
        columns.iter().map(|column| column.as_ref().map(number)).collect::<Vec<_>>()
    };
    line("mean", each(|summary| human_rate(summary.mean)))?;
    line("median", each(|summary| human_rate(summary.median)))?;
    line("standard deviation", each(|summary| human_rate(summary.deviation)))?;
    let percent = |summary: &Summary| {
        summary.variation().map_or_else(|| "-".into(), |share| format!("{:.2} %", 100.0 * share))
    };
    line("  of the mean", each(percent))?;
    line("least", each(|summary| human_rate(summary.least)))?;
    line("most", each(|summary| human_rate(summary.most)))
}
