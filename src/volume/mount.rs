//! A mount as the kernel sees it.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use procfs::process::{MountInfo, Process};
use serde::{Deserialize, Serialize};

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

impl Mount {
    /// The mount an open directory is on, where the kernel tells.
    #[must_use]
    pub fn of(directory: &File) -> Option<Self> {
        mount_of(directory).map(Self::from)
    }

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

    /// Where ext4 (the driver of ext2 and ext3, too) lists what is in force but not shown
    /// among the mount's options (set by `tune2fs`, say).
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
