//! What ends the transactions, and the waiting around a run.

use std::time::Instant;

use trimark::runner::measurement::{Phase, RunResult};

use super::{complete, report_of};
use crate::support::scratch_in_memory;

const MS: u64 = 1_000_000;

fn transactions_took(result: &RunResult) -> u64 {
    result.elapsed(Phase::Transactions).expect("the phase")
}

#[test]
fn a_duration_ends_the_transactions_in_time() {
    for workers in ["workers 1", "workers 3"] {
        let result = complete(&["duration 300ms", "number 50", "bias create -1", workers]);
        let took = transactions_took(&result);
        assert!((300 * MS..2000 * MS).contains(&took), "{workers}: {took}");
        assert!(result.transactions > 0);
        assert_eq!(result.operations.create.alone.count, 50 * result.config.workers);
    }
}

#[test]
fn of_duration_and_transactions_the_first_wins() {
    let by_number = complete(&["duration 1h", "transactions 200", "number 50"]);
    assert_eq!(by_number.transactions, 200);
    assert!(transactions_took(&by_number) < 10_000 * MS);
    let by_time =
        complete(&["transactions 1000000000", "duration 300ms", "number 50", "bias create -1"]);
    assert!(by_time.transactions < 1_000_000_000);
    assert!((300 * MS..2000 * MS).contains(&transactions_took(&by_time)));
}

#[test]
fn zero_switches_a_duration_off() {
    let result = complete(&["duration 1ms", "duration 0", "transactions 700", "number 50"]);
    assert_eq!(result.transactions, 700);
    let result = complete(&["duration 1ms", "duration 0", "number 50"]);
    assert_eq!(result.transactions, 500, "the default");
}

#[test]
fn settling_waits_before_and_after() {
    let begun = Instant::now();
    let result = complete(&["settle 300ms", "number 10", "transactions 10"]);
    assert!(begun.elapsed().as_millis() >= 600);
    for waited in [result.settled_before, result.settled_after] {
        let waited = waited.expect("it was waited");
        assert!(waited.quiet && waited.waited_ns >= 300 * MS, "{waited:?}");
    }
    assert!(result.total_with_syncs().is_some_and(|total| total < 300 * MS), "not in the total");
}

#[test]
fn without_settling_nobody_waits() {
    for off in ["settle off", "settle 0"] {
        let result = complete(&[off, "number 10", "transactions 10"]);
        assert_eq!((result.settled_before, result.settled_after), (None, None));
    }
}

#[test]
fn where_there_is_no_device_settling_is_soon_done() {
    let directory = scratch_in_memory();
    let settings = ["settle auto", "number 10", "transactions 10"];
    let result = report_of(directory.path(), &settings).complete();
    if result.places[0].device.is_none() {
        let waited = result.settled_before.expect("it was waited");
        assert!(waited.quiet && waited.waited_ns < 300 * MS, "{waited:?}");
    } else {
        crate::support::skip("there is no place in memory");
    }
}
