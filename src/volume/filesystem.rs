//! The table of file systems that can be made, and making one.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// A type of file system.
pub struct FileSystem {
    /// Its name to the kernel.
    pub name: &'static str,
    /// The program that makes one.
    pub mkfs: &'static str,
    /// Its arguments: quiet, over whatever is there, and complete, so that nothing is put
    /// off into the measurements.
    pub arguments: &'static [&'static str],
    /// Debian's package of the program.
    pub package: &'static str,
    /// The smallest image it is made on, bytes.
    pub least_bytes: u64,
    /// Whether a remount changes `discard`. (xfs reports success and does nothing.)
    pub remounts_discard: bool,
}

/// Every file system.
pub const FILE_SYSTEMS: &[FileSystem] = &[
    FileSystem {
        name: "ext4",
        mkfs: "mkfs.ext4",
        arguments: &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
        package: "e2fsprogs",
        least_bytes: 64 << 20,
        remounts_discard: true,
    },
    FileSystem {
        name: "xfs",
        mkfs: "mkfs.xfs",
        arguments: &["-q", "-f"],
        package: "xfsprogs",
        least_bytes: 320 << 20,
        remounts_discard: false,
    },
    FileSystem {
        name: "btrfs",
        mkfs: "mkfs.btrfs",
        arguments: &["-q", "-f"],
        package: "btrfs-progs",
        least_bytes: 256 << 20,
        remounts_discard: true,
    },
];

/// Why a file system was not made.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// Not in the table.
    #[error("there is no file system '{given}' here; there are {}", known().join(", "))]
    Unknown {
        /// What was asked for.
        given: String,
    },
    /// The program is missing.
    #[error("`{program}` is not installed: it comes with the package {package}")]
    NoProgram {
        /// The program.
        program: &'static str,
        /// The package.
        package: &'static str,
    },
    /// Too small.
    #[error("{file_system} needs at least {} MiB, not {}", least >> 20, bytes >> 20)]
    TooSmall {
        /// The file system.
        file_system: &'static str,
        /// Bytes it needs.
        least: u64,
        /// Bytes there are.
        bytes: u64,
    },
    /// The program failed.
    #[error("`{command}` failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// What it said.
        message: String,
    },
}

fn known() -> Vec<&'static str> {
    FILE_SYSTEMS.iter().map(|row| row.name).collect()
}

/// The row of that name.
///
/// # Errors
/// [`FormatError::Unknown`]
pub fn file_system(name: &str) -> Result<&'static FileSystem, FormatError> {
    let row = FILE_SYSTEMS.iter().find(|row| row.name == name);
    row.ok_or_else(|| FormatError::Unknown { given: name.to_owned() })
}

impl FileSystem {
    /// Makes one on a device, with more arguments than the usual. Whatever was on it is
    /// lost: who calls this has made sure that it may be.
    ///
    /// # Errors
    /// [`FormatError`]
    pub fn format(&self, device: &Path, more: &[String]) -> Result<(), FormatError> {
        let mut command = Command::new(self.mkfs);
        command.args(self.arguments).args(more).arg(device).stdin(Stdio::null());
        // Programs of the system are not always on an ordinary user's path.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
        let shown = format!("{command:?}").replace('"', "");
        let output = command.output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                FormatError::NoProgram { program: self.mkfs, package: self.package }
            }
            _ => FormatError::Failed { command: shown.clone(), message: error.to_string() },
        })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        Err(FormatError::Failed { command: shown, message })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let missing = FileSystem { mkfs: "mkfs.of-nothing", package: "nothing", ..ext4() };
        let error = missing.format(Path::new("/dev/null"), &[]).expect_err("no such program");
        let text = error.to_string();
        assert!(text.contains("`mkfs.of-nothing`") && text.contains("package nothing"), "{text}");
    }

    fn ext4() -> FileSystem {
        let FileSystem { name, mkfs, arguments, package, least_bytes, remounts_discard } =
            *file_system("ext4").expect("in the table");
        FileSystem { name, mkfs, arguments, package, least_bytes, remounts_discard }
    }

    #[test]
    fn unknown_file_systems_are_named() {
        let error = file_system("ext5").err().expect("none").to_string();
        assert!(error.contains("ext5") && error.contains("btrfs"), "{error}");
    }
}
