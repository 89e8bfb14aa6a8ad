//! A stall is seen wherever one looks for it: in the longest latency, over time, and among
//! the warnings.

use std::sync::Mutex;
use std::time::Duration;

use trimark::engine::Call;
use trimark::report::Format;
use trimark::runner::clock::{Clock, Moment, MonotonicClock};
use trimark::runner::measurement::{Phase, PhaseTimeline, RunResult};
use trimark::workload::OperationKind;

use super::clocks::OwnClock;
use super::watched::Watched;
use super::{play_with, report_of, sums};
use crate::support::scratch_in_memory;

const MS: u64 = 1_000_000;
const INTERVAL: u64 = 50 * MS;
const STALL: u64 = 300 * MS;
const WARNING: &str = "times without progress";

fn transactions_over_time(result: &RunResult) -> &PhaseTimeline {
    let found = result.timelines.iter().find(|timeline| timeline.phase == Phase::Transactions);
    found.expect("a timeline of the transactions")
}

fn longest_latency(result: &RunResult) -> u64 {
    let latencies = result.latencies.as_ref().expect("latencies");
    let longest = OperationKind::ALL.into_iter().filter_map(|kind| latencies.of(kind)?.longest());
    longest.max().expect("operations")
}

fn is_warned(result: &RunResult) -> bool {
    result.warnings.iter().any(|warning| warning.contains(WARNING))
}

/// A run in which every call takes 100 µs of a clock of its own, and the open of that
/// number 300 ms more; with the moment of that.
fn play_by_own_clock(stalled_open: u64, latency: &str) -> (RunResult, Option<Moment>) {
    let clock = OwnClock::at(7_250 * MS);
    let stalled = Mutex::new(None);
    let system = Watched::calling(|call, number| {
        clock.advance(MS / 10);
        if call == Call::Open && number == stalled_open {
            *stalled.lock().expect("no panic") = Some(clock.now());
            clock.advance(STALL);
        }
    });
    let settings = ["number 50", "transactions 2000", "engine sync", "interval 50ms", latency];
    let result = play_with(&settings, &system, &clock);
    assert!(result.is_complete());
    drop(system);
    (result, stalled.into_inner().expect("no panic"))
}

#[test]
fn a_stall_is_found_at_its_time_and_with_its_length() {
    let (result, stalled) = play_by_own_clock(2000, "latency operations");
    let stalled = stalled.expect("so many opens").0 - 7_000 * MS;
    let timeline = transactions_over_time(&result);
    let [stall] = timeline.stalls[..] else { panic!("{:?}", timeline.stalls) };
    // Whole intervals without progress: the first and last of the stall are not.
    assert!((stalled..=stalled + INTERVAL).contains(&stall.start.0), "{stall:?} {stalled}");
    assert!((STALL - INTERVAL..=STALL).contains(&stall.length_ns), "{stall:?}");
    let longest = longest_latency(&result);
    assert!((STALL..STALL + 10 * MS).contains(&longest), "{longest}");
    let ended = ((stalled + STALL - timeline.timeline.start.0) / INTERVAL) as usize;
    assert!(timeline.timeline.intervals[ended].worst_ns >= STALL);
    assert_eq!(timeline.timeline.intervals[ended - 2].operations, 0);
    assert!(is_warned(&result), "{:?}", result.warnings);
    let mut full = Vec::new();
    (Format::Full.row().render)(&result, &mut full).expect("a report");
    assert!(String::from_utf8_lossy(&full).contains("\n  stalled at "));
}

#[test]
fn without_a_stall_none_is_found() {
    let (result, stalled) = play_by_own_clock(0, "latency operations");
    assert_eq!(stalled, None);
    assert!(result.timelines.iter().all(|timeline| timeline.stalls.is_empty()));
    assert!(!is_warned(&result));
    assert!(longest_latency(&result) < 10 * MS);
    assert!(sums(transactions_over_time(&result)).0 > 2000);
}

#[test]
fn a_stall_in_real_time_is_found() {
    let clock = MonotonicClock::start();
    let (first, stalled) = (Mutex::new(None::<Moment>), Mutex::new(None::<Moment>));
    let system = Watched::calling(|call, number| {
        if call != Call::Open {
            return;
        }
        let now = clock.now();
        let first = *first.lock().expect("no panic").get_or_insert(now);
        let mut stalled = stalled.lock().expect("no panic");
        if number > 100 && stalled.is_none() && now.since(first) > 500 * MS {
            *stalled = Some(now);
            std::thread::sleep(Duration::from_nanos(STALL));
        }
    });
    let settings =
        ["number 50", "bias create -1", "duration 1300ms", "engine sync", "interval 50ms"];
    let result = play_with(&settings, &system, &clock);
    drop(system);
    let first = first.into_inner().expect("no panic").expect("opens");
    let stalled = stalled.into_inner().expect("no panic").expect("a stall");
    let creation = result.phase(Phase::Creation).expect("the phase").start;
    // The first open is the first thing creation does, but for reserving its names.
    let expected = creation.0 + stalled.since(first);
    let stalls = &transactions_over_time(&result).stalls;
    let found = stalls.iter().any(|stall| {
        let (start, end) = (stall.start.0, stall.start.0 + stall.length_ns);
        start <= expected + 2 * INTERVAL && end >= expected + STALL - INTERVAL
    });
    assert!(found, "{expected}: {stalls:?}");
    assert!(longest_latency(&result) >= STALL);
    assert!(is_warned(&result));
}

#[test]
fn with_latencies_off_nothing_of_it_is_measured() {
    let (result, _) = play_by_own_clock(2000, "latency off");
    assert!(result.latencies.is_none() && result.timelines.is_empty());
    assert!(!is_warned(&result));
    let settings = ["latency off", "number 20", "transactions 50"];
    let directory = scratch_in_memory();
    let document = report_of(directory.path(), &settings).json();
    for field in ["latencies", "timelines", "activity", "activity_total"] {
        let value = &document[field];
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        assert!(empty, "{field}: {value}");
    }
    let metrics = document["metrics"].as_object().expect("metrics");
    assert!(metrics.contains_key("transactions_per_second"));
    assert!(metrics.keys().all(|name| !name.contains("latency") && !name.contains("cpu")));
}

#[test]
fn by_operations_only_no_call_is_timed() {
    let (result, _) = play_by_own_clock(0, "latency operations");
    assert!(result.latencies.expect("latencies").calls.is_empty());
}
