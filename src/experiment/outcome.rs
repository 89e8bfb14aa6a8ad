//! What an experiment came to: data only. Made from its file by `analysis`, shown by
//! reports, which compute nothing.

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::record::{End, RunRecord};
use crate::stats::comparison::{Comparison, Role};
use crate::stats::metrics::Better;
use crate::stats::summary::Summary;

/// What one arm's runs came to in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmValues {
    /// The arm.
    pub arm: String,
    /// Block of each value.
    pub blocks: Vec<u64>,
    /// The values, in the metric's unit, in the order of blocks.
    pub values: Vec<f64>,
    /// Their summary; none without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// One metric over all arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricOutcome {
    /// Its name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Which direction is the good one.
    pub better: Better,
    /// What it is.
    pub definition: String,
    /// Whether it was the question.
    pub role: Role,
    /// Each arm's values.
    pub arms: Vec<ArmValues>,
    /// Each arm against the base, and the effects of a factorial.
    pub comparisons: Vec<Comparison>,
}

/// An experiment, as far as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What was to be done.
    pub plan: Plan,
    /// Every run, in the order they were played, warm-up included.
    pub runs: Vec<RunRecord>,
    /// Blocks in which every arm has a complete run, without the warm-up.
    pub complete_blocks: u64,
    /// Where an arm is compared with itself: the standard deviation of the logarithm of the
    /// ratio of its two runs in a block, in the headline metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// Why it ended; none while it goes on, or when it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// The headline first, then the others in the table's order.
    pub metrics: Vec<MetricOutcome>,
    /// What the reader of the verdicts should know.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// The metric that was the question; none when no run has it.
    #[must_use]
    pub fn headline(&self) -> Option<&MetricOutcome> {
        self.metrics.iter().find(|metric| metric.role == Role::Headline)
    }
}
