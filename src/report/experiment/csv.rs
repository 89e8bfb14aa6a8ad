//! Every value of every run, a row for each run and metric.

use std::io::{self, Write};

use crate::experiment::outcome::Outcome;
use crate::experiment::values::value;
use crate::stats::comparison::Role;

/// Writes the rows; runs that have no such number have no row.
pub fn csv(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "block", "place", "arm", "warm_up", "status", "metric", "role", "unit", "value",
    ])?;
    for run in &outcome.runs {
        let status = if run.result.is_complete() { "complete" } else { "incomplete" };
        for metric in &outcome.metrics {
            let Some(value) = value(&metric.metric, run) else { continue };
            let role = if metric.role == Role::Headline { "headline" } else { "secondary" };
            writer.write_record([
                run.block.to_string().as_str(),
                run.place.to_string().as_str(),
                &run.arm,
                if run.is_warm_up() { "true" } else { "false" },
                status,
                &metric.metric,
                role,
                &metric.unit,
                value.to_string().as_str(),
            ])?;
        }
    }
    writer.flush()
}
