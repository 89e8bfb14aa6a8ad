//! The rows of the table for comparing arms, and the options of `compare`, which are the
//! same on the command line.

use super::arguments::Arguments;
use super::error::LineError;
use super::row::{Command, CommandRow, ROW};
use crate::experiment::arms;
use crate::experiment::request::{Place, Request};
use crate::report::experiment::OUTCOME_FORMATS;
use crate::units::{parse_count, parse_duration, parse_size};

const NEW: CommandRow = CommandRow { classic: false, ..ROW };

/// The rows.
pub const COMPARING: [CommandRow; 2] = [
    CommandRow {
        words: &["arm"],
        usage: "NAME OPTIONS…",
        summary: "Adds an arm to the next comparison",
        details: "NAME is set against the first arm. OPTIONS, with commas between them, are mount \
                  options as mount(8) takes them, and: trim=before (all free space is discarded \
                  before each run), condition='STEP…' (brings the drive to a state before each run, \
                  as `condition` does), fs=TYPE, mkfs=ARGUMENTS, scheduler=NAME, dir=DIR (a \
                  directory as it is), file=FILE (saved results), before=COMMAND, after=COMMAND, and any \
                  setting, such as `set sync close`. Quotes keep commas together.",
        parse: parse_arm,
        ..NEW
    },
    CommandRow {
        words: &["compare"],
        usage: "[OPTION=VALUE…]",
        summary: "Compares the arms: many runs, one verdict",
        details: "Plays every arm once in each block, in random balanced order, and says how they \
                  differ. OPTION is one of arms, aa, base, scratch, fs, device, mkfs, yes-erase, \
                  mountpoint, blocks, until, time, seed, metric, margin, noise, before, after, \
                  resume, save, report (FORMAT or FORMAT:FILE): see `trimark compare --help`. \
                  Without `set sync` it is made phase, without `set settle` auto.",
        parse: parse_compare,
        ..NEW
    },
];

fn parse_arm(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let name = arguments.required("the name of an arm")?;
    let options = arguments.remainder();
    let arm = arms::parse(&name.text(), options.unwrap_or_default());
    let arm = arm.map_err(|error| arguments.error_at(name, error.to_string()))?;
    Ok(Command::Arm(Box::new(arm)))
}

fn parse_compare(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    let mut request = Request::default();
    while let Some(word) = arguments.take() {
        let text = word.text();
        let (name, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        let row = COMPARE_OPTIONS.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| {
            let near = COMPARE_OPTIONS
                .iter()
                .min_by_key(|row| strsim::damerau_levenshtein(row.name, name))
                .map_or("", |row| row.name);
            arguments.error_at(word, format!("no option of `compare`; perhaps {near}=…"))
        })?;
        (row.take)(&mut request, value).map_err(|reason| arguments.error_at(word, reason))?;
    }
    Ok(Command::Compare(Box::new(request)))
}

/// One option of `compare`.
pub struct CompareOption {
    /// Its name: `blocks` in scripts, `--blocks` on the command line.
    pub name: &'static str,
    /// Takes its value into a request.
    pub take: fn(&mut Request, &str) -> Result<(), String>,
}

macro_rules! option {
    ($name:literal, $take:expr) => {
        CompareOption { name: $name, take: $take }
    };
}

/// Every option of `compare`, as in scripts and on the command line.
pub const COMPARE_OPTIONS: &[CompareOption] = &[
    option!("arm", |request, value| {
        let arm = arms::parse_pair(value).map_err(|error| error.to_string())?;
        request.arms.push(arm);
        Ok(())
    }),
    option!("arms", |request, value| {
        arms::arm_set(value).map_err(|error| error.to_string())?;
        request.arm_set = Some(value.to_owned());
        Ok(())
    }),
    option!("aa", |request, value| {
        request.against_itself = flag(value)?;
        Ok(())
    }),
    option!("base", |request, value| {
        request.base = Some(text(value)?);
        Ok(())
    }),
    option!("scratch", |request, value| {
        let bytes = if value.is_empty() { None } else { Some(size(value)?) };
        place(request, Place::Scratch(bytes))
    }),
    option!("fs", |request, value| {
        request.file_system = Some(text(value)?);
        Ok(())
    }),
    option!("device", |request, value| place(request, Place::Device(text(value)?.into()))),
    option!("mkfs", |request, value| {
        request.format = Some(text(value)?);
        Ok(())
    }),
    option!("yes-erase", |request, value| {
        request.yes_erase = Some(text(value)?.into());
        Ok(())
    }),
    option!("mountpoint", |request, value| {
        place(request, Place::Mountpoint(text(value)?.into()))
    }),
    option!("blocks", |request, value| {
        request.blocks = Some(count(value)?);
        Ok(())
    }),
    option!("until", |request, value| {
        request.until = Some(share(value)?);
        Ok(())
    }),
    option!("time", |request, value| {
        request.time_ns = Some(parse_duration(value).map_err(|error| error.to_string())?);
        Ok(())
    }),
    option!("seed", |request, value| {
        request.seed = Some(count(value)?);
        Ok(())
    }),
    option!("metric", |request, value| {
        request.metric = Some(text(value)?);
        Ok(())
    }),
    option!("margin", |request, value| {
        request.margin = Some(share(value)?);
        Ok(())
    }),
    option!("noise", |request, value| {
        request.noise = Some(text(value)?.into());
        Ok(())
    }),
    option!("before", |request, value| {
        request.before.push(text(value)?);
        Ok(())
    }),
    option!("after", |request, value| {
        request.after.push(text(value)?);
        Ok(())
    }),
    option!("resume", |request, value| {
        request.resume = Some(text(value)?.into());
        Ok(())
    }),
    option!("save", |request, value| {
        request.save = Some(text(value)?.into());
        Ok(())
    }),
    option!("report", |request, value| {
        let (format, file) = value.split_once(':').map_or((value, None), |(f, to)| (f, Some(to)));
        let known: Vec<&str> = OUTCOME_FORMATS.iter().map(|row| row.name).collect();
        if !known.contains(&format) {
            return Err(format!("there is no format '{format}'; there are {}", known.join(", ")));
        }
        request.reports.push((format.to_owned(), file.map(Into::into)));
        Ok(())
    }),
];

fn place(request: &mut Request, place: Place) -> Result<(), String> {
    if request.place.as_ref().is_some_and(|other| *other != place) {
        return Err("only one of scratch, device and mountpoint can be".into());
    }
    request.place = Some(place);
    Ok(())
}

fn text(value: &str) -> Result<String, String> {
    if value.is_empty() { Err("its value is missing".into()) } else { Ok(value.to_owned()) }
}

fn flag(value: &str) -> Result<bool, String> {
    match value {
        "" | "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
}

fn count(value: &str) -> Result<u64, String> {
    parse_count(value).map_err(|error| error.to_string())
}

fn size(value: &str) -> Result<u64, String> {
    parse_size(value).map(|size| size.bytes).map_err(|error| error.to_string())
}

/// A share: `2%`, `2 %` or `0.02`.
fn share(value: &str) -> Result<f64, String> {
    let (digits, unit) = match value.strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 100.0),
        None => (value, 1.0),
    };
    let number: Option<f64> = digits.parse().ok().filter(|number: &f64| number.is_finite());
    number
        .map(|number| number / unit)
        .ok_or_else(|| format!("'{value}' is no share: write it as 2% or 0.02"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::grammar::{Dialect, parse_line};

    fn request(line: &str) -> Result<Request, String> {
        match parse_line(line, Dialect::Trimark)
            .map_err(|error| error.show("", 1, line).to_string())?
            .command
        {
            Some(Command::Compare(request)) => Ok(*request),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn options_of_compare() {
        let read =
            request("compare arms=trim blocks=12 margin=2% scratch=2g report=html:x.html aa");
        let read = read.expect("options");
        assert_eq!((read.blocks, read.margin, read.against_itself), (Some(12), Some(0.02), true));
        assert_eq!(read.place, Some(Place::Scratch(Some(2 << 30))));
        assert_eq!(read.reports, [("html".into(), Some("x.html".into()))]);
    }

    #[test]
    fn wrong_options_are_named() {
        assert!(request("compare block=2").expect_err("an error").contains("blocks"));
        assert!(request("compare until=x").expect_err("an error").contains("2%"));
        assert!(request("compare scratch device=/dev/x").expect_err("an error").contains("one of"));
    }

    #[test]
    fn an_arm_of_a_script() {
        let line = "arm fast noatime,commit=30 , set sync close,before='echo a, b' # why";
        let parsed = parse_line(line, Dialect::Trimark).expect("an arm");
        let Some(Command::Arm(arm)) = parsed.command else { panic!("{parsed:?}") };
        assert_eq!(arm.mount_options, ["noatime", "commit=30"]);
        assert_eq!(
            (arm.settings, arm.before),
            (vec!["sync close".into()], vec!["echo a, b".into()])
        );
    }
}
