//! Changing the options of a file system where it is mounted, and putting them back.
//!
//! Only options whose state before can be told, and so put back exactly, are changed: the
//! rules of access times, `lazytime`, `discard`, `sync`, and values that are shown.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, mount_remount};

use super::device::Device;
use super::filesystem::FILE_SYSTEMS;
use super::in_force::{self, NotInForce};
use super::journal::{Before, Change, JournalError, Noted};
use super::mount::Mount;

/// A remount that did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum RemountError {
    /// The directory cannot be examined.
    #[error("cannot examine '{}': {reason}", directory.display())]
    Examine {
        /// The directory.
        directory: PathBuf,
        /// Why.
        reason: String,
    },
    /// An option that could not be put back afterwards.
    #[error(
        "'{option}' cannot be tried in place: its state now is not shown, so it could not be put \
         back; use --device with the file system unmounted"
    )]
    NotRestorable {
        /// The option.
        option: String,
    },
    /// The file system does not honour a change of this option.
    #[error(
        "{file_system} does not change '{option}' by a remount; use --device with the file system \
         unmounted"
    )]
    NotHonoured {
        /// The file system.
        file_system: String,
        /// The option.
        option: String,
    },
    /// The kernel refuses.
    #[error("cannot remount '{}' with {options}: {reason}", mount_point.display())]
    Refused {
        /// Where it is mounted.
        mount_point: PathBuf,
        /// The options.
        options: String,
        /// Why.
        reason: String,
    },
    /// An option did not take.
    #[error(transparent)]
    NotInForce(#[from] NotInForce),
    /// It cannot be written down first.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl RemountError {
    /// True when what was asked for is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(self, Self::NotRestorable { .. } | Self::NotHonoured { .. })
    }
}

impl Before {
    /// Puts the options of a mount back.
    ///
    /// # Errors
    /// Why not, in words.
    pub fn restore(&self, mount_point: &Path) -> Result<(), String> {
        let flags = flags(&self.options);
        let data = if self.discards() {
            discard_word(&self.options)
        } else if FILE_SYSTEMS.iter().any(|row| row.name == self.file_system) {
            "nodiscard".to_owned()
        } else {
            String::new()
        };
        remount(mount_point, flags, &data).map_err(|error| error.to_string())
    }

    fn discards(&self) -> bool {
        self.options.iter().any(|option| option == "discard" || option.starts_with("discard="))
    }
}

fn discard_word(options: &[String]) -> String {
    let shown = options.iter().find(|option| option.starts_with("discard"));
    shown.cloned().unwrap_or_default()
}

/// A mount whose options are being changed. They are put back when this is dropped.
#[derive(Debug)]
pub struct Remounted {
    mount_point: PathBuf,
    before: Before,
    noted: Option<Noted>,
}

impl Remounted {
    /// Takes over the mount that a directory is on; nothing is changed yet, but its options
    /// are written down.
    ///
    /// # Errors
    /// [`RemountError`]
    pub fn take(directory: &Path) -> Result<Self, RemountError> {
        let mount = mount_of(directory)?;
        let options = mount.options.iter().chain(&mount.unlisted_options).cloned().collect();
        let before = Before { options, file_system: mount.file_system };
        let mount_point = mount.mount_point;
        let change = Change::Remount { mount_point: mount_point.clone(), before: before.clone() };
        let noted = Some(Noted::note(&change)?);
        Ok(Self { mount_point, before, noted })
    }

    /// Remounts with the options before and these, and reads back what came of it; the
    /// options that nothing shows.
    ///
    /// # Errors
    /// [`RemountError`]
    pub fn apply(&self, options: &[String]) -> Result<Vec<String>, RemountError> {
        for option in options {
            self.can_change(option)?;
        }
        let wanted = merged(&self.before.options, options);
        let discard =
            options.iter().rfind(|option| option.trim_start_matches("no").starts_with("discard"));
        let data = match discard {
            Some(option) => option.clone(),
            None if self.before.discards() => discard_word(&self.before.options),
            None if self.knows_discard() => "nodiscard".into(),
            None => String::new(),
        };
        remount(&self.mount_point, flags(&wanted), &data).map_err(|error| {
            RemountError::Refused {
                mount_point: self.mount_point.clone(),
                options: options.join(","),
                reason: error.to_string(),
            }
        })?;
        let mount = mount_of(&self.mount_point)?;
        let device = File::open(&self.mount_point)
            .ok()
            .and_then(|directory| Device::under(&directory, Some(&mount)));
        Ok(in_force::check(options, &mount, device.as_ref())?)
    }

    fn knows_discard(&self) -> bool {
        FILE_SYSTEMS.iter().any(|row| row.name == self.before.file_system && row.remounts_discard)
    }

    fn can_change(&self, option: &str) -> Result<(), RemountError> {
        let flag = FLAGS.iter().any(|(name, ..)| *name == option);
        if flag || option == "defaults" || self.before.options.iter().any(|shown| shown == option) {
            return Ok(());
        }
        if !option.trim_start_matches("no").starts_with("discard") {
            return Err(RemountError::NotRestorable { option: option.to_owned() });
        }
        let row = FILE_SYSTEMS.iter().find(|row| row.name == self.before.file_system);
        let already = (option == "nodiscard") != self.before.discards();
        if row.is_some_and(|row| row.remounts_discard) || already {
            return Ok(());
        }
        Err(RemountError::NotHonoured {
            file_system: self.before.file_system.clone(),
            option: option.to_owned(),
        })
    }
}

impl Drop for Remounted {
    fn drop(&mut self) {
        // What could not be put back stays in the journal, for `trimark clean`.
        if self.before.restore(&self.mount_point).is_ok()
            && let Some(noted) = self.noted.take()
        {
            noted.forget();
        }
    }
}

fn mount_of(directory: &Path) -> Result<Mount, RemountError> {
    let failed = |reason: String| RemountError::Examine { directory: directory.to_owned(), reason };
    let open = File::open(directory).map_err(|error| failed(error.to_string()))?;
    Mount::of(&open).ok_or_else(|| failed("the kernel does not tell its mount".into()))
}

/// Options that mount(2) knows as flags: name, what it clears, what it sets.
const FLAGS: &[(&str, MountFlags, MountFlags)] = &[
    ("noatime", ATIME, MountFlags::NOATIME),
    ("relatime", ATIME, MountFlags::RELATIME),
    ("strictatime", ATIME, MountFlags::STRICTATIME),
    ("nodiratime", NONE, MountFlags::NODIRATIME),
    ("diratime", MountFlags::NODIRATIME, NONE),
    ("lazytime", NONE, MountFlags::LAZYTIME),
    ("nolazytime", MountFlags::LAZYTIME, NONE),
    ("sync", NONE, MountFlags::SYNCHRONOUS),
    ("async", MountFlags::SYNCHRONOUS, NONE),
    ("dirsync", NONE, MountFlags::DIRSYNC),
    ("nosuid", NONE, MountFlags::NOSUID),
    ("nodev", NONE, MountFlags::NODEV),
    ("noexec", NONE, MountFlags::NOEXEC),
    ("ro", NONE, MountFlags::RDONLY),
    ("rw", MountFlags::RDONLY, NONE),
];
const NONE: MountFlags = MountFlags::empty();
const ATIME: MountFlags =
    MountFlags::NOATIME.union(MountFlags::RELATIME).union(MountFlags::STRICTATIME);

/// The options before with those asked for after them: the last holds.
fn merged(before: &[String], options: &[String]) -> Vec<String> {
    before.iter().chain(options).cloned().collect()
}

/// The flags that options come to. Without any of the three rules of access times, the
/// strict one was in force, and has to be asked for: without a flag mount(2) keeps what
/// there is.
fn flags(options: &[String]) -> MountFlags {
    let mut flags = NONE;
    for option in options {
        if let Some((_, clear, set)) = FLAGS.iter().find(|(name, ..)| name == option) {
            flags = (flags & !*clear) | *set;
        }
    }
    if flags.intersects(ATIME) { flags } else { flags | MountFlags::STRICTATIME }
}

fn remount(mount_point: &Path, flags: MountFlags, data: &str) -> rustix::io::Result<()> {
    let data = std::ffi::CString::new(data).map_err(|_| rustix::io::Errno::INVAL)?;
    mount_remount(mount_point, flags, data.as_c_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> MountFlags {
        flags(&text.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_rule_of_access_times_holds() {
        assert_eq!(of("rw,noatime,relatime"), MountFlags::RELATIME);
        assert_eq!(of("rw,relatime,noatime,nodev"), MountFlags::NOATIME | MountFlags::NODEV);
        assert_eq!(of("rw,relatime,strictatime"), MountFlags::STRICTATIME);
    }

    #[test]
    fn no_rule_is_the_strict_one() {
        assert_eq!(of("rw,nosuid"), MountFlags::STRICTATIME | MountFlags::NOSUID);
    }
}
