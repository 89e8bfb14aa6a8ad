//! What transfers of one large file came to: data, and the arithmetic of single numbers.

use serde::{Deserialize, Serialize};

use super::clock::Moment;
use super::latency::Latency;
use super::timeline::{Stall, Timeline};
use crate::volume::activity::ProcessCounts;
use crate::volume::device::DeviceCounts;
use crate::workload::transfer::Pattern;

/// One way through the file, in records of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transferred {
    /// The way.
    pub pattern: Pattern,
    /// Bytes of a record.
    pub record: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Records moved.
    pub operations: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// When it began.
    pub start: Moment,
    /// When the last record was moved.
    pub end: Moment,
    /// How long the sync at the end took, nanoseconds; none where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_ns: Option<u64>,
    /// False when it stopped before its end.
    pub complete: bool,
    /// How it was played: one after the other, by `io_uring`, by threads.
    pub played_by: String,
    /// Records that were to be under way at once.
    pub depth: u64,
    /// The time all records took, added up, nanoseconds: by the elapsed time, how many
    /// were under way on average.
    pub latency_sum_ns: u64,
    /// How long a record took.
    pub latency: Latency,
    /// It over time.
    pub timeline: Timeline,
    /// Where it stood still.
    pub stalls: Vec<Stall>,
    /// It over the file.
    pub positions: Positions,
    /// Where it became slow for good, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cliff: Option<Cliff>,
    /// What the device counted, by anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// What this process used.
    pub process: ProcessCounts,
}

impl Transferred {
    /// Nanoseconds from the first record to the last.
    #[must_use]
    pub fn elapsed(&self) -> u64 {
        self.end.since(self.start)
    }

    /// The same with the sync at the end.
    #[must_use]
    pub fn elapsed_with_sync(&self) -> u64 {
        self.elapsed() + self.sync_ns.unwrap_or(0)
    }

    /// Bytes per second, the sync at the end included; none of no time.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let nanoseconds = self.elapsed_with_sync();
        (nanoseconds > 0).then(|| self.bytes as f64 / (nanoseconds as f64 / 1e9))
    }

    /// How many records were under way on average. Source: Little's law.
    #[must_use]
    pub fn depth_reached(&self) -> Option<f64> {
        let elapsed = self.elapsed();
        (elapsed > 0).then(|| self.latency_sum_ns as f64 / elapsed as f64)
    }
}

/// A part of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Bytes moved there.
    pub bytes: u64,
    /// The time its records took, nanoseconds, each divided by how many were under way
    /// when it ended.
    pub elapsed_ns: u64,
}

impl Part {
    /// Bytes per second; none of no time.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.elapsed_ns > 0).then(|| self.bytes as f64 / (self.elapsed_ns as f64 / 1e9))
    }
}

/// A file in parts of one length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Positions {
    /// Bytes of a part; the last may be shorter.
    pub part_bytes: u64,
    /// The parts.
    pub parts: Vec<Part>,
}

/// Where a transfer became slow and stayed so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// When, from the start, nanoseconds.
    pub after_ns: u64,
    /// After how many bytes.
    pub after_bytes: u64,
    /// Median rate of the intervals before, bytes per second.
    pub rate_before: f64,
    /// The same of those after.
    pub rate_after: f64,
}

impl Cliff {
    /// How deep it is: the share of the rate that was lost.
    #[must_use]
    pub fn depth(&self) -> f64 {
        1.0 - self.rate_after / self.rate_before
    }
}
