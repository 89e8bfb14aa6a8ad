//! The rows of the table for transfers of one large file.

use super::arguments::Arguments;
use super::error::LineError;
use super::measuring::{choice, names};
use super::row::{Command, CommandRow, ROW, Values, set};
use crate::units::{parse_count, parse_size};
use crate::workload::transfer::{FileSize, Pattern, WorkloadKind};
use crate::workload::{Assignment, Config};

const NEW: CommandRow = CommandRow { classic: false, ..ROW };

/// The rows.
pub const TRANSFERRING: [CommandRow; 5] = [
    CommandRow {
        words: &["set", "workload"],
        usage: "files|transfers",
        summary: "Sets what a run plays",
        details: "files: PostMark's many small ones; transfers: one large file, read and written \
                  in records by each of `set patterns`. Of the other settings, transfers go by \
                  location, seed, direct, sync, cache, settle, content, verify, latency and \
                  interval. Default files.",
        values: Values::Words(names::<WorkloadKind>),
        parse: |arguments| choice(arguments).map(set(Assignment::Workload)),
        ..NEW
    },
    CommandRow {
        words: &["set", "patterns"],
        usage: "PATTERN…",
        summary: "Sets the patterns of transfers",
        details: "In this order, with each size of record: write (into the empty file), rewrite, \
                  read, reread, random-read, random-write (every record once, in random order). A \
                  file that is not written first is laid out, untimed. Default all six.",
        values: Values::Words(|| Pattern::ALL.map(Pattern::name).to_vec()),
        parse: parse_patterns,
        ..NEW
    },
    CommandRow {
        words: &["set", "records"],
        usage: "BYTES… | FROM-TO",
        summary: "Sets the sizes of transfers",
        details: "Bytes of one read or write, with suffixes as for `set size`; FROM-TO doubles \
                  from one to the other. With `set direct true`, multiples of 4 KiB. Default 4k 1m; \
                  512 bytes to 1 GiB.",
        parse: parse_records,
        ..NEW
    },
    CommandRow {
        words: &["set", "file-size"],
        usage: "BYTES | P% | Nx",
        summary: "Sets the size of the file of transfers",
        details: "Bytes, with suffixes as for `set size`; P% of the free space; or N times the \
                  memory, such as 2x. Rounded down to whole records. Default 256m.",
        parse: parse_file_size,
        ..NEW
    },
    CommandRow {
        words: &["set", "depth"],
        usage: "N",
        summary: "Sets number of transfers under way at once",
        details: "1: one after the other; more: by io_uring, or threads where there is none. What \
                  was reached on average is reported. Default 1; 1 to 4,096.",
        parse: |arguments| {
            arguments.count("a number of transfers", Config::DEPTH).map(set(Assignment::Depth))
        },
        ..NEW
    },
];

fn parse_patterns(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let known = Pattern::ALL.map(Pattern::name);
    let mut patterns = vec![Pattern::ALL[arguments.keyword(&known)?]];
    while arguments.has_more() {
        patterns.push(Pattern::ALL[arguments.keyword(&known)?]);
    }
    Ok(Command::Set(Assignment::Patterns(patterns)))
}

fn parse_records(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    const WHAT: &str = "bytes of a record";
    let mut records = Vec::new();
    let mut next = Some(arguments.required("sizes such as 4k 64k 1m, or 4k-1m")?);
    while let Some(word) = next {
        let text = word.text();
        if let Some((from, to)) = text.split_once('-') {
            let bound = |part: &str| {
                let bytes = parse_size(part).map(|size| size.bytes).ok();
                bytes.filter(|bytes| Config::RECORD.contains(bytes)).ok_or_else(|| {
                    let message = format!("`{part}` is no size from 512 to 1g");
                    arguments.error_at(word, message).expecting("a range such as 4k-1m")
                })
            };
            let (mut record, last) = (bound(from)?, bound(to)?);
            if record > last {
                let message = format!("`{text}` ends before it begins");
                return Err(arguments.error_at(word, message).expecting("a range such as 4k-1m"));
            }
            while record <= last {
                records.push(record);
                record *= 2;
            }
        } else {
            records.push(arguments.own_size_of(word, WHAT, Config::RECORD)?);
        }
        next = arguments.take();
    }
    Ok(Command::Set(Assignment::Records(records)))
}

fn parse_file_size(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    const EXPECTED: &str = "bytes such as 4g, a share of the free space such as 90%, or times the \
                            memory such as 2x";
    let word = arguments.required(EXPECTED)?;
    let text = word.text().to_lowercase();
    let wrong =
        || arguments.error_at(word, format!("`{text}` is no size of a file")).expecting(EXPECTED);
    let size = if let Some(percent) = text.strip_suffix('%') {
        let percent = parse_count(percent).ok().filter(|percent| (1..=100).contains(percent));
        FileSize::FreePercent(percent.ok_or_else(wrong)?)
    } else if let Some(times) = text.strip_suffix('x') {
        let times: f64 = times.parse().map_err(|_| wrong())?;
        let bounded = (0.01..=1000.0).contains(&times);
        FileSize::MemoryHundredths(
            bounded.then(|| (times * 100.0).round() as u64).ok_or_else(wrong)?,
        )
    } else {
        let bounds = 512..=crate::workload::config::MAX_FILE_SIZE;
        FileSize::Bytes(arguments.own_size_of(word, "a size", bounds)?)
    };
    // `2x ram`, as people say it.
    if matches!(size, FileSize::MemoryHundredths(_))
        && arguments.peek().is_some_and(|word| word.is("ram"))
    {
        arguments.take();
    }
    Ok(Command::Set(Assignment::FileSize(size)))
}
