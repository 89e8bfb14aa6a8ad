//! Waiting until a device is quiet.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::device::{Device, DeviceCounts};

/// A device without I/O for so long is quiet.
const QUIET: Duration = Duration::from_millis(300);
/// Longer than this nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How the waiting went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waited {
    /// For so long, nanoseconds.
    pub waited_ns: u64,
    /// Whether the devices were quiet in the end.
    pub quiet: bool,
}

/// Waits until the devices have had no I/O for 300 ms, at most 10 s. `stop` ends it early.
#[must_use]
pub fn until_quiet(devices: &[Device], stop: impl Fn() -> bool) -> Waited {
    let begun = Instant::now();
    let counts = || devices.iter().map(Device::counts).collect::<Vec<Option<DeviceCounts>>>();
    let (mut last, mut since) = (counts(), begun);
    let mut quiet = devices.is_empty();
    while !quiet && begun.elapsed() < PATIENCE && !stop() {
        std::thread::sleep(LOOK);
        let now = counts();
        if now != last {
            (last, since) = (now, Instant::now());
        }
        quiet = since.elapsed() >= QUIET;
    }
    Waited { waited_ns: begun.elapsed().as_nanos() as u64, quiet }
}

/// Waits for a fixed time. `stop` ends it early.
#[must_use]
pub fn for_time(nanoseconds: u64, stop: impl Fn() -> bool) -> Waited {
    let (begun, wanted) = (Instant::now(), Duration::from_nanos(nanoseconds));
    while begun.elapsed() < wanted && !stop() {
        std::thread::sleep(LOOK.min(wanted - begun.elapsed().min(wanted)));
    }
    Waited { waited_ns: begun.elapsed().as_nanos() as u64, quiet: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_device_there_is_nothing_to_wait_for() {
        assert!(until_quiet(&[], || false).quiet);
    }

    #[test]
    fn waiting_ends_when_asked_to() {
        assert!(for_time(3_600_000_000_000, || true).waited_ns < 1_000_000_000);
    }
}
