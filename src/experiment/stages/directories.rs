//! Directories as they are mounted: for arms with `dir=`, and for arms that differ in
//! settings only.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::alike::options_in_force;
use super::conditions;
use crate::experiment::plan::Arm;
use crate::experiment::record::Start;
use crate::experiment::stage::{Ready, Stage, StageError};
use crate::interrupt::Interrupt;
use crate::volume::cache;
use crate::volume::place::Place;
use crate::volume::trim;

/// Runs in directories that somebody else mounted.
pub struct Directories {
    /// Where arms run that name no directory.
    default: PathBuf,
    interrupt: Interrupt,
}

impl Directories {
    /// With a directory for arms that name none.
    #[must_use]
    pub fn new(default: PathBuf, interrupt: Interrupt) -> Self {
        Self { default, interrupt }
    }
}

impl Stage for Directories {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        let directory = arm.directory.as_ref().unwrap_or(&self.default);
        in_place(arm, directory, &self.interrupt)
    }

    fn image_bytes(&self, _: &Arm) -> Option<u64> {
        None
    }
}

/// Brings a directory on a file system that stays mounted to the common start:
/// conditioned as the arm says, everything written back, trimmed if the arm says so, caches empty as far as they can be.
///
/// # Errors
/// [`StageError`]
pub fn in_place(arm: &Arm, directory: &Path, interrupt: &Interrupt) -> Result<Ready, StageError> {
    let shown = directory.display();
    let open = File::open(directory)
        .map_err(|error| StageError::input(format!("cannot open directory '{shown}': {error}")))?;
    let mut start = Start::default();
    conditions::in_place(arm, directory, &mut start, interrupt)?;
    start.steps.push("sync".into());
    cache::sync_file_system(&open)
        .map_err(|error| StageError::machine(format!("cannot sync '{shown}': {error}")))?;
    if arm.trim_before {
        let trimmed = trim::free_space(&open).map_err(StageError::machine)?;
        start.steps.push("trim".into());
        start.trimmed_bytes = Some(trimmed);
    }
    if cache::drop_system_caches().is_ok() {
        start.steps.push("drop caches".into());
    }
    let place = Place::describe(directory, &open)
        .map_err(|error| StageError::machine(format!("cannot examine '{shown}': {error}")))?;
    let identity = match &place.mount {
        Some(mount) => format!("{} on {}", mount.source, mount.mount_point.display()),
        None => place.resolved.display().to_string(),
    };
    Ok(Ready {
        directory: directory.to_owned(),
        start,
        options_in_force: place.mount.as_ref().map(options_in_force).unwrap_or_default(),
        identity,
        unverified: Vec::new(),
    })
}
