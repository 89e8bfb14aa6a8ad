//! The part of the `full` report on transfers of one large file.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::instruments::sparkline;
use crate::runner::measurement::RunResult;
use crate::runner::transferred::{Positions, Transferred};
use crate::units::{human_bytes, human_duration, human_rate, seconds};

/// Passes of fewer intervals are not shown over time.
const FEWEST: usize = 10;

/// Writes a table with a row for each pass, then each over time and over the file.
///
/// # Errors
/// The error of writing.
pub fn transfers(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = run.transfers.first() else { return Ok(()) };
    writeln!(out, "\nTransfers of a file of {}", human_bytes(first.file_bytes))?;
    writeln!(out, "{}", table(&run.transfers))?;
    for pass in &run.transfers {
        courses(pass, out)?;
    }
    Ok(())
}

fn table(passes: &[Transferred]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["pattern", "record", "MB/s", "s", "p50", "p99", "max", "depth", "device"]);
    for index in 2..9 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for pass in passes {
        let latency = |share| pass.latency.quantile(share).map_or("-".into(), human_duration);
        let rate = pass.rate().filter(|_| pass.complete);
        let device = pass.device.map(|counts| {
            let (read, written) = (counts.bytes_read, counts.bytes_written);
            if pass.pattern.writes() {
                human_bytes(written) + " out"
            } else {
                human_bytes(read) + " in"
            }
        });
        table.add_row([
            pass.pattern.name().to_owned(),
            human_bytes(pass.record),
            rate.map_or("-".into(), |rate| human_rate(rate / 1e6)),
            seconds(pass.elapsed_with_sync()),
            latency(0.5),
            latency(0.99),
            pass.latency.longest().map_or("-".into(), human_duration),
            pass.depth_reached().map_or("-".into(), |depth| format!("{depth:.1}")),
            device.unwrap_or_else(|| "-".into()),
        ]);
    }
    table
}

/// One pass over time and over the file, and what stands out.
fn courses(pass: &Transferred, out: &mut dyn Write) -> io::Result<()> {
    let name = format!("{} {}", pass.pattern.name(), human_bytes(pass.record));
    if !pass.complete {
        let (done, all) = (human_bytes(pass.bytes), human_bytes(pass.file_bytes));
        writeln!(out, "{name}: INCOMPLETE, {done} of {all}")?;
    }
    let timeline = &pass.timeline;
    if timeline.intervals.len() >= FEWEST {
        let seconds = timeline.interval_ns as f64 / 1e9;
        let rates = timeline.intervals.iter().map(|interval| interval.bytes as f64 / seconds);
        line(&name, "over time", rates.collect(), out)?;
    }
    let Positions { parts, .. } = &pass.positions;
    if timeline.intervals.len() >= FEWEST && parts.len() > 2 && !pass.pattern.is_random() {
        let rates = parts.iter().map(|part| part.rate().unwrap_or(0.0));
        line(&name, "over the file", rates.collect(), out)?;
    }
    if let Some(cliff) = pass.cliff {
        writeln!(
            out,
            "{name}: CLIFF after {} and {}: from {} to {}, {:.0} % less",
            human_duration(cliff.after_ns),
            human_bytes(cliff.after_bytes),
            mb(cliff.rate_before),
            mb(cliff.rate_after),
            100.0 * cliff.depth()
        )?;
    }
    for stall in pass.stalls.iter().take(5) {
        let at = stall.start.since(pass.start);
        let length = human_duration(stall.length_ns);
        writeln!(out, "{name}: STALL of {length} after {}", human_duration(at))?;
    }
    if pass.stalls.len() > 5 {
        writeln!(out, "{name}: {} stalls more", pass.stalls.len() - 5)?;
    }
    Ok(())
}

fn line(name: &str, over: &str, rates: Vec<f64>, out: &mut dyn Write) -> io::Result<()> {
    let most = rates.iter().copied().fold(0.0, f64::max);
    writeln!(out, "{name:<20} {over:<13} |{}| up to {}", sparkline(&rates), mb(most))
}

/// Megabytes (10⁶) per second.
fn mb(rate: f64) -> String {
    format!("{} MB/s", human_rate(rate / 1e6))
}
