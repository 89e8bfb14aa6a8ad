//! Why a run did not even begin. Nothing has been created then.

use std::path::PathBuf;

use super::manifest;

/// A run that was refused before anything was created.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A combination of settings that cannot be run.
    #[error("{0}")]
    Settings(String),
    /// The location cannot be used as it is named.
    #[error("location '{}': {reason}: {hint}", path.display())]
    Location {
        /// The location.
        path: PathBuf,
        /// Why.
        reason: String,
        /// How to mend it.
        hint: &'static str,
    },
    /// The machine does not let us.
    #[error("location '{}': {error}: {hint}", path.display())]
    Access {
        /// The location.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
        /// How to mend it.
        hint: &'static str,
    },
    /// Another run is active there.
    #[error(
        "location '{}' is in use by another run: wait for it, or choose another location",
        .0.display()
    )]
    Busy(PathBuf),
    /// Something of an earlier run is there.
    #[error(
        "location '{}' holds what an interrupted run left: remove it with `trimark clean {}`",
        .0.display(), .0.display()
    )]
    Leftovers(PathBuf),
    /// A file named like a manifest that is none.
    #[error(
        "location '{}' holds a file '{}' that is no manifest of this program ({reason}): \
         look at it, and remove it if it is not yours",
        path.display(), manifest::NAME
    )]
    ForeignManifest {
        /// The location.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of the user's has a name that this run needs.
    #[error(
        "'{}' exists, and this run would make a file of that name: it was left untouched; \
         move it, or choose an empty directory with `set location DIR`",
        .0.display()
    )]
    NameTaken(PathBuf),
    /// The pool cannot fit.
    #[error("{what} needed at least, {available} free in '{}': {hint}", path.display())]
    NoRoom {
        /// The location.
        path: PathBuf,
        /// What is needed.
        what: String,
        /// What there is.
        available: String,
        /// How to mend it.
        hint: &'static str,
    },
    /// Not enough memory for the file table.
    #[error(
        "no memory for a table of {0} files: lower `set number` (about 29 bytes are needed per file)"
    )]
    NoMemory(u64),
}

impl Refusal {
    /// The exit code: 2 what was asked for cannot be meant, 3 the machine cannot,
    /// 1 something is in the way.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::Location { .. } => 2,
            Self::Access { .. } | Self::NoRoom { .. } | Self::NoMemory(_) => 3,
            Self::Busy(_)
            | Self::Leftovers(_)
            | Self::ForeignManifest { .. }
            | Self::NameTaken(_) => 1,
        }
    }
}
