//! Experiments: several arms, many runs, one outcome.

pub mod arms;
pub mod outcome;
pub mod plan;
pub mod record;
pub mod schedule;
