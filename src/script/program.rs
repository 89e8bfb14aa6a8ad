//! A batch file read as a whole, files it loads included, before anything is done.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::command::Command;
use super::grammar::{Dialect, ParsedLine, parse_line};
use super::trouble::Trouble;

/// Files that load each other twice over would grow without end.
const MOST_FILES: usize = 1000;

/// One step of a program.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Carry this out; never a `load`.
    Do(Command),
    /// The commands of this file begin.
    Entered(PathBuf),
}

/// A step with its place.
#[derive(Debug)]
pub struct Instruction {
    /// What to do.
    pub action: Action,
    /// What the writer should know.
    pub notes: Vec<String>,
    /// The file or other source.
    pub source: Rc<str>,
    /// The line in it, from 1.
    pub line: usize,
}

/// All steps of a batch file, without errors.
#[derive(Debug, Default)]
pub struct Program {
    /// The steps, loaded files put in their places.
    pub instructions: Vec<Instruction>,
}

impl Program {
    /// True when it runs at least once.
    #[must_use]
    pub fn runs(&self) -> bool {
        let is_run = |step: &Instruction| matches!(step.action, Action::Do(Command::Run(_)));
        self.instructions.iter().any(is_run)
    }

    /// True when it compares at least once.
    #[must_use]
    pub fn compares(&self) -> bool {
        let is = |step: &Instruction| matches!(step.action, Action::Do(Command::Compare(_)));
        self.instructions.iter().any(is)
    }

    /// Leaves only the settings and arms.
    #[must_use]
    pub fn settings_and_arms(mut self) -> Self {
        self.instructions.retain(|step| {
            !matches!(
                step.action,
                Action::Do(Command::Run(_) | Command::Show(_) | Command::Quit | Command::Help(_))
            )
        });
        self
    }

    /// Leaves only the settings.
    #[must_use]
    pub fn settings_only(mut self) -> Self {
        self.instructions.retain(|step| {
            matches!(
                step.action,
                Action::Entered(_) | Action::Do(Command::Set(_) | Command::SetReports(_))
            )
        });
        self
    }
}

/// Reads a file.
///
/// # Errors
/// [`Trouble::Unreadable`], or [`Trouble::Script`] with every error in it and in the
/// files it loads.
pub fn read(path: &Path) -> Result<Program, Trouble> {
    let mut reader = Reader::default();
    reader.file(path)?;
    reader.finish()
}

/// Reads a text that came from `source`.
///
/// # Errors
/// [`Trouble::Script`] with every error in it and in the files it loads.
pub fn parse(bytes: &[u8], source: &str) -> Result<Program, Trouble> {
    let mut reader = Reader::default();
    reader.text(bytes, source);
    reader.finish()
}

/// The error of a file that is being loaded already.
#[must_use]
pub fn chain(loading: &[PathBuf], again: &Path) -> Trouble {
    let from = loading.iter().position(|path| path == again).unwrap_or(0);
    let names = loading[from..].iter().map(PathBuf::as_path).chain([again]);
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    Trouble::Recursion { path: again.to_owned(), chain: names.join(" → ") }
}

#[derive(Default)]
struct Reader {
    program: Program,
    errors: Vec<String>,
    loading: Vec<PathBuf>,
    loaded: usize,
    /// How many `load`s deep the line being read is.
    depth: usize,
}

impl Reader {
    fn finish(self) -> Result<Program, Trouble> {
        if self.errors.is_empty() { Ok(self.program) } else { Err(Trouble::Script(self.errors)) }
    }

    fn file(&mut self, path: &Path) -> Result<(), Trouble> {
        let unreadable = |error| Trouble::unreadable_config(path, &error);
        let bytes = std::fs::read(path).map_err(unreadable)?;
        // What a pipe holds has no other name.
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.loading.contains(&resolved) {
            return Err(chain(&self.loading, &resolved));
        }
        self.loaded += 1;
        if self.loaded > MOST_FILES {
            return Err(Trouble::Script(vec![format!(
                "more than {MOST_FILES} files are loaded; '{}' is one too many",
                path.display()
            )]));
        }
        self.loading.push(resolved);
        let source = path.display().to_string();
        self.step(Action::Entered(path.to_owned()), vec![], &Rc::from(source.as_str()), 0);
        self.text(&bytes, &source);
        self.loading.pop();
        Ok(())
    }

    fn text(&mut self, bytes: &[u8], source: &str) {
        let source: Rc<str> = Rc::from(source);
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if !self.line(line, &source, index + 1) {
                break;
            }
        }
    }

    /// Reads a line; false when it ends the file.
    fn line(&mut self, bytes: &[u8], source: &Rc<str>, number: usize) -> bool {
        let Ok(line) = std::str::from_utf8(bytes) else {
            self.errors.push(format!(
                "{source}:{number}: the line is not UTF-8; save the file in that encoding"
            ));
            return true;
        };
        match parse_line(line, Dialect::Trimark) {
            Err(error) => self.errors.push(error.show(source, number, line).to_string()),
            Ok(ParsedLine { command: None, .. }) => {}
            Ok(ParsedLine { command: Some(Command::Load(path)), .. }) => {
                self.depth += 1;
                if let Err(trouble) = self.file(&path) {
                    self.errors.push(format!("{source}:{number}: {trouble}"));
                }
                self.depth -= 1;
            }
            Ok(ParsedLine { command: Some(Command::Quit), notes, .. }) => {
                // In a loaded file it ends that file only.
                if self.depth == 0 {
                    self.step(Action::Do(Command::Quit), notes, source, number);
                }
                return false;
            }
            Ok(ParsedLine { command: Some(command), notes, .. }) => {
                self.step(Action::Do(command), notes, source, number);
            }
        }
        true
    }

    fn step(&mut self, action: Action, notes: Vec<String>, source: &Rc<str>, line: usize) {
        let source = Rc::clone(source);
        self.program.instructions.push(Instruction { action, notes, source, line });
    }
}
