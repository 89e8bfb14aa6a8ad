//! What a directory's file system really does, found out by trying it.
//!
//! Works in a temporary subdirectory of its own, which is removed in every way out.
//! Never fails for what cannot be tried: each finding is either there or says why not.
//! Prints nothing.

mod access_time;
mod birth_time;
mod direct;
mod discards;

use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use access_time::{AccessTime, AccessTimes};
pub use direct::DirectIo;
pub use discards::{DiscardMode, Discards, Reach};
pub(super) use discards::{ROOM as TRIAL_ROOM, SIZE as TRIAL_BYTES, write_out as write_trial};

use super::host::Host;
use super::mount::Mount;
use super::place::Place;
use crate::interrupt::Interrupt;

/// Name of the document format of a [`Probe`].
pub const FORMAT: &str = "trimark-probe";
/// Version of the document format; raised when a field changes its meaning.
pub const FORMAT_VERSION: u32 = 1;

/// The outcome of a trial, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tested<T> {
    /// What came of it.
    Found(T),
    /// Why it was not tried, or came to nothing.
    Untested(String),
}

impl<T> Tested<T> {
    /// What came of it, if anything.
    #[must_use]
    pub fn found(&self) -> Option<&T> {
        match self {
            Self::Found(found) => Some(found),
            Self::Untested(_) => None,
        }
    }

    fn from_io(outcome: io::Result<T>, what: &str) -> Self {
        outcome.map_or_else(|error| Self::Untested(format!("{what}: {error}")), Self::Found)
    }
}

/// All that is found out about a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// [`FORMAT`]
    pub format: String,
    /// [`FORMAT_VERSION`] it was made with.
    pub version: u32,
    /// When: RFC 3339, UTC.
    pub started: String,
    /// The machine.
    pub host: Host,
    /// The directory as the kernel sees it.
    pub place: Place,
    /// What reading does to a file's access time.
    pub access_times: AccessTimes,
    /// Whether what is deleted is discarded on the device.
    pub discards: Discards,
    /// What becomes of `O_DIRECT`.
    pub direct_io: Tested<DirectIo>,
    /// Whether the file system keeps the time of a file's creation.
    pub birth_times: Tested<bool>,
    /// What could not be removed, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
}

/// Where trials are made: a subdirectory, or the reason why there is none.
type Ground<'a> = Result<&'a Path, &'a str>;

/// Finds out about a directory. `interrupt` cuts waiting short.
///
/// # Errors
/// The I/O error when it is no directory or cannot be examined at all.
pub fn probe(path: &Path, interrupt: &Interrupt) -> io::Result<Probe> {
    let started = jiff::Timestamp::now().to_string();
    let directory = File::open(path)?;
    if !directory.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let place = Place::describe(path, &directory)?;
    let host = Host::describe();
    let made = ground(path, place.mount.as_ref());
    let ground: Ground<'_> =
        made.as_ref().map(tempfile::TempDir::path).map_err(std::string::String::as_str);
    let access_times = access_time::observe(ground, place.mount.as_ref());
    let birth_times = try_in(ground, birth_time::kept, "no birth time was read");
    let direct_io = try_in(ground, direct::tried, "O_DIRECT was not tried");
    let discards = discards::examine(ground, &directory, &place, interrupt);
    let left = made.ok().and_then(|made| {
        let path = made.path().to_owned();
        made.close().err().map(|error| format!("'{}': {error}", path.display()))
    });
    Ok(Probe {
        format: FORMAT.into(),
        version: FORMAT_VERSION,
        started,
        host,
        place,
        access_times,
        discards,
        direct_io,
        birth_times,
        left,
    })
}

/// Makes the subdirectory, or says why it cannot be.
fn ground(path: &Path, mount: Option<&Mount>) -> Result<tempfile::TempDir, String> {
    if mount.is_some_and(|mount| mount.has("ro")) {
        return Err("the file system is mounted read-only".into());
    }
    let made = tempfile::Builder::new().prefix(".trimark-probe-").tempdir_in(path);
    made.map_err(|error| {
        // The path it tried means nothing to the reader.
        let text = error.to_string();
        let reason = text.split(" at path ").next().unwrap_or_default();
        format!("no subdirectory can be made: {reason}")
    })
}

fn try_in<T>(
    ground: Ground<'_>,
    trial: impl FnOnce(&Path) -> io::Result<T>,
    failed: &str,
) -> Tested<T> {
    match ground {
        Ok(directory) => Tested::from_io(trial(directory), failed),
        Err(reason) => Tested::Untested(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_survives_json() {
        let directory = tempfile::tempdir().expect("a directory");
        let found = probe(directory.path(), &Interrupt::default()).expect("a probe");
        let json = serde_json::to_string(&found).expect("JSON");
        assert!(!json.contains("null"), "{json}");
        assert_eq!(serde_json::from_str::<Probe>(&json).expect("the same"), found);
        assert_eq!(std::fs::read_dir(directory.path()).expect("it").count(), 0);
    }

    #[test]
    fn a_file_is_not_probed() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = probe(file.path(), &Interrupt::default()).expect_err("no directory");
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }
}
