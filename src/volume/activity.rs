//! What this process has done to the machine so far: processor time, switches, faults,
//! bytes through system calls and bytes caused on devices.

use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

/// Counts of this process since it began, or between two moments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessCounts {
    /// Processor time in the program itself, nanoseconds.
    pub user_ns: u64,
    /// Processor time in the kernel on its behalf, nanoseconds.
    pub system_ns: u64,
    /// Times it waited of its own accord.
    pub voluntary_switches: u64,
    /// Times it was made to wait.
    pub involuntary_switches: u64,
    /// Page faults without I/O.
    pub minor_faults: u64,
    /// Page faults with I/O.
    pub major_faults: u64,
    /// Bytes it caused to be read from devices, where the kernel tells.
    pub device_bytes_read: u64,
    /// Bytes it caused to be written to devices (dirtied), where the kernel tells.
    pub device_bytes_written: u64,
}

impl ProcessCounts {
    /// The counts so far, of all threads.
    #[must_use]
    pub fn now() -> Self {
        let mut counts = Self::default();
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            let nanoseconds = |time: nix::sys::time::TimeVal| {
                (time.tv_sec() as u64) * 1_000_000_000 + (time.tv_usec() as u64) * 1000
            };
            counts.user_ns = nanoseconds(usage.user_time());
            counts.system_ns = nanoseconds(usage.system_time());
            counts.voluntary_switches = usage.voluntary_context_switches() as u64;
            counts.involuntary_switches = usage.involuntary_context_switches() as u64;
            counts.minor_faults = usage.minor_page_faults() as u64;
            counts.major_faults = usage.major_page_faults() as u64;
        }
        // Not every kernel is built with it.
        if let Ok(io) = procfs::process::Process::myself().and_then(|process| process.io()) {
            counts.device_bytes_read = io.read_bytes;
            counts.device_bytes_written = io.write_bytes;
        }
        counts
    }

    /// What came since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less = u64::saturating_sub;
        Self {
            user_ns: less(self.user_ns, earlier.user_ns),
            system_ns: less(self.system_ns, earlier.system_ns),
            voluntary_switches: less(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: less(self.involuntary_switches, earlier.involuntary_switches),
            minor_faults: less(self.minor_faults, earlier.minor_faults),
            major_faults: less(self.major_faults, earlier.major_faults),
            device_bytes_read: less(self.device_bytes_read, earlier.device_bytes_read),
            device_bytes_written: less(self.device_bytes_written, earlier.device_bytes_written),
        }
    }

    /// Processor time altogether, nanoseconds.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let before = ProcessCounts::now();
        let mut sum = 0u64;
        while ProcessCounts::now().since(&before).cpu_ns() == 0 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(ProcessCounts::now().cpu_ns() > before.cpu_ns());
    }
}
