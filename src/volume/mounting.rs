//! Mounting a device on a directory of this program's own, by the kernel's own interface,
//! whose complaints are passed on.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MoveMountFlags, UnmountFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen, move_mount, unmount,
};

use super::options::{self, Sorted};

/// Mount points are made here, or in the directory of temporary files: what a killed
/// process leaves of them is an empty directory.
const PLACE: &str = "/run";
/// The beginning of their names.
const PREFIX: &str = "trimark-mount-";
/// How often an unmount is tried while something holds on to the file system.
const TRIES: u32 = 50;
/// The time between.
const PAUSE: Duration = Duration::from_millis(20);

/// A file system that cannot be mounted or unmounted.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// An option the file system does not take.
    #[error(
        "{file_system} does not take the mount option '{option}'{}{}",
        said(message),
        meant(option)
    )]
    Option {
        /// The file system.
        file_system: String,
        /// The option.
        option: String,
        /// What the kernel says.
        message: String,
    },
    /// The kernel does not know the file system.
    #[error("this kernel has no file system '{0}'")]
    Unknown(String),
    /// Another failure of mounting.
    #[error("cannot mount '{}' ({file_system}): {error}{}", device.display(), said(message))]
    Mount {
        /// The device.
        device: PathBuf,
        /// The file system.
        file_system: String,
        /// Why.
        error: io::Error,
        /// What the kernel says.
        message: String,
    },
    /// A failure of unmounting.
    #[error("cannot unmount '{}': {error}; see what uses it with `fuser -m`", point.display())]
    Unmount {
        /// Where it is mounted.
        point: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No directory to mount on.
    #[error("cannot make a directory to mount on in '{}': {error}", place.display())]
    Point {
        /// Where it was to be.
        place: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl MountError {
    /// True when what was asked for is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Option { .. })
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" (the kernel: {message})") }
}

fn meant(option: &str) -> String {
    options::suggestion(option).map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}

/// A directory of its own to mount a device on. Dropping it unmounts and removes it.
#[derive(Debug)]
pub struct MountPoint {
    point: PathBuf,
    mounted: bool,
}

impl MountPoint {
    /// An empty directory that only this user can enter.
    ///
    /// # Errors
    /// [`MountError::Point`]
    pub fn new() -> Result<Self, MountError> {
        let place = if Path::new(PLACE).is_dir() { PLACE.into() } else { std::env::temp_dir() };
        remove_stale(&place);
        let point = (0..)
            .map(|number| place.join(format!("{PREFIX}{}-{number}", std::process::id())))
            .find(|point| !point.exists())
            .expect("numbers do not end");
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&point)
            .map_err(|error| MountError::Point { place, error })?;
        Ok(Self { point, mounted: false })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.point
    }

    /// Mounts a device on it with options as mount(8) takes them.
    ///
    /// # Errors
    /// [`MountError`]; nothing is mounted then.
    pub fn mount(
        &mut self,
        device: &Path,
        file_system: &str,
        options: &[String],
    ) -> Result<(), MountError> {
        self.unmount()?;
        let sorted = options::sort(options);
        let new = open(device, file_system)?;
        configure(&new, device, file_system, &sorted)?;
        let failed = |errno: Errno| failure(device, file_system, errno, messages(&new));
        fsconfig_create(new.as_fd()).map_err(failed)?;
        let flags = FsMountFlags::FSMOUNT_CLOEXEC;
        let mount = fsmount(new.as_fd(), flags, sorted.flags).map_err(failed)?;
        let from = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(mount.as_fd(), "", rustix::fs::CWD, &self.point, from).map_err(failed)?;
        self.mounted = true;
        Ok(())
    }

    /// Unmounts what is on it, if anything is.
    ///
    /// # Errors
    /// [`MountError::Unmount`] when something holds on to it.
    pub fn unmount(&mut self) -> Result<(), MountError> {
        if !self.mounted {
            return Ok(());
        }
        for _ in 0..TRIES {
            match unmount(&self.point, UnmountFlags::NOFOLLOW) {
                Err(Errno::BUSY) => std::thread::sleep(PAUSE),
                Err(error) => return Err(self.not_unmounted(error)),
                Ok(()) => {
                    self.mounted = false;
                    return Ok(());
                }
            }
        }
        Err(self.not_unmounted(Errno::BUSY))
    }

    fn not_unmounted(&self, error: Errno) -> MountError {
        MountError::Unmount { point: self.point.clone(), error: error.into() }
    }
}

impl Drop for MountPoint {
    fn drop(&mut self) {
        if self.unmount().is_err() {
            // It goes as soon as nobody holds on to it any more.
            let _ = unmount(&self.point, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
        }
        let _ = fs::remove_dir(&self.point);
    }
}

/// Removes empty mount points of processes that are no more.
fn remove_stale(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn open(device: &Path, file_system: &str) -> Result<OwnedFd, MountError> {
    fsopen(file_system, FsOpenFlags::FSOPEN_CLOEXEC).map_err(|errno| match errno {
        Errno::NODEV => MountError::Unknown(file_system.to_owned()),
        errno => failure(device, file_system, errno, String::new()),
    })
}

fn configure(
    new: &OwnedFd,
    device: &Path,
    file_system: &str,
    sorted: &Sorted<'_>,
) -> Result<(), MountError> {
    fsconfig_set_string(new.as_fd(), "source", device)
        .map_err(|errno| failure(device, file_system, errno, messages(new)))?;
    for (name, value) in &sorted.file_system {
        let set = match value {
            Some(value) => fsconfig_set_string(new.as_fd(), *name, *value),
            None => fsconfig_set_flag(new.as_fd(), *name),
        };
        set.map_err(|_| MountError::Option {
            file_system: file_system.to_owned(),
            option: value.map_or_else(|| (*name).to_owned(), |value| format!("{name}={value}")),
            message: messages(new),
        })?;
    }
    Ok(())
}

fn failure(device: &Path, file_system: &str, errno: Errno, message: String) -> MountError {
    MountError::Mount {
        device: device.to_owned(),
        file_system: file_system.to_owned(),
        error: errno.into(),
        message,
    }
}

/// What the kernel has to say about a file system being configured: one message at each
/// read, errors marked by `e`.
fn messages(new: &OwnedFd) -> String {
    let mut messages = Vec::new();
    let mut buffer = [0u8; 4096];
    while let Ok(length @ 1..) = rustix::io::read(new.as_fd(), &mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..length]);
        let text = text.trim().trim_start_matches(['e', 'w', 'i']).trim();
        messages.push(text.to_owned());
    }
    messages.join("; ")
}
