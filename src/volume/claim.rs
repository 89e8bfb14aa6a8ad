//! Whether a device may be used, and erased: who else uses it, and what is on it.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use procfs::process::all_processes;

/// A device that nobody else uses.
#[derive(Debug)]
pub struct Claim {
    /// Its node, links followed.
    pub device: PathBuf,
    /// The type of what is on it, where a signature tells: `ext4`, `crypto_LUKS`, `dos`.
    pub signature: Option<String>,
    /// Its size, bytes.
    pub bytes: u64,
}

/// A device that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// It cannot be examined.
    #[error("cannot use '{}': {error}", device.display())]
    Io {
        /// The device.
        device: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No block device.
    #[error("'{}' is no block device: name one such as /dev/sdb1", .0.display())]
    NoDevice(PathBuf),
    /// Somebody uses it.
    #[error("'{}' is in use: {by}; {mend}", device.display())]
    InUse {
        /// The device.
        device: PathBuf,
        /// By whom.
        by: String,
        /// What to do.
        mend: &'static str,
    },
    /// It cannot be written to.
    #[error("'{}' is read-only: `blockdev --setrw` may change that", .0.display())]
    ReadOnly(PathBuf),
    /// What is on it cannot be told.
    #[error("cannot tell what is on '{}': {reason}", device.display())]
    Signature {
        /// The device.
        device: PathBuf,
        /// Why.
        reason: String,
    },
    /// It would be erased without anybody saying so.
    #[error(
        "making a new file system erases '{}' ({holds}): to do so, add --yes-erase {}",
        device.display(), device.display()
    )]
    NotConfirmed {
        /// The device.
        device: PathBuf,
        /// What is on it.
        holds: String,
    },
    /// The confirmation is for another device.
    #[error("--yes-erase names '{}', but it is '{}' that would be erased", named.display(), device.display())]
    OtherConfirmed {
        /// What was named.
        named: PathBuf,
        /// The device.
        device: PathBuf,
    },
}

impl ClaimError {
    /// True when what was asked for is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::Signature { .. })
    }
}

impl Claim {
    /// Examines a device; nothing is written to it.
    ///
    /// # Errors
    /// [`ClaimError`]
    pub fn of(path: &Path) -> Result<Self, ClaimError> {
        let failed = |error| ClaimError::Io { device: path.to_owned(), error };
        let device = path.canonicalize().map_err(failed)?;
        let data = fs::metadata(&device).map_err(failed)?;
        if !data.file_type().is_block_device() {
            return Err(ClaimError::NoDevice(path.to_owned()));
        }
        let system = PathBuf::from(format!(
            "/sys/dev/block/{}:{}",
            rustix::fs::major(data.rdev()),
            rustix::fs::minor(data.rdev())
        ));
        if number(&system.join("ro")) == Some(1) {
            return Err(ClaimError::ReadOnly(device));
        }
        in_use(&device, &system)?;
        exclusive(&device)?;
        let signature = signature(&device)?;
        let bytes = number(&system.join("size")).unwrap_or(0) * super::device::SECTOR;
        Ok(Self { device, signature, bytes })
    }

    /// Whether it may be erased: only if exactly this device was named for it, or `ask`
    /// is answered with its name.
    ///
    /// # Errors
    /// [`ClaimError::NotConfirmed`], [`ClaimError::OtherConfirmed`]
    pub fn may_erase(
        &self,
        named: Option<&Path>,
        ask: impl FnOnce(&str) -> Option<String>,
    ) -> Result<(), ClaimError> {
        let holds = match &self.signature {
            Some(signature) => format!("it holds {signature}"),
            None => "it carries no signature that is known".into(),
        };
        if let Some(named) = named {
            return if named.canonicalize().is_ok_and(|named| named == self.device) {
                Ok(())
            } else {
                Err(ClaimError::OtherConfirmed {
                    named: named.to_owned(),
                    device: self.device.clone(),
                })
            };
        }
        let shown = self.device.display();
        let question = format!("All of {shown} will be erased ({holds}). Type {shown} to go on: ");
        match ask(&question) {
            Some(answer) if answer.trim() == shown.to_string() => Ok(()),
            _ => Err(ClaimError::NotConfirmed { device: self.device.clone(), holds }),
        }
    }
}

/// Anybody who uses the device, or a part of it, or (of a part) nothing of the whole.
fn in_use(device: &Path, system: &Path) -> Result<(), ClaimError> {
    let used = |by: String, mend| ClaimError::InUse { device: device.to_owned(), by, mend };
    let mut parts = vec![(device.to_owned(), system.to_owned())];
    for entry in fs::read_dir(system).into_iter().flatten().flatten() {
        if entry.path().join("partition").exists() {
            let name = entry.file_name();
            parts.push((Path::new("/dev").join(&name), entry.path()));
        }
    }
    let (mounts, swaps) = (mounts(), fs::read_to_string("/proc/swaps").unwrap_or_default());
    for (node, system) in &parts {
        let node_number = fs::metadata(node).map(|data| data.rdev()).ok();
        let same = |source: &str| {
            source == node.to_string_lossy()
                || Path::new(source).starts_with("/dev")
                    && node_number.is_some()
                    && fs::metadata(source).map(|data| data.rdev()).ok() == node_number
        };
        let shown = node.display();
        if let Some((_, point)) = mounts.iter().find(|(source, _)| same(source)) {
            let mend = "unmount it, or use --mountpoint to measure it where it is";
            return Err(used(format!("{shown} is mounted on '{point}'"), mend));
        }
        let swap = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        if swap.into_iter().any(same) {
            return Err(used(format!("{shown} is swap space"), "`swapoff` it first"));
        }
        let mut holders = fs::read_dir(system.join("holders")).into_iter().flatten().flatten();
        if let Some(holder) = holders.next() {
            let name = holder.file_name().to_string_lossy().into_owned();
            let by = format!("{shown} is part of {name} (RAID, LVM, encryption …)");
            return Err(used(by, "name that device, or take it apart first"));
        }
    }
    Ok(())
}

/// Sources and mount points that any process sees, once each.
fn mounts() -> Vec<(String, String)> {
    let mut mounts = Vec::new();
    let mut namespaces = Vec::new();
    for process in all_processes().into_iter().flatten().flatten() {
        let namespace = fs::read_link(format!("/proc/{}/ns/mnt", process.pid)).ok();
        if namespace.is_some() && namespaces.contains(&namespace) {
            continue;
        }
        let Ok(infos) = process.mountinfo() else { continue };
        namespaces.push(namespace);
        mounts.extend(
            infos.into_iter().filter_map(|info| {
                Some((info.mount_source?, info.mount_point.display().to_string()))
            }),
        );
    }
    mounts
}

/// The kernel's own word: a device in use cannot be opened exclusively.
fn exclusive(device: &Path) -> Result<(), ClaimError> {
    let flags = rustix::fs::OFlags::EXCL.bits() as i32;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(device);
    opened.map(drop).map_err(|error| match error.raw_os_error() {
        Some(number) if number == rustix::io::Errno::BUSY.raw_os_error() => ClaimError::InUse {
            device: device.to_owned(),
            by: "the kernel has it opened for somebody".into(),
            mend: "see `lsblk` and `fuser -v` for whom",
        },
        _ => ClaimError::Io { device: device.to_owned(), error },
    })
}

/// The type of what is on a device, as `blkid` (util-linux) finds it.
fn signature(device: &Path) -> Result<Option<String>, ClaimError> {
    let failed = |reason: String| ClaimError::Signature { device: device.to_owned(), reason };
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("blkid")
        .args(["-p", "-o", "export"])
        .arg(device)
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .output()
        .map_err(|error| failed(format!("`blkid` of util-linux does not start: {error}")))?;
    match output.status.code() {
        Some(0) => {}
        Some(2) => return Ok(None), // nothing that it knows
        Some(8) => return Err(failed("it carries several signatures that contradict".into())),
        _ => return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned);
    Ok(value("TYPE=").or_else(|| value("PTTYPE=").map(|kind| format!("a {kind} partition table"))))
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}
