//! `trimark compare`, `report` and `metrics`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::CompareArgs;
use crate::{location, setting_overrides, with_session};
use anyhow::Context;
use trimark::experiment::request::Request;
use trimark::experiment::{analysis, file, saved, values};
use trimark::report::FORMATS;
use trimark::script::comparing::COMPARE_OPTIONS;
use trimark::script::program::{self, Program};
use trimark::script::recipe::{RecipeRequest, parse_scale};
use trimark::script::{Dialect, Overrides, Trouble};

/// The workload where no CONFIG is given: small files, deleted and rewritten.
const WORKLOAD: &str = include_str!("../fixtures/compare.pm");
/// What is compared then.
const DEFAULT_SET: &str = "discard";
/// How often.
const DEMO_BLOCKS: u64 = 12;

/// `trimark compare`
pub fn compare(program: Option<Program>, arguments: &CompareArgs) -> anyhow::Result<u8> {
    let is_demo = program.is_none();
    let program = match program {
        Some(program) => program,
        None => program::parse(WORKLOAD.as_bytes(), "the built-in workload")?,
    };
    let mut overrides = overrides(arguments, is_demo)?;
    let request = &overrides.request;
    if is_demo && request.until.is_none() && request.resume.is_none() {
        // About a minute.
        overrides.request.blocks.get_or_insert(DEMO_BLOCKS);
    }
    let place = tempfile::Builder::new().prefix("trimark-compare-").tempdir();
    let place = place.context("cannot make a temporary directory")?;
    if is_demo && !rustix::process::geteuid().is_root() && asks_for_nothing(&overrides.request) {
        eprintln!(
            "trimark: note: mounting takes root, so nothing is mounted: this compares '{}' with \
             itself, which tells how small a difference could be seen here. Without root you can \
             also compare directories that are mounted differently (--arm NAME=dir=DIR), settings \
             (--arm 'NAME=set …') and saved results (--arm NAME=file=FILE).",
            place.path().display()
        );
        overrides.request.against_itself = true;
        overrides.default_arm_set = None;
        overrides.assignments.insert(0, location(place.path()));
    }
    with_session(Dialect::Trimark, overrides, |session| {
        let compares = program.compares();
        let program = if compares { program } else { program.settings_and_arms() };
        session.execute_program(program)?;
        if !compares {
            session.compare(Request::default())?;
        }
        Ok(session.worst())
    })
}

/// `trimark recipe`
pub fn recipe(
    name: Option<&str>,
    scale: Option<&str>,
    secure_erase: Option<String>,
    only_estimate: bool,
    arguments: &CompareArgs,
) -> anyhow::Result<u8> {
    let wrong = |message: String| Trouble::Script(vec![message]);
    let asked = name.map(|name| {
        let asked = RecipeRequest::new(name)?;
        let scale = scale.map_or(Ok(asked.scale), parse_scale)?;
        Ok(RecipeRequest { scale, secure_erase, only_estimate, ..asked })
    });
    let asked = asked.transpose().map_err(wrong)?;
    with_session(Dialect::Trimark, overrides(arguments, false)?, |session| {
        session.recipe(asked.as_ref())?;
        Ok(session.worst())
    })
}

/// True when neither arms nor a place were chosen.
fn asks_for_nothing(request: &Request) -> bool {
    request.arms.is_empty()
        && request.arm_set.is_none()
        && request.place.is_none()
        && request.resume.is_none()
}

fn overrides(arguments: &CompareArgs, is_demo: bool) -> Result<Overrides, Trouble> {
    let mut request = Request::default();
    for (name, value) in arguments.given() {
        let row = COMPARE_OPTIONS.iter().find(|row| row.name == name);
        let row = row.expect("every option of the command line has its row, as a test checks");
        (row.take)(&mut request, value)
            .map_err(|reason| Trouble::Script(vec![format!("--{name} '{value}': {reason}")]))?;
    }
    let mut overrides = Overrides {
        assignments: setting_overrides(&arguments.settings)?,
        request,
        default_arm_set: is_demo.then_some(DEFAULT_SET),
        ..Overrides::default()
    };
    overrides.assignments.extend(arguments.location.as_deref().map(location));
    Ok(overrides)
}

/// `trimark report`
pub fn report(files: &[PathBuf], formats: &[String]) -> anyhow::Result<u8> {
    for path in files {
        let text = std::fs::read(path).map_err(|error| Trouble::unreadable_config(path, &error))?;
        if file::is_experiment(&text) {
            report_experiment(path, formats)?;
        } else {
            report_runs(path, formats)?;
        }
    }
    Ok(0)
}

fn report_experiment(path: &Path, formats: &[String]) -> anyhow::Result<()> {
    let saved = file::read(path).map_err(Trouble::from)?;
    let outcome = analysis::outcome(&saved.plan, &saved.runs, saved.end);
    let take = COMPARE_OPTIONS.iter().find(|row| row.name == "report");
    let take = take.expect("`compare` has an option `report`").take;
    let mut request = Request::default();
    for format in formats {
        take(&mut request, format).map_err(|reason| Trouble::Script(vec![reason]))?;
    }
    with_session(Dialect::Trimark, Overrides::default(), |session| {
        Ok(session.report_outcome(&request, &outcome)?)
    })
}

fn report_runs(path: &Path, formats: &[String]) -> anyhow::Result<()> {
    let runs = saved::runs(path).map_err(Trouble::from)?;
    let default = ["full".to_owned()];
    let formats = if formats.is_empty() { &default[..] } else { formats };
    for format in formats {
        let (name, file) =
            format.split_once(':').map_or((format.as_str(), None), |(f, p)| (f, Some(p)));
        let row = FORMATS.iter().find(|row| row.name == name).ok_or_else(|| {
            let known: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
            Trouble::Script(vec![format!(
                "there is no format '{name}' for runs; there are {}",
                known.join(", ")
            )])
        })?;
        let mut out: Box<dyn Write> = match file {
            None => Box::new(io::stdout().lock()),
            Some(path) => Box::new(
                std::fs::File::create(path)
                    .map_err(|error| Trouble::Destination { path: path.into(), error })?,
            ),
        };
        for run in &runs {
            (row.render)(run, &mut out).map_err(Trouble::Output)?;
        }
    }
    Ok(())
}

/// `trimark metrics`
pub fn metrics() -> anyhow::Result<u8> {
    let mut out = io::stdout().lock();
    for (name, unit, definition) in values::definitions() {
        writeln!(out, "{name} ({unit})\n    {definition}").map_err(Trouble::Output)?;
    }
    Ok(0)
}
