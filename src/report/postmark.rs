//! PostMark's reports, to the byte, with its whole-second clock, its one-second minimum
//! and its 32-bit byte sums: wrappers and published results depend on them.
//!
//! Only a complete run has such a report; as with PostMark, others print nothing.

use std::io::{self, Write};

use crate::runner::clock::Moment;
use crate::runner::measurement::{Phase, RunResult};
use crate::workload::OperationKind;

/// From this relative difference on the 32-bit sums are worth a word.
const NOTABLE: f64 = 0.005;

/// The figures of both formats.
struct Classic<'a> {
    run: &'a RunResult,
    total: u64,
    creation: u64,
    transactions: u64,
    deletion: u64,
}

impl<'a> Classic<'a> {
    fn of(run: &'a RunResult) -> Option<Self> {
        if !run.is_complete() {
            return None;
        }
        let start = run.phase(Phase::Creation)?.start;
        let transactions = run.phase(Phase::Transactions)?;
        let end = run.phase(Phase::Deletion)?.end;
        let ticks =
            |from: Moment, to: Moment| to.whole_second().saturating_sub(from.whole_second()).max(1);
        Some(Self {
            run,
            total: ticks(start, end),
            creation: ticks(start, transactions.start),
            transactions: ticks(transactions.start, transactions.end),
            deletion: ticks(transactions.end, end),
        })
    }

    fn total_count(&self, kind: OperationKind) -> u64 {
        self.run.operations.of(kind).total().count
    }
}

/// Writes PostMark's `verbose` report; nothing for a run that is not complete.
///
/// # Errors
/// Those of the writer.
pub fn verbose(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(classic) = Classic::of(run) else { return Ok(()) };
    let Classic { total, creation, transactions, deletion, .. } = classic;
    let counts = &run.operations;
    let line = |out: &mut dyn Write, count: u64, what: &str, seconds: u64| {
        writeln!(out, "\t{count} {what} ({} per second)", count / seconds)
    };
    let part = |out: &mut dyn Write, what: &str, count: u64, seconds: u64| {
        writeln!(out, "\t\t{what}: {count} files ({} per second)", count / seconds)
    };

    writeln!(out, "Time:\n\t{total} seconds total")?;
    let rate = run.transactions / transactions;
    writeln!(out, "\t{transactions} seconds of transactions ({rate} per second)")?;
    writeln!(out, "\nFiles:")?;
    line(out, classic.total_count(OperationKind::Create), "created", total)?;
    part(out, "Creation alone", counts.create.alone.count, creation)?;
    part(out, "Mixed with transactions", counts.create.mixed.count, transactions)?;
    line(out, counts.read.mixed.count, "read", transactions)?;
    line(out, counts.append.mixed.count, "appended", transactions)?;
    line(out, classic.total_count(OperationKind::Delete), "deleted", total)?;
    part(out, "Deletion alone", counts.delete.alone.count, deletion)?;
    part(out, "Mixed with transactions", counts.delete.mixed.count, transactions)?;
    writeln!(out, "\nData:")?;
    for (bytes, what) in [(run.classic_sums.read, "read"), (run.classic_sums.written, "written")] {
        let rate = scale(bytes / total as f32);
        writeln!(out, "\t{} {what} ({rate} per second)", scale(bytes))?;
    }
    Ok(())
}

/// Writes PostMark's `terse` report; nothing for a run that is not complete.
///
/// # Errors
/// Those of the writer.
pub fn terse(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(classic) = Classic::of(run) else { return Ok(()) };
    let Classic { total, creation, transactions, deletion, .. } = classic;
    let counts = &run.operations;
    write!(out, "{total} {transactions}")?;
    for (count, seconds) in [
        (run.transactions, transactions),
        (classic.total_count(OperationKind::Create), total),
        (counts.create.alone.count, creation),
        (counts.create.mixed.count, transactions),
        (counts.read.mixed.count, transactions),
        (counts.append.mixed.count, transactions),
        (classic.total_count(OperationKind::Delete), total),
        (counts.delete.alone.count, deletion),
        (counts.delete.mixed.count, transactions),
    ] {
        write!(out, " {:.2}", count as f32 / seconds as f32)?;
    }
    let sums = run.classic_sums;
    writeln!(out, " {:.2} {:.2}", sums.read / total as f32, sums.written / total as f32)
}

/// PostMark's notation of bytes. (Its boundaries: exactly 1 MiB still prints kilobytes,
/// and anything above zero at least those.)
fn scale(bytes: f32) -> String {
    const KILO: f32 = 1024.0;
    const MEGA: f32 = 1024.0 * 1024.0;
    if bytes > MEGA {
        format!("{:.2} megabytes", bytes / MEGA)
    } else if bytes > 0.0 {
        format!("{:.2} kilobytes", bytes / KILO)
    } else {
        format!("{bytes:.6} bytes")
    }
}

/// What to tell the reader of a classic report whose byte sums are visibly wrong.
#[must_use]
pub fn sums_note(run: &RunResult) -> Option<String> {
    let off =
        |shown: f32, exact: u64| (f64::from(shown) - exact as f64).abs() > NOTABLE * exact as f64;
    let sums = run.classic_sums;
    let (read, written) = (run.operations.bytes_read(), run.operations.bytes_written());
    (off(sums.read, read) || off(sums.written, written)).then(|| {
        format!(
            "the classic report keeps PostMark's 32-bit sums, which lost count: really {read} bytes \
             were read and {written} bytes written"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::scale;

    #[test]
    fn scale_is_postmarks() {
        assert_eq!(scale(0.0), "0.000000 bytes");
        assert_eq!(scale(1.0), "0.00 kilobytes");
        assert_eq!(scale(512.0), "0.50 kilobytes");
        assert_eq!(scale(1_048_576.0), "1024.00 kilobytes");
        assert_eq!(scale(1_048_577.0), "1.00 megabytes");
    }
}
