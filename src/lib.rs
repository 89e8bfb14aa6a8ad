//! trimark: PostMark with a verdict.
//!
//! ```text
//! script → Config → Workload → Operation → Engine → Recorder → RunResult → report
//!                                       many RunResults → Comparison → Outcome → report
//! ```
//!
//! Modules depend downwards only: `script` → `report` → `experiment` → `stats` → `runner`,
//! `conditioning` → `workload`, `engine`, `volume` → `units`, `interrupt`.

pub mod conditioning;
pub mod engine;
pub mod experiment;
pub mod interrupt;
pub mod report;
pub mod runner;
pub mod script;
pub mod stats;
pub mod units;
pub mod volume;
pub mod workload;
