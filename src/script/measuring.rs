//! The rows of the table for what PostMark does not have: how a run is measured, made to
//! reach the device, and what its files hold.

use super::arguments::Arguments;
use super::error::LineError;
use super::row::{Command, CommandRow, ROW, Values, set};
use crate::stats::metrics::metric;
use crate::units::parse_duration;
use crate::workload::policy::{
    Cache, Choice, Content, GeneratorKind, LatencyLevel, Settle, SteadyRule, SyncPolicy,
};
use crate::workload::sizes::Sizes;
use crate::workload::{Assignment, Config};

const NEW: CommandRow = CommandRow { classic: false, ..ROW };

/// The rows.
pub const MEASURING: [CommandRow; 16] = [
    CommandRow {
        words: &["set", "duration"],
        usage: "TIME",
        summary: "Sets how long transactions are played",
        details: "Ends the transactions after TIME: 60s, 5m, 1h, or seconds. With `set \
                  transactions` too, whichever comes first; 0 switches it off. The number of files \
                  wanders by about the square root of the number of transactions: choose `set \
                  number` well above it, or the run ends out of files. Default off.",
        parse: |arguments| time(arguments).map(set(Assignment::Duration)),
        ..NEW
    },
    CommandRow {
        words: &["set", "warmup"],
        usage: "TIME",
        summary: "Sets how long transactions are played before they count",
        details: "Transactions of this time come first and are in no rate. 0 switches it off. \
                  Default off.",
        parse: |arguments| time(arguments).map(set(Assignment::Warmup)),
        ..NEW
    },
    CommandRow {
        words: &["set", "iterations"],
        usage: "N",
        summary: "Sets how often a run is repeated",
        details: "`run` plays it N times from the start, reports each and then the spread. \
                  Default 1; 1 to 1,000,000.",
        parse: |arguments| {
            let number = arguments.count("a number of iterations", Config::ITERATIONS)?;
            Ok(Command::Set(Assignment::Iterations(number)))
        },
        ..NEW
    },
    CommandRow {
        words: &["set", "steady"],
        usage: "off|METRIC [rounds=25] [window=5] [range=20%] [slope=10%]",
        summary: "Sets until what number is steady runs are repeated",
        details: "`run` plays rounds until in the last five the METRIC ranges over no more than 20 \
                  % of its mean and the line through them moves by no more than 10 % of it (SNIA \
                  PTS); five that only rise or only fall must stay within a tenth of that range. \
                  Not to be steady in so many rounds is a result, and said. Of a comparison each \
                  run is the last of such rounds. `trimark metrics` lists the metrics. Default off.",
        parse: parse_steady,
        ..NEW
    },
    CommandRow {
        words: &["set", "fan-out"],
        usage: "off|tree DIR",
        summary: "Sets number of subdirectories as in a real directory",
        details: "tree DIR: when the run begins, as many subdirectories are made as give each the \
                  files that a directory below DIR holds on average, whatever `set subdirectories` \
                  says. off: as set. Default off.",
        values: Values::Words(|| FAN_OUT.to_vec()),
        parse: parse_fan_out,
        ..NEW
    },
    CommandRow {
        words: &["set", "workers"],
        usage: "N",
        summary: "Sets number of threads",
        details: "Each plays the whole workload on a pool of its own, below w0, w1 … in each \
                  location; they begin every phase together. With more than one the generator is \
                  xoshiro. Default 1; 1 to 1,024.",
        parse: |arguments| {
            arguments.count("a number of workers", Config::WORKERS).map(set(Assignment::Workers))
        },
        ..NEW
    },
    CommandRow {
        words: &["set", "generator"],
        usage: "postmark|xoshiro",
        summary: "Sets the random number generator",
        details: "postmark: its Mersenne Twister, its stream of operations; xoshiro: another \
                  stream, that splits for several workers. Default postmark.",
        values: Values::Words(names::<GeneratorKind>),
        parse: |arguments| choice(arguments).map(set(Assignment::Generator)),
        ..NEW
    },
    CommandRow {
        words: &["set", "latency"],
        usage: "off|operations|on",
        summary: "Sets how closely latencies are measured",
        details: "operations: each create, read, append, delete; on: each system call in them, \
                  too; off: neither these nor timelines nor the kernel's counts. Default \
                  operations (off when called as postmark).",
        values: Values::Words(names::<LatencyLevel>),
        parse: |arguments| choice(arguments).map(set(Assignment::Latency)),
        ..NEW
    },
    CommandRow {
        words: &["set", "interval"],
        usage: "TIME",
        summary: "Sets the interval of the timeline",
        details: "Operations, bytes and the worst latency are kept for every interval. Default \
                  100ms; 1ms to 1h.",
        parse: |arguments| {
            let interval = duration(arguments, Config::INTERVAL)?;
            Ok(Command::Set(Assignment::Interval(interval)))
        },
        ..NEW
    },
    CommandRow {
        words: &["set", "sync"],
        usage: "none|phase|close|fsync-every N",
        summary: "Sets when data are forced to the device",
        details: "none: when the system likes; phase: `syncfs` after each phase, timed on its own \
                  and not in the total; close: `fsync` before each close of a file written to; \
                  fsync-every N: before every N-th. Default none.",
        values: Values::Words(|| SYNC.to_vec()),
        parse: parse_sync,
        ..NEW
    },
    CommandRow {
        words: &["set", "cache"],
        usage: "warm|cold",
        summary: "Sets the page cache the transactions find",
        details: "warm: as creation left it; cold: written back and emptied before the \
                  transactions, the whole system's as root, else file by file. Default warm.",
        values: Values::Words(names::<Cache>),
        parse: |arguments| choice(arguments).map(set(Assignment::Cache)),
        ..NEW
    },
    CommandRow {
        words: &["set", "direct"],
        usage: "true|false",
        summary: "Sets bypassing of the page cache",
        details: "true: O_DIRECT; needs the engine sync, and one file size and block sizes that \
                  are multiples of 4 KiB. Default false.",
        values: Values::Words(|| BOOLEANS.to_vec()),
        parse: |arguments| boolean(arguments).map(set(Assignment::Direct)),
        ..NEW
    },
    CommandRow {
        words: &["set", "settle"],
        usage: "off|auto|TIME",
        summary: "Sets waiting for a quiet device",
        details: "Before and after a run, everything is written back; then auto waits until \
                  the device had no I/O for 300 ms, at most 10 s, TIME so long. Not timed. \
                  Default off.",
        values: Values::Words(|| vec!["off", "auto"]),
        parse: parse_settle,
        ..NEW
    },
    CommandRow {
        words: &["set", "content"],
        usage: "postmark|random|zero|compressible PERCENT",
        summary: "Sets what files hold",
        details: "postmark: the same text at the start of every file and append; random: cut from 16 \
                  MiB of random bytes at a place of each file's own; zero; compressible: random, with PERCENT of every \
                  4 KiB zero. Made before the run. Default postmark.",
        values: Values::Words(|| CONTENTS.to_vec()),
        parse: parse_content,
        ..NEW
    },
    CommandRow {
        words: &["set", "sizes"],
        usage: "uniform|lognormal MEDIAN SIGMA|tree DIR",
        summary: "Sets where file sizes come from",
        details: "uniform: `set size`; lognormal: half of the files below MEDIAN bytes, SIGMA the \
                  standard deviation of the natural logarithm (0 to 4); tree: drawn from the sizes \
                  of the files below DIR. With the last two an append adds a draw of the same \
                  distribution, up to its largest size. Default uniform.",
        values: Values::Words(|| SIZES.to_vec()),
        parse: parse_sizes,
        ..NEW
    },
    CommandRow {
        words: &["set", "verify"],
        usage: "on|off",
        summary: "Sets comparing of what is read",
        details: "on: every read is compared with what was written; a difference fails the run \
                  and names file, offset and bytes. Costs time. Default off.",
        values: Values::Words(|| vec!["on", "off"]),
        parse: |arguments| {
            Ok(Command::Set(Assignment::Verify(arguments.keyword(&["on", "off"])? == 0)))
        },
        ..NEW
    },
];

const BOOLEANS: [&str; 2] = ["true", "false"];
const SYNC: [&str; 4] = ["none", "phase", "close", "fsync-every"];
const SIZES: [&str; 3] = ["uniform", "lognormal", "tree"];
const CONTENTS: [&str; 4] = ["postmark", "random", "zero", "compressible"];

pub(super) fn names<T: Choice>() -> Vec<&'static str> {
    T::NAMES.iter().map(|(name, _)| *name).collect()
}

pub(super) fn choice<T: Choice>(arguments: &mut Arguments<'_>) -> Result<T, LineError> {
    Ok(T::NAMES[arguments.keyword(&names::<T>())?].1)
}

fn boolean(arguments: &mut Arguments<'_>) -> Result<bool, LineError> {
    Ok(arguments.keyword(&BOOLEANS)? == 0)
}

/// A duration that 0 switches off.
fn time(arguments: &mut Arguments<'_>) -> Result<Option<u64>, LineError> {
    Ok(Some(duration(arguments, Config::DURATION)?).filter(|&nanoseconds| nanoseconds > 0))
}

fn duration(
    arguments: &mut Arguments<'_>,
    bounds: std::ops::RangeInclusive<u64>,
) -> Result<u64, LineError> {
    const EXPECTED: &str = "a time such as 60s, 500ms or 5m";
    let word = arguments.required(EXPECTED)?;
    let text = word.text();
    match parse_duration(&text) {
        Ok(nanoseconds) if bounds.contains(&nanoseconds) => Ok(nanoseconds),
        Ok(_) => {
            Err(arguments.error_at(word, format!("`{text}` is out of bounds")).expecting(format!(
                "a time from {} to {}",
                crate::units::human_duration(*bounds.start()),
                crate::units::human_duration(*bounds.end())
            )))
        }
        Err(_) => Err(arguments.error_at(word, format!("`{text}` is no time")).expecting(EXPECTED)),
    }
}

fn parse_sync(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let policy = match arguments.keyword(&SYNC)? {
        0 => SyncPolicy::None,
        1 => SyncPolicy::Phase,
        2 => SyncPolicy::Close,
        _ => SyncPolicy::FsyncEvery(arguments.count("a number of files", Config::FSYNC_EVERY)?),
    };
    Ok(Command::Set(Assignment::Sync(policy)))
}

fn parse_settle(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let next = arguments.peek().map(super::word::Word::text).unwrap_or_default();
    let settle = match next.to_lowercase().as_str() {
        "off" => Settle::Off,
        "auto" => Settle::Auto,
        _ => {
            return Ok(Command::Set(Assignment::Settle(match time(arguments)? {
                Some(nanoseconds) => Settle::For(nanoseconds),
                None => Settle::Off,
            })));
        }
    };
    arguments.take();
    Ok(Command::Set(Assignment::Settle(settle)))
}

fn parse_sizes(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let sizes = match arguments.keyword(&SIZES)? {
        0 => Sizes::Uniform,
        1 => Sizes::Lognormal {
            median: arguments.size("a median in bytes", Config::SIZE)?,
            sigma_thousandths: sigma(arguments)?,
        },
        _ => {
            let path = arguments.path().ok_or_else(|| arguments.missing("a directory"))?;
            Sizes::Tree(path.into())
        }
    };
    Ok(Command::Set(Assignment::Sizes(sizes)))
}

const FAN_OUT: [&str; 2] = ["off", "tree"];

fn parse_fan_out(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let directory = match arguments.keyword(&FAN_OUT)? {
        0 => None,
        _ => {
            let path = arguments.path().ok_or_else(|| arguments.missing("a directory"))?;
            Some(path.into())
        }
    };
    Ok(Command::Set(Assignment::FanOut(directory)))
}

fn parse_steady(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    const EXPECTED: &str = "off, or a metric such as transactions_per_second";
    const OPTIONS: &str = "rounds=N, window=N, range=PERCENT or slope=PERCENT";
    let word = arguments.required(EXPECTED)?;
    let name = word.text();
    if name.eq_ignore_ascii_case("off") {
        return Ok(Command::Set(Assignment::Steady(None)));
    }
    if metric(&name).is_none() {
        let message = format!("there is no metric `{name}`: `trimark metrics` lists them");
        return Err(arguments.error_at(word, message).expecting(EXPECTED));
    }
    let mut rule = SteadyRule::snia(&name);
    while let Some(word) = arguments.take() {
        let text = word.text();
        let (option, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        let number = value.strip_suffix('%').unwrap_or(value).parse::<u64>().unwrap_or(0);
        let (field, bounds) = match option {
            "rounds" => (&mut rule.rounds, 1..=1_000_000),
            "window" => (&mut rule.window, 3..=1_000),
            "range" => (&mut rule.range_percent, 1..=1_000),
            "slope" => (&mut rule.slope_percent, 1..=1_000),
            _ => {
                let message = format!("`{option}` is no option of `set steady`");
                return Err(arguments.error_at(word, message).expecting(OPTIONS));
            }
        };
        if !bounds.contains(&number) {
            let (least, most) = (bounds.start(), bounds.end());
            let message = format!("`{text}`: {option} is a number from {least} to {most}");
            return Err(arguments.error_at(word, message).expecting(OPTIONS));
        }
        *field = number;
    }
    if rule.rounds < rule.window {
        let (rounds, window) = (rule.rounds, rule.window);
        let message = format!("{window} rounds in a row cannot be steady within {rounds}");
        return Err(arguments.error_at(word, message).expecting("rounds= of at least window="));
    }
    Ok(Command::Set(Assignment::Steady(Some(rule))))
}

fn sigma(arguments: &mut Arguments<'_>) -> Result<u64, LineError> {
    const EXPECTED: &str = "a standard deviation from 0 to 4, such as 1.5";
    let word = arguments.required(EXPECTED)?;
    match word.text().parse::<f64>() {
        Ok(sigma) if (0.0..=4.0).contains(&sigma) => Ok((sigma * 1000.0).round() as u64),
        _ => {
            let message = format!("`{}` is no such number", word.text());
            Err(arguments.error_at(word, message).expecting(EXPECTED))
        }
    }
}

fn parse_content(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let content = match arguments.keyword(&CONTENTS)? {
        0 => Content::Postmark,
        1 => Content::Random,
        2 => Content::Zero,
        _ => Content::Compressible(arguments.count("per cent", 0..=100)? as u8),
    };
    Ok(Command::Set(Assignment::Content(content)))
}
