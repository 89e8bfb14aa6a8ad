//! What this program changed on the machine and would outlive it: written down before it
//! is done, so that it can be undone after a crash.
//!
//! Mounts, loop devices and images need no journal: they end with the process.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

/// Where the journals of root are.
const PLACE: &str = "/var/lib/trimark";
/// The environment variable that names another place.
pub const PLACE_VARIABLE: &str = "TRIMARK_STATE_DIR";

/// The options of a mount before they were changed: all that the kernel showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// As listed, with those of the file system that are not.
    pub options: Vec<String>,
    /// The file system.
    pub file_system: String,
}

impl std::fmt::Display for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.options.join(","))
    }
}

/// Something that was changed, as it was before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "changed", rename_all = "snake_case")]
pub enum Change {
    /// The options of a mount.
    Remount {
        /// Where it is mounted.
        mount_point: PathBuf,
        /// Its options before.
        before: Before,
    },
    /// The scheduler of a device.
    Scheduler {
        /// The kernel's name of the device.
        device: String,
        /// Its scheduler before.
        before: String,
    },
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Remount { mount_point, before } => {
                write!(f, "the mount options of '{}' ({before})", mount_point.display())
            }
            Self::Scheduler { device, before } => {
                write!(f, "the I/O scheduler of {device} ({before})")
            }
        }
    }
}

/// A journal that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} the journal '{}': {error}", path.display())]
pub struct JournalError {
    /// `write` or `read`
    pub what: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// One change that is in force. The file is there, and locked, as long as this lives;
/// without the process the lock is gone and the file remains.
#[derive(Debug)]
pub struct Noted {
    path: PathBuf,
    _locked: File,
}

impl Noted {
    /// Writes a change down before it is made.
    ///
    /// # Errors
    /// [`JournalError`]
    pub fn note(change: &Change) -> Result<Self, JournalError> {
        let place = place();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| JournalError { what: "write", path, error }
        };
        fs::create_dir_all(&place).map_err(failed(&place))?;
        let (path, mut file) = new_file(&place).map_err(failed(&place))?;
        let text = serde_json::to_vec(change).map_err(|error| failed(&path)(error.into()))?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| failed(&path)(error.into()))?;
        file.write_all(&text)
            .and_then(|()| file.sync_all())
            .and_then(|()| File::open(&place)?.sync_all())
            .map_err(failed(&path))?;
        Ok(Self { path, _locked: file })
    }

    /// The change was taken back.
    pub fn forget(self) {
        // Left behind, it would only be undone once more.
        let _ = fs::remove_file(&self.path);
    }
}

fn new_file(place: &Path) -> io::Result<(PathBuf, File)> {
    for number in 0.. {
        let path = place.join(format!("{}-{number}.json", std::process::id()));
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (path, file)),
        }
    }
    unreachable!("numbers do not end")
}

/// Where journals are.
#[must_use]
pub fn place() -> PathBuf {
    std::env::var_os(PLACE_VARIABLE).map_or_else(|| PLACE.into(), PathBuf::from)
}

/// True when this process has not taken back all that it noted.
#[must_use]
pub fn is_left() -> bool {
    let own = format!("{}-", std::process::id());
    let entries = fs::read_dir(place()).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&own))
}
