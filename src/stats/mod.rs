//! Numbers made of results. Pure: knows results, but no disks and no reports.

pub mod comparison;
pub mod metrics;
pub mod summary;
