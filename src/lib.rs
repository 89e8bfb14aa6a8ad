//! trimark: PostMark with a verdict.
//!
//! ```text
//! script → Config → Workload → Operation → Engine → Recorder → RunResult → report
//! ```
//!
//! Modules depend downwards only: `script` → `report` → `stats` → `runner` → `workload`,
//! `engine`, `volume` → `units`, `interrupt`.

pub mod engine;
pub mod interrupt;
pub mod report;
pub mod runner;
pub mod script;
pub mod stats;
pub mod units;
pub mod volume;
pub mod workload;
