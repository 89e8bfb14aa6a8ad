//! Playing runs for a session, and showing what they came to.

use std::path::Path;

use super::bar::BarProgress;
use super::progress::ClassicProgress;
use super::{Dialect, Session, Trouble, output, show, steadily};
use crate::interrupt::signal_name;
use crate::report::spread::spread;
use crate::report::steady::steady;
use crate::report::{Format, postmark};
use crate::runner::clock::MonotonicClock;
use crate::runner::measurement::{Iteration, RunResult, Status};
use crate::runner::{NoProgress, Progress, Runner};
use crate::workload::Config;
use crate::workload::policy::SteadyRule;
use crate::workload::transfer::WorkloadKind;

/// PostMark's reports have no place for what it does not do.
fn check_reports(config: &Config, reports: &[Format]) -> Result<(), Trouble> {
    let classic = reports.iter().find(|format| format.is_classic());
    match classic {
        Some(format) if config.workload == WorkloadKind::Transfers => {
            Err(Trouble::Script(vec![format!(
                "the report {} is PostMark's and knows no transfers: `set report full` or json",
                format.row().name
            )]))
        }
        _ => Ok(()),
    }
}

impl Session<'_> {
    fn effective_reports(&self) -> &[Format] {
        if self.overrides.reports.is_empty() { &self.reports } else { &self.overrides.reports }
    }

    /// Plays one run and reports it.
    ///
    /// # Errors
    /// [`Trouble`] when it was refused, failed, or could not be reported.
    pub fn run(&mut self, file: Option<&Path>) -> Result<(), Trouble> {
        let config = self.effective_config()?;
        let reports = self.effective_reports().to_vec();
        check_reports(&config, &reports)?;
        let mut destinations = match self.outputs.open(file, reports.len()) {
            Ok(destinations) => destinations,
            Err(trouble) if self.dialect == Dialect::PostMark => {
                self.tell(&trouble); // and on standard output instead
                Vec::new()
            }
            Err(trouble) => return Err(trouble),
        };
        let mut runs = Vec::new();
        let mut outcome = Ok(());
        if let Some(rule) = &config.steady {
            return self.run_steadily(&config, rule, &reports, &mut destinations);
        }
        let classic = reports.iter().any(|format| format.is_classic());
        for iteration in 1..=config.iterations {
            let mut result = self.play(&config, classic)?;
            if config.iterations > 1 {
                result.iteration = Some(Iteration { number: iteration, of: config.iterations });
            }
            self.outputs.begin();
            self.write_reports(&reports, &mut destinations, &result)?;
            outcome = Trouble::of_status(&result);
            runs.push(result);
            if outcome.is_err() {
                break;
            }
        }
        if let (2.., Some(place)) = (runs.len(), reports.iter().position(|f| *f == Format::Full)) {
            match destinations.get_mut(place) {
                Some(destination) => destination.write(|out| spread(&runs, out))?,
                None => spread(&runs, self.out)?,
            }
        }
        self.out.flush()?;
        outcome?;
        self.stop_if_asked()
    }

    /// Plays rounds until they are steady.
    fn run_steadily(
        &mut self,
        config: &Config,
        rule: &SteadyRule,
        reports: &[Format],
        destinations: &mut [output::Destination],
    ) -> Result<(), Trouble> {
        let classic = reports.iter().any(|format| format.is_classic());
        let session = std::cell::RefCell::new(&mut *self);
        let runs = steadily::rounds(
            rule,
            &mut || session.borrow_mut().play(config, classic),
            &mut |result| {
                let mut session = session.borrow_mut();
                session.outputs.begin();
                session.write_reports(reports, destinations, result)
            },
        )?;
        if let Some(place) = reports.iter().position(|format| *format == Format::Full) {
            match destinations.get_mut(place) {
                Some(destination) => destination.write(|out| steady(&runs, out))?,
                None => steady(&runs, self.out)?,
            }
        }
        self.out.flush()?;
        runs.last().map_or(Ok(()), Trouble::of_status)?;
        self.stop_if_asked()
    }

    /// A signal that came too late to stop the run is meant for what follows.
    fn stop_if_asked(&self) -> Result<(), Trouble> {
        match self.signals.interrupt().pending() {
            Some(signal) => Err(Trouble::Interrupted { signal, name: signal_name(signal) }),
            None => Ok(()),
        }
    }

    fn write_reports(
        &mut self,
        reports: &[Format],
        destinations: &mut [output::Destination],
        result: &RunResult,
    ) -> Result<(), Trouble> {
        for (index, format) in reports.iter().enumerate() {
            if format.is_classic()
                && let Some(note) = postmark::sums_note(result)
            {
                self.note(&note);
            }
            match destinations.get_mut(index) {
                Some(destination) => destination.write(|out| (format.row().render)(result, out))?,
                None => (format.row().render)(result, self.out)?,
            }
        }
        Ok(())
    }

    fn play(&mut self, config: &Config, classic: bool) -> Result<RunResult, Trouble> {
        let clock = MonotonicClock::start();
        let held = self.signals.hold();
        let (mut classic_lines, mut bar, mut silent);
        let progress: &mut dyn Progress = if classic {
            classic_lines = ClassicProgress::new(self.out);
            &mut classic_lines
        } else if let Some(on_terminal) = BarProgress::on_terminal(config) {
            bar = on_terminal;
            &mut bar
        } else {
            silent = NoProgress;
            &mut silent
        };
        let mut runner = Runner {
            system: self.system,
            clock: self.clock.unwrap_or(&clock),
            interrupt: self.signals.interrupt(),
            progress,
        };
        let result = runner.run(config, &self.config_files);
        drop(held);
        let result = result?;
        if let (true, Status::Failed { .. } | Status::Interrupted { .. }) =
            (classic, &result.status)
        {
            writeln!(self.out)?; // the line of progress was cut short
        }
        Ok(result)
    }

    pub(super) fn show(&mut self, file: Option<&Path>) -> Result<(), Trouble> {
        let config = self.effective_config()?;
        let reports = self.effective_reports().to_vec();
        let Some(path) = file else {
            return Ok(show::show(&config, &reports, self.dialect, None, self.out)?);
        };
        let mut file = match output::append_to(path) {
            Err(trouble) if self.dialect == Dialect::PostMark => {
                self.tell(&trouble);
                return Ok(show::show(&config, &reports, self.dialect, None, self.out)?);
            }
            file => file?,
        };
        Ok(show::show(&config, &reports, self.dialect, Some(self.out), &mut file)?)
    }
}
