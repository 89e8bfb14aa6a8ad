//! Clocks that jump or stand still: a run comes to its end, and its figures stay figures.

use std::sync::atomic::{AtomicU64, Ordering};

use trimark::report::FORMATS;
use trimark::runner::clock::{Clock, Moment};
use trimark::runner::measurement::{Phase, RunResult};

use super::play_with;
use super::watched::Watched;

const SECOND: u64 = 1_000_000_000;
const YEAR: u64 = 365 * 24 * 3600 * SECOND;

/// A clock that only a test moves.
#[derive(Default)]
pub struct OwnClock(AtomicU64);

impl OwnClock {
    pub fn at(nanoseconds: u64) -> Self {
        Self(AtomicU64::new(nanoseconds))
    }

    pub fn advance(&self, nanoseconds: u64) {
        self.0.fetch_add(nanoseconds, Ordering::SeqCst);
    }
}

impl Clock for OwnClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}

/// A clock that takes a step with every look at it, and one of them is a leap.
struct LeapingClock {
    looks: AtomicU64,
    leap_at: u64,
    leap: u64,
}

impl LeapingClock {
    const STEP: u64 = 1000;

    fn new(leap_at: u64, leap: u64) -> Self {
        Self { looks: AtomicU64::new(0), leap_at, leap }
    }
}

impl Clock for LeapingClock {
    fn now(&self) -> Moment {
        let look = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        let leap = if look >= self.leap_at { self.leap } else { 0 };
        Moment(20 * YEAR + look * Self::STEP + leap)
    }
}

const SETTINGS: [&str; 6] =
    ["number 3", "transactions 6", "engine sync", "read 8k", "write 8k", "interval 1ms"];

/// Every report of a result can be written, and holds no figure that is none.
fn assert_reports(result: &RunResult) {
    for row in FORMATS {
        let mut out = Vec::new();
        (row.render)(result, &mut out).expect("a report");
        let text = String::from_utf8(out).expect("text").to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        let none = words.filter(|word| ["nan", "inf", "infinity"].contains(word)).count();
        assert_eq!(none, 0, "{}: {text}", row.name);
    }
}

#[test]
fn a_clock_that_stands_still_gives_no_rates() {
    for latency in ["latency operations", "latency on", "latency off"] {
        let settings = [&SETTINGS[..], &[latency]].concat();
        let result = play_with(&settings, &Watched::new(), &OwnClock::at(7 * SECOND));
        assert!(result.is_complete());
        assert_eq!((result.transactions, result.total()), (6, Some(0)));
        for row in trimark::stats::metrics::METRICS.iter().filter(|row| row.unit.ends_with("/s")) {
            assert_eq!((row.value)(&result), None, "{} in no time", row.name);
        }
        assert_reports(&result);
    }
}

#[test]
fn a_clock_that_leaps_at_any_moment_does_no_harm() {
    let looks = {
        let clock = LeapingClock::new(0, 0);
        play_with(&SETTINGS, &Watched::new(), &clock);
        clock.looks.load(Ordering::SeqCst)
    };
    assert!(looks > 30, "{looks}");
    for leap in [3 * SECOND, 10 * YEAR, 200 * YEAR] {
        for leap_at in 1..=looks {
            let clock = LeapingClock::new(leap_at, leap);
            let result = play_with(&SETTINGS, &Watched::new(), &clock);
            assert!(result.is_complete());
            assert_eq!(result.transactions, 6);
            let leapt: u64 = result.phases.iter().map(|phase| phase.elapsed()).sum();
            assert!(leapt <= leap + looks * LeapingClock::STEP, "{leapt}");
            assert_reports(&result);
        }
    }
}

#[test]
fn a_leap_past_the_deadline_ends_the_transactions() {
    let settings = [&SETTINGS[..5], &["transactions 1000", "duration 1h"]].concat();
    let clock = LeapingClock::new(100, YEAR);
    let result = play_with(&settings, &Watched::new(), &clock);
    assert!(result.is_complete());
    assert!((1..1000).contains(&result.transactions), "{}", result.transactions);
    assert!(result.elapsed(Phase::Transactions).is_some_and(|elapsed| elapsed >= YEAR));
}
