//! Time: the real clock, and one that a test sets.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// A moment in nanoseconds. Whole seconds of the calendar are multiples of 10⁹, so that
/// PostMark's whole-second figures can be made; differences are exact.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct Moment(pub u64);

impl Moment {
    /// Nanoseconds since an earlier moment; 0 if that is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment at which the whole second began that this one lies in.
    #[must_use]
    pub fn second_begun(self) -> Self {
        Self(self.0 - self.0 % 1_000_000_000)
    }

    /// The whole second this moment lies in.
    #[must_use]
    pub fn whole_second(self) -> u64 {
        self.0 / 1_000_000_000
    }
}

/// Tells the time; never goes back.
pub trait Clock: Sync {
    /// Now.
    fn now(&self) -> Moment;
}

/// The monotonic clock, started at the calendar's time, so that a calendar clock set
/// back or forth during a run does not matter.
#[derive(Debug)]
pub struct MonotonicClock {
    /// From the kernel's monotonic time to the calendar's, nanoseconds.
    to_calendar: u64,
}

impl MonotonicClock {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        let calendar = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { to_calendar: (calendar.as_nanos() as u64).saturating_sub(monotonic()) }
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> Moment {
        Moment(self.to_calendar + monotonic())
    }
}

/// The kernel's monotonic time, nanoseconds. Not by `Instant`, whose arithmetic takes a
/// quarter as long again as reading the clock: this is done twice per operation.
#[inline]
fn monotonic() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Gives out a list of moments, one per call; the last one again when they are used up.
#[derive(Debug)]
pub struct ScriptedClock {
    moments: Mutex<VecDeque<Moment>>,
}

impl ScriptedClock {
    /// A clock that shows these moments in turn.
    #[must_use]
    pub fn new(moments: impl IntoIterator<Item = Moment>) -> Self {
        Self { moments: Mutex::new(moments.into_iter().collect()) }
    }
}

impl Clock for ScriptedClock {
    fn now(&self) -> Moment {
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        let now = moments.front().copied().unwrap_or(Moment(0));
        if moments.len() > 1 {
            moments.pop_front();
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_never_goes_back() {
        let clock = MonotonicClock::start();
        let mut last = clock.now();
        for _ in 0..1000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn a_scripted_clock_stays_at_its_end() {
        let clock = ScriptedClock::new([Moment(5), Moment(7)]);
        assert_eq!([clock.now(), clock.now(), clock.now()], [Moment(5), Moment(7), Moment(7)]);
    }
}
