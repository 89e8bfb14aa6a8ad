//! Where a run takes place: file systems, mounts and devices. Linux.
//!
//! Owns what the kernel tells of a place; knows nothing of workloads.

pub mod activity;
pub mod cache;
pub mod claim;
pub mod device;
pub mod filesystem;
pub mod host;
pub mod in_force;
pub mod journal;
pub mod loop_device;
pub mod mount;
pub mod mounting;
pub mod namespace;
mod options;
pub mod place;
pub mod probe;
pub mod quiet;
pub mod remount;
pub mod scheduler;
pub mod state;
pub mod thread;
pub mod tree;
pub mod trim;
pub mod undo;
