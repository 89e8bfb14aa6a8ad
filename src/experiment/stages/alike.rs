//! The start that every run has, on a file system that is mounted for it alone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::conditions;
use crate::experiment::plan::Arm;
use crate::experiment::record::Start;
use crate::experiment::stage::{Ready, StageError};
use crate::interrupt::Interrupt;
use crate::volume::device::Device;
use crate::volume::mount::Mount;
use crate::volume::mounting::{MountError, MountPoint};
use crate::volume::{cache, in_force, trim};

/// What is mounted for a run.
pub struct Ground<'a> {
    /// Where.
    pub point: &'a mut MountPoint,
    /// The device.
    pub device: &'a Path,
    /// Its type of file system.
    pub file_system: &'a str,
    /// Whether its free space is discarded first.
    pub trim: bool,
    /// What stands for it in comparisons of arms.
    pub identity: String,
    /// Makes its file system anew; the device is not mounted then.
    pub format: &'a dyn Fn() -> Result<(), StageError>,
    /// Stops what takes long.
    pub interrupt: &'a Interrupt,
}

/// Brings a device to the common start: conditioned as the arm says, written back, trimmed if so wanted, unmounted,
/// caches empty, mounted with the arm's options, which are read back. The runs' directory
/// is made if it is not there.
///
/// # Errors
/// [`StageError`]
pub fn make_ready(ground: Ground<'_>, arm: &Arm) -> Result<Ready, StageError> {
    let mut start = Start::default();
    let mut ground = ground;
    condition(&mut ground, arm, &mut start)?;
    let Ground { point, device, file_system, trim, identity, .. } = ground;
    if trim {
        // Mounted anew for it: ext4 leaves out what it trimmed since it was mounted.
        point.mount(device, file_system, &[]).map_err(mount_error)?;
        let root = open(point.path())?;
        let machine = |error| StageError::machine(format!("{identity}: {error}"));
        cache::sync_file_system(&root).map_err(|error| machine(error.to_string()))?;
        let trimmed = trim::free_space(&root).map_err(|error| machine(error.to_string()))?;
        start.steps.extend(["mount".into(), "sync".into(), "trim".into()]);
        start.trimmed_bytes = Some(trimmed);
    }
    point.unmount().map_err(mount_error)?;
    let _ = cache::drop_system_caches();
    point.mount(device, file_system, &arm.mount_options).map_err(mount_error)?;
    start.steps.extend(["unmount", "drop caches", "mount", "read options back"].map(String::from));
    let root = open(point.path())?;
    let mount = Mount::of(&root).ok_or_else(|| {
        StageError::machine("the kernel does not tell how the file system is mounted")
    })?;
    let device = Device::under(&root, Some(&mount));
    let unverified = in_force::check(&arm.mount_options, &mount, device.as_ref())
        .map_err(StageError::machine)?;
    Ok(Ready {
        directory: runs_directory(point.path())?,
        start,
        options_in_force: options_in_force(&mount),
        identity,
        unverified,
    })
}

/// Carries out the arm's conditions, the file system mounted as for its runs.
fn condition(ground: &mut Ground<'_>, arm: &Arm, start: &mut Start) -> Result<(), StageError> {
    let mut mounted = false;
    for step in &arm.conditions {
        if step.erases() {
            ground.point.unmount().map_err(mount_error)?;
            start.conditions.push(conditions::erase(step, ground.device, ground.format)?);
            mounted = false;
        } else {
            if !mounted {
                let options = &arm.mount_options;
                ground
                    .point
                    .mount(ground.device, ground.file_system, options)
                    .map_err(mount_error)?;
                mounted = true;
            }
            let done = conditions::carry_out(step, ground.point.path(), ground.interrupt)?;
            start.conditions.push(done);
        }
        start.steps.push(step.to_string());
    }
    Ok(())
}

/// The options that are listed, and of the others those that are compared: discards, which
/// ext4 may have on by its superblock.
pub fn options_in_force(mount: &Mount) -> Vec<String> {
    let discards = mount.unlisted_options.iter().filter(|option| option.contains("discard"));
    mount.options.iter().chain(discards).cloned().collect()
}

/// The directory of the runs, apart from what the file system has at its root.
const RUNS: &str = "trimark-runs";

fn runs_directory(root: &Path) -> Result<PathBuf, StageError> {
    let directory = root.join(RUNS);
    match fs::create_dir(&directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            let shown = directory.display();
            Err(StageError::machine(format!("cannot make the directory '{shown}': {error}")))
        }
        _ => Ok(directory),
    }
}

/// Removes the runs' directory of a file system that stays; only if it is empty.
pub fn remove_runs_directory(root: &Path) {
    let _ = fs::remove_dir(root.join(RUNS));
}

/// As a stage's error.
pub fn mount_error(error: MountError) -> StageError {
    if error.is_input() { StageError::input(error) } else { StageError::machine(error) }
}

fn open(path: &Path) -> Result<File, StageError> {
    File::open(path)
        .map_err(|error| StageError::machine(format!("cannot open '{}': {error}", path.display())))
}
