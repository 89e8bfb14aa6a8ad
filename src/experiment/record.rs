//! One line of an experiment's file, and what is on it: data only.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::conditioning::Conditioned;
use crate::runner::measurement::RunResult;
use crate::volume::quiet::Waited;

/// A command of the user's that ran before or after a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRun {
    /// The command.
    pub command: String,
    /// `before` or `after`
    pub moment: String,
    /// Its exit status; none when a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// What it printed, standard output and error together.
    pub output: String,
}

/// How a run's start was made the same as every other's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// What was done, in order: `unmount`, `mount`, `trim`, `sync`, `drop caches`, `quiet`.
    pub steps: Vec<String>,
    /// Bytes that the trim said were discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trimmed_bytes: Option<u64>,
    /// How its drive was brought to a state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Conditioned>,
    /// How the device was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Waited>,
    /// Bytes the backing file of a scratch image took at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_bytes: Option<u64>,
}

/// One run of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its block, from 1; 0 is the warm-up block.
    pub block: u64,
    /// Its place in the block, from 1.
    pub place: u64,
    /// Its arm.
    pub arm: String,
    /// How it began.
    pub start: Start,
    /// Mount options in force, read back from the kernel.
    pub options_in_force: Vec<String>,
    /// Requested options that nothing shows to be in force, or not.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// Where the runs' directory was.
    pub directory: PathBuf,
    /// Bytes the backing file of a scratch image took at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_bytes_after: Option<u64>,
    /// The user's commands.
    #[serde(default)]
    pub hooks: Vec<HookRun>,
    /// What was measured.
    pub result: Box<RunResult>,
}

impl RunRecord {
    /// True for runs that only warm up.
    #[must_use]
    pub fn is_warm_up(&self) -> bool {
        self.block == 0
    }
}

/// Why an experiment ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum End {
    /// All blocks were played.
    Blocks,
    /// The intervals became as narrow as asked for.
    NarrowEnough,
    /// The time was up.
    Time,
    /// A signal asked for a stop.
    Interrupted {
        /// Its name.
        signal: String,
    },
    /// A run, or what prepares it, failed.
    Failed {
        /// How.
        reason: String,
    },
}

/// One line of an experiment's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// The first line.
    Plan(Box<Plan>),
    /// A run.
    Run(Box<RunRecord>),
    /// The experiment came to an end, until somebody resumes it.
    End(End),
}
