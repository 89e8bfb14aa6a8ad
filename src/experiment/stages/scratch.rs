//! File systems in sparse images, made for the experiment and gone with it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use super::alike::{self, Ground};
use super::private_mounts;
use crate::experiment::plan::{Arm, Plan};
use crate::experiment::stage::{Ready, Stage, StageError};
use crate::interrupt::Interrupt;
use crate::volume::filesystem::{FormatError, file_system};
use crate::volume::loop_device::LoopDevice;
use crate::volume::mounting::MountPoint;
use crate::volume::scheduler::Chosen;

/// Arms whose file systems are made alike share one: the place in the host's file system
/// is then the same for them, too.
type Kind = (String, Vec<String>);

/// An image with its file system. Fields are dropped in order.
struct Image {
    point: MountPoint,
    scheduler: Option<Chosen>,
    device: LoopDevice,
}

/// Runs on scratch images.
pub struct Scratch {
    images: BTreeMap<Kind, Image>,
    file_system: String,
    /// True when whether free space is trimmed is itself what is compared.
    trim_is_an_arm: bool,
    interrupt: Interrupt,
}

impl Scratch {
    /// Makes the images of a plan's arms.
    ///
    /// # Errors
    /// [`StageError`] without root, without the programs, or without space.
    pub fn new(
        plan: &Plan,
        bytes: u64,
        file_system: &str,
        interrupt: Interrupt,
    ) -> Result<Self, StageError> {
        private_mounts("making a scratch file system")?;
        let mut scratch = Self {
            images: BTreeMap::new(),
            file_system: file_system.to_owned(),
            trim_is_an_arm: plan.arms.iter().any(|arm| arm.trim_before),
            interrupt,
        };
        for arm in &plan.arms {
            let kind = scratch.kind(arm);
            if let Entry::Vacant(place) = scratch.images.entry(kind) {
                let image = make(place.key(), bytes)?;
                place.insert(image);
            }
        }
        Ok(scratch)
    }

    fn kind(&self, arm: &Arm) -> Kind {
        let name = arm.file_system.clone().unwrap_or_else(|| self.file_system.clone());
        (name, arm.mkfs.clone())
    }
}

fn make(kind: &Kind, bytes: u64) -> Result<Image, StageError> {
    let row = file_system(&kind.0).map_err(StageError::input)?;
    if bytes < row.least_bytes {
        let least = row.least_bytes;
        return Err(StageError::input(FormatError::TooSmall {
            file_system: row.name,
            least,
            bytes,
        }));
    }
    let point = MountPoint::new().map_err(alike::mount_error)?;
    let device =
        LoopDevice::on_new_image(&std::env::temp_dir(), bytes).map_err(StageError::machine)?;
    format(kind, device.path())?;
    Ok(Image { point, scheduler: None, device })
}

/// Makes the file system of a kind.
fn format((name, arguments): &Kind, device: &Path) -> Result<(), StageError> {
    let row = file_system(name).map_err(StageError::input)?;
    row.format(device, arguments).map_err(|error| match error {
        // What an arm asks for by mkfs= is the likely culprit.
        FormatError::Failed { .. } if !arguments.is_empty() => StageError::input(error),
        error => StageError::machine(error),
    })
}

impl Stage for Scratch {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        let kind = self.kind(arm);
        let image = self.images.get_mut(&kind).expect("an image was made for each kind");
        // An arm with conditions is as those leave it.
        let conditioned = !arm.conditions.is_empty();
        let used = self.trim_is_an_arm && !conditioned;
        if used {
            // Every block taken, as on a drive that has been written all over: only arms
            // that trim begin with free blocks.
            image.point.unmount().map_err(alike::mount_error)?;
            image.device.allocate().map_err(|error| {
                StageError::machine(format!(
                    "cannot take the space of the whole image, so that arms without trim begin on \
                     a used device: {error}; give a smaller --scratch SIZE, or another TMPDIR"
                ))
            })?;
        }
        image.scheduler = None; // the one before
        if let Some(scheduler) = &arm.scheduler {
            let name = node_name(image.device.path());
            image.scheduler = Some(Chosen::choose(&name, scheduler).map_err(StageError::input)?);
        }
        let arguments =
            if kind.1.is_empty() { String::new() } else { " ".to_owned() + &kind.1.join(" ") };
        let device = image.device.path().to_owned();
        let ground = Ground {
            point: &mut image.point,
            device: &device,
            file_system: &kind.0,
            // Else every run of every arm begins trimmed, so that the image starts alike.
            trim: arm.trim_before || !(used || conditioned),
            identity: format!("a scratch {}{arguments}", kind.0),
            format: &|| format(&kind, &device),
            interrupt: &self.interrupt,
        };
        let mut ready = alike::make_ready(ground, arm)?;
        if used {
            ready.start.steps.insert(0, "take all blocks of the image".into());
        }
        ready.start.image_bytes = image.device.allocated().ok();
        Ok(ready)
    }

    fn image_bytes(&self, arm: &Arm) -> Option<u64> {
        self.images.get(&self.kind(arm))?.device.allocated().ok()
    }

    fn notes(&self) -> Vec<String> {
        let cached = self.images.values().any(|image| !image.device.is_direct());
        let note = "the scratch image cannot be accessed directly here: what is written to it \
                    goes through the page cache of the file system it is on";
        cached.then(|| note.to_owned()).into_iter().collect()
    }
}

/// The kernel's name of a device node.
pub fn node_name(node: &Path) -> String {
    node.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
