//! Experiments: their order, their file, their verdicts.

mod command;
mod file;
mod model;
mod played;
