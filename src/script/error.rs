//! What is wrong with a line of a script, and how that is shown.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// The kinds of errors PostMark tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// No such command or setting: PostMark says `Eh?`.
    Unknown,
    /// A value that is missing or refused: PostMark says why.
    Value,
}

/// An error in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    span: Range<usize>,
    message: String,
    expected: Option<String>,
    suggestion: Option<String>,
    usage: Option<String>,
    /// PostMark's own words for it.
    complaint: Option<&'static str>,
}

impl LineError {
    /// An error at these bytes of the line.
    #[must_use]
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            kind: ErrorKind::Value,
            span,
            message: message.into(),
            expected: None,
            suggestion: None,
            usage: None,
            complaint: None,
        }))
    }

    /// Sets the kind.
    #[must_use]
    pub fn kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Says what was probably meant.
    #[must_use]
    pub fn suggesting(mut self, suggestion: Option<String>) -> Self {
        self.0.suggestion = suggestion;
        self
    }

    /// Adds how the command is used, and PostMark's own words for a refused value.
    #[must_use]
    pub fn of(mut self, usage: String, complaint: Option<&'static str>) -> Self {
        self.0.usage = Some(usage);
        self.0.complaint = complaint;
        self
    }

    /// True when PostMark would only say `Eh?`.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0.kind == ErrorKind::Unknown
    }

    /// The message in PostMark's words, where it has some.
    #[must_use]
    pub fn complaint(&self) -> String {
        self.0.complaint.map_or_else(|| self.0.message.clone(), str::to_owned)
    }

    /// The error with its place: file (or other source), line number from 1, and the line
    /// itself with the place marked.
    #[must_use]
    pub fn show<'a>(&'a self, source: &'a str, number: usize, line: &'a str) -> Shown<'a> {
        Shown { error: &self.0, source, number, line }
    }
}

/// A [`LineError`] with its place, to be printed.
#[derive(Debug)]
pub struct Shown<'a> {
    error: &'a Details,
    source: &'a str,
    number: usize,
    line: &'a str,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let error = self.error;
        let line = self.line.trim_end();
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let before = line.get(..error.span.start).unwrap_or(line);
        let column = before.chars().count() + 1;
        let marked = line.get(error.span.clone()).map_or(0, width);
        writeln!(f, "{}:{}:{column}: {}", self.source, self.number, error.message)?;
        let printable: String = line.chars().map(printable).collect();
        writeln!(f, "    {printable}")?;
        write!(f, "    {}{}", " ".repeat(width(before)), "^".repeat(marked.max(1)))?;
        if let Some(expected) = &error.expected {
            write!(f, " expected {expected}")?;
        }
        if let Some(suggestion) = &error.suggestion {
            write!(f, "\n    did you mean `{suggestion}`?")?;
        }
        if let Some(usage) = &error.usage {
            write!(f, "\n    usage: {usage}")?;
        }
        Ok(())
    }
}

/// The columns a text takes on a terminal once [`printable`].
fn width(text: &str) -> usize {
    text.chars().map(printable).filter_map(UnicodeWidthChar::width).sum()
}

/// At least a column for every character, so that the mark stands where it should.
fn printable(c: char) -> char {
    if c.width().unwrap_or(0) == 0 { ' ' } else { c }
}
