//! Where the contests take place: a directory in memory, and an ext4 of this benchmark's own.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Room for the pools of two workers with every block of their files.
const IMAGE_BYTES: u64 = 2 << 30;

/// A file system to measure on. Dropping it unmounts and removes what it is made of.
pub struct Volume {
    pub name: &'static str,
    place: PathBuf,
    mounted: bool,
    /// Holds the image and the mount point, or is the place itself.
    _directory: TempDir,
}

impl Volume {
    /// A directory on the tmpfs at `/dev/shm`, or why there is none.
    pub fn in_memory() -> Result<Self, String> {
        let directory = scratch().tempdir_in("/dev/shm").map_err(|error| error.to_string())?;
        let place = directory.path().to_owned();
        Ok(Self { name: "tmpfs", place, mounted: false, _directory: directory })
    }

    /// A new ext4 in a file, mounted through a loop device, or why there is none.
    pub fn ext4() -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("a loop image can be mounted by root only".into());
        }
        let directory = scratch().tempdir().map_err(|error| error.to_string())?;
        let (image, place) = (directory.path().join("image"), directory.path().join("mount"));
        let made = std::fs::File::create(&image).and_then(|file| file.set_len(IMAGE_BYTES));
        made.and_then(|()| std::fs::create_dir(&place)).map_err(|error| error.to_string())?;
        // All of it made now: what is put off would be written during the measurements.
        let complete = "lazy_itable_init=0,lazy_journal_init=0";
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-E", complete]).arg(&image))?;
        run(Command::new("mount").args(["-o", "loop"]).args([&image, &place]))?;
        Ok(Self { name: "ext4", place, mounted: true, _directory: directory })
    }

    /// A new directory on it.
    pub fn scratch(&self) -> TempDir {
        scratch().tempdir_in(&self.place).expect("a directory on the volume")
    }

    /// Writes back what is left of the contest before, so that the next does not pay for it.
    pub fn settle(&self) {
        let directory = std::fs::File::open(&self.place).expect("the volume is there");
        rustix::fs::syncfs(directory).expect("written back");
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if self.mounted
            && let Err(error) = run(Command::new("umount").arg(&self.place))
        {
            eprintln!("'{}' is still mounted: {error}", self.place.display());
        }
    }
}

fn scratch() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("trimark-bench-");
    builder
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Where a program is, if it is installed.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|candidate| Path::is_file(candidate))
}
