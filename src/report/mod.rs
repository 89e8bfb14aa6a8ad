//! How results are shown. Computes nothing: every figure is a field of the result or a
//! row of the table of metrics.

pub mod condition;
pub mod experiment;
mod instruments;
mod json;
mod place;
pub mod postmark;
pub mod probe;
pub mod recipe;
pub mod spread;
pub mod steady;
mod text;
mod transfers;
pub mod trim;

use std::io::{self, Write};

use crate::runner::measurement::RunResult;

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PostMark's report, to the byte.
    Verbose,
    /// PostMark's line of 13 figures, to the byte.
    Terse,
    /// Exact, for people.
    Full,
    /// Exact, for programs: one JSON document on a line of its own.
    Json,
}

impl Format {
    /// True for PostMark's own formats.
    #[must_use]
    pub fn is_classic(self) -> bool {
        matches!(self, Self::Verbose | Self::Terse)
    }

    /// Its row in the table.
    #[must_use]
    pub fn row(self) -> &'static FormatRow {
        FORMATS.iter().find(|row| row.format == self).expect("every format has a row")
    }
}

/// One format of the table.
pub struct FormatRow {
    /// Its name in scripts.
    pub name: &'static str,
    /// What it is for, in one line.
    pub help: &'static str,
    /// Itself.
    pub format: Format,
    /// Writes a result.
    pub render: fn(&RunResult, &mut dyn Write) -> io::Result<()>,
}

/// Every format.
pub const FORMATS: &[FormatRow] = &[
    FormatRow {
        name: "verbose",
        help: "PostMark's report, to the byte: whole seconds",
        format: Format::Verbose,
        render: postmark::verbose,
    },
    FormatRow {
        name: "terse",
        help: "PostMark's line of 13 figures, to the byte",
        format: Format::Terse,
        render: postmark::terse,
    },
    FormatRow {
        name: "full",
        help: "exact times, rates and bytes, where it ran, and warnings",
        format: Format::Full,
        render: text::full,
    },
    FormatRow {
        name: "json",
        help: "everything, for programs: one JSON document per run, on one line",
        format: Format::Json,
        render: json::json,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_row() {
        for format in [Format::Verbose, Format::Terse, Format::Full, Format::Json] {
            assert_eq!(format.row().format, format);
        }
    }
}
