//! What the reader of an experiment's verdicts should know before believing them.

use super::outcome::Outcome;
use super::plan::VolumePlan;
use super::record::RunRecord;
use crate::runner::measurement::{Phase, RunResult};
use crate::units::{human_bytes, seconds};

/// Transactions shorter than this say little, nanoseconds.
const LONG_ENOUGH: u64 = 1_000_000_000;
/// Less than this share of the bytes written on the device, and the page cache was measured.
const ON_DEVICE: f64 = 0.5;
/// A larger share of the processor's time in this program itself blurs what is measured.
const OWN_SHARE: f64 = 0.2;
/// So many times more written by all than by the run, and somebody else writes, too.
const FOREIGN: u64 = 2;
/// Less than this written by others is no matter, bytes.
const FEW: u64 = 16 << 20;

/// Looks at the runs that count.
type Check = fn(&[&RunRecord]) -> Option<String>;

/// The warnings of an outcome.
pub fn of(outcome: &Outcome) -> Vec<String> {
    let runs: Vec<&RunRecord> =
        outcome.runs.iter().filter(|run| !run.is_warm_up() && run.result.is_complete()).collect();
    if runs.is_empty() {
        return Vec::new();
    }
    let checks: [Check; 7] =
        [short, in_the_cache, restless, own_share, skipped, unverified, unsteady];
    // Nobody else sees what is mounted for the experiment alone.
    let private =
        matches!(outcome.plan.volume, VolumePlan::Scratch { .. } | VolumePlan::Device { .. });
    let foreign = if private { None } else { foreign_writes(&runs) };
    let places = [foreign, saved_runs(outcome), image(outcome)];
    checks.into_iter().map(|check| check(&runs)).chain(places).flatten().collect()
}

/// How many runs something holds for, in words; none for none.
fn counted(runs: &[&RunRecord], holds: impl Fn(&RunResult) -> bool) -> Option<String> {
    let count = runs.iter().filter(|run| holds(&run.result)).count();
    (count > 0).then(|| format!("in {count} of {} runs", runs.len()))
}

fn short(runs: &[&RunRecord]) -> Option<String> {
    let time = |run: &RunResult| run.elapsed(Phase::Transactions);
    let count = counted(runs, |run| time(run).is_some_and(|time| time < LONG_ENOUGH))?;
    let shortest = runs.iter().filter_map(|run| time(&run.result)).min()?;
    Some(format!(
        "{count} the transactions took less than 1 s (the shortest {} s): more of them make the \
         comparison sharper",
        seconds(shortest)
    ))
}

fn unsteady(runs: &[&RunRecord]) -> Option<String> {
    let round = |run: &RunResult| run.round.clone().filter(|round| round.steady.is_none());
    let count = counted(runs, |run| round(run).is_some())?;
    let first = runs.iter().find_map(|run| round(&run.result))?;
    Some(format!(
        "{count} {} was not steady after {} rounds: the last of them counts, but is on its way",
        first.metric, first.number
    ))
}

fn in_the_cache(runs: &[&RunRecord]) -> Option<String> {
    let share = |run: &RunResult| -> Option<f64> {
        let written = run.operations.bytes_written();
        let device = run.activity_total?.device?.bytes_written;
        (written > 0).then(|| device as f64 / written as f64)
    };
    let little = |run: &RunResult| share(run).is_some_and(|share| share < ON_DEVICE);
    let count = counted(runs, little)?;
    Some(format!(
        "{count} less than half of the bytes written had reached the device by the end: what is \
         compared is mostly the page cache, where mount options hardly show; `set sync phase` or \
         `set sync close` makes the device part of it"
    ))
}

fn restless(runs: &[&RunRecord]) -> Option<String> {
    let count =
        runs.iter().filter(|run| run.start.quiet.is_some_and(|waited| !waited.quiet)).count();
    (count > 0).then(|| {
        format!(
            "{count} of {} runs began while the device was still busy with something else",
            runs.len()
        )
    })
}

fn foreign_writes(runs: &[&RunRecord]) -> Option<String> {
    let foreign = |run: &RunResult| {
        // The journal's part of a sync is written by the kernel, not by the run.
        !run.config.sync.is_per_file()
            && run.activity_total.is_some_and(|total| {
                let all = total.device.map_or(0, |device| device.bytes_written);
                let own = total.process.device_bytes_written;
                all > FOREIGN * own && all.saturating_sub(own) > FEW
            })
    };
    let count = counted(runs, foreign)?;
    Some(format!("{count} something else wrote to the device, too"))
}

fn own_share(runs: &[&RunRecord]) -> Option<String> {
    let share = |run: &RunResult| -> Option<f64> {
        let process = run.activity_in(Phase::Transactions)?.process;
        let elapsed = run.elapsed(Phase::Transactions)?.max(1) * run.config.workers;
        Some(process.user_ns as f64 / elapsed as f64)
    };
    let count = counted(runs, |run| share(run).is_some_and(|share| share > OWN_SHARE))?;
    Some(format!(
        "{count} more than {:.0} % of the time went into this program itself",
        100.0 * OWN_SHARE
    ))
}

fn skipped(runs: &[&RunRecord]) -> Option<String> {
    let count = counted(runs, |run| run.skipped.creates + run.skipped.appends > 0)?;
    Some(format!(
        "{count} some transactions did nothing in one half, as PostMark's do when the file table \
         is full or a file is at its largest"
    ))
}

fn unverified(runs: &[&RunRecord]) -> Option<String> {
    let mut options: Vec<&str> =
        runs.iter().flat_map(|run| run.unverified.iter().map(String::as_str)).collect();
    options.sort_unstable();
    options.dedup();
    (!options.is_empty()).then(|| {
        format!(
            "nothing in the kernel shows whether these options are in force: {}",
            options.join(", ")
        )
    })
}

fn saved_runs(outcome: &Outcome) -> Option<String> {
    (outcome.plan.volume == VolumePlan::Files).then(|| {
        "the runs were made before, not in turn and not in random order: a drift between them \
         looks like a difference between the arms"
            .to_owned()
    })
}

fn image(outcome: &Outcome) -> Option<String> {
    let VolumePlan::Scratch { bytes, .. } = outcome.plan.volume else { return None };
    let discards = |name: &str| {
        outcome.runs.iter().any(|run| {
            run.arm == name
                && run.options_in_force.iter().any(|option| option.starts_with("discard"))
        })
    };
    let trims = outcome.plan.arms.iter().any(|arm| arm.trim_before || discards(&arm.name));
    let conditions = outcome.plan.arms.iter().any(|arm| !arm.conditions.is_empty());
    if conditions && !trims {
        return Some(format!(
            "a scratch image of {} was used: flash does not wear here, and what a used drive \
             differs in is which blocks the image already holds (writes into holes take longer); \
             image_bytes says how many. Use --device or --mountpoint for a drive",
            human_bytes(bytes)
        ));
    }
    trims.then(|| {
        format!(
            "a scratch image of {} was used: its discards punch holes into a file, which later \
             writes pay for, so what TRIM does here is about this image, not about flash; use \
             --device or --mountpoint for a drive",
            human_bytes(bytes)
        )
    })
}
