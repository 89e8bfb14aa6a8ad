//! The tests that run the program as its users do, in one binary.

mod cases;
mod clean;
mod conditioning;
mod experiment;
mod faults;
mod flash;
mod golden;
mod language;
mod measuring;
mod oracle;
mod probe;
mod prompt;
mod recipes;
mod schema;
mod simulation;
mod support;
mod trim;
mod wrappers;
