//! Three lines an arm, as posts about PostMark have them since twenty years: `SSD +TRIM
//! -noatime`, `Time`, `Data`; of each arm's middle run, so in whole seconds and without
//! verdict.

use std::io::{self, Write};

use super::view;
use crate::experiment::outcome::Outcome;
use crate::experiment::record::RunRecord;
use crate::experiment::values::value;
use crate::report::postmark;

/// Writes the listing.
pub fn classic(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    for arm in &outcome.plan.arms {
        let Some(run) = middle(outcome, &arm.name) else {
            writeln!(out, "{}: no complete run\n", arm.name)?;
            continue;
        };
        writeln!(out, "{} {}\n", arm.name, signs(run))?;
        let mut report = Vec::new();
        postmark::verbose(&run.result, &mut report)?;
        for section in String::from_utf8_lossy(&report).split("\n\n") {
            if section.starts_with("Time:") || section.starts_with("Data:") {
                writeln!(out, "{}\n", section.trim_end())?;
            }
        }
    }
    if let Some(metric) = outcome.headline() {
        writeln!(out, "What these figures cannot say, {} can:", metric.metric)?;
        for line in view::lines(metric) {
            writeln!(out, "{}: {}", line.subject, line.sentence)?;
        }
    }
    Ok(())
}

/// The arm's run in the middle of the headline metric.
pub(super) fn middle<'a>(outcome: &'a Outcome, arm: &str) -> Option<&'a RunRecord> {
    let counted =
        |run: &&RunRecord| run.arm == arm && !run.is_warm_up() && run.result.is_complete();
    let mut runs: Vec<&RunRecord> = outcome.runs.iter().filter(counted).collect();
    let of = |run: &RunRecord| value(&outcome.plan.metric, run).unwrap_or(0.0);
    runs.sort_by(|one, other| of(one).total_cmp(&of(other)));
    runs.get(runs.len() / 2).copied()
}

/// `+TRIM -noatime`, by what was in force.
fn signs(run: &RunRecord) -> String {
    let discards = run
        .options_in_force
        .iter()
        .any(|option| option == "discard" || option.starts_with("discard="));
    let noatime = run.options_in_force.iter().any(|option| option == "noatime");
    let sign = |on: bool| if on { '+' } else { '-' };
    format!("{}TRIM {}noatime", sign(discards), sign(noatime))
}
