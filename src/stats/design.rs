//! What is compared and by what rules: data only.

use super::comparison::{Comparison, Role};
use super::metrics::{Better, Wording};

/// One metric's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub metric: String,
    /// Which direction is the good one.
    pub better: Better,
    /// How a difference is called.
    pub wording: Wording,
    /// By block and arm; none where the run has no such number.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Two yes-or-no options in all four combinations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactorialDesign {
    /// Names of the options.
    pub factors: [String; 2],
    /// Places of the arms: neither, the first alone, the second alone, both.
    pub cells: [usize; 4],
}

/// How the arms belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Their names, in the order of values.
    pub arms: Vec<String>,
    /// The place of the base.
    pub base: usize,
    /// How they combine two options, where they do.
    pub factorial: Option<FactorialDesign>,
}

/// By what verdicts are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Confidence level before correction.
    pub confidence: f64,
    /// Differences within this share are none that matter.
    pub margin: f64,
    /// No verdict from fewer complete blocks.
    pub least_blocks: u64,
    /// True where the number of blocks depends on what was seen.
    pub sequential: bool,
    /// Standard deviation of the logarithm of the ratio of two identical runs, in the
    /// headline metric, where it is known.
    pub known_noise: Option<f64>,
}

/// What one metric's comparisons came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Its name.
    pub metric: String,
    /// Whether it was the question.
    pub role: Role,
    /// Effects of a factorial, and each arm against the base.
    pub comparisons: Vec<Comparison>,
}
