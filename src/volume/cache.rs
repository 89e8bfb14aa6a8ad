//! The page cache: writing it back and emptying it.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{Advice, Mode, OFlags};

/// How caches were emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// All clean pages of the system, with names and inodes.
    System,
    /// The pages of single files only: the system's needs root.
    Files,
}

/// Writes everything of a directory's file system to its device.
///
/// # Errors
/// The error of `syncfs`.
pub fn sync_file_system(directory: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(directory)?)
}

/// Drops the clean pages, names and inodes of the whole system.
///
/// # Errors
/// The I/O error; without root it is refused.
pub fn drop_system_caches() -> io::Result<()> {
    std::fs::write("/proc/sys/vm/drop_caches", "3\n")
}

/// Drops the clean pages of one file.
///
/// # Errors
/// The error of opening or advising.
pub fn drop_file(directory: impl AsFd, name: impl rustix::path::Arg) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    Ok(rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)?)
}

/// Writes everything to the device of each directory, then empties the caches: the
/// system's if possible, else by `drop_files`.
///
/// # Errors
/// The I/O error of writing back, with the directory's place in the list; or that of
/// `drop_files`.
pub fn empty(
    directories: &[(&Path, &File)],
    drop_files: impl FnOnce() -> io::Result<()>,
) -> io::Result<Dropped> {
    // Dirty pages cannot be dropped.
    for (path, directory) in directories {
        sync_file_system(directory).map_err(|error| {
            io::Error::new(error.kind(), format!("syncfs '{}': {error}", path.display()))
        })?;
    }
    if drop_system_caches().is_ok() {
        return Ok(Dropped::System);
    }
    drop_files().map(|()| Dropped::Files)
}
