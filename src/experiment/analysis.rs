//! From runs to an outcome: which numbers go into which comparison.
//!
//! Pure: an outcome is always made again from the plan and the runs, and says the same.

use super::outcome::{ArmValues, MetricOutcome, Outcome};
use super::plan::Plan;
use super::record::{End, RunRecord};
use super::values::{PLACE_METRICS, value};
use super::{noise, warnings};
use crate::stats::analysis::{analyse, sequential_half_width};
use crate::stats::design::{Design, FactorialDesign, Findings, Rules, Series};
use crate::stats::metrics::{Better, METRICS, Metric, Wording, metric};
use crate::stats::summary::Summary;

/// No verdict from fewer blocks. Source: with fewer than 6, signed ranks reach 5 % never.
pub const LEAST_BLOCKS: u64 = 6;
/// The metric of an experiment that chose none: the transactions and what they leave to
/// be written, as that is where mount options show.
pub const DEFAULT_METRIC: &str = "transactions_with_sync_per_second";

/// The outcome of an experiment, as far as it is.
#[must_use]
pub fn outcome(plan: &Plan, runs: &[RunRecord], end: Option<End>) -> Outcome {
    let noise = if plan.against_itself { noise::of(plan, runs, &plan.metric) } else { None };
    let mut table = Table::of(plan, runs);
    // An arm against itself is the measure of the noise, and needs no other.
    table.rules.known_noise = noise.or(table.rules.known_noise);
    let series: Vec<Series> = table.series();
    let findings = analyse(&series, &plan.metric, &table.design, &table.rules);
    let mut metrics: Vec<MetricOutcome> =
        series.iter().zip(findings).map(|(series, found)| table.metric(series, found)).collect();
    // The question first; a stable sort leaves the others in the table's order.
    metrics.sort_by_key(|metric| metric.metric != plan.metric);
    let mut outcome = Outcome {
        plan: plan.clone(),
        runs: runs.to_vec(),
        complete_blocks: table.complete_blocks(),
        noise,
        end,
        metrics,
        warnings: Vec::new(),
    };
    outcome.warnings = warnings::of(&outcome);
    outcome
}

/// True when the headline's intervals are no wider than this either way.
#[must_use]
pub fn is_narrow(plan: &Plan, runs: &[RunRecord], half_width: f64) -> bool {
    let table = Table::of(plan, runs);
    if table.complete_blocks() < LEAST_BLOCKS {
        return false;
    }
    let series = table.one_series(&plan.metric, metric(&plan.metric));
    sequential_half_width(&series, &table.design, &table.rules)
        .is_some_and(|reached| reached <= half_width)
}

/// The runs that count, by block and arm.
struct Table<'a> {
    plan: &'a Plan,
    design: Design,
    rules: Rules,
    /// Block number, and the run of each arm.
    rows: Vec<(u64, Vec<Option<&'a RunRecord>>)>,
}

impl<'a> Table<'a> {
    fn of(plan: &'a Plan, runs: &'a [RunRecord]) -> Self {
        let counted = |run: &&RunRecord| !run.is_warm_up() && run.result.is_complete();
        let mut blocks: Vec<u64> = runs.iter().filter(counted).map(|run| run.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let find = |block: u64, arm: &str| {
            runs.iter().filter(counted).find(|run| run.block == block && run.arm == arm)
        };
        let row = |block| (block, plan.arms.iter().map(|arm| find(block, &arm.name)).collect());
        Self {
            plan,
            design: design(plan),
            rules: rules(plan),
            rows: blocks.into_iter().map(row).collect(),
        }
    }

    fn complete_blocks(&self) -> u64 {
        self.rows.iter().filter(|(_, row)| row.iter().all(Option::is_some)).count() as u64
    }

    /// Every metric that any run has.
    fn series(&self) -> Vec<Series> {
        let names = METRICS.iter().map(|row| (row.name, Some(row)));
        let names = names.chain(PLACE_METRICS.iter().map(|row| (row.name, None)));
        names
            .map(|(name, row)| self.one_series(name, row))
            .filter(|series| series.values.iter().flatten().any(Option::is_some))
            .collect()
    }

    fn one_series(&self, name: &str, row: Option<&Metric>) -> Series {
        let place = PLACE_METRICS.iter().find(|row| row.name == name);
        let better = row.map(|row| row.better).or(place.map(|row| row.better));
        let values = self
            .rows
            .iter()
            .map(|(_, runs)| runs.iter().map(|run| run.and_then(|run| value(name, run))).collect());
        Series {
            metric: name.to_owned(),
            better: better.unwrap_or(Better::Higher),
            wording: row.map_or(Wording::Amount, |row| row.wording),
            values: values.collect(),
        }
    }

    fn metric(&self, series: &Series, found: Findings) -> MetricOutcome {
        let place = PLACE_METRICS.iter().find(|row| row.name == series.metric);
        let (unit, definition) = match (metric(&series.metric), place) {
            (Some(row), _) => (row.unit, row.definition),
            (None, Some(row)) => (row.unit, row.definition),
            (None, None) => ("", ""),
        };
        let arms = self.plan.arms.iter().enumerate().map(|(index, arm)| {
            let values = self.rows.iter().zip(&series.values);
            let (blocks, values): (Vec<u64>, Vec<f64>) =
                values.filter_map(|((block, _), row)| Some((*block, row[index]?))).unzip();
            let summary = Summary::of(&values);
            ArmValues { arm: arm.name.clone(), blocks, values, summary }
        });
        MetricOutcome {
            metric: series.metric.clone(),
            unit: unit.to_owned(),
            better: series.better,
            definition: definition.to_owned(),
            role: found.role,
            arms: arms.collect(),
            comparisons: found.comparisons,
        }
    }
}

fn design(plan: &Plan) -> Design {
    let place = |name: &str| plan.arms.iter().position(|arm| arm.name == name);
    let factorial = plan.factorial.as_ref().and_then(|factorial| {
        let [neither, first, second, both] = &factorial.cells;
        Some(FactorialDesign {
            factors: factorial.factors.clone(),
            cells: [place(neither)?, place(first)?, place(second)?, place(both)?],
        })
    });
    Design {
        arms: plan.arms.iter().map(|arm| arm.name.clone()).collect(),
        base: place(&plan.base).unwrap_or(0),
        factorial,
    }
}

fn rules(plan: &Plan) -> Rules {
    Rules {
        confidence: plan.confidence,
        margin: plan.margin,
        least_blocks: LEAST_BLOCKS,
        sequential: matches!(plan.blocks, super::plan::Blocks::Until { .. }),
        known_noise: plan.known_noise,
    }
}
