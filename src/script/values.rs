//! Readers of what follows the classic commands.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::error::LineError;
use super::row::Command;
use super::word::Dialect;
use crate::report::FORMATS;
use crate::workload::config::Bias;
use crate::workload::{Assignment, Config, Location, LocationChange};

/// Below this a block size or file size is more likely a misunderstanding than a wish.
const SUSPICIOUSLY_SMALL: u64 = 128;

pub fn parse_size(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let low = arguments.size("a size in bytes", Config::SIZE)?;
    let high = match arguments.take() {
        None => low,
        Some(word) => match arguments.size_of(word, "a size in bytes", 0..=*Config::SIZE.end()) {
            Err(_) if arguments.dialect() == Dialect::PostMark => low,
            Ok(high) if high < low => {
                arguments.note(format!(
                    "the high bound {high} is below the low one: all files will have {low} bytes"
                ));
                low
            }
            high => high?,
        },
    };
    if high < 1024 {
        arguments.note(format!(
            "sizes are in bytes: files of {low} to {high} bytes; for KiB write `{low}k`"
        ));
    }
    Ok(Command::Set(Assignment::Size { low, high }))
}

pub fn block_size(arguments: &mut Arguments<'_>, which: &str) -> Result<u64, LineError> {
    let bytes = arguments.size("a block size in bytes", Config::BLOCK)?;
    if bytes < SUSPICIOUSLY_SMALL {
        arguments.note(format!(
            "`set {which}` is a block size: every call will move {bytes} bytes; the share of reads \
             among transactions is `set bias read`"
        ));
    }
    Ok(bytes)
}

pub fn bias(arguments: &mut Arguments<'_>) -> Result<Bias, LineError> {
    const EXPECTED: &str = "0 to 10, or -1 to leave it out";
    let word = arguments.required(EXPECTED)?;
    let text = word.text();
    match text.parse::<i8>() {
        Ok(-1) => Ok(None),
        Ok(bias @ 0..=10) => Ok(Some(bias.unsigned_abs())),
        _ => Err(arguments.error_at(word, format!("`{text}` is no bias")).expecting(EXPECTED)),
    }
}

pub fn parse_location(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let word = arguments.peek().ok_or_else(|| arguments.missing("a directory"))?;
    let removes = word.text().starts_with('-');
    let text = if removes { arguments.path() } else { arguments.path_before_last() };
    let text = text.unwrap_or_default();
    let (sign, path) = match text.split_at_checked(1) {
        Some((sign @ ("+" | "-"), path)) => (sign, path),
        _ => ("", text.as_str()),
    };
    if path.is_empty() {
        return Err(arguments.error_at(word, "a directory is missing").expecting("a directory"));
    }
    let path = PathBuf::from(path);
    let change = match sign {
        "-" => LocationChange::Remove(path),
        "+" => LocationChange::Add(Location { path, weight: weight(arguments)? }),
        _ => LocationChange::Replace(Location { path, weight: weight(arguments)? }),
    };
    Ok(Command::Set(Assignment::Location(change)))
}

/// A weight that is not above 0 is reported and taken as 1, as PostMark does.
pub fn weight(arguments: &mut Arguments<'_>) -> Result<u64, LineError> {
    let Some(word) = arguments.take() else { return Ok(1) };
    let text = word.text();
    match text.parse::<i64>() {
        Ok(weight) if weight <= 0 => {}
        Ok(weight) if Config::WEIGHT.contains(&weight.unsigned_abs()) => {
            return Ok(weight.unsigned_abs());
        }
        _ if arguments.dialect() == Dialect::PostMark => {}
        _ => {
            let message = format!("`{text}` is no weight");
            return Err(arguments
                .error_at(word, message)
                .expecting("a weight from 1 to 1,000,000 (a path with blanks stands in quotes)"));
        }
    }
    let complaint = format!("ignoring invalid weight '{text}'");
    match arguments.dialect() {
        Dialect::PostMark => arguments.complain(complaint),
        Dialect::Trimark => arguments.note(format!("{complaint}: taken as 1")),
    }
    Ok(1)
}

pub fn parse_reports(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let names: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
    let mut formats = vec![FORMATS[arguments.keyword(&names)?].format];
    while arguments.has_more() {
        formats.push(FORMATS[arguments.keyword(&names)?].format);
    }
    Ok(Command::SetReports(formats))
}

pub fn parse_run(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let file = arguments.path();
    if let Some(name) = file.as_deref().filter(|name| name.bytes().all(|b| b.is_ascii_digit())) {
        arguments.note(format!(
            "`run {name}` appends the report to a file named '{name}'; it says nothing of how long \
             or how often"
        ));
    }
    Ok(Command::Run(file.map(PathBuf::from)))
}
