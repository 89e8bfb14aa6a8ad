//! What can go wrong while commands are carried out, and the exit code of each.

use std::io;
use std::path::{Path, PathBuf};

use crate::conditioning::ConditionError;
use crate::experiment::file::FileError;
use crate::experiment::play::Halt;
use crate::experiment::request::RequestError;
use crate::experiment::stage::StageError;
use crate::runner::Refusal;
use crate::runner::measurement::{RunResult, Status};
use crate::volume::trim::TrimError;
use crate::workload::assignment::AssignmentError;

/// A command that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Errors in a script, each shown with its place; nothing of it was carried out.
    #[error("{}", .0.join("\n"))]
    Script(Vec<String>),
    /// A file to be read cannot be.
    #[error("cannot read configuration file '{}': {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file that loads itself.
    #[error("'{}' loads itself: {chain}", path.display())]
    Recursion {
        /// The file.
        path: PathBuf,
        /// The way back to it.
        chain: String,
    },
    /// A change that does not fit the settings.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// A run that was refused before it began.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A run that failed, ran out of files, or left something behind.
    #[error("{0}")]
    Run(String),
    /// A run stopped by a signal.
    #[error("interrupted by {name}; everything it made was removed")]
    Interrupted {
        /// Its number.
        signal: i32,
        /// Its name.
        name: String,
    },
    /// A file for a report or the settings that cannot be written.
    #[error("cannot direct output to file '{}': {error}", path.display())]
    Destination {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A comparison that cannot be planned.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The place of a comparison cannot be made ready.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A comparison that could not go on; what it has is saved.
    #[error("{halt}; what was measured until then is in '{}': go on with --resume", file.display())]
    Halted {
        /// Why.
        halt: Box<Halt>,
        /// The experiment's file.
        file: PathBuf,
    },
    /// A comparison that ended before its first run; and its exit code.
    #[error("{0}")]
    NotBegun(String, u8),
    /// An experiment's file.
    #[error(transparent)]
    ExperimentFile(#[from] FileError),
    /// A drive that could not be brought to a state.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// Free space that was not discarded.
    #[error(transparent)]
    Trim(#[from] TrimError),
    /// A shell command that failed.
    #[error("shell command failed: {0}")]
    Shell(String),
    /// Standard output does not take it.
    #[error("cannot write: {0}")]
    Output(io::Error),
}

impl Trouble {
    /// A configuration file that cannot be read.
    #[must_use]
    pub fn unreadable_config(path: &Path, error: &io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: error.to_string() }
    }

    /// PostMark's words for it, where it has some that tell less than ours.
    #[must_use]
    pub fn classic(&self) -> Option<String> {
        match self {
            Self::Unreadable { path, .. } => {
                Some(format!("cannot read configuration file '{}'", path.display()))
            }
            Self::Destination { path, .. } => {
                Some(format!("Cannot direct output to file '{}'", path.display()))
            }
            _ => None,
        }
    }

    /// What the end of a run comes to.
    ///
    /// # Errors
    /// Itself: the trouble, unless the run was complete and left nothing.
    pub fn of_status(result: &RunResult) -> Result<(), Self> {
        let left = result.clean_up.as_ref().map_or(&[][..], |clean_up| &clean_up.left);
        let remains = left.first().map(|first| {
            format!(
                "; {} files or directories could not be removed, the first is '{}' ({}): mend that, \
                 then use `trimark clean`",
                left.len(),
                first.path.display(),
                first.reason
            )
        });
        let remains = remains.unwrap_or_default();
        match &result.status {
            Status::Interrupted { signal, name } if remains.is_empty() => {
                Err(Self::Interrupted { signal: *signal, name: name.clone() })
            }
            Status::Interrupted { name, .. } => {
                Err(Self::Run(format!("interrupted by {name}{remains}")))
            }
            Status::Failed { error } => Err(Self::Run(format!("the run failed: {error}{remains}"))),
            Status::OutOfFiles => Err(Self::Run(format!(
                "out of files after {} of {} transactions: either increase the number of files or \
                 decrease the number of transactions{remains}",
                result.transactions, result.config.transactions
            ))),
            Status::Complete if !remains.is_empty() => {
                Err(Self::Run(format!("the run is complete{remains}")))
            }
            Status::Complete => Ok(()),
        }
    }

    /// The exit code: 1 the run failed, 2 bad input, 3 the machine cannot, 128 + n for
    /// signal n.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Script(_)
            | Self::Unreadable { .. }
            | Self::Recursion { .. }
            | Self::Assignment(_)
            | Self::Destination { .. } => 2,
            Self::Refused(refusal) => refusal.exit_code(),
            Self::Request(_) | Self::ExperimentFile(_) => 2,
            Self::Trim(error) if error.is_input() => 2,
            Self::Condition(error) if error.is_input() => 2,
            Self::Condition(ConditionError::Trim(TrimError::Unsupported(_))) => 3,
            Self::Trim(TrimError::Unsupported(_)) => 3,
            Self::Stage(error) => {
                if error.bad_input {
                    2
                } else {
                    3
                }
            }
            Self::NotBegun(_, code) => *code,
            Self::Halted { halt, .. } => halt.exit_code(),
            Self::Run(_)
            | Self::Condition(_)
            | Self::Trim(_)
            | Self::Shell(_)
            | Self::Output(_) => 1,
            Self::Interrupted { signal, .. } => 128 + *signal as u8,
        }
    }

    /// True when nobody is there to be told: the reader of standard output went away.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// True when no further command may follow. At a prompt, Ctrl-C only ends the run.
    #[must_use]
    pub fn ends_session(&self, interactive: bool) -> bool {
        match self {
            Self::Interrupted { signal, .. } => {
                !interactive || *signal != signal_hook::consts::SIGINT
            }
            Self::Output(_) => true,
            _ => false,
        }
    }
}
