//! Numbers made of results: metrics of a run, and the comparison of arms. Pure: knows
//! results, but no disks and no reports.

pub mod analysis;
pub mod comparison;
pub mod contrast;
pub mod correction;
pub mod design;
pub mod estimate;
pub mod floor;
mod judge;
pub mod metrics;
pub mod shape;
pub mod steady;
pub mod summary;
pub mod verdict;
