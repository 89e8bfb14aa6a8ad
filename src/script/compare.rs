//! Comparing arms for a session: the plan, the runs, the report.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;

use super::grammar::parse_line;
use super::{Command, Dialect, Session, Trouble, steadily};
use crate::experiment::analysis;
use crate::experiment::file::{ExperimentFile, FileError, Saved};
use crate::experiment::outcome::Outcome;
use crate::experiment::plan::{Arm, Plan, VolumePlan};
use crate::experiment::play::{Played, Player};
use crate::experiment::record::{End, RunRecord};
use crate::experiment::request::{About, Request};
use crate::experiment::{saved, stages};
use crate::report::experiment::OUTCOME_FORMATS;
use crate::runner::clock::MonotonicClock;
use crate::runner::{NoProgress, Runner};
use crate::script::comparison_bar::ComparisonBar;
use crate::volume::journal;
use crate::workload::policy::{Settle, SyncPolicy};
use crate::workload::{Assignment, Config};

/// Format of an outcome where none is asked for.
const DEFAULT_REPORT: &str = "text";

/// Settings that were made by somebody: a comparison leaves those alone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Made {
    sync: bool,
    settle: bool,
}

impl Made {
    /// Notes a setting that was made.
    pub(super) fn note(&mut self, assignment: &Assignment) {
        self.sync |= matches!(assignment, Assignment::Sync(_));
        self.settle |= matches!(assignment, Assignment::Settle(_));
    }

    /// What makes runs comparable where nobody said otherwise: the device takes part, and
    /// what is still to be written or discarded counts for the run that caused it.
    fn complete(self, config: &mut Config) {
        if !self.sync {
            config.sync = SyncPolicy::Phase;
        }
        if !self.settle {
            config.settle = Settle::Auto;
        }
    }
}

impl Session<'_> {
    /// Compares the arms and reports the outcome, also of an experiment that was stopped.
    ///
    /// # Errors
    /// [`Trouble`]
    pub fn compare(&mut self, asked: Request) -> Result<(), Trouble> {
        let own = Request { arms: self.arms.clone(), ..Request::default() };
        let request = own.under(asked).under(self.overrides.request.clone());
        let held = self.signals.clone();
        let held = held.hold();
        let (plan, runs, resumed) = self.prepare(&request)?;
        if plan.volume == VolumePlan::Files {
            let outcome = analysis::outcome(&plan, &runs, Some(End::Blocks));
            return self.report_outcome(&request, &outcome);
        }
        let mut place = plan.clone();
        if let (Some(_), VolumePlan::Device { format, .. }) = (&resumed, &mut place.volume) {
            *format = None; // it was made at the beginning
        }
        let interrupt = self.signals.interrupt();
        // Ctrl-C is no answer, whatever is typed after it.
        let ask = |question: &str| ask(question).filter(|_| interrupt.pending().is_none());
        let mut stage =
            stages::stage(&place, request.yes_erase.as_deref(), &ask, interrupt.clone())?;
        let mut file = match resumed {
            Some(file) => file,
            None => new_file(&plan, request.save.as_deref())?,
        };
        let own_place =
            matches!(plan.volume, VolumePlan::Scratch { .. } | VolumePlan::Device { .. });
        if own_place && let Some(location) = plan.config.locations.first() {
            self.note(&format!(
                "the runs take place on a file system of their own, not in '{}': --mountpoint DIR \
                 compares where DIR is mounted",
                location.path.display()
            ));
        }
        for note in stage.notes() {
            self.note(&note);
        }
        let played = self.play_plan(&plan, stage.as_mut(), runs, &mut file);
        drop(stage); // everything is undone before anything is reported
        if journal::is_left() {
            self.note(
                "not everything could be put back as it was: `trimark clean` says what, and tries \
                 again",
            );
        }
        drop(held);
        if let (Some(halt), []) = (&played.halt, played.runs.as_slice()) {
            // Nothing was measured: there is nothing to keep.
            let _ = std::fs::remove_file(file.path());
            return Err(Trouble::NotBegun(halt.to_string(), halt.exit_code()));
        }
        let outcome = analysis::outcome(&plan, &played.runs, Some(played.end));
        self.report_outcome(&request, &outcome)?;
        self.note(&format!(
            "every run is saved in '{}': `trimark report` shows it again, in other formats",
            file.path().display()
        ));
        match played.halt {
            None => {
                self.arms.clear(); // the next comparison has its own
                Ok(())
            }
            Some(halt) => {
                Err(Trouble::Halted { halt: Box::new(halt), file: file.path().to_owned() })
            }
        }
    }

    /// The plan with what is done of it, and the file that is to be gone on with.
    pub(super) fn prepare(
        &mut self,
        request: &Request,
    ) -> Result<(Plan, Vec<RunRecord>, Option<ExperimentFile>), Trouble> {
        if let Some(path) = &request.resume {
            request.check_resumed()?;
            let (file, Saved { plan, runs, .. }) = ExperimentFile::resume(path)?;
            return Ok((plan, runs, Some(file)));
        }
        let config = self.effective_config()?;
        let about = About {
            config: &config,
            config_files: &self.config_files,
            command: std::env::args().collect(),
            default_arm_set: self.overrides.default_arm_set,
        };
        let plan = request.plan::<Trouble>(&about, &|arm| self.configure(arm))?;
        let runs =
            if plan.volume == VolumePlan::Files { saved::records(&plan)? } else { Vec::new() };
        Ok((plan, runs, None))
    }

    /// The settings of an arm's runs: the script's, the command line's, its own.
    fn configure(&self, arm: &Arm) -> Result<Config, Trouble> {
        let (mut config, mut made) = (self.config.clone(), self.made);
        let own = arm.settings.iter().map(|setting| arm_setting(arm, setting));
        let own = own.collect::<Result<Vec<_>, _>>()?;
        for assignment in self.overrides.assignments.iter().chain(&own) {
            made.note(assignment);
            config.apply(assignment.clone())?;
        }
        made.complete(&mut config);
        Ok(config)
    }

    fn play_plan(
        &mut self,
        plan: &Plan,
        stage: &mut dyn crate::experiment::stage::Stage,
        runs: Vec<RunRecord>,
        file: &mut ExperimentFile,
    ) -> Played {
        let clock = MonotonicClock::start();
        let (system, interrupt) = (self.system, self.signals.interrupt());
        let clock: &dyn crate::runner::clock::Clock = self.clock.unwrap_or(&clock);
        let config_files = &self.config_files;
        let mut run = |config: &Config| {
            let progress = &mut NoProgress;
            let mut runner = Runner { system, clock, interrupt: interrupt.clone(), progress };
            let Some(rule) = &config.steady else { return runner.run(config, config_files) };
            // What counts is the state they come to.
            let mut play = || runner.run(config, config_files);
            let mut runs = steadily::rounds(rule, &mut play, &mut |_| Ok(()))?;
            Ok(runs.pop().expect("there is at least one round"))
        };
        let mut progress = ComparisonBar::on_terminal();
        let interrupt = self.signals.interrupt();
        let progress = &mut progress;
        Player { plan, stage, run: &mut run, file, interrupt, progress }.play(runs)
    }

    /// Writes the reports asked for.
    ///
    /// # Errors
    /// [`Trouble::Destination`], [`Trouble::Output`]
    pub fn report_outcome(&mut self, request: &Request, outcome: &Outcome) -> Result<(), Trouble> {
        let default = [(DEFAULT_REPORT.to_owned(), None)];
        let reports =
            if request.reports.is_empty() { &default[..] } else { request.reports.as_slice() };
        for (format, path) in reports {
            let row = OUTCOME_FORMATS.iter().find(|row| row.name == format);
            let row = row.ok_or_else(|| Trouble::Script(vec![format!("no format '{format}'")]))?;
            match path {
                None => (row.render)(outcome, self.out)?,
                Some(path) => write_file(path, |out| (row.render)(outcome, out))?,
            }
        }
        self.out.flush()?;
        Ok(())
    }
}

fn write_file(
    path: &Path,
    render: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Trouble> {
    let failed = |error| Trouble::Destination { path: path.to_owned(), error };
    let mut out = std::io::BufWriter::new(File::create(path).map_err(failed)?);
    render(&mut out).and_then(|()| out.flush()).map_err(failed)
}

/// Reads a setting of an arm as a script's `set`.
fn arm_setting(arm: &Arm, setting: &str) -> Result<Assignment, Trouble> {
    let line = format!("set {setting}");
    let wrong = |shown: String| Trouble::Script(vec![shown]);
    let parsed = parse_line(&line, Dialect::Trimark)
        .map_err(|error| wrong(error.show(&format!("arm '{}'", arm.name), 1, &line).to_string()))?;
    match parsed.command {
        Some(Command::Set(Assignment::Location(_))) => Err(wrong(format!(
            "arm '{}': a location is no setting of an arm; use dir=DIR",
            arm.name
        ))),
        Some(Command::Set(assignment)) => Ok(assignment),
        _ => Err(wrong(format!("arm '{}': `{setting}` is no setting of a run", arm.name))),
    }
}

/// The file of a new experiment: the one named, else one of a name that nobody has, in the
/// current directory.
fn new_file(plan: &Plan, named: Option<&Path>) -> Result<ExperimentFile, Trouble> {
    if let Some(path) = named {
        return Ok(ExperimentFile::create(path, plan)?);
    }
    let digits = plan.started.chars().filter(char::is_ascii_alphanumeric).take(15);
    let name = format!("trimark-compare-{}", digits.collect::<String>());
    for number in 1.. {
        let more = if number > 1 { format!("-{number}") } else { String::new() };
        match ExperimentFile::create(Path::new(&format!("{name}{more}.jsonl")), plan) {
            Err(FileError::Exists(_)) => {}
            created => return Ok(created?),
        }
    }
    unreachable!("numbers do not end")
}

/// Asks at a terminal; where there is none, nobody is asked.
fn ask(question: &str) -> Option<String> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    eprint!("{question}");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(answer)
}
