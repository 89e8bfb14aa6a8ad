//! The part of the `full` report that instruments make: latencies, the run over time, and
//! what reached the device.

use std::io::{self, Write};

use crate::runner::latency::Latency;
use crate::runner::measurement::{Activity, Phase, PhaseTimeline, RunResult};
use crate::runner::timeline::Interval;
use crate::units::{grouped, human_bytes, human_duration, seconds};

/// Columns of a sparkline.
const COLUMNS: usize = 60;
/// Its levels, from none to the most.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// More stalls than this are only counted.
const STALLS_SHOWN: usize = 5;

/// Writes all of it; nothing where nothing was measured.
pub fn instruments(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    latencies(run, out)?;
    over_time(run, out)?;
    device(run, out)
}

fn latencies(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(latencies) = &run.latencies else { return Ok(()) };
    let heads = ["count", "p50", "p90", "p99", "p99.9", "max"];
    write!(out, "\n{:<16}", "Latency")?;
    heads.iter().try_for_each(|head| write!(out, "{head:>12}"))?;
    writeln!(out)?;
    for named in latencies.operations.iter().chain(&latencies.calls) {
        latency(&named.name, &named.latency, out)?;
    }
    Ok(())
}

fn latency(name: &str, latency: &Latency, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "  {name:<14}{:>12}", grouped(latency.count()))?;
    for share in [0.5, 0.9, 0.99, 0.999] {
        let value = latency.quantile(share).map_or_else(|| "-".into(), human_duration);
        write!(out, "{value:>12}")?;
    }
    let longest = latency.longest().map_or_else(|| "-".into(), human_duration);
    writeln!(out, "{longest:>12}")
}

fn over_time(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    for timeline in &run.timelines {
        let phase = timeline.phase.name();
        let Some(end) = run.phase(timeline.phase).map(|time| time.end) else { continue };
        let wanted = end.since(timeline.timeline.start) / timeline.timeline.interval_ns;
        if wanted < 2 {
            continue;
        }
        let line = sparkline(&operations(&timeline.timeline.intervals));
        writeln!(
            out,
            "\n{phase} over time, operations per {}:\n  |{line}|",
            human_duration(timeline.timeline.interval_ns)
        )?;
        stalls(timeline, out)?;
    }
    Ok(())
}

fn stalls(timeline: &PhaseTimeline, out: &mut dyn Write) -> io::Result<()> {
    for stall in timeline.stalls.iter().take(STALLS_SHOWN) {
        writeln!(
            out,
            "  stalled at {} s for {}",
            seconds(stall.start.since(timeline.timeline.start)),
            human_duration(stall.length_ns)
        )?;
    }
    match timeline.stalls.len().saturating_sub(STALLS_SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more stalls"),
    }
}

fn operations(intervals: &[Interval]) -> Vec<f64> {
    intervals.iter().map(|interval| interval.operations as f64).collect()
}

/// Numbers as a line, the mean of neighbours where there are more than columns.
pub(super) fn sparkline(numbers: &[f64]) -> String {
    let per_column = numbers.len().div_ceil(COLUMNS).max(1);
    let mean = |chunk: &[f64]| chunk.iter().sum::<f64>() / chunk.len() as f64;
    let means: Vec<f64> = numbers.chunks(per_column).map(mean).collect();
    let most = means.iter().copied().fold(0.0, f64::max);
    let level = |mean: &f64| {
        let share = if most > 0.0 { mean / most } else { 0.0 };
        LEVELS[(share * (LEVELS.len() - 1) as f64).ceil() as usize]
    };
    means.iter().map(level).collect()
}

fn device(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    if run.activity.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{:<22}{:>12}{:>12}{:>10}{:>10}{:>12}{:>10}",
        "Device and process", "read", "written", "discards", "flushes", "CPU s", "switches"
    )?;
    let mut line = |name: &str, activity: &Activity| {
        let device = activity.device;
        let bytes = |f: fn(&crate::volume::device::DeviceCounts) -> u64| {
            device.as_ref().map_or_else(|| "-".into(), |counts| human_bytes(f(counts)))
        };
        let count = |f: fn(&crate::volume::device::DeviceCounts) -> u64| {
            device.as_ref().map_or_else(|| "-".into(), |counts| grouped(f(counts)))
        };
        let process = activity.process;
        writeln!(
            out,
            "  {name:<20}{:>12}{:>12}{:>10}{:>10}{:>12}{:>10}",
            bytes(|c| c.bytes_read),
            bytes(|c| c.bytes_written),
            count(|c| c.discards),
            count(|c| c.flushes),
            seconds(process.cpu_ns()),
            grouped(process.voluntary_switches + process.involuntary_switches)
        )
    };
    for activity in &run.activity {
        let both = Activity { device: activity.device, process: activity.process };
        line(activity.phase.name(), &both)?;
    }
    if let Some(total) = &run.activity_total {
        line("with what came after", total)?;
    }
    if run.transfers.is_empty() { reached(run, out) } else { Ok(()) }
}

/// How much of what was read and written reached the device.
fn reached(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(total) = run.activity_total.and_then(|total| total.device) else {
        return writeln!(
            out,
            "  There is no block device under the location, or none that counts."
        );
    };
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let (read, written) = (run.operations.bytes_read(), run.operations.bytes_written());
    let in_transactions = run.activity_in(Phase::Transactions).and_then(|a| a.device);
    let device_read = in_transactions.map_or(0, |counts| counts.bytes_read);
    writeln!(
        out,
        "  reached the device: {:.1} % of the bytes read in transactions, {:.1} % of those written",
        share(device_read, read),
        share(total.bytes_written, written)
    )?;
    let deletes = run.operations.delete.total().count;
    writeln!(
        out,
        "  bytes on the device per byte written: {:.3}; discards per delete: {:.3}",
        total.bytes_written as f64 / written.max(1) as f64,
        total.discards as f64 / deletes.max(1) as f64
    )?;
    if let Some(waited) = run.settled_after {
        let quiet = if waited.quiet { "then quiet" } else { "and still not quiet" };
        writeln!(out, "  waited {} after the run, {quiet}", human_duration(waited.waited_ns))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_goes_from_nothing_to_the_most() {
        let of = |operations| Interval { operations, ..Interval::default() };
        assert_eq!(sparkline(&operations(&[of(0), of(50), of(100)])), " ▄█");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[7.0; 600]), "█".repeat(60));
    }
}
