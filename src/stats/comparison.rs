//! What the comparison of arms comes to: data only.

use serde::{Deserialize, Serialize};

/// Whether a comparison was the question, or something seen on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The one metric chosen beforehand.
    Headline,
    /// All others.
    Secondary,
}

/// How an arm is set against the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// By the ratio; effects are shares: 0.072 is 7.2 % more than the base.
    Ratio,
    /// By the difference, where an arm has zeros; effects are in the metric's unit.
    Difference,
}

/// How an interval was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Student's t on the differences within blocks.
    PairedT,
    /// Hodges and Lehmann's estimate with the signed ranks' interval.
    SignedRank,
    /// A confidence sequence, which holds at every look.
    ConfidenceSequence,
}

/// An estimate between two limits, on the [`Scale`] of its comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

/// Which way an arm differs from the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// A higher rate, or a shorter time.
    Faster,
    /// A lower rate, or a longer time.
    Slower,
    /// More of what is counted.
    More,
    /// Less of it.
    Fewer,
}

/// What can be said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The interval excludes no difference, and the effect is above the noise floor.
    Differs {
        /// Which way.
        direction: Direction,
    },
    /// The effect lies within the margin either way, by two one-sided tests.
    NoDifference {
        /// The margin as a share.
        margin: f64,
    },
    /// Neither.
    Undecided {
        /// About so many more blocks would settle it; none where that cannot be told or
        /// nobody would wait for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more_blocks: Option<u64>,
    },
    /// There are too few complete blocks for any verdict.
    TooFewBlocks {
        /// The least number.
        needed: u64,
    },
}

/// One arm (or effect of a factorial) against the base, in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The arm; in a factorial also an effect, `trim` or `trim × noatime`.
    pub contrast: String,
    /// What it is set against.
    pub base: String,
    /// Complete blocks it rests on.
    pub blocks: u64,
    /// How it is set against the base.
    pub scale: Scale,
    /// Per block, what the comparison is made of: ln(arm/base), or arm − base.
    pub differences: Vec<f64>,
    /// The effect the verdict rests on; none where too few blocks give no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Interval>,
    /// Confidence level of `effect`, after the correction for several comparisons.
    pub level: f64,
    /// How `effect` was made.
    pub method: Method,
    /// The same by Student's t, for comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub student: Option<Interval>,
    /// The same by signed ranks, for comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Interval>,
    /// Probability of such an effect, or a larger one, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The same after the correction for several comparisons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// The noise floor: the half-width that identical arms give with as many blocks, on
    /// the same scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
    /// What the reader should know about it: outliers, drift, two humps, …
    pub notes: Vec<String>,
}
