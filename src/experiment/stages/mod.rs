//! The places experiments can take place on.

mod alike;
mod conditions;
mod device;
mod directories;
mod mountpoint;
mod scratch;

use std::path::Path;

use super::plan::{Plan, VolumePlan};
use super::stage::{Stage, StageError};
use crate::interrupt::Interrupt;
use crate::volume::namespace;

/// What somebody at a terminal answers to a question; none where nobody is asked.
pub type Ask<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The stage of a plan. `yes_erase` is the device that was named to be erased, `ask` how
/// the user is asked where none was; `interrupt` stops what takes long.
///
/// # Errors
/// [`StageError`] when the machine cannot, or what is asked for is not there.
pub fn stage(
    plan: &Plan,
    yes_erase: Option<&Path>,
    ask: Ask<'_>,
    interrupt: Interrupt,
) -> Result<Box<dyn Stage>, StageError> {
    Ok(match &plan.volume {
        VolumePlan::Directories { directory } => {
            Box::new(directories::Directories::new(directory.clone(), interrupt))
        }
        VolumePlan::Mountpoint { directory } => {
            Box::new(mountpoint::Mountpoint::new(plan, directory, interrupt)?)
        }
        VolumePlan::Device { device, format } => {
            let confirm = device::Confirm { yes_erase, ask };
            let format = format.as_deref();
            Box::new(device::MountedDevice::new(plan, device, format, confirm, interrupt)?)
        }
        VolumePlan::Scratch { bytes, file_system } => {
            Box::new(scratch::Scratch::new(plan, *bytes, file_system, interrupt)?)
        }
        VolumePlan::Files => {
            return Err(StageError::input("saved results have no place to run on"));
        }
    })
}

/// Mounting takes root. What is mounted, or remounted, from here on is seen by nobody else
/// and ends with this process, however it ends.
fn private_mounts(what: &str) -> Result<(), StageError> {
    if rustix::process::geteuid().is_root() {
        return namespace::private().map_err(|error| {
            StageError::machine(format!("{what} needs a mount namespace of its own: {error}"))
        });
    }
    Err(StageError::machine(format!(
        "{what} takes root: use sudo, or compare directories that are mounted already \
         (--arm NAME=dir=DIR), settings (--arm 'NAME=set …') or saved results (--arm NAME=file=FILE)"
    )))
}
