//! The noise that identical arms show.

use super::plan::Plan;
use super::record::RunRecord;
use super::values::value;
use crate::stats::summary::Summary;

/// The standard deviation of the logarithm of the ratio of two identical runs of a block,
/// from an experiment of an arm against itself; none with fewer than two complete blocks.
#[must_use]
pub fn of(plan: &Plan, runs: &[RunRecord], metric: &str) -> Option<f64> {
    let [one, other] = plan.arms.as_slice() else { return None };
    let find = |block: u64, arm: &str| {
        let run = runs.iter().find(|run| run.block == block && run.arm == arm)?;
        value(metric, run).filter(|value| *value > 0.0)
    };
    let last = runs.iter().map(|run| run.block).max()?;
    let logs: Vec<f64> = (1..=last)
        .filter_map(|block| Some((find(block, &other.name)? / find(block, &one.name)?).ln()))
        .collect();
    Summary::of(&logs).filter(|summary| summary.count > 1).map(|summary| summary.deviation)
}
