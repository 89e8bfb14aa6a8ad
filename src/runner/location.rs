//! A location as an open, locked directory, and the refusals that come of trying.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::refusal::Refusal;
use crate::engine::system::retry;
use crate::volume::place::Place;

/// File systems that may store less than is written.
const COMPRESSING: [&str; 4] = ["btrfs", "zfs", "bcachefs", "f2fs"];

/// A location that is open.
#[derive(Debug)]
pub struct OpenLocation {
    /// As given.
    pub path: PathBuf,
    /// Open for reading; locked where it comes first in the list.
    pub directory: File,
    /// What it is.
    pub place: Place,
}

impl Drop for OpenLocation {
    /// Gives the lock back. Closing alone would not, as long as a process that is just
    /// being started has a copy of the descriptor: the next run would find the location in
    /// use.
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.directory, FlockOperation::Unlock);
    }
}

impl OpenLocation {
    /// True when less than is written may be stored, as far as can be told.
    #[must_use]
    pub fn may_compress(&self) -> bool {
        let mount = self.place.mount.as_ref();
        mount.is_none_or(|mount| COMPRESSING.contains(&mount.file_system.as_str()))
    }

    /// The refusal for an I/O error there.
    #[must_use]
    pub fn no_access(&self, error: std::io::Error) -> Refusal {
        no_access(&self.path, error)
    }
}

/// The refusal for an I/O error at a location.
pub fn no_access(path: &Path, error: std::io::Error) -> Refusal {
    use std::io::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::PermissionDenied => {
            "choose a directory you may write to with `set location DIR`"
        }
        ErrorKind::ReadOnlyFilesystem => "the file system is mounted read-only; choose another",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "there is no room left; free some space"
        }
        _ => "choose another directory with `set location DIR`",
    };
    Refusal::Access { path: path.to_owned(), error, hint }
}

/// Opens a location, which must be an existing directory.
///
/// # Errors
/// [`Refusal::Location`] when it is none, [`Refusal::Access`] when it cannot be opened.
pub fn open_directory(path: &Path) -> Result<File, Refusal> {
    use std::io::ErrorKind;
    let refused = |reason: &str, hint| Refusal::Location {
        path: path.to_owned(),
        reason: reason.to_owned(),
        hint,
    };
    let directory = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            refused("there is no such directory", "make it, or correct the path")
        }
        ErrorKind::NotADirectory => refused("part of its path is no directory", "correct the path"),
        _ => no_access(path, error),
    })?;
    let kind = directory.metadata().map_err(|error| no_access(path, error))?;
    if !kind.is_dir() {
        return Err(refused("it is not a directory", "name a directory"));
    }
    Ok(directory)
}

/// Keeps other runs out of a directory for as long as it is open, also after SIGKILL no
/// longer than that.
///
/// # Errors
/// [`Refusal::Busy`] when another process holds it.
pub fn lock(path: &Path, directory: &File) -> Result<(), Refusal> {
    match retry(|| rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(()),
        Err(Errno::WOULDBLOCK) => Err(Refusal::Busy(path.to_owned())),
        Err(errno) => Err(no_access(path, errno.into())),
    }
}
