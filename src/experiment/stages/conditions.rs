//! Bringing the drive of an arm to its state before a run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::conditioning::{self, Conditioned, Means, Step};
use crate::engine::Kernel;
use crate::experiment::plan::Arm;
use crate::experiment::record::Start;
use crate::experiment::stage::StageError;
use crate::interrupt::Interrupt;

/// Carries out one in a directory.
///
/// # Errors
/// [`StageError`], also when it was stopped.
pub fn carry_out(
    step: &Step,
    directory: &Path,
    interrupt: &Interrupt,
) -> Result<Conditioned, StageError> {
    let means = Means { system: &Kernel, interrupt, watch: &|_| {} };
    let failed = |error: conditioning::ConditionError| {
        let text = format!("condition '{step}': {error}");
        if error.is_input() { StageError::input(text) } else { StageError::machine(text) }
    };
    let (done, outcome) = conditioning::carry_out(step, directory, &means).map_err(failed)?;
    // A note that cannot be kept is no reason not to measure.
    let _ = conditioning::remember(directory, &done);
    outcome.map_err(failed)?;
    Ok(done)
}

/// All of an arm on a file system that stays mounted.
///
/// # Errors
/// [`StageError`], also for what would erase it.
pub fn in_place(
    arm: &Arm,
    directory: &Path,
    start: &mut Start,
    interrupt: &Interrupt,
) -> Result<(), StageError> {
    for step in &arm.conditions {
        start.conditions.push(carry_out(step, directory, interrupt)?);
        start.steps.push(step.to_string());
    }
    Ok(())
}

/// Carries out one that erases a device, which is not mounted.
///
/// # Errors
/// [`StageError`] when the user's command, or making a file system, fails.
pub fn erase(
    step: &Step,
    device: &Path,
    format: &dyn Fn() -> Result<(), StageError>,
) -> Result<Conditioned, StageError> {
    let begun = Instant::now();
    if let Step::SecureErase { command } = step {
        let output = Command::new("/bin/sh")
            .args(["-c", command])
            .env("TRIMARK_DEVICE", device)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| StageError::machine(format!("cannot start `{command}`: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(StageError::machine(format!(
                "`{command}`, to erase {}, ended with {}: {}",
                device.display(),
                output.status,
                said.trim()
            )));
        }
    }
    format()?;
    Ok(Conditioned::unmounted(step.clone(), begun.elapsed().as_nanos() as u64))
}
