//! Where a run takes place: file systems, mounts and devices. Linux.
//!
//! Owns what the kernel tells of a place; knows nothing of workloads.

pub mod activity;
pub mod cache;
pub mod device;
pub mod host;
pub mod mount;
pub mod place;
pub mod probe;
pub mod quiet;
pub mod thread;
pub mod tree;
