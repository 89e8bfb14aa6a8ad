//! What a ready-made experiment will do, for people.

use std::io::{self, Write};

use crate::experiment::estimate::Estimate;
use crate::experiment::pace::Pace;
use crate::experiment::plan::{Blocks, Plan, VolumePlan};
use crate::experiment::recipes::Recipe;
use crate::report::experiment::asked;
use crate::units::{human_bytes, human_duration, human_rate};

/// A recipe before it is played.
pub struct Expected<'a> {
    /// Which.
    pub recipe: &'a Recipe,
    /// Its plan.
    pub plan: &'a Plan,
    /// What it will take; none where the place could not be measured.
    pub estimate: Option<Estimate>,
    /// How fast the place is.
    pub pace: Option<Pace>,
    /// Bytes free, where the image may need more.
    pub too_small: Option<u64>,
}

/// Every recipe in a line.
///
/// # Errors
/// The error of writing.
pub fn list(recipes: &[Recipe], out: &mut dyn Write) -> io::Result<()> {
    let width = recipes.iter().map(|recipe| recipe.name.len()).max().unwrap_or(0);
    for recipe in recipes {
        writeln!(out, "{:width$}  {}", recipe.name, recipe.summary())?;
    }
    Ok(())
}

/// What it will do, write, take and erase.
///
/// # Errors
/// The error of writing.
pub fn expected(expected: &Expected<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Expected { recipe, plan, estimate, pace, too_small } = expected;
    writeln!(out, "{}: {}", recipe.name, recipe.summary())?;
    let mut line = |what: &str, text: String| writeln!(out, "  {what:<8}{text}");
    line("on", place(plan))?;
    for (number, arm) in plan.arms.iter().enumerate() {
        let what = if number == 0 { "arms" } else { "" };
        line(what, format!("{}: {}", arm.name, asked(arm)))?;
    }
    if let Some(estimate) = estimate {
        let least = if matches!(plan.blocks, Blocks::Until { .. }) { "at least " } else { "" };
        let arms = plan.arms.len();
        line(
            "runs",
            format!("{least}{}, one warm-up of each of {arms} arms included", estimate.runs),
        )?;
        line("writes", format!("{least}about {}", human_bytes(estimate.bytes_written as u64)))?;
        line("takes", format!("{least}about {}{}", rounded(estimate.seconds), at(pace)))?;
    } else {
        line("takes", "nobody knows: the place could not be measured".into())?;
    }
    if plan.erases() {
        let what = match &plan.volume {
            VolumePlan::Device { device, .. } => format!("EVERYTHING on {}", device.display()),
            _ => "nothing of yours".into(),
        };
        line("erases", what)?;
    }
    if let Some(free) = too_small {
        let free = human_bytes(*free);
        line(
            "note",
            format!("only {free} are free for the image: give a smaller --scale or --scratch"),
        )?;
    }
    writeln!(out)
}

fn place(plan: &Plan) -> String {
    match &plan.volume {
        VolumePlan::Scratch { bytes, file_system } => format!(
            "a scratch {file_system} of {} in {}",
            human_bytes(*bytes),
            std::env::temp_dir().display()
        ),
        VolumePlan::Device { device, .. } => device.display().to_string(),
        VolumePlan::Mountpoint { directory } | VolumePlan::Directories { directory } => {
            format!("'{}'", directory.display())
        }
        VolumePlan::Files => "saved results".into(),
    }
}

/// Whole seconds; nobody waits for parts of them.
fn rounded(seconds: f64) -> String {
    human_duration((seconds.ceil() as u64).saturating_mul(1_000_000_000))
}

fn at(pace: &Option<Pace>) -> String {
    let Some(pace) = pace else { return String::new() };
    let rate = |bytes: f64| format!("{} MB/s", human_rate(bytes / 1e6));
    let how = if pace.written { "written" } else { "read, as nothing may be written yet," };
    format!(
        " (just measured: {} {how} in records of 1 MiB, {} of 4 KiB)",
        rate(pace.large),
        rate(pace.small)
    )
}
