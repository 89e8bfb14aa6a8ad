//! File systems on loop devices of the tests' own, gone when dropped.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::{program, root, scratch};

/// Runs a program to its end; its standard output.
pub fn done(program: impl AsRef<Path>, arguments: &[&str]) -> String {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {error}", program.display());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Lowest number of the loop devices made here: far from those that `losetup --find` gives.
const FIRST_NUMBER: usize = 4000;
/// Requests of `/dev/loop-control`.
const LOOP_CTL_ADD: u32 = 0x4C80;
const LOOP_CTL_REMOVE: u32 = 0x4C81;

/// Asks `/dev/loop-control` to make or remove the loop device of a number.
fn control<const REQUEST: u32>(number: usize) -> rustix::io::Result<()> {
    let control = File::options().read(true).write(true).open("/dev/loop-control");
    let control = control.expect("a kernel with loop devices");
    // SAFETY: both requests take a number, and any number will do.
    unsafe {
        let request = rustix::ioctl::IntegerSetter::<REQUEST>::new_usize(number);
        rustix::ioctl::ioctl(&control, request)
    }
}

/// A loop device on a sparse file. It is made for this and removed after it: nobody else
/// is given it, and no setting of it outlives it. (A `discard_max_bytes` of 0 would, and
/// cannot be taken back.)
pub struct LoopDevice {
    pub node: String,
    pub image: PathBuf,
    number: usize,
    _directory: TempDir,
}

impl LoopDevice {
    /// With an image of so many MiB; none after saying that the test is skipped.
    pub fn attach(mebibytes: u64) -> Option<Self> {
        let losetup = root().then(|| program("losetup")).flatten()?;
        let directory = scratch();
        let image = directory.path().canonicalize().expect("a directory").join("image");
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        let number = (FIRST_NUMBER..)
            .find(|number| match control::<LOOP_CTL_ADD>(*number) {
                Ok(()) => true,
                Err(rustix::io::Errno::EXIST) => false,
                Err(error) => panic!("no loop device: {error}"),
            })
            .expect("a free number");
        // Dropped also when attaching fails.
        let made =
            Self { node: format!("/dev/loop{number}"), image, number, _directory: directory };
        done(losetup, &[&made.node, &made.image.to_string_lossy()]);
        Some(made)
    }

    /// The kernel's name for it.
    pub fn name(&self) -> &str {
        self.node.trim_start_matches("/dev/")
    }

    /// Takes its discards away, for good.
    pub fn take_discards_away(&self) {
        let path = format!("/sys/block/{}/queue/discard_max_bytes", self.name());
        fs::write(path, "0").expect("no discards");
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.node]).stderr(Stdio::null()).status();
        // It is let go of a moment later if anybody (udev, say) has it open.
        for _ in 0..100 {
            if control::<LOOP_CTL_REMOVE>(self.number) != Err(rustix::io::Errno::BUSY) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Something mounted on a directory of its own.
pub struct Mounted {
    directory: TempDir,
}

impl Mounted {
    /// `mount ARGUMENTS directory`
    pub fn new(arguments: &[&str]) -> Self {
        let directory = scratch();
        let point = directory.path().to_string_lossy().into_owned();
        done("mount", &[arguments, &[&point]].concat());
        Self { directory }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

/// A fresh file system on a loop device of its own, mounted. Fields are dropped in order.
pub struct FileSystem {
    pub mounted: Mounted,
    pub device: LoopDevice,
}

impl FileSystem {
    /// Made by `mkfs.KIND ARGUMENTS`, mounted with these options; none after saying that
    /// the test is skipped.
    pub fn make(kind: &str, arguments: &[&str], options: &str) -> Option<Self> {
        let device = format_device(kind, arguments)?;
        let mounted = Mounted::new(&["-o", options, &device.node]);
        Some(Self { mounted, device })
    }

    pub fn path(&self) -> &Path {
        self.mounted.path()
    }
}

/// A loop device with a fresh file system.
pub fn format_device(kind: &str, arguments: &[&str]) -> Option<LoopDevice> {
    let mkfs = program(&format!("mkfs.{kind}"))?;
    // The least that each makes without complaint.
    let mebibytes = match kind {
        "xfs" => 320,
        "btrfs" => 256,
        _ => 64,
    };
    let device = LoopDevice::attach(mebibytes)?;
    done(mkfs, &[&["-q"], arguments, &[device.node.as_str()]].concat());
    Some(device)
}
