//! The tests that run the program as its users do, in one binary.

mod cases;
mod clean;
mod faults;
mod golden;
mod language;
mod measuring;
mod oracle;
mod probe;
mod prompt;
mod schema;
mod support;
mod wrappers;
