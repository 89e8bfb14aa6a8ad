//! Why a run stopped before its end, told so that it can be mended.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use super::measurement::{Failure, Phase, Status};
use crate::engine::{Call, Cause, OperationError};
use crate::interrupt::signal_name;
use crate::workload::Operation;

/// Why a run stops before its end.
#[derive(Debug)]
pub enum Stop {
    /// A signal.
    Interrupted(i32),
    /// A failed operation.
    Failed(Box<Failure>),
    /// Another worker stopped.
    Abandoned,
}

impl From<Stop> for Status {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupted(signal) => Self::Interrupted { signal, name: signal_name(signal) },
            Stop::Failed(error) => Self::Failed { error: *error },
            Stop::Abandoned => Self::Interrupted { signal: 0, name: "another worker".into() },
        }
    }
}

/// An operation that failed on a file.
pub fn of_operation(
    operation: &Operation,
    phase: Phase,
    path: PathBuf,
    error: OperationError,
) -> Failure {
    let errno = match error.cause {
        Cause::Errno(errno) => Some(errno),
        _ => None,
    };
    Failure {
        phase,
        operation: operation.kind().name().into(),
        call: error.call.name().into(),
        path,
        errno: errno.map(Errno::raw_os_error),
        message: error.cause.to_string(),
        hint: hint(operation, error).map(str::to_owned),
    }
}

/// Anything else that failed on a path.
pub fn of_call(phase: Phase, what: &str, call: &str, path: PathBuf, error: &io::Error) -> Stop {
    Stop::Failed(Box::new(Failure {
        phase,
        operation: what.into(),
        call: call.into(),
        path,
        errno: error.raw_os_error(),
        message: error.to_string(),
        hint: None,
    }))
}

/// A subdirectory that could not be made or removed.
pub fn of_directory(phase: Phase, path: PathBuf, errno: Errno) -> Stop {
    let (operation, call, hint) = if phase == Phase::Subdirectories {
        let hint =
            (errno == Errno::EXIST).then_some("it was there before the run and was left untouched");
        ("make subdirectory", Call::MakeDirectory, hint)
    } else {
        let hint = (errno == Errno::NOTEMPTY).then_some("something was put into it during the run");
        ("remove subdirectory", Call::RemoveDirectory, hint)
    };
    Stop::Failed(Box::new(Failure {
        phase,
        operation: operation.into(),
        call: call.name().into(),
        path,
        errno: Some(errno.raw_os_error()),
        message: io::Error::from(errno).to_string(),
        hint: hint.map(str::to_owned),
    }))
}

/// A manifest that could not be kept ahead of the run.
pub fn of_manifest(phase: Phase, path: PathBuf, error: &io::Error) -> Failure {
    Failure {
        phase,
        operation: "update manifest".into(),
        call: "pwrite".into(),
        path,
        errno: error.raw_os_error(),
        message: error.to_string(),
        hint: None,
    }
}

/// What may mend a failed operation, where the error tells.
fn hint(operation: &Operation, error: OperationError) -> Option<&'static str> {
    let Cause::Errno(errno) = error.cause else { return None };
    match errno {
        Errno::EXIST if matches!(operation, Operation::Create { .. }) => {
            Some("it was there before the run and was left untouched; use an empty directory")
        }
        Errno::NOSPC => Some("the file system is full: lower `set number` or `set size`"),
        Errno::DQUOT => Some("your disk quota is used up: lower `set number` or `set size`"),
        Errno::FBIG => Some("larger than this file system or your limits allow: lower `set size`"),
        Errno::ROFS => Some("the file system is, or has become, read-only"),
        Errno::NOENT => Some("something else removed it during the run"),
        Errno::IO => Some("the device failed: see the kernel's log"),
        _ => None,
    }
}
