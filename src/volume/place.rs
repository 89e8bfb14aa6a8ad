//! A directory as the kernel sees it: its file system, the mount options in force, the
//! space and inodes free.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use procfs::process::{MountInfo, Process};
use serde::{Deserialize, Serialize};

use super::device::Device;

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
}

/// A mount as in force, not as asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// Its mount point.
    pub mount_point: PathBuf,
    /// The type of file system.
    pub file_system: String,
    /// The device or other source.
    pub source: String,
    /// Options of the mount and of its file system, as the kernel lists them for it.
    pub options: Vec<String>,
    /// Options in force that the list of mounts does not show (ext2 to 4 only): defaults, and
    /// what was set in the file system itself, by `tune2fs` say.
    pub unlisted_options: Vec<String>,
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
    /// The mount an open directory is on, where the kernel tells.
    #[must_use]
    pub fn mount_of(directory: &File) -> Option<Mount> {
        mount_of(directory).map(Mount::from)
    }

    /// Describes an open directory.
    ///
    /// # Errors
    /// An I/O error when the directory cannot be examined. A mount that cannot be found
    /// (no `/proc`) is no error.
    pub fn describe(path: &Path, directory: &File) -> io::Result<Self> {
        let space = Space::of(directory)?;
        let mount = Self::mount_of(directory);
        Ok(Self {
            path: path.to_owned(),
            resolved: path.canonicalize()?,
            device: Device::under(directory, mount.as_ref()),
            mount,
            free_bytes: space.bytes,
            free_inodes: space.inodes,
        })
    }
}

impl Mount {
    /// The value of an option in force, `name=value`.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    /// True when an option without value is in force, listed or not.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.options.iter().chain(&self.unlisted_options).any(|option| option == flag)
    }

    /// Where ext4 (the driver of ext2 and ext3, too) lists what is in force but not shown among the mount's options (set by
    /// `tune2fs`, say).
    fn ext4_options(source: &str) -> Vec<String> {
        let Some(device) = Path::new(source).canonicalize().ok() else { return Vec::new() };
        let Some(name) = device.file_name() else { return Vec::new() };
        let path = Path::new("/proc/fs/ext4").join(name).join("options");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl From<MountInfo> for Mount {
    fn from(info: MountInfo) -> Self {
        let source = info.mount_source.unwrap_or_else(|| "none".into());
        let listed = info.mount_options.into_iter().chain(info.super_options);
        let written = listed.map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        });
        let mut options: Vec<String> = written.collect();
        options.sort();
        options.dedup();
        let mut unlisted =
            if info.fs_type.starts_with("ext") { Self::ext4_options(&source) } else { vec![] };
        unlisted.retain(|option| !options.contains(option));
        Self {
            mount_point: info.mount_point,
            file_system: info.fs_type,
            source,
            options,
            unlisted_options: unlisted,
        }
    }
}

/// The mount an open directory is on, by the mount number the kernel gives for it: right
/// also for bind mounts, and for btrfs, whose device numbers differ from its mounts'.
fn mount_of(directory: &File) -> Option<MountInfo> {
    let path = format!("/proc/self/fdinfo/{}", directory.as_raw_fd());
    let text = std::fs::read_to_string(path).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    let number: i32 = number.trim().parse().ok()?;
    let mounts = Process::myself().ok()?.mountinfo().ok()?;
    mounts.into_iter().find(|mount| mount.mnt_id == number)
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
