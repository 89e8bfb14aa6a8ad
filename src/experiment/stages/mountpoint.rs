//! A file system where it is mounted, remounted with each arm's options and at last as it
//! was.

use std::path::{Path, PathBuf};

use super::directories::in_place;
use super::private_mounts;
use crate::experiment::plan::{Arm, Plan};
use crate::experiment::stage::{Ready, Stage, StageError};
use crate::interrupt::Interrupt;
use crate::volume::device::Device;
use crate::volume::mount::Mount;
use crate::volume::remount::{RemountError, Remounted};
use crate::volume::scheduler::Chosen;

/// Runs in a directory of a mounted file system.
pub struct Mountpoint {
    directory: PathBuf,
    remounted: Remounted,
    scheduler: Option<Chosen>,
    interrupt: Interrupt,
}

impl Mountpoint {
    /// Takes over the mount of a directory; its options are written down to be put back.
    ///
    /// # Errors
    /// [`StageError`]
    pub fn new(plan: &Plan, directory: &Path, interrupt: Interrupt) -> Result<Self, StageError> {
        private_mounts("remounting")?;
        for arm in &plan.arms {
            if arm.file_system.is_some() || !arm.mkfs.is_empty() {
                return Err(StageError::input(format!(
                    "arm '{}': fs= and mkfs= make a new file system, --mountpoint uses the one \
                     that is there",
                    arm.name
                )));
            }
        }
        let remounted = Remounted::take(directory).map_err(error)?;
        Ok(Self { directory: directory.to_owned(), remounted, scheduler: None, interrupt })
    }

    fn device_name(&self) -> Option<String> {
        let open = std::fs::File::open(&self.directory).ok()?;
        let mount = Mount::of(&open);
        Some(Device::under(&open, mount.as_ref())?.name().to_owned())
    }
}

fn error(error: RemountError) -> StageError {
    if error.is_input() { StageError::input(error) } else { StageError::machine(error) }
}

impl Stage for Mountpoint {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        let unverified = self.remounted.apply(&arm.mount_options).map_err(error)?;
        self.scheduler = None; // the one before
        if let Some(scheduler) = &arm.scheduler {
            let name = self.device_name().ok_or_else(|| {
                StageError::input(format!("arm '{}': there is no device for scheduler=", arm.name))
            })?;
            self.scheduler = Some(Chosen::choose(&name, scheduler).map_err(StageError::input)?);
        }
        let mut ready = in_place(arm, &self.directory, &self.interrupt)?;
        ready.start.steps.insert(0, "remount".into());
        ready.unverified = unverified;
        Ok(ready)
    }

    fn image_bytes(&self, _: &Arm) -> Option<u64> {
        None
    }
}
