//! What a run measured: data only, and the arithmetic that belongs to a single number.
//!
//! A [`RunResult`] is the one record of a run. Everything a report shows is in it or
//! follows from it, and it is what is saved as JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::clock::Moment;
use super::latency::Latencies;
use super::timeline::{Stall, Timeline};
use crate::volume::activity::ProcessCounts;
use crate::volume::device::DeviceCounts;
use crate::volume::host::Host;
use crate::volume::place::Place;
use crate::volume::quiet::Waited;
use crate::workload::{Config, OperationKind};

/// Name of the document format of a [`RunResult`].
pub const FORMAT: &str = "trimark-run";
/// Version of the document format; raised when a field changes its meaning.
pub const FORMAT_VERSION: u32 = 1;

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Making the subdirectories.
    Subdirectories,
    /// Making the initial pool.
    Creation,
    /// Transactions.
    Transactions,
    /// Deleting every file that is left.
    Deletion,
    /// Removing the subdirectories.
    SubdirectoryRemoval,
    /// Forcing the initial pool to the device.
    CreationSync,
    /// Writing back and emptying the page cache.
    CacheDrop,
    /// Transactions that do not count.
    WarmUp,
    /// Forcing what the transactions wrote to the device.
    TransactionSync,
    /// Forcing the deletes to the device.
    DeletionSync,
}

impl Phase {
    /// Its name as printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Subdirectories => "subdirectories",
            Self::Creation => "creation",
            Self::Transactions => "transactions",
            Self::Deletion => "deletion",
            Self::SubdirectoryRemoval => "subdirectory removal",
            Self::CreationSync => "sync after creation",
            Self::CacheDrop => "emptying caches",
            Self::WarmUp => "warm-up",
            Self::TransactionSync => "sync after trans.",
            Self::DeletionSync => "sync after deletion",
        }
    }
}

/// When a phase was, and whether it came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Which.
    pub phase: Phase,
    /// Its beginning.
    pub start: Moment,
    /// Its end.
    pub end: Moment,
    /// False when the run stopped in it.
    pub complete: bool,
}

impl PhaseTime {
    /// Its length in nanoseconds.
    #[must_use]
    pub fn elapsed(&self) -> u64 {
        self.end.since(self.start)
    }
}

/// How many operations, and how many bytes they moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Operations completed.
    pub count: u64,
    /// Bytes read or written, those of a failed operation included.
    pub bytes: u64,
}

/// The tallies of one kind of operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindTally {
    /// In the phase of its own: creation or deletion.
    pub alone: Tally,
    /// Among the transactions.
    pub mixed: Tally,
    /// Among the transactions of the warm-up; part of no total and no rate.
    #[serde(default)]
    pub warm_up: Tally,
}

impl KindTally {
    /// Alone and mixed together.
    #[must_use]
    pub fn total(&self) -> Tally {
        Tally {
            count: self.alone.count + self.mixed.count,
            bytes: self.alone.bytes + self.mixed.bytes,
        }
    }
}

/// The tallies of all kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationTallies {
    /// Creates.
    pub create: KindTally,
    /// Reads.
    pub read: KindTally,
    /// Appends.
    pub append: KindTally,
    /// Deletes.
    pub delete: KindTally,
}

impl OperationTallies {
    /// The tally of one kind.
    #[must_use]
    pub fn of(&self, kind: OperationKind) -> &KindTally {
        match kind {
            OperationKind::Create => &self.create,
            OperationKind::Read => &self.read,
            OperationKind::Append => &self.append,
            OperationKind::Delete => &self.delete,
        }
    }

    pub(super) fn of_mut(&mut self, kind: OperationKind) -> &mut KindTally {
        match kind {
            OperationKind::Create => &mut self.create,
            OperationKind::Read => &mut self.read,
            OperationKind::Append => &mut self.append,
            OperationKind::Delete => &mut self.delete,
        }
    }

    /// Adds another worker's.
    pub(super) fn add(&mut self, other: &Self) {
        for kind in OperationKind::ALL {
            let (mine, theirs) = (self.of_mut(kind), other.of(kind));
            for (mine, theirs) in [
                (&mut mine.alone, theirs.alone),
                (&mut mine.mixed, theirs.mixed),
                (&mut mine.warm_up, theirs.warm_up),
            ] {
                mine.count += theirs.count;
                mine.bytes += theirs.bytes;
            }
        }
    }

    /// Bytes read.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.total().bytes
    }

    /// Bytes written: creates and appends.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.create.total().bytes + self.append.total().bytes
    }
}

/// Transactions whose half silently did nothing; PostMark counts them as done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Creates that found the file table full.
    pub creates: u64,
    /// Appends to a file already at the largest size.
    pub appends: u64,
}

/// PostMark's byte counters: 32-bit floats that lose what is too small for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassicSums {
    /// Bytes read.
    pub read: f32,
    /// Bytes written.
    pub written: f32,
}

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

/// One phase over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTimeline {
    /// The phase.
    pub phase: Phase,
    /// It over time.
    #[serde(flatten)]
    pub timeline: Timeline,
    /// Where it stood still.
    pub stalls: Vec<Stall>,
}

/// One of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Which, from 1.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

/// What the kernel counted in a stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// On the devices under the locations, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// By this process.
    pub process: ProcessCounts,
}

impl Activity {
    /// What came since an earlier moment.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let device = self.device.zip(earlier.device).map(|(now, then)| now.since(&then));
        Self { device, process: self.process.since(&earlier.process) }
    }
}

/// What the kernel counted in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseActivity {
    /// The phase.
    pub phase: Phase,
    /// On the devices under the locations, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// By this process.
    pub process: ProcessCounts,
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
