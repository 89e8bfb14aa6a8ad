//! Choices of how a run is measured and what its files are like: names and meanings.

use serde::{Deserialize, Serialize};

/// A choice among named values, for parsing and printing.
pub trait Choice: Sized + Copy + PartialEq + 'static {
    /// Every value with its name in scripts.
    const NAMES: &'static [(&'static str, Self)];

    /// Its name in scripts.
    fn name(self) -> &'static str {
        let row = Self::NAMES.iter().find(|(_, value)| *value == self);
        row.map_or("", |(name, _)| name)
    }
}

/// How closely latencies are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyLevel {
    /// Not at all; no timeline either.
    Off,
    /// Each operation as a whole.
    #[default]
    Operations,
    /// Each operation, and each system call in it.
    On,
}

impl Choice for LatencyLevel {
    const NAMES: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("operations", Self::Operations), ("on", Self::On)];
}

/// When data are forced to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncPolicy {
    /// Whenever the system likes: PostMark.
    #[default]
    None,
    /// `syncfs` after each phase, timed on its own.
    Phase,
    /// `fsync` before each close of a file written to.
    Close,
    /// `fsync` before every n-th such close.
    FsyncEvery(u64),
}

impl SyncPolicy {
    /// True when files are synced one by one.
    #[must_use]
    pub fn is_per_file(self) -> bool {
        matches!(self, Self::Close | Self::FsyncEvery(_))
    }

    /// Every how many writing operations a file is synced; none for never.
    #[must_use]
    pub fn fsync_interval(self) -> Option<u64> {
        match self {
            Self::Close => Some(1),
            Self::FsyncEvery(n) => Some(n),
            Self::None | Self::Phase => None,
        }
    }
}

/// What the page cache holds when the transactions begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// What creation left in it: PostMark.
    #[default]
    Warm,
    /// Nothing of the pool.
    Cold,
}

impl Choice for Cache {
    const NAMES: &'static [(&'static str, Self)] = &[("warm", Self::Warm), ("cold", Self::Cold)];
}

/// When a run is repeated until a number of it is steady.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SteadyRule {
    /// Name of the metric.
    pub metric: String,
    /// No more rounds than this.
    pub rounds: u64,
    /// Rounds in a row that must be steady.
    pub window: u64,
    /// The largest range of their values, per cent of the mean.
    pub range_percent: u64,
    /// How far the line through them may move, the same.
    pub slope_percent: u64,
}

impl SteadyRule {
    /// As SNIA's *Performance Test Specification* has it, of a metric.
    #[must_use]
    pub fn snia(metric: &str) -> Self {
        let metric = metric.to_owned();
        Self { metric, rounds: 25, window: 5, range_percent: 20, slope_percent: 10 }
    }
}

/// How long to wait, before and after a run, for the device to be quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settle {
    /// Not at all.
    #[default]
    Off,
    /// Until it has been quiet for 300 ms, at most 10 s.
    Auto,
    /// So many nanoseconds.
    For(u64),
}

/// What is written into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// PostMark's text, the same at the beginning of every file and of every append.
    #[default]
    Postmark,
    /// Random bytes, different for every file.
    Random,
    /// Zeros.
    Zero,
    /// Random bytes, so many per cent of every 4 KiB replaced by zeros.
    Compressible(u8),
}

/// Where the random numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorKind {
    /// PostMark's Mersenne Twister; for one worker.
    #[default]
    Postmark,
    /// xoshiro256++, a stream for each worker.
    Xoshiro,
}

impl Choice for GeneratorKind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("postmark", Self::Postmark), ("xoshiro", Self::Xoshiro)];
}
