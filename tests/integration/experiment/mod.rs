//! Experiments: their order, their file, their verdicts.

pub mod command;
mod file;
mod killed;
pub mod model;
mod places;
mod played;
mod reports;
