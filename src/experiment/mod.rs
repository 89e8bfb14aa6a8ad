//! Experiments: several arms, many runs, one outcome.

pub mod analysis;
pub mod arms;
pub mod estimate;
pub mod file;
pub mod hooks;
pub mod noise;
pub mod outcome;
pub mod pace;
pub mod plan;
pub mod play;
pub mod recipes;
pub mod record;
pub mod request;
mod same;
pub mod saved;
pub mod schedule;
pub mod stage;
pub mod stages;
pub mod values;
mod warnings;
