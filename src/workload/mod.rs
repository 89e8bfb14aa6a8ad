//! PURE: which operations are played, in which order, on which files.
//!
//! Owns the configuration, the random numbers, the file table and the stream of
//! operations. Does no I/O and knows no disk, clock or path resolution, so that two
//! arms of a comparison replay the same operations and compatibility with PostMark is
//! testable without a file system.

pub mod assignment;
pub mod config;
pub mod content;
pub mod file_set;
pub mod generator;
pub mod operation;
pub mod permutation;
pub mod policy;
pub mod sizes;
pub mod slots;
pub mod transactions;
pub mod transfer;

pub use assignment::{Assignment, LocationChange};
pub use config::{Config, EngineKind, Location};
pub use operation::{FileId, Operation, OperationKind, Skip, Step};
pub use transactions::{OutOfFiles, PostmarkStream};
