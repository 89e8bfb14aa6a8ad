//! How much of a file system there is to fill, and where nobody should fill it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::io::Errno;

use super::ConditionError;
use super::step::Level;

/// Directories without room on which a system does not go on working.
const NEEDED: [&str; 6] = ["/", "/var", "/tmp", "/home", "/run", "/dev/shm"];
/// Up to here such a file system may be filled without being asked twice, per cent.
const HARMLESS: u8 = 90;

/// Space of a file system.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Its blocks' bytes.
    total: u64,
    /// Bytes free to this user, root's reserve included for root.
    free: u64,
    /// Bytes in the unit in which files take space.
    pub block: u64,
}

impl Room {
    /// Of an open directory's file system.
    pub fn of(directory: &File) -> io::Result<Self> {
        let stat = rustix::fs::fstatvfs(directory)?;
        let reserve = rustix::process::geteuid().is_root();
        let free = if reserve { stat.f_bfree } else { stat.f_bavail };
        let block = stat.f_frsize.max(1);
        Ok(Self { total: stat.f_blocks * block, free: free * block, block })
    }

    /// Bytes free in it.
    pub fn free(directory: &File) -> io::Result<u64> {
        Ok(Self::of(directory)?.free)
    }

    /// Bytes to write until the level is reached; none when it is filled until it takes
    /// nothing any more.
    pub fn until(&self, level: Level) -> Option<u64> {
        let left = self.total / 100 * u64::from(100 - level.percent);
        (level.percent < 100).then(|| self.free.saturating_sub(left))
    }

    /// Bytes to write for a level, about.
    pub fn about(&self, level: Level) -> u64 {
        self.until(level).unwrap_or(self.free)
    }
}

/// Refuses to fill a file system that the system itself needs room on.
pub fn may_fill(directory: &File, path: &Path, level: Level) -> Result<(), ConditionError> {
    if level.percent <= HARMLESS || level.anyway {
        return Ok(());
    }
    let device = |metadata: io::Result<fs::Metadata>| metadata.map(|metadata| metadata.dev()).ok();
    let here = device(directory.metadata());
    let needed =
        NEEDED.iter().find(|needed| here.is_some() && device(fs::metadata(needed)) == here);
    match needed {
        None => Ok(()),
        Some(needed) => Err(ConditionError::Refused(format!(
            "'{}' is on the file system of '{needed}', which the system needs room on: name another \
             place, say fill={HARMLESS}%, or the word `anyway`",
            path.display()
        ))),
    }
}

/// True for errors that say a file system takes no more.
pub fn is_full(errno: Errno) -> bool {
    matches!(errno, Errno::NOSPC | Errno::DQUOT)
}
