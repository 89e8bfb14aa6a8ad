//! How people speak PostMark: the language, batch files, the prompt.
//!
//! A [`Session`] holds the settings and carries out one [`Command`] after the other.

mod arguments;
mod bar;
pub mod command;
mod compare;
pub mod comparing;
mod comparison_bar;
pub mod completion;
pub mod drive;
pub mod error;
pub mod grammar;
mod help;
mod measuring;
mod output;
pub mod program;
mod progress;
pub mod prompt;
pub mod recipe;
mod row;
mod runs;
mod show;
mod speech;
mod steadily;
pub mod transferring;
mod trouble;
mod values;
pub mod word;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use command::{COMMANDS, Command};
use compare::Made;
pub use grammar::Dialect;
use grammar::{ParsedLine, parse_line};
use output::Outputs;
use program::{Action, Program};
pub use trouble::Trouble;

use crate::engine::{Kernel, System};
use crate::experiment::plan::Arm;
use crate::experiment::request::Request;
use crate::interrupt::Signals;
use crate::report::Format;
use crate::runner::clock::Clock;
use crate::workload::policy::LatencyLevel;
use crate::workload::{Assignment, Config};

/// Whether to go on after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// There may be more.
    Continue,
    /// `quit`
    Quit,
}

/// What the command line sets above whatever scripts say.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Parameters, applied before each run.
    pub assignments: Vec<Assignment>,
    /// Reports; empty leaves the choice to the script.
    pub reports: Vec<Format>,
    /// Files the reports go to; empty for standard output.
    pub outputs: Vec<PathBuf>,
    /// How arms are compared.
    pub request: Request,
    /// The set of arms where neither script nor request has any.
    pub default_arm_set: Option<&'static str>,
}

/// The settings of a script or prompt, and where it speaks to.
pub struct Session<'a> {
    dialect: Dialect,
    config: Config,
    reports: Vec<Format>,
    arms: Vec<Arm>,
    /// Settings that were made, and not left to their defaults.
    made: Made,
    overrides: Overrides,
    config_files: Vec<PathBuf>,
    outputs: Outputs,
    signals: Signals,
    system: &'a dyn System,
    clock: Option<&'a dyn Clock>,
    /// Files being loaded, outermost first.
    loading: Vec<PathBuf>,
    worst: u8,
    /// On a terminal of ours, Ctrl-C ends a run, not the session.
    interactive: bool,
    /// No further command may be carried out.
    ended: bool,
    out: &'a mut dyn Write,
    errors: &'a mut dyn Write,
}

impl<'a> Session<'a> {
    /// A session with default settings that prints to `out` and complains to `errors`.
    pub fn new(
        dialect: Dialect,
        overrides: Overrides,
        signals: Signals,
        out: &'a mut dyn Write,
        errors: &'a mut dyn Write,
    ) -> Self {
        let format = match dialect {
            Dialect::Trimark => Format::Full,
            Dialect::PostMark => Format::Verbose,
        };
        let mut config = Config::default();
        if dialect == Dialect::PostMark {
            config.latency = LatencyLevel::Off;
        }
        Self {
            dialect,
            config,
            reports: vec![format],
            arms: Vec::new(),
            made: Made::default(),
            outputs: Outputs::new(&overrides.outputs),
            overrides,
            config_files: Vec::new(),
            signals,
            system: &Kernel,
            clock: None,
            loading: Vec::new(),
            worst: 0,
            interactive: false,
            ended: false,
            out,
            errors,
        }
    }

    /// Uses this clock for every run, for tests of reports.
    #[must_use]
    pub fn with_clock(self, clock: &'a dyn Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Uses these system calls for every run, for tests of faults.
    #[must_use]
    pub fn with_system(self, system: &'a dyn System) -> Self {
        Self { system, ..self }
    }

    /// Says that a person is typing at a terminal.
    pub fn set_interactive(&mut self) {
        self.interactive = self.dialect == Dialect::Trimark;
    }

    /// The exit code of the worst that happened; 0 if nothing did.
    #[must_use]
    pub fn worst(&self) -> u8 {
        self.worst
    }

    /// Whose habits are followed.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Carries out a program already read; the first trouble ends it.
    ///
    /// # Errors
    /// [`Trouble`]
    pub fn execute_program(&mut self, program: Program) -> Result<Flow, Trouble> {
        for instruction in program.instructions {
            for note in &instruction.notes {
                self.note(&format!("{}:{}: {note}", instruction.source, instruction.line));
            }
            let flow = match instruction.action {
                Action::Entered(path) => {
                    self.config_files.push(path);
                    Flow::Continue
                }
                Action::Do(command) => self.execute(command)?,
            };
            if flow == Flow::Quit {
                return Ok(flow);
            }
        }
        Ok(Flow::Continue)
    }

    /// Carries out one line, as typed or streamed: trouble is reported, and one goes on.
    pub fn line(&mut self, source: &str, number: usize, line: &str) -> Flow {
        match parse_line(line, self.dialect) {
            Ok(ParsedLine { command, notes, complaints }) => {
                notes.iter().for_each(|note| self.note(note));
                complaints.iter().for_each(|complaint| self.complain(complaint));
                let Some(command) = command else {
                    if self.dialect == Dialect::PostMark {
                        self.say("Eh?\n");
                    }
                    return Flow::Continue;
                };
                self.execute(command).unwrap_or_else(|trouble| self.report(&trouble))
            }
            Err(error) => {
                self.worst = self.worst.max(2);
                if self.dialect == Dialect::PostMark {
                    if error.is_unknown() {
                        self.say("Eh?\n");
                    } else {
                        self.complain(&error.complaint());
                    }
                } else {
                    let shown = error.show(source, number, line).to_string();
                    let _ = writeln!(self.errors, "{shown}");
                }
                Flow::Continue
            }
        }
    }

    /// Tells of trouble and remembers its exit code. Ends the session only when a signal
    /// asked for it (on a terminal, one other than SIGINT), or nobody is listening any
    /// more.
    pub fn report(&mut self, trouble: &Trouble) -> Flow {
        self.worst = self.worst.max(trouble.exit_code());
        if !trouble.is_silent() {
            self.tell(trouble);
        }
        self.ended |= trouble.ends_session(self.interactive);
        if self.ended { Flow::Quit } else { Flow::Continue }
    }

    /// Carries out one command.
    ///
    /// # Errors
    /// [`Trouble`]
    pub fn execute(&mut self, command: Command) -> Result<Flow, Trouble> {
        match command {
            Command::Set(assignment) => {
                self.made.note(&assignment);
                self.config.apply(assignment)?;
            }
            Command::Arm(arm) => self.arms.push(*arm),
            Command::Compare(request) => self.compare(*request)?,
            Command::Condition(request) => self.condition(&request)?,
            Command::Recipe(request) => self.recipe(request.as_deref())?,
            Command::Trim(request) => self.trim(&request)?,
            Command::SetReports(reports) => self.reports = reports,
            Command::Run(file) => self.run(file.as_deref())?,
            Command::Show(file) => self.show(file.as_deref())?,
            Command::Load(file) => {
                // `quit` in it ends the file only.
                self.load(&file)?;
                return Ok(if self.ended { Flow::Quit } else { Flow::Continue });
            }
            Command::Help(prefix) => help::help(&prefix, self.dialect, self.out)?,
            Command::Quit => return Ok(Flow::Quit),
            Command::Shell(line) => self.shell(&line)?,
        }
        Ok(Flow::Continue)
    }

    /// The settings as a run would use them.
    ///
    /// # Errors
    /// [`Trouble::Assignment`] when the command line's do not fit the script's.
    pub fn effective_config(&self) -> Result<Config, Trouble> {
        let mut config = self.config.clone();
        for assignment in &self.overrides.assignments {
            config.apply(assignment.clone())?;
        }
        Ok(config)
    }

    /// Obeys a file: as a whole in our dialect, line by line in PostMark's.
    ///
    /// # Errors
    /// [`Trouble`] when it cannot be read, holds errors (ours) or loads itself.
    pub fn load(&mut self, path: &Path) -> Result<Flow, Trouble> {
        if self.dialect == Dialect::PostMark || !self.loading.is_empty() {
            return self.load_lines(path);
        }
        self.execute_program(program::read(path)?)?;
        Ok(Flow::Continue)
    }

    /// Obeys a file line by line and goes on after errors, which are reported.
    pub fn load_line_by_line(&mut self, path: &Path) -> Flow {
        self.load_lines(path).unwrap_or_else(|trouble| self.report(&trouble))
    }

    fn load_lines(&mut self, path: &Path) -> Result<Flow, Trouble> {
        let unreadable = |error| Trouble::unreadable_config(path, &error);
        let bytes = std::fs::read(path).map_err(unreadable)?;
        // What a pipe holds has no other name.
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.loading.contains(&resolved) {
            return Err(program::chain(&self.loading, &resolved));
        }
        if self.dialect == Dialect::PostMark {
            self.say(&format!("Reading configuration from file '{}'\n", path.display()));
        }
        self.config_files.push(path.to_owned());
        self.loading.push(resolved);
        let source = path.display().to_string();
        let mut flow = Flow::Continue;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            flow = self.line(&source, index + 1, line);
            if flow == Flow::Quit {
                break;
            }
        }
        self.loading.pop();
        Ok(flow)
    }

    fn shell(&mut self, line: &str) -> Result<(), Trouble> {
        self.out.flush()?;
        let held = self.signals.hold(); // an interrupt is meant for the command
        let status = std::process::Command::new("/bin/sh").arg("-c").arg(line).status();
        drop(held);
        let status = status.map_err(|error| Trouble::Shell(error.to_string()))?;
        if status.success() || self.dialect == Dialect::PostMark {
            return Ok(());
        }
        Err(Trouble::Shell(format!("`{}`: {status}", line.trim())))
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
