//! A small ext4 on a loop device of the test's own, taken down when dropped.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{program, root, scratch, skip};

/// Large enough for a journal and the pools of these tests.
const SIZE: u64 = 192 << 20;

/// A loop device, detached when dropped.
struct LoopDevice(String);

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = run("losetup", &["--detach", &self.0]);
    }
}

/// A mount, unmounted when dropped.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = run("umount", &[&self.0.to_string_lossy()]);
    }
}

/// The file system. What holds something comes before what it holds: fields are dropped
/// in this order.
pub struct Image {
    mounted: Mounted,
    _device: LoopDevice,
    directory: TempDir,
}

impl Image {
    /// One mounted with these options; none after saying why the test is skipped.
    pub fn mounted(options: &str) -> Option<Self> {
        if !root() || !["mkfs.ext4", "losetup", "mount", "umount"].iter().all(is_there) {
            return None;
        }
        let directory = scratch();
        let (file, mount_point) = (directory.path().join("image"), directory.path().join("mount"));
        std::fs::File::create(&file).and_then(|file| file.set_len(SIZE)).expect("a sparse file");
        std::fs::create_dir(&mount_point).expect("a mount point");
        let (file, point) = (file.to_string_lossy(), mount_point.to_string_lossy());
        // Nothing is to be initialised later, in the background.
        let at_once = "lazy_itable_init=0,lazy_journal_init=0";
        run("mkfs.ext4", &["-q", "-E", at_once, &file]).expect("a file system is made");
        let attach = ["--find", "--show", "--direct-io=on", &file];
        let device = match run("losetup", &attach) {
            Ok(name) => LoopDevice(name.trim().to_owned()),
            Err(reason) => {
                skip(&format!("there is no loop device with direct I/O: {reason}"));
                return None;
            }
        };
        if let Err(reason) = run("mount", &["-o", options, &device.0, &point]) {
            skip(&format!("an ext4 cannot be mounted with {options}: {reason}"));
            return None;
        }
        let mounted = Mounted(mount_point.clone());
        std::fs::create_dir(mount_point.join("pool")).expect("a directory");
        Some(Self { mounted, _device: device, directory })
    }

    /// An empty directory in it.
    pub fn pool(&self) -> PathBuf {
        self.mounted.0.join("pool")
    }

    /// Bytes that the file behind it takes.
    pub fn taken(&self) -> u64 {
        self.file().metadata().expect("the image").blocks() * 512
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("image")
    }
}

fn is_there(name: &&str) -> bool {
    program(name).is_some()
}

/// Standard output of a program, or what it complained of.
fn run(name: &str, arguments: &[&str]) -> Result<String, String> {
    let path = program(name).unwrap_or_else(|| Path::new(name).to_owned());
    let output = Command::new(path).args(arguments).output().map_err(|e| e.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}
