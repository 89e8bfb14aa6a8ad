//! The rows of the table for what is done to a drive besides runs: trimming it and
//! bringing it to a known state.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::error::LineError;
use super::row::{Command, CommandRow, ROW, Values};
use super::{Session, Trouble};
use crate::report;
use crate::units::parse_size;
use crate::volume::trim::{self, Range};

const NEW: CommandRow = CommandRow { classic: false, ..ROW };

/// The rows.
pub const DRIVE: [CommandRow; 1] = [CommandRow {
    words: &["trim"],
    usage: "DIR [offset=BYTES] [length=BYTES] [minimum=BYTES] [check]",
    summary: "Discards the free space of a file system",
    details: "Tells the device under DIR which blocks its file system does not use: all of them, \
              or those from offset on for length, leaving out extents shorter than minimum. Says \
              what the file system says and what the device counted. check: also writes 8 MiB, \
              deletes it, trims, and says whether the discards arrive. Takes root.",
    values: Values::Path,
    parse: parse_trim,
    ..NEW
}];

/// What is to be trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrimRequest {
    /// A directory of the file system.
    pub directory: PathBuf,
    /// Which part of it.
    pub range: Range,
    /// Whether to try it with a file, too.
    pub check: bool,
}

fn parse_trim(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let directory = arguments.required("a directory of a mounted file system")?.text();
    let mut request =
        TrimRequest { directory: directory.into(), range: Range::WHOLE, check: false };
    while let Some(word) = arguments.take() {
        const EXPECTED: &str = "offset=BYTES, length=BYTES, minimum=BYTES or check";
        let text = word.text();
        let wrong = |message: String| arguments.error_at(word, message).expecting(EXPECTED);
        let (name, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        if name == "check" && value.is_empty() {
            request.check = true;
            continue;
        }
        let bytes = parse_size(value).map_err(|error| wrong(format!("`{text}`: {error}")))?.bytes;
        match name {
            "offset" => request.range.start = bytes,
            "length" if bytes == 0 => return Err(wrong("a length of 0 trims nothing".into())),
            "length" => request.range.length = bytes,
            "minimum" => request.range.least = bytes,
            _ => return Err(wrong(format!("`{name}` is no option of `trim`"))),
        }
    }
    Ok(Command::Trim(request))
}

impl Session<'_> {
    /// Trims a file system and says what came of it.
    ///
    /// # Errors
    /// [`Trouble::Trim`], [`Trouble::Output`]; [`Trouble::Run`] when a check shows that
    /// discards do not arrive.
    pub fn trim(&mut self, request: &TrimRequest) -> Result<(), Trouble> {
        let held = self.signals.clone();
        let _held = held.hold();
        let trimmed = trim::trim(&request.directory, request.range)?;
        report::trim::trimmed(&trimmed, self.out)?;
        if request.check {
            let check = trim::check(&request.directory)?;
            report::trim::check(&check, self.out)?;
            if !check.arrived() {
                return Err(Trouble::Run(format!(
                    "discards do not arrive on the device under '{}': `trimark probe` says which \
                     layer is in the way",
                    request.directory.display()
                )));
            }
        }
        Ok(self.out.flush()?)
    }
}
