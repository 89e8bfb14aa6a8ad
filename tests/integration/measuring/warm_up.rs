//! Transactions of the warm-up are played, and are in no figure.

use trimark::runner::measurement::{Phase, RunResult};
use trimark::workload::OperationKind;

use super::{complete, count, sums};

const MS: u64 = 1_000_000;

fn warmed_up(more: &[&str]) -> RunResult {
    let settings = ["warmup 200ms", "number 2000", "transactions 300", "latency on"];
    complete(&[&settings[..], more].concat())
}

fn warm_up_count(result: &RunResult, kind: OperationKind) -> u64 {
    result.operations.of(kind).warm_up.count
}

#[test]
fn warm_up_is_a_phase_of_its_own_and_in_no_total() {
    let result = warmed_up(&[]);
    let phases: Vec<Phase> = result.phases.iter().map(|time| time.phase).collect();
    assert_eq!(phases, [Phase::Creation, Phase::WarmUp, Phase::Transactions, Phase::Deletion]);
    let took = result.elapsed(Phase::WarmUp).expect("the phase");
    assert!((200 * MS..2000 * MS).contains(&took), "{took}");
    let counted = [Phase::Creation, Phase::Transactions, Phase::Deletion];
    let counted: u64 = counted.into_iter().filter_map(|phase| result.elapsed(phase)).sum();
    assert_eq!(result.total(), Some(counted));
}

#[test]
fn operations_of_the_warm_up_are_counted_apart() {
    for workers in ["workers 1", "workers 2"] {
        let result = warmed_up(&[workers]);
        assert_eq!(result.transactions, 300 * result.config.workers);
        for kind in OperationKind::ALL {
            assert!(warm_up_count(&result, kind) > 0, "{}", kind.name());
        }
        let mixed = |kind| result.operations.of(kind).mixed.count;
        let data = mixed(OperationKind::Read) + mixed(OperationKind::Append);
        assert_eq!(data + result.skipped.appends, result.transactions);
        let names = mixed(OperationKind::Create) + mixed(OperationKind::Delete);
        assert_eq!(names + result.skipped.creates, result.transactions);
        // All that was ever made was deleted.
        let ever = |kind| count(&result, kind) + warm_up_count(&result, kind);
        assert_eq!(ever(OperationKind::Create), ever(OperationKind::Delete));
    }
}

#[test]
fn operations_and_calls_of_the_warm_up_are_not_timed() {
    for workers in ["workers 1", "workers 2"] {
        let result = warmed_up(&[workers]);
        let latencies = result.latencies.as_ref().expect("latencies");
        for kind in OperationKind::ALL {
            let latency = latencies.of(kind).expect("operations of that kind");
            assert_eq!(latency.count(), count(&result, kind), "{}", kind.name());
        }
        let unlink = latencies.calls.iter().find(|named| named.name == "unlink");
        let unlinked = unlink.expect("deletes").latency.count();
        assert_eq!(unlinked, count(&result, OperationKind::Delete), "{workers}");
        let timed: u64 = result.timelines.iter().map(|timeline| sums(timeline).0).sum();
        let counted: u64 = OperationKind::ALL.map(|kind| count(&result, kind)).iter().sum();
        assert_eq!(timed, counted);
    }
}
