//! Transfers of one large file: in which order its blocks are read and written.

use serde::{Deserialize, Serialize};

use super::permutation::Permutation;
use super::policy::Choice;
use crate::units::human_bytes;

/// What is played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadKind {
    /// PostMark's: many small files.
    #[default]
    Files,
    /// One large file, block by block.
    Transfers,
}

impl Choice for WorkloadKind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("files", Self::Files), ("transfers", Self::Transfers)];
}

/// One way through a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// From beginning to end, into an empty file.
    Write,
    /// From beginning to end, over what is there.
    Rewrite,
    /// From beginning to end.
    Read,
    /// The same once more.
    Reread,
    /// Every block once, in random order.
    RandomRead,
    /// Every block once, in random order, over what is there.
    RandomWrite,
}

impl Pattern {
    /// Every pattern.
    pub const ALL: [Self; 6] =
        [Self::Write, Self::Rewrite, Self::Read, Self::Reread, Self::RandomRead, Self::RandomWrite];

    /// Its name in scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Rewrite => "rewrite",
            Self::Read => "read",
            Self::Reread => "reread",
            Self::RandomRead => "random-read",
            Self::RandomWrite => "random-write",
        }
    }

    /// True when it writes.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Rewrite | Self::RandomWrite)
    }

    /// True when the order is random.
    #[must_use]
    pub fn is_random(self) -> bool {
        matches!(self, Self::RandomRead | Self::RandomWrite)
    }
}

/// How large the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSize {
    /// So many bytes.
    Bytes(u64),
    /// A share of what is free, per cent.
    FreePercent(u64),
    /// So many hundredths of the machine's memory.
    MemoryHundredths(u64),
}

impl std::fmt::Display for FileSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => f.write_str(&human_bytes(*bytes)),
            Self::FreePercent(share) => write!(f, "{share} % of the free space"),
            Self::MemoryHundredths(hundredths) => {
                write!(f, "{} times the memory", *hundredths as f64 / 100.0)
            }
        }
    }
}

impl FileSize {
    /// In bytes, where so much is free and so much memory is there.
    #[must_use]
    pub fn bytes(self, free: u64, memory: u64) -> u64 {
        let share = |of: u64, part: u64| (u128::from(of) * u128::from(part) / 100) as u64;
        match self {
            Self::Bytes(bytes) => bytes,
            Self::FreePercent(percent) => share(free, percent),
            Self::MemoryHundredths(hundredths) => share(memory, hundredths),
        }
    }
}

/// All parameters of transfers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Transfers {
    /// The patterns, in the order in which they are played.
    pub patterns: Vec<Pattern>,
    /// Bytes of one transfer; all patterns are played with each.
    pub records: Vec<u64>,
    /// How large the file is.
    pub file_size: FileSize,
    /// How many transfers are under way at once.
    pub depth: u64,
}

impl Default for Transfers {
    fn default() -> Self {
        Self {
            patterns: Pattern::ALL.to_vec(),
            records: vec![4 << 10, 1 << 20],
            file_size: FileSize::Bytes(256 << 20),
            depth: 1,
        }
    }
}

impl Transfers {
    /// The smallest size that all records divide, bytes; none when it is too large to be
    /// one.
    #[must_use]
    pub fn unit(&self) -> Option<u64> {
        self.records.iter().try_fold(1u64, |unit, &record| {
            let divisor = greatest_common_divisor(unit, record);
            (record / divisor).checked_mul(unit).filter(|&unit| unit <= 1 << 40)
        })
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// One way through a file in blocks of one size: pure, and the same for the same seed.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The way.
    pub pattern: Pattern,
    /// Bytes of a block.
    pub record: u64,
    blocks: u64,
    order: Option<Permutation>,
}

impl Pass {
    /// Through a file of `size` bytes, a multiple of `record`.
    #[must_use]
    pub fn new(pattern: Pattern, record: u64, size: u64, seed: u64) -> Self {
        let blocks = size / record.max(1);
        let seed = seed ^ (pattern as u64) << 56 ^ record.rotate_left(32);
        let order = pattern.is_random().then(|| Permutation::new(blocks, seed));
        Self { pattern, record, blocks, order }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Where the block of that number begins, bytes; none behind the last.
    #[inline]
    #[must_use]
    pub fn offset(&self, number: u64) -> Option<u64> {
        (number < self.blocks)
            .then(|| self.order.as_ref().map_or(number, |order| order.at(number)) * self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_once() {
        for pattern in Pattern::ALL {
            let pass = Pass::new(pattern, 4096, 1000 * 4096, 42);
            let mut offsets: Vec<u64> = (0..).map_while(|n| pass.offset(n)).collect();
            let in_order = offsets.is_sorted();
            assert_eq!(in_order, !pattern.is_random(), "{pattern:?}");
            offsets.sort_unstable();
            assert_eq!(offsets, (0..1000).map(|n| n * 4096).collect::<Vec<_>>());
        }
    }

    #[test]
    fn orders_differ_by_pattern_seed_and_record() {
        let first = |pattern, record, seed| {
            let pass = Pass::new(pattern, record, 1 << 30, seed);
            (0..4).map(|n| pass.offset(n)).collect::<Vec<_>>()
        };
        let one = first(Pattern::RandomRead, 4096, 1);
        assert_eq!(one, first(Pattern::RandomRead, 4096, 1));
        assert_ne!(one, first(Pattern::RandomRead, 4096, 2));
        assert_ne!(one, first(Pattern::RandomWrite, 4096, 1));
    }

    #[test]
    fn sizes_of_files() {
        assert_eq!(FileSize::FreePercent(50).bytes(1000, 0), 500);
        assert_eq!(FileSize::MemoryHundredths(200).bytes(0, 1000), 2000);
        let unit = |records: &[u64]| {
            Transfers { records: records.to_vec(), ..Transfers::default() }.unit()
        };
        assert_eq!(unit(&[4096, 1 << 20]), Some(1 << 20));
        assert_eq!(unit(&[12 << 10, 16 << 10]), Some(48 << 10));
    }
}
