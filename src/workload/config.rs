//! Every parameter of a run: its default and its bounds.
//!
//! A [`Config`] is plain data. It is changed by [`Assignment`](super::assignment::Assignment)s only, so that a value
//! once in it is within bounds. Where a setting has a PostMark equivalent, name, default
//! and meaning are PostMark's.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::policy::{Cache, Content, GeneratorKind, LatencyLevel, Settle, SteadyRule, SyncPolicy};
use super::sizes::{SizeSource, Sizes};
use super::slots::{Limits, MAX_DIRECTORIES, MAX_FILE_NUMBER, MAX_SIZE};
use super::transfer::{Transfers, WorkloadKind};

/// The largest file size: 16 TiB, the largest file of ext4.
pub const MAX_FILE_SIZE: u64 = 16 << 40;
/// The largest read or write block: 1 GiB.
pub const MAX_BLOCK: u64 = 1 << 30;
/// The most files of the initial pool; twice as many fill the file table.
pub const MAX_NUMBER: u64 = 1_000_000_000;
/// The most transactions of a run.
pub const MAX_TRANSACTIONS: u64 = 1_000_000_000_000;
/// The most subdirectories of each location.
pub const MAX_SUBDIRECTORIES: u64 = 10_000_000;
/// The largest weight of a location.
pub const MAX_WEIGHT: u64 = 1_000_000;

// A run must never have more creates than a slot's file number can hold.
const _: () = assert!(MAX_NUMBER + MAX_TRANSACTIONS <= MAX_FILE_NUMBER);
const _: () = assert!(MAX_FILE_SIZE <= MAX_SIZE);

/// A bias out of ten: `Some(n)` chooses read (or create) in `n` of 10 cases, `None`
/// (written −1) leaves that half of the transaction out.
pub type Bias = Option<u8>;

/// Where files are put, and how often relative to the other locations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The directory, as given.
    pub path: PathBuf,
    /// Its share among the locations, at least 1.
    pub weight: u64,
}

/// How an operation touches the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// `open`, `read`, `write`, `close` per block: PostMark's `buffering false`.
    Sync,
    /// The calls C's stdio makes through its buffer: PostMark's `buffering true`.
    Buffered,
    /// No file system at all: what is left is this program's own time.
    Null,
}

impl EngineKind {
    /// Every engine, in the order of help.
    pub const ALL: [Self; 3] = [Self::Sync, Self::Buffered, Self::Null];

    /// Its name in scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Buffered => "buffered",
            Self::Null => "null",
        }
    }
}

/// All parameters of a run. A parameter that a saved one lacks has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Smallest size of a new file, bytes.
    pub size_low: u64,
    /// Bound of the sizes, bytes: new files stay below it (unless it equals the low
    /// bound), appends never pass it.
    pub size_high: u64,
    /// Files of the initial pool.
    pub number: u64,
    /// Seed of the generator.
    pub seed: u64,
    /// Transactions of a run.
    pub transactions: u64,
    /// Where the files go; empty means the current directory.
    pub locations: Vec<Location>,
    /// Subdirectories of each location; used when there are at least two.
    pub subdirectories: u64,
    /// Bytes of one read call.
    pub read_block: u64,
    /// Bytes of one write call.
    pub write_block: u64,
    /// How the file system is touched.
    pub engine: EngineKind,
    /// How often a transaction reads instead of appending.
    pub bias_read: Bias,
    /// How often a transaction creates instead of deleting.
    pub bias_create: Bias,
    /// True when the number of transactions was asked for, and is not the default.
    pub transactions_set: bool,
    /// Ends the transactions after so many nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<u64>,
    /// Transactions before those that count, for so many nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup_ns: Option<u64>,
    /// How often the run is played.
    pub iterations: u64,
    /// How closely latencies are measured.
    pub latency: LatencyLevel,
    /// Length of an interval of the timeline, nanoseconds.
    pub interval_ns: u64,
    /// When data are forced to the device.
    pub sync: SyncPolicy,
    /// What the page cache holds when the transactions begin.
    pub cache: Cache,
    /// Whether the page cache is bypassed.
    pub direct: bool,
    /// How long to wait for the device to be quiet.
    pub settle: Settle,
    /// What is written.
    pub content: Content,
    /// Whether every read is compared with what must be there.
    pub verify: bool,
    /// Where sizes come from.
    pub sizes: Sizes,
    /// A directory: as many subdirectories are used as give it the files per directory
    /// found there, whatever `subdirectories` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fan_out: Option<PathBuf>,
    /// Repeats the run until a number of it is steady, instead of `iterations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyRule>,
    /// Threads, each with a pool of its own.
    pub workers: u64,
    /// Where the random numbers come from.
    pub generator: GeneratorKind,
    /// What is played.
    #[serde(skip_serializing_if = "is_default")]
    pub workload: WorkloadKind,
    /// One large file, where that is played.
    #[serde(skip_serializing_if = "is_default")]
    pub transfers: Transfers,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            size_low: 500,
            size_high: 10_000,
            number: 500,
            seed: 42,
            transactions: 500,
            locations: Vec::new(),
            subdirectories: 0,
            read_block: 512,
            write_block: 512,
            engine: EngineKind::Buffered,
            bias_read: Some(5),
            bias_create: Some(5),
            transactions_set: false,
            duration_ns: None,
            warmup_ns: None,
            iterations: 1,
            latency: LatencyLevel::default(),
            interval_ns: 100_000_000,
            sync: SyncPolicy::default(),
            cache: Cache::default(),
            direct: false,
            settle: Settle::default(),
            content: Content::default(),
            verify: false,
            sizes: Sizes::default(),
            fan_out: None,
            steady: None,
            workers: 1,
            generator: GeneratorKind::default(),
            workload: WorkloadKind::default(),
            transfers: Transfers::default(),
        }
    }
}

impl Config {
    /// Bounds of sizes and pool sizes as the settings accept them.
    pub const SIZE: RangeInclusive<u64> = 1..=MAX_FILE_SIZE;
    /// Bounds of `set number`.
    pub const NUMBER: RangeInclusive<u64> = 1..=MAX_NUMBER;
    /// Bounds of `set seed`: PostMark's generator is seeded with one 32-bit word.
    pub const SEED: RangeInclusive<u64> = 1..=u32::MAX as u64;
    /// Bounds of `set transactions`.
    pub const TRANSACTIONS: RangeInclusive<u64> = 1..=MAX_TRANSACTIONS;
    /// Bounds of `set subdirectories`.
    pub const SUBDIRECTORIES: RangeInclusive<u64> = 1..=MAX_SUBDIRECTORIES;
    /// Bounds of the block sizes.
    pub const BLOCK: RangeInclusive<u64> = 1..=MAX_BLOCK;
    /// Bounds of `set workers`.
    pub const WORKERS: RangeInclusive<u64> = 1..=1024;
    /// Bounds of `set iterations`.
    pub const ITERATIONS: RangeInclusive<u64> = 1..=1_000_000;
    /// Bounds of an interval of the timeline, nanoseconds: 1 ms to 1 h.
    pub const INTERVAL: RangeInclusive<u64> = 1_000_000..=3_600_000_000_000;
    /// Bounds of a duration, nanoseconds: up to a year; 0 switches it off.
    pub const DURATION: RangeInclusive<u64> = 0..=31_536_000_000_000_000;
    /// Bounds of `set sync fsync-every`.
    pub const FSYNC_EVERY: RangeInclusive<u64> = 1..=MAX_TRANSACTIONS;
    /// Bounds of a record of transfers: 512 bytes to 1 GiB.
    pub const RECORD: RangeInclusive<u64> = 512..=MAX_BLOCK;
    /// Bounds of `set depth`.
    pub const DEPTH: RangeInclusive<u64> = 1..=4096;
    /// Bounds of a weight.
    pub const WEIGHT: RangeInclusive<u64> = 1..=MAX_WEIGHT;

    /// The locations as used: the current directory when none is set.
    #[must_use]
    pub fn effective_locations(&self) -> Vec<Location> {
        if self.locations.is_empty() {
            vec![Location { path: PathBuf::from("."), weight: 1 }]
        } else {
            self.locations.clone()
        }
    }

    /// Subdirectories really used: PostMark uses none unless there are at least two.
    #[must_use]
    pub fn effective_subdirectories(&self) -> u64 {
        if self.subdirectories > 1 { self.subdirectories } else { 0 }
    }

    /// How many directories hold files.
    #[must_use]
    pub fn directories(&self) -> u64 {
        self.locations.len().max(1) as u64 * self.effective_subdirectories().max(1)
    }

    /// PostMark's sizes.
    #[must_use]
    pub fn uniform_sizes(&self) -> SizeSource {
        SizeSource::Uniform { low: self.size_low, high: self.size_high }
    }

    /// True when anything beyond PostMark's own figures is measured: `set latency off`
    /// leaves out latencies, timelines and the kernel's counts.
    #[must_use]
    pub fn measures(&self) -> bool {
        self.latency != LatencyLevel::Off
    }

    /// The generator as used: several workers need one that splits.
    #[must_use]
    pub fn effective_generator(&self) -> GeneratorKind {
        if self.workers > 1 { GeneratorKind::Xoshiro } else { self.generator }
    }

    /// The most transactions there can be: by their number, unless only a time was given.
    /// With a warm-up, nobody can tell.
    #[must_use]
    pub fn transaction_limit(&self) -> u64 {
        let by_time_only = self.duration_ns.is_some() && !self.transactions_set;
        if by_time_only { MAX_TRANSACTIONS } else { self.transactions }
    }

    /// The largest values that occur for a file of this run, the largest size given.
    #[must_use]
    pub fn limits(&self, largest: u64) -> Limits {
        Limits {
            number: if self.warmup_ns.is_some() {
                MAX_FILE_NUMBER
            } else {
                self.number + self.transaction_limit()
            },
            size: largest,
            directories: self.directories(),
        }
    }

    /// Checks what single settings cannot: bounds over several of them.
    ///
    /// # Errors
    /// A sentence that names the settings and the bound.
    pub fn check(&self) -> Result<(), String> {
        if self.workload == WorkloadKind::Transfers {
            return self.check_transfers();
        }
        let locations = self.locations.len().max(1) as u64;
        let directories = self.directories();
        if directories > MAX_DIRECTORIES {
            return Err(format!(
                "{locations} locations × {} subdirectories are {directories} directories; \
                 at most {MAX_DIRECTORIES} are possible: lower `set subdirectories`",
                self.subdirectories
            ));
        }
        self.check_direct()
    }

    fn check_transfers(&self) -> Result<(), String> {
        let Transfers { records, depth, .. } = &self.transfers;
        if self.locations.len() > 1 {
            return Err("transfers take place in one file: `set location` one directory".into());
        }
        if self.workers > 1 {
            return Err("transfers have no workers: `set depth` says how many are under way".into());
        }
        if self.engine == EngineKind::Null {
            return Err("transfers cannot be played without a file: `set engine sync`".into());
        }
        if self.direct && records.iter().any(|record| !record.is_multiple_of(DIRECT_BLOCK)) {
            return Err(format!(
                "`set direct true` needs records that are multiples of {DIRECT_BLOCK}: `set \
                 records 4k 1m`, say"
            ));
        }
        let longest = records.iter().max().copied().unwrap_or_default();
        if longest.saturating_mul(*depth) > MAX_BLOCK {
            return Err(format!(
                "{depth} transfers of {longest} bytes at once need more than 1 GiB of memory: \
                 lower `set depth` or `set records`"
            ));
        }
        self.transfers.unit().map(|_| ()).ok_or_else(|| {
            "no file has room for a whole number of each of these records: choose multiples of \
             one another with `set records`"
                .into()
        })
    }

    /// Direct I/O needs every transfer to be a multiple of the device's block; 4 KiB serves
    /// them all.
    fn check_direct(&self) -> Result<(), String> {
        let aligned = |bytes: u64| bytes.is_multiple_of(DIRECT_BLOCK);
        if !self.direct {
            return Ok(());
        }
        if self.engine == EngineKind::Buffered {
            return Err(
                "`set direct true` needs `set engine sync`: stdio's buffer is not aligned".into()
            );
        }
        if !aligned(self.read_block) || !aligned(self.write_block) {
            return Err(format!(
                "`set direct true` needs block sizes that are multiples of {DIRECT_BLOCK}: \
                 `set read 4k` and `set write 4k`"
            ));
        }
        let one_size = self.sizes == Sizes::Uniform && self.size_low == self.size_high;
        if !one_size || !aligned(self.size_low) {
            return Err(format!(
                "`set direct true` needs files of one size that is a multiple of {DIRECT_BLOCK}: \
                 `set size 64k`, say"
            ));
        }
        Ok(())
    }
}

/// Alignment asked of direct I/O, bytes.
pub const DIRECT_BLOCK: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_subdirectory_is_none() {
        let config = Config { subdirectories: 1, ..Config::default() };
        assert_eq!(config.effective_subdirectories(), 0);
    }

    #[test]
    fn too_many_directories_are_named() {
        let config = Config {
            subdirectories: MAX_SUBDIRECTORIES,
            locations: ["a", "b"].map(|path| Location { path: path.into(), weight: 1 }).to_vec(),
            ..Config::default()
        };
        assert!(config.check().expect_err("20 million").contains("set subdirectories"));
    }
}
