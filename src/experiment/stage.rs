//! What an experiment needs from the place its runs take place on; implemented by
//! `stages`, and by tests.

use std::path::PathBuf;

use super::plan::Arm;
use super::record::Start;

/// A place that is ready for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The directory of the run, empty.
    pub directory: PathBuf,
    /// How it was made ready.
    pub start: Start,
    /// Mount options in force, read back.
    pub options_in_force: Vec<String>,
    /// What stands for the file system it is on: a source, a mount point.
    pub identity: String,
    /// Requested options that nothing shows to be in force.
    pub unverified: Vec<String>,
}

/// A place that cannot be made ready. The message says what, where and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StageError {
    /// What the user has to know.
    pub message: String,
    /// True when the input is at fault (a misspelt option), false when the machine cannot.
    pub bad_input: bool,
}

impl StageError {
    /// The machine cannot.
    pub fn machine(message: impl std::fmt::Display) -> Self {
        Self { message: message.to_string(), bad_input: false }
    }

    /// What was asked for is at fault.
    pub fn input(message: impl std::fmt::Display) -> Self {
        Self { message: message.to_string(), bad_input: true }
    }
}

/// Where runs take place.
pub trait Stage {
    /// Brings the place to the same start as for every other run, with the arm's options.
    ///
    /// # Errors
    /// [`StageError`], also when an option did not take.
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError>;

    /// What the user should know about it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Bytes that the backing file of a scratch image takes now; none elsewhere.
    fn image_bytes(&self, arm: &Arm) -> Option<u64>;
}
