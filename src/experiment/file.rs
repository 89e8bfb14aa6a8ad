//! The file of an experiment: its plan and every run, a JSON document on each line.
//!
//! Each line is on the disk before the next run begins, so that a kill costs one run at
//! most. A line that a kill cut short is dropped when the file is resumed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::plan::{FORMAT, FORMAT_VERSION, Plan};
use super::record::{End, Entry, RunRecord};

/// An experiment's file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be made, read or written.
    #[error("cannot {what} '{}': {error}", path.display())]
    Io {
        /// `make`, `read` or `write`
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is there already.
    #[error(
        "'{}' is there already: name another file by --save, or go on with it by --resume", .0.display()
    )]
    Exists(PathBuf),
    /// A line that is none of an experiment.
    #[error("'{}', line {line}: not an experiment's: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// Another trimark is adding to it.
    #[error("'{}' is in use by another trimark", .0.display())]
    Busy(PathBuf),
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// What is to be done.
    pub plan: Plan,
    /// What has been done, in order. A run that was played again is there once.
    pub runs: Vec<RunRecord>,
    /// Why it ended, if nothing came after that.
    pub end: Option<End>,
    /// Bytes of whole lines; a line cut short comes after them.
    whole: u64,
}

/// A file that is being added to.
#[derive(Debug)]
pub struct ExperimentFile {
    path: PathBuf,
    file: File,
}

impl ExperimentFile {
    /// A new file that begins with the plan.
    ///
    /// # Errors
    /// [`FileError`], also when it is there already.
    pub fn create(path: &Path, plan: &Plan) -> Result<Self, FileError> {
        let made = OpenOptions::new().append(true).create_new(true).open(path);
        let file = made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists(path.to_owned()),
            _ => failed("make", path)(error),
        })?;
        let mut file = Self { path: path.to_owned(), file };
        file.lock()?;
        file.append(&Entry::Plan(Box::new(plan.clone())))?;
        Ok(file)
    }

    /// Opens a file to go on with it.
    ///
    /// # Errors
    /// [`FileError`]
    pub fn resume(path: &Path) -> Result<(Self, Saved), FileError> {
        let opened = OpenOptions::new().append(true).open(path);
        let file = Self { path: path.to_owned(), file: opened.map_err(failed("write", path))? };
        file.lock()?;
        let saved = read(path)?;
        file.file.set_len(saved.whole).map_err(failed("write", path))?;
        Ok((file, saved))
    }

    /// Adds a line, and waits until the disk has it.
    ///
    /// # Errors
    /// [`FileError::Io`]
    pub fn append(&mut self, entry: &Entry) -> Result<(), FileError> {
        let failed = failed("write", &self.path);
        let mut line = serde_json::to_vec(entry).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(failed)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn lock(&self) -> Result<(), FileError> {
        let locked =
            rustix::fs::flock(&self.file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        match locked {
            Err(rustix::io::Errno::WOULDBLOCK) => Err(FileError::Busy(self.path.clone())),
            // A file system without locks has no use for ours.
            _ => Ok(()),
        }
    }
}

/// Reads an experiment's file, also while it is being written.
///
/// # Errors
/// [`FileError`]; a last line cut short is none.
pub fn read(path: &Path) -> Result<Saved, FileError> {
    let file = File::open(path).map_err(failed("read", path))?;
    let mut reader = BufReader::new(file);
    let foreign = |line, reason| FileError::Foreign { path: path.to_owned(), line, reason };
    let (mut plan, mut runs, mut end, mut whole) = (None, Vec::<RunRecord>::new(), None, 0);
    for number in 1.. {
        let mut line = Vec::new();
        let length = reader.read_until(b'\n', &mut line).map_err(failed("read", path))?;
        if !line.ends_with(b"\n") {
            break; // the end, or a line cut short
        }
        whole += length as u64;
        let entry = serde_json::from_slice(&line);
        let entry = entry.map_err(|error| foreign(number, error.to_string()))?;
        end = None;
        match entry {
            Entry::Plan(read) if plan.is_none() => plan = Some(checked(*read, &foreign)?),
            Entry::Plan(_) => return Err(foreign(number, "a second plan".into())),
            _ if plan.is_none() => return Err(foreign(number, "the plan is missing".into())),
            Entry::Run(run) => {
                runs.retain(|other| (other.block, other.place) != (run.block, run.place));
                runs.push(*run);
            }
            Entry::End(read) => end = Some(read),
        }
    }
    let plan = plan.ok_or_else(|| foreign(1, "it holds no plan".into()))?;
    Ok(Saved { plan, runs, end, whole })
}

/// True when a file begins like an experiment's.
#[must_use]
pub fn is_experiment(text: &[u8]) -> bool {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let value: Option<serde_json::Value> = serde_json::from_slice(first).ok();
    value.is_some_and(|value| value["entry"] == "plan")
}

fn checked(plan: Plan, foreign: &dyn Fn(usize, String) -> FileError) -> Result<Plan, FileError> {
    if plan.format == FORMAT && plan.version <= FORMAT_VERSION {
        return Ok(plan);
    }
    Err(foreign(
        1,
        format!(
            "format {} version {}; this trimark reads {FORMAT} up to version {FORMAT_VERSION}",
            plan.format, plan.version
        ),
    ))
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl Fn(io::Error) -> FileError + 'a {
    move |error| FileError::Io { what, path: path.to_owned(), error }
}
