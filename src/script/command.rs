//! Every command of the language: one row each, from which parsing, help, completion and
//! the man page come.

use std::path::PathBuf;

use super::comparing::COMPARING;
use super::drive::DRIVE;
use super::measuring::MEASURING;
use super::recipe::RECIPE;
pub use super::row::{Command, CommandRow, Values};
use super::row::{ROW, set};
use super::transferring::TRANSFERRING;
use super::values::{bias, block_size, parse_location, parse_reports, parse_run, parse_size};
use crate::engine::ENGINES;
use crate::report::FORMATS;
use crate::workload::{Assignment, Config, EngineKind};

/// Every command: the settings in the order of PostMark's help, ours, then the others.
pub const COMMANDS: &[CommandRow] = &joined();

const COUNT: usize = SETTINGS.len()
    + MEASURING.len()
    + COMPARING.len()
    + TRANSFERRING.len()
    + DRIVE.len()
    + RECIPE.len()
    + ACTIONS.len();

const fn joined() -> [CommandRow; COUNT] {
    let mut rows = [ROW; COUNT];
    let mut next = 0;
    let parts: [&[CommandRow]; 7] =
        [&SETTINGS, &MEASURING, &TRANSFERRING, &COMPARING, &DRIVE, &RECIPE, &ACTIONS];
    let mut part = 0;
    while part < parts.len() {
        let mut row = 0;
        while row < parts[part].len() {
            rows[next] = parts[part][row];
            next += 1;
            row += 1;
        }
        part += 1;
    }
    rows
}

const SETTINGS: [CommandRow; 13] = [
    CommandRow {
        words: &["set", "size"],
        usage: "LOW [HIGH]",
        summary: "Sets low and high bounds of files",
        details: "New files have LOW to HIGH−1 bytes, uniformly; appends never pass HIGH. Without \
                  HIGH, or with one below LOW, all files have LOW bytes. Bytes, or with a suffix k, \
                  m, g, t (powers of 1024). Default 500 10000; 1 byte to 16 TiB.",
        complaint: Some("no file size low or high bounds specified"),
        parse: parse_size,
        ..ROW
    },
    CommandRow {
        words: &["set", "number"],
        usage: "N",
        summary: "Sets number of simultaneous files",
        details: "Files of the initial pool; the table has room for twice as many. Default 500; 1 \
                  to 1,000,000,000.",
        complaint: Some("invalid number of files"),
        parse: |arguments| {
            arguments.count("a number of files", Config::NUMBER).map(set(Assignment::Number))
        },
        ..ROW
    },
    CommandRow {
        words: &["set", "seed"],
        usage: "N",
        summary: "Sets seed for random number generator",
        details: "Each run starts again from it: the same seed gives the same operations. Default \
                  42; 1 to 4,294,967,295.",
        complaint: Some("invalid seed for random numbers"),
        parse: |arguments| arguments.count("a seed", Config::SEED).map(set(Assignment::Seed)),
        ..ROW
    },
    CommandRow {
        words: &["set", "transactions"],
        usage: "N",
        summary: "Sets number of transactions",
        details: "A transaction is a read or append, and a create or delete. Default 500; 1 to \
                  1,000,000,000,000.",
        complaint: Some("no transactions specified"),
        parse: |arguments| {
            let number = arguments.count("a number of transactions", Config::TRANSACTIONS)?;
            Ok(Command::Set(Assignment::Transactions(number)))
        },
        ..ROW
    },
    CommandRow {
        words: &["set", "location"],
        usage: "DIR [WEIGHT] | +DIR [WEIGHT] | -DIR",
        summary: "Sets location of working files",
        details: "DIR becomes the only location; +DIR adds one, -DIR removes one. With several, a \
                  file goes to one of them in proportion to the weights (default 1). A path with \
                  blanks stands in quotes. Default: the current directory.",
        complaint: Some("no directory name specified"),
        values: Values::Path,
        parse: parse_location,
        ..ROW
    },
    CommandRow {
        words: &["set", "subdirectories"],
        usage: "N",
        summary: "Sets number of subdirectories",
        details: "Files are spread over N subdirectories s0 … of each location; used from 2 on. \
                  Default 0; 1 to 10,000,000.",
        complaint: Some("invalid number of subdirectories"),
        parse: |arguments| {
            let number = arguments.count("a number of subdirectories", Config::SUBDIRECTORIES)?;
            Ok(Command::Set(Assignment::Subdirectories(number)))
        },
        ..ROW
    },
    CommandRow {
        words: &["set", "read"],
        usage: "BYTES",
        summary: "Sets read block size",
        details: "Files are read in blocks of so many bytes, the remainder last. Suffixes as with \
                  `set size`. Default 512; 1 byte to 1 GiB.",
        complaint: Some("invalid read block size"),
        parse: |arguments| block_size(arguments, "read").map(set(Assignment::ReadBlock)),
        ..ROW
    },
    CommandRow {
        words: &["set", "write"],
        usage: "BYTES",
        summary: "Sets write block size",
        details: "Files are written in blocks of so many bytes, the remainder last. Suffixes as \
                  with `set size`. Default 512; 1 byte to 1 GiB.",
        complaint: Some("invalid write block size"),
        parse: |arguments| block_size(arguments, "write").map(set(Assignment::WriteBlock)),
        ..ROW
    },
    CommandRow {
        words: &["set", "buffering"],
        usage: "true|false",
        summary: "Sets usage of buffered I/O",
        details: "true: the calls of C's stdio (`set engine buffered`); false: a system call per \
                  block (`set engine sync`). Default true.",
        complaint: Some("no buffering mode (true/false) specified"),
        values: Values::Words(|| vec!["true", "false"]),
        parse: |arguments| {
            let engines = [EngineKind::Buffered, EngineKind::Sync];
            let choice = arguments.keyword(&["true", "false"])?;
            Ok(Command::Set(Assignment::Engine(engines[choice])))
        },
        ..ROW
    },
    CommandRow {
        words: &["set", "bias", "read"],
        usage: "N",
        summary: "Sets the chance of choosing read over append",
        details: "N of 10 transactions read, the others append; -1 does neither. Default 5; -1 to \
                  10.",
        complaint: Some(BIAS_COMPLAINT),
        parse: |arguments| bias(arguments).map(set(Assignment::BiasRead)),
        ..ROW
    },
    CommandRow {
        words: &["set", "bias", "create"],
        usage: "N",
        summary: "Sets the chance of choosing create over delete",
        details: "N of 10 transactions create, the others delete; -1 does neither. Default 5; -1 \
                  to 10.",
        complaint: Some(BIAS_COMPLAINT),
        parse: |arguments| bias(arguments).map(set(Assignment::BiasCreate)),
        ..ROW
    },
    CommandRow {
        words: &["set", "report"],
        usage: "FORMAT…",
        summary: "Choose verbose or terse report format",
        details: "verbose and terse are PostMark's, to the byte; full is exact; json is for \
                  programs. Several may be given. Default full (verbose when called as postmark).",
        complaint: Some("either 'verbose' or 'terse' required"),
        values: Values::Words(|| FORMATS.iter().map(|row| row.name).collect()),
        parse: parse_reports,
        ..ROW
    },
    CommandRow {
        words: &["set", "engine"],
        usage: "ENGINE",
        summary: "Sets how files are accessed",
        details: "sync: a system call per block. buffered: the calls of C's stdio. null: touches \
                  nothing, to measure this program itself. Default buffered.",
        classic: false,
        values: Values::Words(|| ENGINES.iter().map(|row| row.name).collect()),
        parse: |arguments| {
            let choice = arguments.keyword(&EngineKind::ALL.map(EngineKind::name))?;
            Ok(Command::Set(Assignment::Engine(EngineKind::ALL[choice])))
        },
        ..ROW
    },
];

const ACTIONS: [CommandRow; 5] = [
    CommandRow {
        words: &["run"],
        usage: "[FILE]",
        summary: "Runs one iteration of benchmark",
        details: "Prints the reports, or appends them to FILE.",
        values: Values::Path,
        parse: parse_run,
        ..ROW
    },
    CommandRow {
        words: &["load"],
        usage: "FILE",
        summary: "Read configuration file",
        details: "Obeys the commands in FILE; `quit` in it ends the file.",
        complaint: Some("no configuration file specified"),
        values: Values::Path,
        parse: |arguments| {
            let path = arguments.path().ok_or_else(|| arguments.missing("the name of a file"))?;
            Ok(Command::Load(path.into()))
        },
        ..ROW
    },
    CommandRow {
        words: &["show"],
        usage: "[FILE]",
        summary: "Displays current configuration",
        details: "Prints the settings, or appends them to FILE.",
        values: Values::Path,
        parse: |arguments| Ok(Command::Show(arguments.path().map(PathBuf::from))),
        ..ROW
    },
    CommandRow {
        words: &["help"],
        aliases: &["?"],
        usage: "[PREFIX]",
        summary: "Prints out available commands",
        details: "Explains the commands whose name begins with PREFIX. `?` is the same.",
        parse: |arguments| Ok(Command::Help(arguments.rest().join(" "))),
        ..ROW
    },
    CommandRow {
        words: &["quit"],
        aliases: &["exit"],
        summary: "Exit program",
        details: "`exit` is the same. `!COMMAND` hands COMMAND to the shell.",
        parse: |_| Ok(Command::Quit),
        ..ROW
    },
];

const BIAS_COMPLAINT: &str = "no bias specified (0-10 for greater chance,-1 to disable)";
