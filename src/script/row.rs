//! A command as data, and the shape of its row in the table.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::drive::{ConditionRequest, TrimRequest};
use super::error::LineError;
use super::recipe::RecipeRequest;
use crate::experiment::plan::Arm;
use crate::experiment::request::Request;
use crate::report::Format;
use crate::workload::Assignment;

/// A command as read.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Change a parameter of the workload.
    Set(Assignment),
    /// Choose the reports.
    SetReports(Vec<Format>),
    /// Play one run; append the report to a file instead of printing it.
    Run(Option<PathBuf>),
    /// Add an arm to the next comparison.
    Arm(Box<Arm>),
    /// Compare the arms.
    Compare(Box<Request>),
    /// Bring a drive to a known state.
    Condition(Box<ConditionRequest>),
    /// Play a ready-made experiment, or list them.
    Recipe(Option<Box<RecipeRequest>>),
    /// Discard free space.
    Trim(TrimRequest),
    /// Print the configuration, or append it to a file.
    Show(Option<PathBuf>),
    /// Read commands from a file.
    Load(PathBuf),
    /// Explain the commands whose name begins so.
    Help(String),
    /// End the program, or the file being loaded.
    Quit,
    /// Hand a line to the shell.
    Shell(String),
}

/// What can follow a command, for completion.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// Nothing that can be listed.
    Free,
    /// One of these.
    Words(fn() -> Vec<&'static str>),
    /// A file or directory.
    Path,
}

/// One command of the table.
#[derive(Clone, Copy)]
pub struct CommandRow {
    /// The words it begins with.
    pub words: &'static [&'static str],
    /// Other names, single words.
    pub aliases: &'static [&'static str],
    /// What follows, as shown in help.
    pub usage: &'static str,
    /// PostMark's own line of help, or one in its manner.
    pub summary: &'static str,
    /// All there is to know: meaning, default, bounds.
    pub details: &'static str,
    /// True when PostMark has it.
    pub classic: bool,
    /// What PostMark says when the value is refused.
    pub complaint: Option<&'static str>,
    /// What can follow.
    pub values: Values,
    /// Reads what follows.
    pub parse: fn(&mut Arguments<'_>) -> Result<Command, LineError>,
}

impl CommandRow {
    /// Its words: `set bias read`.
    #[must_use]
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Its words and what follows: `set bias read N`.
    #[must_use]
    pub fn synopsis(&self) -> String {
        format!("{} {}", self.name(), self.usage).trim_end().to_owned()
    }
}

/// A row to fill in.
pub(super) const ROW: CommandRow = CommandRow {
    words: &[],
    aliases: &[],
    usage: "",
    summary: "",
    details: "",
    classic: true,
    complaint: None,
    values: Values::Free,
    parse: |_| Ok(Command::Quit),
};

/// The command that makes one assignment of a value.
pub(super) fn set<T>(make: impl Fn(T) -> Assignment) -> impl Fn(T) -> Command {
    move |value| Command::Set(make(value))
}
