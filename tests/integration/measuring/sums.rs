//! The same operations counted in several places: all agree.

use trimark::engine::Call;
use trimark::runner::latency::NamedLatency;
use trimark::runner::measurement::{Phase, RunResult};
use trimark::stats::metrics::METRICS;
use trimark::workload::OperationKind;

use super::watched::Watched;
use super::{complete, count, play, sums, writing_operations};

const WORKERS: [&str; 3] = ["workers 1", "workers 2", "workers 4"];
const ENGINES: [&str; 2] = ["engine sync", "engine buffered"];

fn count_of(latencies: &[NamedLatency], name: &str) -> u64 {
    latencies.iter().find(|named| named.name == name).map_or(0, |named| named.latency.count())
}

/// Operations and bytes of a phase by the tallies.
fn tallied(result: &RunResult, phase: Phase) -> (u64, u64) {
    let tallies = OperationKind::ALL.map(|kind| {
        let tally = result.operations.of(kind);
        match (phase, kind) {
            (Phase::Transactions, _) => tally.mixed,
            (Phase::Creation, OperationKind::Create) | (Phase::Deletion, OperationKind::Delete) => {
                tally.alone
            }
            _ => Default::default(),
        }
    });
    (tallies.iter().map(|t| t.count).sum(), tallies.iter().map(|t| t.bytes).sum())
}

fn assert_latencies_count_operations(result: &RunResult) {
    let latencies = result.latencies.as_ref().expect("latencies");
    for kind in OperationKind::ALL {
        let name = kind.name();
        assert!(count(result, kind) > 0, "{name}: nothing to compare");
        assert_eq!(count_of(&latencies.operations, name), count(result, kind), "{name}");
    }
    assert_eq!(latencies.operations.len(), 4);
    let call = |call: Call| count_of(&latencies.calls, call.name());
    let opened = writing_operations(result) + count(result, OperationKind::Read);
    assert_eq!(call(Call::Open), opened);
    assert_eq!(call(Call::Close), opened);
    assert_eq!(call(Call::Unlink), count(result, OperationKind::Delete));
    assert_eq!(call(Call::Sync), 0);
}

fn assert_timelines_add_up(result: &RunResult) {
    let phases = [Phase::Creation, Phase::Transactions, Phase::Deletion];
    assert_eq!(result.timelines.len(), phases.len());
    for (phase, timeline) in phases.into_iter().zip(&result.timelines) {
        assert_eq!(timeline.phase, phase);
        assert_eq!(sums(timeline), tallied(result, phase), "{phase:?}");
        let longest = timeline.timeline.intervals.iter().map(|i| i.worst_ns).max();
        let elapsed = result.elapsed(phase).expect("the phase");
        assert!(longest.is_some_and(|longest| longest > 0 && longest <= elapsed), "{phase:?}");
    }
    let longest = |intervals: &[trimark::runner::timeline::Interval]| {
        intervals.iter().map(|i| i.worst_ns).max()
    };
    let over_time = result.timelines.iter().filter_map(|t| longest(&t.timeline.intervals)).max();
    let latencies = &result.latencies.as_ref().expect("latencies").operations;
    assert_eq!(over_time, latencies.iter().filter_map(|named| named.latency.longest()).max());
}

/// Rates by the table of metrics times the lengths of the phases: whole counts again.
fn assert_rates_times_time_are_counts(result: &RunResult) {
    let value = |name: &str| {
        let metric = METRICS.iter().find(|metric| metric.name == name).expect("a metric");
        (metric.value)(result).expect("a value")
    };
    let transactions = result.elapsed(Phase::Transactions).expect("transactions");
    let total = result.total().expect("a total");
    let of = |kind| count(result, kind);
    for (name, count, nanoseconds) in [
        ("transactions_per_second", result.transactions, transactions),
        ("created_per_second", of(OperationKind::Create), total),
        ("deleted_per_second", of(OperationKind::Delete), total),
        ("read_per_second", of(OperationKind::Read), transactions),
        ("appended_per_second", of(OperationKind::Append), transactions),
        ("bytes_read_per_second", result.operations.bytes_read(), total),
        ("bytes_written_per_second", result.operations.bytes_written(), total),
    ] {
        let product = value(name) * (nanoseconds as f64 / 1e9);
        assert!((product - count as f64).abs() <= 1e-6 * count as f64, "{name}: {product}");
    }
}

#[test]
fn latencies_timelines_and_rates_agree_with_the_counts() {
    for workers in WORKERS {
        for engine in ENGINES {
            let settings = [workers, engine, "latency on", "interval 1ms", "number 300"];
            let settings = [&settings[..], &["transactions 1500"]].concat();
            let result = complete(&settings);
            let expected = result.config.workers * 1500;
            assert_eq!(result.transactions, expected, "{workers}");
            assert_latencies_count_operations(&result);
            assert_timelines_add_up(&result);
            assert_rates_times_time_are_counts(&result);
        }
    }
}

#[test]
fn every_call_of_an_engine_is_timed_once() {
    for workers in WORKERS {
        for engine in ENGINES {
            let settings = [workers, engine, "latency on", "number 100", "transactions 400"];
            let system = Watched::new();
            let result = play(&settings, &system);
            assert!(result.is_complete());
            let calls = &result.latencies.as_ref().expect("latencies").calls;
            // The directories of workers are made outside any operation.
            for call in &Call::ALL[..8] {
                let timed = count_of(calls, call.name());
                assert_eq!(timed, system.count(*call), "{workers}, {engine}: {}", call.name());
            }
            assert!(system.count(Call::Read) > 0 && system.count(Call::Write) > 0);
        }
    }
}

#[test]
fn workers_make_as_many_files_as_each_alone() {
    for (workers, number) in [(1, 50), (2, 100), (4, 200)] {
        let setting = format!("workers {workers}");
        let result = play(&[&setting, "number 50", "transactions 100"], &Watched::new());
        assert_eq!(result.operations.create.alone.count, number);
        let (created, deleted) =
            (count(&result, OperationKind::Create), count(&result, OperationKind::Delete));
        assert_eq!(created, deleted, "what is made is deleted");
    }
}
