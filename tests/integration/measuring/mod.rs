//! How runs are measured: sums that agree, stalls, what reached the device, verification,
//! syncs, contents, stop rules, and interrupted runs of several workers.

mod clocks;
mod contents;
mod device;
mod image;
mod interrupted;
mod stalls;
mod stop_rules;
mod sums;
mod syncs;
mod transfers;
mod verification;
mod warm_up;
mod watched;

use std::path::Path;

use tempfile::TempDir;
use trimark::interrupt::Interrupt;
use trimark::runner::clock::{Clock, MonotonicClock};
use trimark::runner::measurement::{PhaseTimeline, RunResult};
use trimark::runner::{NoProgress, Runner};
use trimark::script::grammar::parse_line;
use trimark::script::{Command, Dialect};
use trimark::workload::{Config, OperationKind};

use crate::support::{entries, run_in, scratch_in_memory, stderr, stdout, trimark};
use watched::Watched;

/// What scripts set with these lines, in this directory.
pub fn config(directory: &Path, settings: &[&str]) -> Config {
    let mut config = Config::default();
    let location = format!("location {}", directory.display());
    for setting in settings.iter().copied().chain([location.as_str()]) {
        let line = format!("set {setting}");
        match parse_line(&line, Dialect::Trimark).expect("a good line").command {
            Some(Command::Set(assignment)) => config.apply(assignment).expect("it fits"),
            _ => panic!("`{line}` is no setting"),
        }
    }
    config
}

/// A run through the library, with system calls and clock of the test's own. Whatever
/// becomes of it, nothing is left.
fn play_with(settings: &[&str], system: &Watched<'_>, clock: &dyn Clock) -> RunResult {
    play_in(scratch_in_memory(), settings, system, clock)
}

/// The same in a directory given.
fn play_in(
    directory: TempDir,
    settings: &[&str],
    system: &Watched<'_>,
    clock: &dyn Clock,
) -> RunResult {
    let config = config(directory.path(), settings);
    let progress = &mut NoProgress;
    let mut runner = Runner { system, clock, interrupt: Interrupt::default(), progress };
    let result = runner.run(&config, &[]).expect("the run begins");
    assert_eq!(entries(directory.path()), Vec::<String>::new(), "{:?}", result.status);
    result
}

/// The same by the real clock.
fn play(settings: &[&str], system: &Watched<'_>) -> RunResult {
    play_with(settings, system, &MonotonicClock::start())
}

/// `trimark run` with these settings in a directory; its JSON report is the result.
fn report_of(directory: &Path, settings: &[&str]) -> Report {
    let mut arguments = vec!["run", "--report", "json"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let output = run_in(directory, trimark(), &arguments, "");
    Report { out: stdout(&output), errors: stderr(&output), code: output.status.code() }
}

/// What a call of the program said.
#[derive(Debug)]
struct Report {
    out: String,
    errors: String,
    code: Option<i32>,
}

impl Report {
    /// The result in its JSON report.
    fn result(&self) -> RunResult {
        serde_json::from_value(self.json()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The report as any program reads it.
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The result of a run that must have been complete.
    fn complete(&self) -> RunResult {
        assert_eq!(self.code, Some(0), "{}", self.errors);
        let result = self.result();
        assert!(result.is_complete());
        result
    }
}

/// Any run of the program, in memory, that must be complete.
fn complete(settings: &[&str]) -> RunResult {
    report_of(scratch_in_memory().path(), settings).complete()
}

/// Operations and bytes of a phase over time, added up.
fn sums(timeline: &PhaseTimeline) -> (u64, u64) {
    let intervals = &timeline.timeline.intervals;
    (intervals.iter().map(|i| i.operations).sum(), intervals.iter().map(|i| i.bytes).sum())
}

/// How many operations of a kind there were, warm-up aside.
fn count(result: &RunResult, kind: OperationKind) -> u64 {
    result.operations.of(kind).total().count
}

/// Creates and appends.
fn writing_operations(result: &RunResult) -> u64 {
    count(result, OperationKind::Create) + count(result, OperationKind::Append)
}
