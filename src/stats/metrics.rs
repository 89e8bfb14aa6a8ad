//! The table of metrics: what a run comes to in single numbers.
//!
//! Every report and comparison walks [`METRICS`]; a new metric is a function and a row.
//! A rate is a count over the time in which it was counted, so rate × time = count.

use serde::{Deserialize, Serialize};

use crate::runner::measurement::{Phase, RunResult, Status, Tally};
use crate::runner::transferred::Transferred;
use crate::volume::device::DeviceCounts;
use crate::workload::OperationKind;
use crate::workload::transfer::Pattern;

/// Which direction is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// In which words it differs from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Faster, slower.
    Speed,
    /// More, fewer.
    Amount,
}

/// One metric.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Its name in JSON and on the command line.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The good direction.
    pub better: Better,
    /// How a difference is called.
    pub wording: Wording,
    /// What it is, for people.
    pub definition: &'static str,
    /// Its value; none where the run has no such number (the phase was not reached, took
    /// no time, or the run failed).
    pub value: fn(&RunResult) -> Option<f64>,
}

const fn rate(
    name: &'static str,
    definition: &'static str,
    value: fn(&RunResult) -> Option<f64>,
) -> Metric {
    Metric { name, unit: "1/s", better: Better::Higher, wording: Wording::Speed, definition, value }
}

const fn throughput(
    name: &'static str,
    definition: &'static str,
    value: fn(&RunResult) -> Option<f64>,
) -> Metric {
    Metric { name, unit: "B/s", better: Better::Higher, wording: Wording::Speed, definition, value }
}

const fn duration(
    name: &'static str,
    definition: &'static str,
    value: fn(&RunResult) -> Option<f64>,
) -> Metric {
    Metric { name, unit: "s", better: Better::Lower, wording: Wording::Speed, definition, value }
}

const fn latency(
    name: &'static str,
    definition: &'static str,
    value: fn(&RunResult) -> Option<f64>,
) -> Metric {
    Metric { name, unit: "s", better: Better::Lower, wording: Wording::Speed, definition, value }
}

const fn per_transaction(
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    value: fn(&RunResult) -> Option<f64>,
) -> Metric {
    Metric { name, unit, better: Better::Lower, wording: Wording::Amount, definition, value }
}

/// Every metric, in the order of reports.
pub const METRICS: &[Metric] = &joined();

const COUNT: usize = FILES.len() + PATTERNS.len() + TRANSFERS.len();

const fn joined() -> [Metric; COUNT] {
    let mut rows = [FILES[0]; COUNT];
    let mut next = 0;
    let parts = [FILES, PATTERNS, TRANSFERS];
    let mut part = 0;
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            rows[next] = parts[part][row];
            next += 1;
            row += 1;
        }
        part += 1;
    }
    rows
}

/// The rows of patterns of transfers: each one's throughput over all records, with each
/// usual size, and the latency of the smallest.
macro_rules! of_patterns {
    ($($name:literal $pattern:ident),+ $(,)?) => {
        &[$(
            throughput(
                concat!("transfer_", $name),
                concat!(
                    "transfers: bytes of ", $name,
                    " with every size of record, by the time with the syncs at the end"
                ),
                |run| transferred(run, Pattern::$pattern, None),
            ),
            of_patterns!(@ $name $pattern "4k" 4),
            of_patterns!(@ $name $pattern "8k" 8),
            of_patterns!(@ $name $pattern "16k" 16),
            of_patterns!(@ $name $pattern "32k" 32),
            of_patterns!(@ $name $pattern "64k" 64),
            of_patterns!(@ $name $pattern "128k" 128),
            of_patterns!(@ $name $pattern "256k" 256),
            of_patterns!(@ $name $pattern "512k" 512),
            of_patterns!(@ $name $pattern "1m" 1024),
            latency(
                concat!("transfer_", $name, "_p50"),
                concat!("median latency of ", $name, ", of the smallest record"),
                |run| transfer_quantile(run, Pattern::$pattern, 0.5),
            ),
            latency(
                concat!("transfer_", $name, "_p99"),
                concat!("99 % of transfers of ", $name, ", of the smallest record, take no longer"),
                |run| transfer_quantile(run, Pattern::$pattern, 0.99),
            )
        ),+]
    };
    (@ $name:literal $pattern:ident $sized:literal $kibibytes:literal) => {
        throughput(
            concat!("transfer_", $name, "_", $sized),
            concat!("the same with records of ", $sized),
            |run| transferred(run, Pattern::$pattern, Some($kibibytes << 10)),
        )
    };
}

/// Metrics of patterns of transfers.
const PATTERNS: &[Metric] = of_patterns!(
    "write" Write,
    "rewrite" Rewrite,
    "read" Read,
    "reread" Reread,
    "random_read" RandomRead,
    "random_write" RandomWrite,
);

/// Metrics of transfers as a whole.
const TRANSFERS: &[Metric] = &[
    per_transaction(
        "device_bytes_written_per_byte",
        "1",
        "transfers: bytes the device wrote from start to end of the run and of the waiting after \
         it, by anybody, by bytes written in all passes",
        |run| per_byte(run, |counts| counts.bytes_written),
    ),
    per_transaction(
        "cpu_seconds_per_transferred_gigabyte",
        "s",
        "transfers: processor time of this process in all passes, user and system, by 10⁹ bytes \
         moved",
        |run| {
            let passes = &valid(run)?.transfers;
            let bytes: u64 = passes.iter().map(|pass| pass.bytes).sum();
            let cpu: u64 = passes.iter().map(|pass| pass.process.cpu_ns()).sum();
            (bytes > 0).then(|| cpu as f64 / bytes as f64)
        },
    ),
];

/// Metrics of files.
const FILES: &[Metric] = &[
    rate("transactions_per_second", "transactions done, by the time of the transactions", |run| {
        per(run.transactions, valid(run)?.elapsed(Phase::Transactions)?)
    }),
    rate(
        "transactions_with_sync_per_second",
        "transactions done, by their time and that of the sync after them; the same as \
         transactions_per_second without `set sync phase`",
        |run| {
            let run = valid(run)?;
            let sync = run.elapsed(Phase::TransactionSync).unwrap_or(0);
            per(run.transactions, run.elapsed(Phase::Transactions)? + sync)
        },
    ),
    duration("total_seconds", "creation, transactions and deletion together", |run| {
        in_seconds(valid(run)?.total()?)
    }),
    duration("creation_seconds", "time to make the initial pool", |run| {
        in_seconds(valid(run)?.elapsed(Phase::Creation)?)
    }),
    duration("transaction_seconds", "time of the transactions", |run| {
        in_seconds(valid(run)?.elapsed(Phase::Transactions)?)
    }),
    duration("deletion_seconds", "time to delete every file left", |run| {
        in_seconds(valid(run)?.elapsed(Phase::Deletion)?)
    }),
    duration(
        "total_with_syncs_seconds",
        "the total with the syncs after its phases; the same as the total without `set sync phase`",
        |run| in_seconds(valid(run)?.total_with_syncs()?),
    ),
    rate("created_per_second", "all creates, by the total time", |run| {
        per(total(run, OperationKind::Create).count, valid(run)?.total()?)
    }),
    rate("created_alone_per_second", "creates of the initial pool, by the time it took", |run| {
        let count = run.operations.create.alone.count;
        per(count, valid(run)?.elapsed(Phase::Creation)?)
    }),
    rate("created_mixed_per_second", "creates among transactions, by their time", |run| {
        mixed(run, OperationKind::Create)
    }),
    rate("read_per_second", "files read, by the time of the transactions", |run| {
        mixed(run, OperationKind::Read)
    }),
    rate("appended_per_second", "files appended to, by the time of the transactions", |run| {
        mixed(run, OperationKind::Append)
    }),
    rate("deleted_per_second", "all deletes, by the total time", |run| {
        per(total(run, OperationKind::Delete).count, valid(run)?.total()?)
    }),
    rate("deleted_alone_per_second", "deletes at the end, by the time they took", |run| {
        let count = run.operations.delete.alone.count;
        per(count, valid(run)?.elapsed(Phase::Deletion)?)
    }),
    rate("deleted_mixed_per_second", "deletes among transactions, by their time", |run| {
        mixed(run, OperationKind::Delete)
    }),
    throughput("bytes_read_per_second", "bytes read, by the total time (as PostMark)", |run| {
        per(run.operations.bytes_read(), valid(run)?.total()?)
    }),
    throughput(
        "bytes_written_per_second",
        "bytes written, by the total time (as PostMark)",
        |run| per(run.operations.bytes_written(), valid(run)?.total()?),
    ),
    throughput(
        "transaction_bytes_read_per_second",
        "bytes read, by the time of the transactions, in which all of them were read",
        |run| per(run.operations.bytes_read(), valid(run)?.elapsed(Phase::Transactions)?),
    ),
    throughput(
        "transaction_bytes_written_per_second",
        "bytes written among transactions, by their time",
        |run| {
            let operations = &run.operations;
            let bytes = operations.create.mixed.bytes + operations.append.mixed.bytes;
            per(bytes, valid(run)?.elapsed(Phase::Transactions)?)
        },
    ),
    latency("create_p50", "median latency of a create", |run| quantile(run, CREATE, 0.5)),
    latency("create_p99", "99 % of creates take no longer", |run| quantile(run, CREATE, 0.99)),
    latency("create_p999", "99.9 % of creates take no longer", |run| quantile(run, CREATE, 0.999)),
    latency("read_p50", "median latency of a read", |run| quantile(run, READ, 0.5)),
    latency("read_p99", "99 % of reads take no longer", |run| quantile(run, READ, 0.99)),
    latency("read_p999", "99.9 % of reads take no longer", |run| quantile(run, READ, 0.999)),
    latency("append_p50", "median latency of an append", |run| quantile(run, APPEND, 0.5)),
    latency("append_p99", "99 % of appends take no longer", |run| quantile(run, APPEND, 0.99)),
    latency("append_p999", "99.9 % of appends take no longer", |run| quantile(run, APPEND, 0.999)),
    latency("delete_p50", "median latency of a delete", |run| quantile(run, DELETE, 0.5)),
    latency("delete_p99", "99 % of deletes take no longer", |run| quantile(run, DELETE, 0.99)),
    latency("delete_p999", "99.9 % of deletes take no longer", |run| quantile(run, DELETE, 0.999)),
    per_transaction(
        "device_bytes_read_per_transaction",
        "B",
        "bytes the device read (sectors × 512) from start to end of the run and of the waiting after it, by \
         anybody, by transactions done",
        |run| device(run, |counts| counts.bytes_read),
    ),
    per_transaction(
        "device_bytes_written_per_transaction",
        "B",
        "the same of bytes written",
        |run| device(run, |counts| counts.bytes_written),
    ),
    per_transaction("discards_per_transaction", "1", "the same of discard requests", |run| {
        device(run, |counts| counts.discards)
    }),
    per_transaction(
        "cpu_seconds_per_transaction",
        "s",
        "processor time of this process during the transactions, user and system, by \
         transactions done",
        |run| {
            let process = valid(run)?.activity_in(Phase::Transactions)?.process;
            each(run, process.cpu_ns() as f64 / 1e9)
        },
    ),
];

const CREATE: OperationKind = OperationKind::Create;
const READ: OperationKind = OperationKind::Read;
const APPEND: OperationKind = OperationKind::Append;
const DELETE: OperationKind = OperationKind::Delete;

/// The metric of that name.
#[must_use]
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// Bytes per second of one pattern, with one size of record or all.
fn transferred(run: &RunResult, pattern: Pattern, record: Option<u64>) -> Option<f64> {
    let of = |pass: &&Transferred| {
        pass.pattern == pattern && pass.complete && record.is_none_or(|one| pass.record == one)
    };
    let passes = || valid(run).into_iter().flat_map(|run| &run.transfers).filter(of);
    let nanoseconds = passes().map(Transferred::elapsed_with_sync).sum();
    per(passes().map(|pass| pass.bytes).sum(), nanoseconds)
}

fn per_byte(run: &RunResult, count: fn(&DeviceCounts) -> u64) -> Option<f64> {
    let run = valid(run)?;
    let passes = run.transfers.iter().filter(|pass| pass.pattern.writes());
    let bytes: u64 = passes.map(|pass| pass.bytes).sum();
    let counts = run.activity_total?.device?;
    (bytes > 0).then(|| count(&counts) as f64 / bytes as f64)
}

fn transfer_quantile(run: &RunResult, pattern: Pattern, share: f64) -> Option<f64> {
    let passes = valid(run)?.transfers.iter().filter(|pass| pass.pattern == pattern);
    let smallest = passes.filter(|pass| pass.complete).min_by_key(|pass| pass.record)?;
    in_seconds(smallest.latency.quantile(share)?)
}

/// A failed run has no rates: part of what it counted may not be there.
fn valid(run: &RunResult) -> Option<&RunResult> {
    (!matches!(run.status, Status::Failed { .. })).then_some(run)
}

fn total(run: &RunResult, kind: OperationKind) -> Tally {
    run.operations.of(kind).total()
}

fn mixed(run: &RunResult, kind: OperationKind) -> Option<f64> {
    let count = run.operations.of(kind).mixed.count;
    per(count, valid(run)?.elapsed(Phase::Transactions)?)
}

fn quantile(run: &RunResult, kind: OperationKind, share: f64) -> Option<f64> {
    in_seconds(valid(run)?.latencies.as_ref()?.of(kind)?.quantile(share)?)
}

fn device(run: &RunResult, count: fn(&DeviceCounts) -> u64) -> Option<f64> {
    let counts = valid(run)?.activity_total?.device?;
    each(run, count(&counts) as f64)
}

/// A sum by the transactions done; none without any.
fn each(run: &RunResult, sum: f64) -> Option<f64> {
    (run.transactions > 0).then(|| sum / run.transactions as f64)
}

fn in_seconds(nanoseconds: u64) -> Option<f64> {
    Some(nanoseconds as f64 / 1e9)
}

/// A count by a time in nanoseconds, per second; none of no time.
fn per(count: u64, nanoseconds: u64) -> Option<f64> {
    (nanoseconds > 0).then(|| count as f64 / (nanoseconds as f64 / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_unique() {
        for (place, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[place + 1..].iter().all(|other| other.name != metric.name));
        }
    }

    proptest! {
        #[test]
        fn rate_times_time_is_count(count in 0u64..1 << 50, nanoseconds in 1u64..1 << 60) {
            let rate = per(count, nanoseconds).expect("some time");
            prop_assert!(rate.is_finite() && rate >= 0.0);
            let back = rate * (nanoseconds as f64 / 1e9);
            prop_assert!((back - count as f64).abs() <= 1e-9 * count as f64);
        }
    }
}
