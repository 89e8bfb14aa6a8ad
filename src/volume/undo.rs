//! Taking back what processes that are no more have left changed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::journal::{Change, JournalError, place};
use super::scheduler;

/// What became of a change that a dead process left.
#[derive(Debug)]
pub struct Undone {
    /// The change.
    pub change: Change,
    /// Why it could not be taken back, if so; it stays in the journal.
    pub failure: Option<String>,
}

/// Takes back what processes that are no more have left changed.
///
/// # Errors
/// [`JournalError`] when a journal cannot be read; those before it are dealt with.
pub fn undo_all() -> Result<Vec<Undone>, JournalError> {
    let place = place();
    let Ok(entries) = fs::read_dir(&place) else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    // The last change is the first to be taken back.
    paths.sort_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
    let mut undone = Vec::new();
    for path in paths.into_iter().rev() {
        undone.extend(undo(&path)?);
    }
    Ok(undone)
}

fn undo(path: &Path) -> Result<Option<Undone>, JournalError> {
    let failed = |error| JournalError { what: "read", path: path.to_owned(), error };
    let file = match File::options().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None); // its process lives
    }
    let text = fs::read(path).map_err(failed)?;
    let Ok(change) = serde_json::from_slice::<Change>(&text) else {
        // Cut short before the change was made.
        return fs::remove_file(path).map(|()| None).map_err(failed);
    };
    let result = match &change {
        Change::Remount { mount_point, before } => before.restore(mount_point),
        Change::Scheduler { device, before } => {
            scheduler::choose(device, before).map_err(|error| error.to_string())
        }
    };
    if result.is_ok() {
        fs::remove_file(path).map_err(failed)?;
    }
    Ok(Some(Undone { change, failure: result.err() }))
}
