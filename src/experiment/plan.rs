//! What an experiment is to do: data only. Saved as the first line of its file, so that it
//! can be resumed, repeated and reported.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::conditioning::Step;
use crate::runner::measurement::Tool;
use crate::volume::host::Host;
use crate::workload::Config;

/// Name of the document format of an experiment's file and of its outcome.
pub const FORMAT: &str = "trimark-experiment";
/// Version of the document format; raised when a field changes its meaning.
pub const FORMAT_VERSION: u32 = 1;

/// One of the conditions that are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// Mount options, as mount(8) takes them.
    pub mount_options: Vec<String>,
    /// What its drive is brought to a known state by before each run, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Step>,
    /// All free space is discarded before each of its runs.
    #[serde(default)]
    pub trim_before: bool,
    /// Its type of file system, where not the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Arguments of mkfs besides the usual.
    #[serde(default)]
    pub mkfs: Vec<String>,
    /// I/O scheduler of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Settings above the script's, as in scripts without `set`: `sync close`.
    #[serde(default)]
    pub settings: Vec<String>,
    /// All settings its runs are made with.
    pub config: Config,
    /// A directory that is mounted already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Saved results instead of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Commands obeyed by a shell before each run, the file system mounted.
    #[serde(default)]
    pub before: Vec<String>,
    /// The same after each run.
    #[serde(default)]
    pub after: Vec<String>,
}

/// Where the runs take place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum VolumePlan {
    /// File systems in sparse images, made for the experiment.
    Scratch {
        /// Bytes of each image.
        bytes: u64,
        /// Type of file system of arms that name none.
        file_system: String,
    },
    /// A device, mounted for the experiment alone.
    Device {
        /// Its node.
        device: PathBuf,
        /// What it is formatted with first; none leaves what is on it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
    },
    /// A mounted file system, remounted with each arm's options.
    Mountpoint {
        /// A directory on it, where the runs take place.
        directory: PathBuf,
    },
    /// Directories as they are.
    Directories {
        /// Directory of arms that name none.
        directory: PathBuf,
    },
    /// Saved results.
    Files,
}

/// How many blocks are played.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "snake_case")]
pub enum Blocks {
    /// So many.
    Fixed {
        /// The number.
        blocks: u64,
    },
    /// Until the headline's intervals are no wider than this either way, a share.
    Until {
        /// Half the width.
        half_width: f64,
    },
}

/// Two yes-or-no options in all four combinations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factorial {
    /// Names of the options.
    pub factors: [String; 2],
    /// Arms: neither, the first alone, the second alone, both.
    pub cells: [String; 4],
}

/// All that was decided before the first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT`]
    pub format: String,
    /// [`FORMAT_VERSION`] it was made with.
    pub version: u32,
    /// The program.
    pub tool: Tool,
    /// When it was made: RFC 3339, UTC.
    pub started: String,
    /// The command line, to repeat it.
    pub command: Vec<String>,
    /// The machine.
    pub host: Host,
    /// Files the settings were read from.
    pub config_files: Vec<PathBuf>,
    /// The settings all arms begin from.
    pub config: Config,
    /// What is compared.
    pub arms: Vec<Arm>,
    /// Name of the arm that others are set against.
    pub base: String,
    /// How the arms combine two options, where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factorial: Option<Factorial>,
    /// The base arm is compared with itself, to learn the noise.
    #[serde(default)]
    pub against_itself: bool,
    /// Where the runs take place.
    pub volume: VolumePlan,
    /// Seed of the order of runs.
    pub seed: u64,
    /// How many blocks.
    pub blocks: Blocks,
    /// No block begins that would end later than this, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ns: Option<u64>,
    /// The metric chosen beforehand.
    pub metric: String,
    /// Differences within this share are none that matter.
    pub margin: f64,
    /// Confidence level of the headline, before the correction for several arms.
    pub confidence: f64,
    /// Noise floor of the headline from an earlier experiment of the base against itself:
    /// the standard deviation of the logarithm of the ratio of two identical runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_noise: Option<f64>,
}

impl Plan {
    /// True when a run of some arm begins with what erases the drive.
    #[must_use]
    pub fn erases(&self) -> bool {
        self.arms.iter().flat_map(|arm| &arm.conditions).any(Step::erases)
    }

    /// The arm of that name.
    #[must_use]
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.name == name)
    }
}
