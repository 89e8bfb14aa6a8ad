//! A small file system of a test's own, in a loop image; unmounted and detached whatever
//! happens.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{program, root, scratch, skip};

/// A mounted ext4 image.
pub struct Volume {
    device: Option<String>,
    mounted: bool,
    directory: TempDir,
}

impl Volume {
    /// A file system of `size` bytes; none, after saying why, where that is impossible.
    pub fn ext4(size: u64, mkfs_options: &[&str]) -> Option<Self> {
        if !root() {
            return None;
        }
        for needed in ["mkfs.ext4", "losetup", "mount", "umount"] {
            program(needed)?;
        }
        let mut volume = Self { device: None, mounted: false, directory: scratch() };
        let image = volume.directory.path().join("image");
        std::fs::File::create(&image).and_then(|file| file.set_len(size)).expect("an image");
        let image = image.to_string_lossy().into_owned();
        let lazy = "lazy_itable_init=0,lazy_journal_init=0";
        let mut arguments = vec!["-q", "-F", "-E", lazy];
        arguments.extend(mkfs_options);
        arguments.push(&image);
        run("mkfs.ext4", &arguments).expect("mkfs.ext4");
        match run("losetup", &["--find", "--show", &image]) {
            Ok(device) => volume.device = Some(device.trim().to_owned()),
            Err(reason) => {
                skip(&format!("no loop device can be had: {reason}"));
                return None;
            }
        }
        std::fs::create_dir(volume.path()).expect("a mount point");
        volume.mount("rw");
        Some(volume)
    }

    /// Where it is mounted.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("mounted")
    }

    /// Mounts it again, read-only.
    pub fn make_read_only(&mut self) {
        run("umount", &[&self.path().to_string_lossy()]).expect("umount");
        self.mounted = false;
        self.mount("ro");
    }

    fn mount(&mut self, options: &str) {
        let device = self.device.clone().expect("a device");
        let path = self.path();
        run("mount", &["-o", options, &device, &path.to_string_lossy()]).expect("mount");
        self.mounted = true;
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        let mut errors = Vec::new();
        if self.mounted {
            let path = self.path().to_string_lossy().into_owned();
            // A test that failed may have left a process in it for a moment.
            let unmounted = run("umount", &[&path]).or_else(|_| run("umount", &["--lazy", &path]));
            errors.extend(unmounted.err());
        }
        if let Some(device) = &self.device {
            errors.extend(run("losetup", &["--detach", device]).err());
        }
        assert!(errors.is_empty() || std::thread::panicking(), "{errors:?}");
    }
}

/// Runs a program as it is found, also where only root's path has it.
fn run(name: &str, arguments: &[&str]) -> Result<String, String> {
    let path = program(name).unwrap_or_else(|| Path::new(name).to_owned());
    let output = Command::new(path).args(arguments).output().map_err(|e| e.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
