//! A directory as the kernel sees it: its file system, the mount options in force, the
//! space and inodes free.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::device::Device;
use super::mount::Mount;
use super::state::{self, DriveState};

/// Where a run took place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The directory as it was given.
    pub path: PathBuf,
    /// The same, absolute and without links.
    pub resolved: PathBuf,
    /// The mount it is on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<Mount>,
    /// The device under it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// Bytes free to this user at the start.
    pub free_bytes: u64,
    /// Inodes free to this user at the start; none where the file system has no fixed number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_inodes: Option<u64>,
    /// What was done to the drive by this program before, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<DriveState>,
}

/// Space and inodes left to this user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Free bytes.
    pub bytes: u64,
    /// Free inodes, where their number is fixed.
    pub inodes: Option<u64>,
    /// The unit in which files take space, bytes.
    pub block: u64,
}

impl Space {
    /// The space on the file system of an open directory.
    ///
    /// # Errors
    /// The error of `fstatvfs`.
    pub fn of(directory: &File) -> io::Result<Self> {
        let stat = rustix::fs::fstatvfs(directory)?;
        Ok(Self {
            bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
            inodes: (stat.f_files > 0).then_some(stat.f_favail),
            block: stat.f_frsize.max(1),
        })
    }
}

impl Place {
    /// Describes an open directory.
    ///
    /// # Errors
    /// An I/O error when the directory cannot be examined. A mount that cannot be found
    /// (no `/proc`) is no error.
    pub fn describe(path: &Path, directory: &File) -> io::Result<Self> {
        let space = Space::of(directory)?;
        let mount = Mount::of(directory);
        let device = Device::under(directory, mount.as_ref());
        Ok(Self {
            path: path.to_owned(),
            resolved: path.canonicalize()?,
            state: device.as_ref().map(state::of).unwrap_or_default(),
            device,
            mount,
            free_bytes: space.bytes,
            free_inodes: space.inodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_described() {
        let directory = File::open("/proc").expect("a /proc");
        let place = Place::describe(Path::new("/proc"), &directory).expect("description");
        let mount = place.mount.expect("a mount");
        assert_eq!(mount.file_system, "proc");
        assert_eq!(mount.mount_point, Path::new("/proc"));
        assert!(mount.options.iter().any(|option| option == "rw"));
    }
}
