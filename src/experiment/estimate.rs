//! How much an experiment will write and how long it will take, said before it begins.

use super::pace::Pace;
use super::plan::{Arm, Blocks, Plan};
use crate::conditioning::step::{Step, Until};
use crate::workload::Config;
use crate::workload::transfer::{Pattern, WorkloadKind};

/// Blocks of an experiment that ends when it knows enough: as many as are played at least.
const LEAST_BLOCKS: u64 = 6;
/// Mounting, syncing and waiting for a quiet device at each run, seconds.
const AROUND_A_RUN: f64 = 2.0;

/// What is to be expected, about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Runs, the warm-up included.
    pub runs: u64,
    /// Bytes that are written, those that make a drive used included.
    pub bytes_written: f64,
    /// Seconds.
    pub seconds: f64,
}

/// Of a plan on a file system with so many bytes of room.
#[must_use]
pub fn estimate(plan: &Plan, room: u64, pace: &Pace) -> Estimate {
    let blocks = match plan.blocks {
        Blocks::Fixed { blocks } => blocks,
        Blocks::Until { .. } => LEAST_BLOCKS,
    };
    // The first block is a warm-up.
    let times = blocks + 1;
    let mut cost = Cost::default();
    for arm in &plan.arms {
        cost.add(of_arm(arm, room as f64, plan.host.memory_bytes, pace));
    }
    Estimate {
        runs: times * plan.arms.len() as u64,
        bytes_written: cost.bytes_written * times as f64,
        seconds: cost.seconds * times as f64,
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    bytes_written: f64,
    seconds: f64,
}

impl Cost {
    fn add(&mut self, other: Self) {
        self.bytes_written += other.bytes_written;
        self.seconds += other.seconds;
    }

    fn writing(bytes: f64, rate: f64) -> Self {
        Self { bytes_written: bytes, seconds: bytes / rate }
    }
}

fn of_arm(arm: &Arm, room: f64, memory: u64, pace: &Pace) -> Cost {
    let mut cost = Cost { bytes_written: 0.0, seconds: AROUND_A_RUN };
    for step in &arm.conditions {
        cost.add(of_step(step, room, pace));
    }
    cost.add(match arm.config.workload {
        WorkloadKind::Transfers => of_transfers(&arm.config, room as u64, memory, pace),
        WorkloadKind::Files => of_files(&arm.config, pace),
    });
    cost
}

fn of_step(step: &Step, room: f64, pace: &Pace) -> Cost {
    let level = step.level().map_or(0.0, |level| f64::from(level.percent) / 100.0);
    let filled = room * level * step.rounds() as f64;
    match step {
        Step::FillPurge(fill) => {
            let sizes = fill.sizes(0, (room * level) as u64, 4096);
            Cost::writing(filled, pace.with(u64::midpoint(sizes.low, sizes.high)))
        }
        Step::SequentialFill(_) => Cost::writing(filled, pace.with(1 << 20)),
        Step::Torture(torture) => {
            let mut cost = Cost::writing(filled, pace.with(1 << 20));
            let rate = pace.with(torture.record);
            cost.add(match torture.until {
                Until::Bytes(bytes) => Cost::writing(bytes as f64, rate),
                Until::Time(time) => Cost::writing(time as f64 / 1e9 * rate, rate),
            });
            cost
        }
        Step::Trim | Step::Format | Step::SecureErase { .. } => Cost::default(),
    }
}

fn of_transfers(config: &Config, free: u64, memory: u64, pace: &Pace) -> Cost {
    let of = &config.transfers;
    let bytes = of.file_size.bytes(free, memory) as f64;
    let mut cost = Cost::default();
    // Patterns that find no file have one made for them.
    if !of.patterns.contains(&Pattern::Write) {
        cost.add(Cost::writing(bytes, pace.with(1 << 20)));
    }
    for pattern in &of.patterns {
        for record in &of.records {
            let written = if pattern.writes() { bytes } else { 0.0 };
            cost.add(Cost { bytes_written: written, seconds: bytes / pace.with(*record) });
        }
    }
    cost
}

/// Each file is written once; of the transactions half create a file and a quarter append
/// half a file's size on average.
fn of_files(config: &Config, pace: &Pace) -> Cost {
    let mean = u64::midpoint(config.size_low, config.size_high.max(config.size_low));
    let files = config.number as f64 + 0.6 * config.transactions as f64;
    Cost::writing(files * mean as f64 * config.workers as f64, pace.with(mean))
}
