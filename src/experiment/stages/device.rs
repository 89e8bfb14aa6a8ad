//! A device of the user's, mounted for the experiment alone.

use std::path::{Path, PathBuf};

use super::alike::{self, Ground};
use super::scratch::node_name;
use super::{Ask, private_mounts};
use crate::experiment::plan::{Arm, Plan};
use crate::experiment::stage::{Ready, Stage, StageError};
use crate::interrupt::Interrupt;
use crate::volume::claim::{Claim, ClaimError};
use crate::volume::filesystem::file_system;
use crate::volume::mounting::MountPoint;
use crate::volume::scheduler::Chosen;

/// How the user says that a device may be erased.
pub struct Confirm<'a> {
    /// The device that was named to be erased.
    pub yes_erase: Option<&'a Path>,
    /// How the user is asked where none was.
    pub ask: Ask<'a>,
}

/// Runs on a device.
pub struct MountedDevice {
    point: MountPoint,
    device: PathBuf,
    file_system: String,
    scheduler: Option<Chosen>,
    interrupt: Interrupt,
}

impl MountedDevice {
    /// Claims the device, and formats it if that is asked for and confirmed.
    ///
    /// # Errors
    /// [`StageError`]; nothing was written to it unless it was to be formatted and that
    /// failed midway.
    pub fn new(
        plan: &Plan,
        device: &Path,
        format: Option<&str>,
        confirm: Confirm<'_>,
        interrupt: Interrupt,
    ) -> Result<Self, StageError> {
        private_mounts("mounting a device")?;
        for arm in &plan.arms {
            if arm.file_system.is_some() || !arm.mkfs.is_empty() {
                return Err(StageError::input(format!(
                    "arm '{}': fs= and mkfs= are for scratch images; a device has the file system \
                     that is on it, or that of --mkfs TYPE",
                    arm.name
                )));
            }
        }
        let claim = Claim::of(device).map_err(claim_error)?;
        if format.is_some() || plan.erases() {
            claim.may_erase(confirm.yes_erase, confirm.ask).map_err(claim_error)?;
        }
        let name = match (format, &claim.signature) {
            (Some(name), _) => {
                let row = file_system(name).map_err(StageError::input)?;
                row.format(&claim.device, &[]).map_err(StageError::machine)?;
                name.to_owned()
            }
            (None, Some(signature)) => signature.clone(),
            (None, None) => {
                return Err(StageError::input(format!(
                    "'{}' carries no file system: --mkfs TYPE makes one",
                    claim.device.display()
                )));
            }
        };
        let point = MountPoint::new().map_err(alike::mount_error)?;
        Ok(Self { point, device: claim.device, file_system: name, scheduler: None, interrupt })
    }
}

fn claim_error(error: ClaimError) -> StageError {
    if error.is_input() { StageError::input(error) } else { StageError::machine(error) }
}

impl Stage for MountedDevice {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        self.scheduler = None; // the one before
        if let Some(scheduler) = &arm.scheduler {
            let chosen = Chosen::choose(&node_name(&self.device), scheduler);
            self.scheduler = Some(chosen.map_err(StageError::input)?);
        }
        let format = || {
            let row = file_system(&self.file_system).map_err(StageError::input)?;
            row.format(&self.device, &[]).map_err(StageError::machine)
        };
        let ground = Ground {
            point: &mut self.point,
            device: &self.device,
            file_system: &self.file_system,
            trim: arm.trim_before,
            identity: format!("{} ({})", self.device.display(), self.file_system),
            format: &format,
            interrupt: &self.interrupt,
        };
        alike::make_ready(ground, arm)
    }

    fn image_bytes(&self, _: &Arm) -> Option<u64> {
        None
    }
}

impl Drop for MountedDevice {
    fn drop(&mut self) {
        alike::remove_runs_directory(self.point.path());
    }
}
