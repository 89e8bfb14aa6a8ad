//! What a run measured: data only, and the arithmetic that belongs to a single number.
//!
//! A [`RunResult`] is the one record of a run. Everything a report shows is in it or
//! follows from it, and it is what is saved as JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use super::course::{Activity, PhaseActivity, PhaseTimeline};
use super::latency::Latencies;
pub use super::phase::{Phase, PhaseTime};
pub use super::tally::{ClassicSums, KindTally, OperationTallies, Skipped, Tally};
use super::transferred::Transferred;
use crate::volume::host::Host;
use crate::volume::place::Place;
use crate::volume::quiet::Waited;
use crate::workload::Config;

/// Name of the document format of a [`RunResult`].
pub const FORMAT: &str = "trimark-run";
/// Version of the document format; raised when a field changes its meaning.
pub const FORMAT_VERSION: u32 = 1;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Status {
    /// All of it was done.
    Complete,
    /// The pool was empty before the transactions were done.
    OutOfFiles,
    /// An operation failed.
    Failed {
        /// Which, and how.
        error: Failure,
    },
    /// A signal asked for a stop.
    Interrupted {
        /// Its number.
        signal: i32,
        /// Its name.
        name: String,
    },
}

/// The failed operation of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The phase it was in.
    pub phase: Phase,
    /// The operation: `create`, `read`, …
    pub operation: String,
    /// The system call.
    pub call: String,
    /// The file or directory.
    pub path: PathBuf,
    /// The error number, where the system gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
    /// The reason in words.
    pub message: String,
    /// What may mend it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, call, path, message, .. } = self;
        write!(f, "{operation} '{}' failed in {call}: {message}", path.display())?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// A file or directory of the run that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    /// It.
    pub path: PathBuf,
    /// Why it is still there.
    pub reason: String,
}

/// What was cleaned up after a run that did not come to its own end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanUp {
    /// Files removed.
    pub files: u64,
    /// Subdirectories removed.
    pub directories: u64,
    /// What could not be removed.
    pub left: Vec<Leftover>,
}

/// The program that made a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `trimark`
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program.
    #[must_use]
    pub fn this() -> Self {
        Self { name: env!("CARGO_PKG_NAME").into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}

/// One of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Which, from 1.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

/// Which of the rounds until a steady state it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Which, from 1.
    pub number: u64,
    /// How many there may be.
    pub of: u64,
    /// The number that is to be steady.
    pub metric: String,
    /// What it is in this round, in its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The rounds up to this one that are steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Plateau>,
}

/// Rounds in a row that are steady.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plateau {
    /// The first of them.
    pub first_round: u64,
    /// The mean of their values.
    pub mean: f64,
    /// The range of the values, as a share of it.
    pub range: f64,
    /// How far the line of least squares moves from the first to the last, the same.
    pub slope: f64,
}

/// All that is known of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`FORMAT`]
    pub format: String,
    /// [`FORMAT_VERSION`] it was made with.
    pub version: u32,
    /// The program.
    pub tool: Tool,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// Which of several runs it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<Iteration>,
    /// Which of the rounds until a steady state it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// The files its settings were read from, in order; a `.pmrc` among them.
    pub config_files: Vec<PathBuf>,
    /// The settings it ran with.
    pub config: Config,
    /// The machine it ran on, at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Where it ran.
    pub places: Vec<Place>,
    /// How it ended.
    pub status: Status,
    /// The phases it came to.
    pub phases: Vec<PhaseTime>,
    /// Transactions done.
    pub transactions: u64,
    /// What was done.
    pub operations: OperationTallies,
    /// What silently was not.
    pub skipped: Skipped,
    /// PostMark's own byte counts.
    pub classic_sums: ClassicSums,
    /// Latencies, where they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Latencies>,
    /// The phases over time, where latencies were measured.
    #[serde(default)]
    pub timelines: Vec<PhaseTimeline>,
    /// What the kernel counted, phase by phase.
    #[serde(default)]
    pub activity: Vec<PhaseActivity>,
    /// What it counted from the start of the run to the end of the waiting after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity_total: Option<Activity>,
    /// How long the device was waited for before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_before: Option<Waited>,
    /// The same after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_after: Option<Waited>,
    /// What was cleaned up, where that was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean_up: Option<CleanUp>,
    /// Transfers of one large file, where these were played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Transferred>,
    /// What the reader of the figures should know.
    pub warnings: Vec<String>,
}

impl RunResult {
    /// The result of a run that is about to begin.
    #[must_use]
    pub fn new(config: &Config, config_files: &[PathBuf], places: Vec<Place>) -> Self {
        Self {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            tool: Tool::this(),
            started: jiff::Timestamp::now().to_string(),
            iteration: None,
            round: None,
            config_files: config_files.to_vec(),
            config: config.clone(),
            host: Some(Host::describe()),
            places,
            status: Status::Complete,
            phases: Vec::new(),
            transactions: 0,
            operations: OperationTallies::default(),
            skipped: Skipped::default(),
            classic_sums: ClassicSums::default(),
            latencies: None,
            timelines: Vec::new(),
            activity: Vec::new(),
            activity_total: None,
            settled_before: None,
            settled_after: None,
            clean_up: None,
            transfers: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// True when everything was done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.status == Status::Complete
    }

    /// The time of a phase, if the run came to it.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseTime> {
        self.phases.iter().find(|time| time.phase == phase)
    }

    /// Nanoseconds of a phase, if the run came to it.
    #[must_use]
    pub fn elapsed(&self, phase: Phase) -> Option<u64> {
        self.phase(phase).map(PhaseTime::elapsed)
    }

    /// Nanoseconds of creation, transactions and deletion together: PostMark's total,
    /// without subdirectories, syncs and warm-up. None before the first create.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        let rest = [Phase::Transactions, Phase::Deletion];
        let rest: u64 = rest.into_iter().filter_map(|phase| self.elapsed(phase)).sum();
        Some(self.elapsed(Phase::Creation)? + rest)
    }

    /// The total with the syncs after its phases.
    #[must_use]
    pub fn total_with_syncs(&self) -> Option<u64> {
        let syncs = [Phase::CreationSync, Phase::TransactionSync, Phase::DeletionSync];
        let syncs: u64 = syncs.into_iter().filter_map(|phase| self.elapsed(phase)).sum();
        Some(self.total()? + syncs)
    }

    /// What the kernel counted in a phase.
    #[must_use]
    pub fn activity_in(&self, phase: Phase) -> Option<&PhaseActivity> {
        self.activity.iter().find(|activity| activity.phase == phase)
    }
}

impl CleanUp {
    /// Adds what another worker's came to.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.directories += other.directories;
        self.left.extend(other.left);
    }
}
