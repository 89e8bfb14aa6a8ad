//! Playing the experiments that come with the program, scaled for a small drive where
//! that is asked for.

use std::path::Path;

use super::arguments::Arguments;
use super::comparing::COMPARE_OPTIONS;
use super::error::LineError;
use super::program::{self, Action};
use super::row::{Command, CommandRow, ROW, Values};
use super::{Session, Trouble};
use crate::conditioning::Step;
use crate::experiment::estimate::estimate;
use crate::experiment::pace::{self, Pace};
use crate::experiment::plan::{Arm, Plan, VolumePlan};
use crate::experiment::recipes::{RECIPES, Recipe};
use crate::experiment::request::{Place, Request};
use crate::report::recipe::{self as told, Expected};
use crate::workload::Assignment;
use crate::workload::Config;
use crate::workload::transfer::FileSize;

/// Files and images are made of whole ones of these, bytes.
const UNIT: u64 = 1 << 20;
/// A scaled scratch image is at least so large that every file system can be made in it.
const LEAST_IMAGE: u64 = 320 << 20;

/// The row of the table.
pub const RECIPE: [CommandRow; 1] = [CommandRow {
    words: &["recipe"],
    usage: "[NAME [scale=1/100] [secure-erase=COMMAND] [estimate] [OPTION=VALUE…]]",
    summary: "Plays a ready-made experiment, or lists them",
    details: "Says what it will do, write and how long it will take on this drive after a short \
              measurement, and compares. scale: sizes, numbers and times of a small drive. \
              secure-erase: the COMMAND instead of a new file system, where a clean drive is \
              needed; it finds the device in TRIMARK_DEVICE. estimate: ends before anything is \
              done. OPTION is any of `compare`: device=DEV, scratch=SIZE, fs=TYPE, blocks=N and \
              so on. Where it erases a device, DEV must be typed, or given by yes-erase=DEV.",
    values: Values::Words(|| RECIPES.iter().map(|recipe| recipe.name).collect()),
    parse: parse_recipe,
    classic: false,
    ..ROW
}];

/// What is asked of a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeRequest {
    /// Which.
    pub recipe: Recipe,
    /// Its sizes, numbers and times are multiplied by this.
    pub scale: f64,
    /// The user's command that erases the drive, instead of a new file system.
    pub secure_erase: Option<String>,
    /// Only say what would be done.
    pub only_estimate: bool,
    /// How it is compared.
    pub request: Request,
}

impl RecipeRequest {
    /// The recipe of that name, as it is written.
    ///
    /// # Errors
    /// Those that there are.
    pub fn new(name: &str) -> Result<Self, String> {
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name).copied();
        let recipe = recipe.ok_or_else(|| {
            let names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
            format!("there is no recipe '{name}'; there are {}", names.join(", "))
        })?;
        Ok(Self {
            recipe,
            scale: 1.0,
            secure_erase: None,
            only_estimate: false,
            request: Request::default(),
        })
    }
}

/// Reads `1/100`, `1%` or `0.01`.
///
/// # Errors
/// How it is written.
pub fn parse_scale(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let scale = match (text.split_once('/'), text.strip_suffix('%')) {
        (Some((above, below)), _) => number(above).zip(number(below)).map(|(a, b)| a / b),
        (None, Some(share)) => number(share).map(|share| share / 100.0),
        (None, None) => number(text),
    };
    scale
        .filter(|scale| (1e-6..=1e3).contains(scale))
        .ok_or_else(|| format!("'{text}' is no scale: write it as 1/100, 1% or 0.01"))
}

fn parse_recipe(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let Some(name) = arguments.take() else { return Ok(Command::Recipe(None)) };
    let asked = RecipeRequest::new(&name.text());
    let mut asked = asked.map_err(|message| arguments.error_at(name, message))?;
    while let Some(word) = arguments.take() {
        let text = word.text();
        let (option, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        let taken = match option {
            "scale" => parse_scale(value).map(|scale| asked.scale = scale),
            "secure-erase" if value.is_empty() => Err("its command is missing".into()),
            "secure-erase" => {
                asked.secure_erase = Some(value.to_owned());
                Ok(())
            }
            "estimate" if value.is_empty() => {
                asked.only_estimate = true;
                Ok(())
            }
            _ => match COMPARE_OPTIONS.iter().find(|row| row.name == option) {
                Some(row) => (row.take)(&mut asked.request, value),
                None => Err(format!("'{option}' is no option of `recipe` or `compare`")),
            },
        };
        taken.map_err(|message| arguments.error_at(word, message))?;
    }
    Ok(Command::Recipe(Some(Box::new(asked))))
}

impl Session<'_> {
    /// Plays a recipe, or lists them. The session's own settings and arms are left as they
    /// are.
    ///
    /// # Errors
    /// [`Trouble`]
    pub fn recipe(&mut self, asked: Option<&RecipeRequest>) -> Result<(), Trouble> {
        let Some(asked) = asked else {
            told::list(RECIPES, self.out)?;
            return Ok(self.out.flush()?);
        };
        let own = (self.config.clone(), self.made, std::mem::take(&mut self.arms));
        let place = self.overrides.request.place.clone();
        let outcome = self.play_recipe(asked);
        (self.config, self.made, self.arms) = own;
        self.overrides.request.place = place;
        outcome
    }

    fn play_recipe(&mut self, asked: &RecipeRequest) -> Result<(), Trouble> {
        self.config = Config::default();
        self.made = Default::default();
        let program = program::parse(asked.recipe.script.as_bytes(), asked.recipe.name)?;
        let mut request = Request::default();
        for instruction in program.instructions {
            match instruction.action {
                Action::Do(Command::Compare(own)) => request = scaled_request(*own, asked.scale),
                Action::Do(Command::Set(assignment)) => {
                    self.execute(Command::Set(scaled_setting(assignment, asked.scale)))?;
                }
                Action::Do(Command::Arm(mut arm)) => {
                    adapt(&mut arm, asked);
                    self.arms.push(*arm);
                }
                Action::Do(command) => {
                    self.execute(command)?;
                }
                Action::Entered(_) => {}
            }
        }
        // A scratch image of no certain size is as large as the recipe has it.
        let any = |place: &mut Option<Place>| {
            if *place == Some(Place::Scratch(None)) {
                *place = None;
            }
        };
        any(&mut self.overrides.request.place);
        let mut above = asked.request.clone();
        any(&mut above.place);
        let request = request.under(above);
        if request.resume.is_none() && self.overrides.request.resume.is_none() {
            self.tell_what_to_expect(asked, &request)?;
        }
        if asked.only_estimate {
            return Ok(());
        }
        self.compare(request)
    }

    /// Says what is about to be done, before any of it is.
    fn tell_what_to_expect(
        &mut self,
        asked: &RecipeRequest,
        request: &Request,
    ) -> Result<(), Trouble> {
        let own = Request { arms: self.arms.clone(), ..Request::default() };
        let whole = own.under(request.clone()).under(self.overrides.request.clone());
        let (plan, _, _) = self.prepare(&whole)?;
        let temporary = std::env::temp_dir();
        let room = room(&plan, &temporary);
        let pace = pace(&plan, &temporary);
        let expected = Expected {
            recipe: &asked.recipe,
            plan: &plan,
            estimate: pace.as_ref().map(|pace| estimate(&plan, room.unwrap_or(0), pace)),
            pace,
            too_small: too_small(&plan, &temporary),
        };
        told::expected(&expected, self.out)?;
        Ok(self.out.flush()?)
    }
}

/// Bytes that a file system there can hold, about; none where that cannot be told.
fn room(plan: &Plan, temporary: &Path) -> Option<u64> {
    match &plan.volume {
        VolumePlan::Scratch { bytes, .. } => Some(bytes / 100 * 95),
        VolumePlan::Device { device, .. } => {
            use std::io::Seek;
            let mut file = std::fs::File::open(device).ok()?;
            file.seek(std::io::SeekFrom::End(0)).ok().map(|bytes| bytes / 100 * 95)
        }
        VolumePlan::Mountpoint { directory } | VolumePlan::Directories { directory } => {
            free(directory)
        }
        VolumePlan::Files => free(temporary),
    }
}

fn free(directory: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(directory).ok()?;
    Some(stat.f_bavail * stat.f_frsize)
}

/// A short look at the place; none where it cannot be had.
fn pace(plan: &Plan, temporary: &Path) -> Option<Pace> {
    let measured = match &plan.volume {
        VolumePlan::Scratch { .. } => pace::of_directory(temporary),
        VolumePlan::Device { device, .. } => pace::of_device(device),
        VolumePlan::Mountpoint { directory } | VolumePlan::Directories { directory } => {
            pace::of_directory(directory)
        }
        VolumePlan::Files => return None,
    };
    measured.ok()
}

/// Bytes free where an image is to be that may need more; none where it fits.
fn too_small(plan: &Plan, temporary: &Path) -> Option<u64> {
    let VolumePlan::Scratch { bytes, .. } = plan.volume else { return None };
    free(temporary).filter(|free| *free < bytes)
}

fn scaled_size(bytes: u64, scale: f64) -> u64 {
    (((bytes as f64 * scale) as u64).div_ceil(UNIT) * UNIT).max(UNIT)
}

fn scaled_request(mut request: Request, scale: f64) -> Request {
    if let Some(Place::Scratch(Some(bytes))) = &mut request.place {
        *bytes = scaled_size(*bytes, scale).max(LEAST_IMAGE);
    }
    request
}

fn scaled_setting(assignment: Assignment, scale: f64) -> Assignment {
    let count = |number: u64| ((number as f64 * scale) as u64).max(1);
    match assignment {
        Assignment::FileSize(FileSize::Bytes(bytes)) => {
            Assignment::FileSize(FileSize::Bytes(scaled_size(bytes, scale)))
        }
        // As many intervals as a large file has.
        Assignment::Interval(interval) => {
            let bounds = Config::INTERVAL;
            Assignment::Interval(count(interval).clamp(*bounds.start(), *bounds.end()))
        }
        Assignment::Number(number) => Assignment::Number(count(number)),
        Assignment::Transactions(number) => Assignment::Transactions(count(number)),
        other => other,
    }
}

/// Scales an arm's conditions, and lets the user's command make its drive clean.
fn adapt(arm: &mut Arm, asked: &RecipeRequest) {
    for step in &mut arm.conditions {
        *step = step.clone().scaled(asked.scale);
        if let (Step::Format, Some(command)) = (&step, &asked.secure_erase) {
            *step = Step::SecureErase { command: command.clone() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_reads_and_says_what_it_is() {
        for recipe in RECIPES {
            assert!(recipe.summary().len() > 20, "{}", recipe.name);
            let program = program::parse(recipe.script.as_bytes(), recipe.name).expect("a script");
            assert!(program.compares(), "{}", recipe.name);
        }
    }

    #[test]
    fn scales() {
        for (text, scale) in [("1/100", 0.01), ("1%", 0.01), ("0.01", 0.01), ("2", 2.0)] {
            assert!((parse_scale(text).expect(text) - scale).abs() < 1e-12, "{text}");
        }
        for text in ["0", "1/0", "x", "-1", "", "nan", "1/"] {
            assert!(parse_scale(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_scaled_stays_possible() {
        assert_eq!(scaled_size(7 << 30, 0.01), 72 << 20);
        assert_eq!(scaled_size(1 << 30, 1e-6), 1 << 20);
        let number = scaled_setting(Assignment::Number(20), 0.01);
        assert_eq!(number, Assignment::Number(1));
    }
}
