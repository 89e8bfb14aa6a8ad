//! The ways of conditioning a drive as data, and as people write them:
//! `fill-purge:10 files=590519 directories=48603 size=4k-400k order=random`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::units::{parse_count, parse_duration, parse_size};
use crate::workload::sizes::Sizes as Distribution;

/// Files in a directory where neither number is given: about what the published test had.
const FILES_PER_DIRECTORY: u64 = 12;
/// Sizes of files where they are not given, bytes.
const SIZES: Sizes = Sizes { low: 4096, high: 400 << 10 };
/// How long random writes go on where no end is given: what the published test did.
const TORTURE_NS: u64 = 20 * 60 * 1_000_000_000;

/// One way to bring a drive to a known state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// Fill the file system with small files and delete them, so many rounds.
    FillPurge(FillPurge),
    /// Fill it with one file, written in order, which is then deleted.
    SequentialFill(SequentialFill),
    /// The same, and write all over that file at random before it is deleted.
    Torture(Torture),
    /// Discard all free space.
    Trim,
    /// Make the file system anew.
    Format,
    /// A command of the user's that erases the drive by its own means.
    SecureErase {
        /// The command, obeyed by a shell; it finds the device in `TRIMARK_DEVICE`.
        command: String,
    },
}

/// How full a file system is to become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Share of all its blocks that are then taken, per cent; 100 goes on until the file
    /// system takes nothing any more.
    pub percent: u8,
    /// Also where the system itself needs room on it.
    #[serde(default)]
    pub anyway: bool,
}

/// Bounds of file sizes, both included; sizes between them are equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// The smallest, bytes.
    pub low: u64,
    /// The largest, bytes.
    pub high: u64,
}

/// The order in which files are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As they were made.
    #[default]
    Forward,
    /// The last one first.
    Reverse,
    /// At random, so that the blocks of a drive are freed in scattered pieces.
    Random,
}

/// Filling with small files and deleting them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FillPurge {
    /// How often.
    pub rounds: u64,
    /// Number of files; none fills with as many as there is room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Number of directories they are spread over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directories: Option<u64>,
    /// Their sizes; none draws them so that the number of files fills the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Another distribution of them than between two bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    /// How full it gets.
    pub fill: Level,
    /// The order of deleting.
    pub order: Order,
}

/// Filling with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequentialFill {
    /// How often.
    pub rounds: u64,
    /// How full it gets.
    pub fill: Level,
}

/// When random writes end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// After nanoseconds.
    Time(u64),
    /// After bytes.
    Bytes(u64),
}

/// Filling with one file and writing all over it at random.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Torture {
    /// Bytes of each random write.
    pub record: u64,
    /// Writes under way at once.
    pub depth: u64,
    /// When they end.
    pub until: Until,
    /// How full it gets.
    pub fill: Level,
}

/// Words that name no way of conditioning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' cannot be: {reason}")]
pub struct StepError {
    /// What was read.
    pub text: String,
    /// Why, and what can.
    pub reason: String,
}

impl Step {
    /// Reads one.
    ///
    /// # Errors
    /// [`StepError`]
    pub fn parse(text: &str) -> Result<Self, StepError> {
        if let Some(command) = text.trim().strip_prefix("secure-erase") {
            return secure_erase(text, command);
        }
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let (name, value) = match first.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (first, None),
        };
        let mut options = Options::read(text, words)?;
        let step = match name {
            "fill-purge" => Self::FillPurge(fill_purge(value, &mut options)?),
            "sequential-fill" => Self::SequentialFill(SequentialFill {
                rounds: options.rounds(value)?,
                fill: options.level()?,
            }),
            "torture" => Self::Torture(torture(value, &mut options)?),
            "trim" | "format" => {
                if value.is_some() {
                    return Err(options.wrong(format!("{name} has no value")));
                }
                if name == "trim" { Self::Trim } else { Self::Format }
            }
            _ => {
                let known = "fill-purge, sequential-fill, torture, trim, format and secure-erase";
                return Err(options.wrong(format!("there are {known}")));
            }
        };
        options.all_taken()?;
        Ok(step)
    }

    /// Its name as written.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::FillPurge(_) => "fill-purge",
            Self::SequentialFill(_) => "sequential-fill",
            Self::Torture(_) => "torture",
            Self::Trim => "trim",
            Self::Format => "format",
            Self::SecureErase { .. } => "secure-erase",
        }
    }

    /// How many rounds it has.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        match self {
            Self::FillPurge(FillPurge { rounds, .. })
            | Self::SequentialFill(SequentialFill { rounds, .. }) => *rounds,
            _ => 1,
        }
    }

    /// How full it makes the file system; none when it does not fill it.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        match self {
            Self::FillPurge(FillPurge { fill, .. })
            | Self::SequentialFill(SequentialFill { fill, .. })
            | Self::Torture(Torture { fill, .. }) => Some(*fill),
            Self::Trim | Self::Format | Self::SecureErase { .. } => None,
        }
    }

    /// The same with other rounds, where it has some.
    #[must_use]
    pub fn with_rounds(mut self, number: u64) -> Self {
        if let Self::FillPurge(FillPurge { rounds, .. })
        | Self::SequentialFill(SequentialFill { rounds, .. }) = &mut self
        {
            *rounds = number;
        }
        self
    }

    /// The same for a drive of another size: numbers of files and directories, times and
    /// bytes of random writes.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        let scaled = |number: u64| ((number as f64 * scale) as u64).max(1);
        match &mut self {
            Self::FillPurge(fill) => {
                fill.files = fill.files.map(scaled);
                fill.directories = fill.directories.map(scaled);
            }
            Self::Torture(torture) => {
                torture.until = match torture.until {
                    Until::Time(time) => Until::Time(scaled(time)),
                    Until::Bytes(bytes) => Until::Bytes(scaled(bytes)),
                };
            }
            _ => {}
        }
        self
    }

    /// True when it erases all that is on the drive.
    #[must_use]
    pub fn erases(&self) -> bool {
        matches!(self, Self::Format | Self::SecureErase { .. })
    }
}

fn secure_erase(text: &str, command: &str) -> Result<Step, StepError> {
    match command.strip_prefix(':').map(str::trim) {
        Some(command) if !command.is_empty() => {
            Ok(Step::SecureErase { command: command.to_owned() })
        }
        _ => Err(StepError {
            text: text.to_owned(),
            reason: "it is done by a command of yours: secure-erase:COMMAND".into(),
        }),
    }
}

fn fill_purge(value: Option<&str>, options: &mut Options<'_>) -> Result<FillPurge, StepError> {
    let fill = FillPurge {
        rounds: options.rounds(value)?,
        files: options.number("files")?,
        directories: options.number("directories")?,
        distribution: options.distribution()?,
        sizes: options.sizes()?,
        fill: options.level()?,
        order: options.order()?,
    };
    if let (Some(files), Some(directories)) = (fill.files, fill.directories)
        && directories > files
    {
        return Err(options.wrong("there are more directories than files".into()));
    }
    Ok(fill)
}

fn torture(value: Option<&str>, options: &mut Options<'_>) -> Result<Torture, StepError> {
    let bytes = options.size("bytes")?;
    let until = match (value, bytes) {
        (Some(_), Some(_)) => {
            return Err(options.wrong("it ends after a time or after bytes=, not both".into()));
        }
        (None, Some(bytes)) => Until::Bytes(bytes),
        (Some(time), None) => {
            let read = parse_duration(time);
            Until::Time(read.map_err(|error| options.wrong(format!("'{time}': {error}")))?)
        }
        (None, None) => Until::Time(TORTURE_NS),
    };
    let record = options.size("record")?.unwrap_or(4096);
    if !record.is_power_of_two() || !(512..=1 << 24).contains(&record) {
        return Err(options.wrong("record= is a power of two from 512 to 16m".into()));
    }
    let depth = options.number("depth")?.unwrap_or(32);
    if depth > 4096 {
        return Err(options.wrong("depth= is at most 4096".into()));
    }
    Ok(Torture { record, depth, until, fill: options.level()? })
}

impl FillPurge {
    /// Files in each directory.
    #[must_use]
    pub fn files_per_directory(&self) -> u64 {
        match (self.files, self.directories) {
            (Some(files), Some(directories)) => files.div_ceil(directories.max(1)).max(1),
            _ => FILES_PER_DIRECTORY,
        }
    }

    /// Bounds of the sizes of the files that follow the first `made` ones, when so many
    /// bytes are still to be filled, in blocks of some size.
    #[must_use]
    pub fn sizes(&self, made: u64, room: u64, block: u64) -> Sizes {
        self.sizes.unwrap_or_else(|| match self.files {
            None => SIZES,
            Some(files) => {
                let left = files.saturating_sub(made).max(1);
                // A file takes half a block more than its bytes, on average.
                let mean = (room / left).saturating_sub(block / 2).max(1);
                Sizes { low: (mean / 2).max(1), high: mean + mean / 2 }
            }
        })
    }
}

/// The `key=value` words that follow the name.
struct Options<'t> {
    text: &'t str,
    pairs: Vec<(&'t str, &'t str)>,
    anyway: bool,
}

impl<'t> Options<'t> {
    fn read(text: &'t str, words: impl Iterator<Item = &'t str>) -> Result<Self, StepError> {
        let mut options = Self { text, pairs: Vec::new(), anyway: false };
        for word in words {
            match word.split_once('=') {
                None if word == "anyway" => options.anyway = true,
                Some((key, value)) if !value.is_empty() => {
                    if options.pairs.iter().any(|(known, _)| *known == key) {
                        return Err(options.wrong(format!("{key}= is there twice")));
                    }
                    options.pairs.push((key, value));
                }
                _ => return Err(options.wrong(format!("'{word}' is no option, KEY=VALUE is"))),
            }
        }
        Ok(options)
    }

    fn wrong(&self, reason: String) -> StepError {
        StepError { text: self.text.trim().to_owned(), reason }
    }

    fn take(&mut self, key: &str) -> Option<&'t str> {
        let place = self.pairs.iter().position(|(known, _)| *known == key)?;
        Some(self.pairs.remove(place).1)
    }

    fn number(&mut self, key: &str) -> Result<Option<u64>, StepError> {
        self.take(key).map(|value| self.count(key, value)).transpose()
    }

    fn count(&self, what: &str, value: &str) -> Result<u64, StepError> {
        match parse_count(value) {
            Ok(0) => Err(self.wrong(format!("{what}: at least 1"))),
            Ok(number) => Ok(number),
            Err(error) => Err(self.wrong(format!("{what}: {error}"))),
        }
    }

    fn rounds(&self, value: Option<&str>) -> Result<u64, StepError> {
        value.map_or(Ok(1), |value| self.count("rounds", value))
    }

    fn size(&mut self, key: &str) -> Result<Option<u64>, StepError> {
        self.take(key).map(|value| self.bytes(key, value)).transpose()
    }

    fn bytes(&self, key: &str, value: &str) -> Result<u64, StepError> {
        match parse_size(value) {
            Ok(size) if size.bytes > 0 => Ok(size.bytes),
            Ok(_) => Err(self.wrong(format!("{key}= is at least 1"))),
            Err(error) => Err(self.wrong(format!("{key}={value}: {error}"))),
        }
    }

    /// `size=lognormal:MEDIAN:SIGMA` or `size=tree:DIR`; other sizes are left.
    fn distribution(&mut self) -> Result<Option<Distribution>, StepError> {
        let Some((_, value)) = self.pairs.iter().find(|(key, _)| *key == "size") else {
            return Ok(None);
        };
        let distribution = match value.split_once(':') {
            Some(("tree", directory)) if !directory.is_empty() => {
                Distribution::Tree(directory.into())
            }
            Some(("lognormal", numbers)) => {
                let (median, sigma) = numbers.split_once(':').unwrap_or((numbers, ""));
                let sigma = sigma.parse::<f64>().ok().filter(|sigma| (0.0..=4.0).contains(sigma));
                let sigma = sigma.ok_or_else(|| {
                    self.wrong(format!("size={value}: it is size=lognormal:16k:1.5, at most 4"))
                })?;
                let median = self.bytes("size", median)?;
                Distribution::Lognormal {
                    median,
                    sigma_thousandths: (sigma * 1000.0).round() as u64,
                }
            }
            _ => return Ok(None),
        };
        self.take("size");
        Ok(Some(distribution))
    }

    fn sizes(&mut self) -> Result<Option<Sizes>, StepError> {
        let Some(value) = self.take("size") else { return Ok(None) };
        let (low, high) = value.split_once('-').unwrap_or((value, value));
        let sizes = Sizes { low: self.bytes("size", low)?, high: self.bytes("size", high)? };
        if sizes.low > sizes.high {
            return Err(self.wrong(format!("size={value}: the smaller bound comes first")));
        }
        Ok(Some(sizes))
    }

    fn level(&mut self) -> Result<Level, StepError> {
        let percent = match self.take("fill") {
            None => 100,
            Some(value) => {
                let number = value.strip_suffix('%').unwrap_or(value).parse().unwrap_or(0);
                if !(1..=100).contains(&number) {
                    return Err(self.wrong(format!("fill={value}: from 1% to 100%")));
                }
                number
            }
        };
        Ok(Level { percent, anyway: std::mem::take(&mut self.anyway) })
    }

    fn order(&mut self) -> Result<Order, StepError> {
        match self.take("order") {
            None | Some("forward") => Ok(Order::Forward),
            Some("reverse") => Ok(Order::Reverse),
            Some("random") => Ok(Order::Random),
            Some(other) => {
                Err(self.wrong(format!("order={other}: there are forward, reverse and random")))
            }
        }
    }

    fn all_taken(&self) -> Result<(), StepError> {
        let unknown = self.pairs.first().map(|(key, _)| *key);
        match unknown.or(self.anyway.then_some("anyway")) {
            None => Ok(()),
            Some(key) => Err(self.wrong(format!("'{key}' is no option of it"))),
        }
    }
}

impl fmt::Display for Step {
    /// As it is read, all options that are not defaults named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        match self {
            Self::FillPurge(fill) => {
                write!(f, ":{}", fill.rounds)?;
                for (key, number) in [("files", fill.files), ("directories", fill.directories)] {
                    if let Some(number) = number {
                        write!(f, " {key}={number}")?;
                    }
                }
                if let Some(Sizes { low, high }) = fill.sizes {
                    write!(f, " size={low}-{high}")?;
                }
                match &fill.distribution {
                    Some(Distribution::Lognormal { median, sigma_thousandths }) => {
                        let sigma = *sigma_thousandths as f64 / 1000.0;
                        write!(f, " size=lognormal:{median}:{sigma}")?;
                    }
                    Some(Distribution::Tree(path)) => write!(f, " size=tree:{}", path.display())?,
                    Some(Distribution::Uniform) | None => {}
                }
                match fill.order {
                    Order::Forward => {}
                    Order::Reverse => write!(f, " order=reverse")?,
                    Order::Random => write!(f, " order=random")?,
                }
                write!(f, "{}", fill.fill)
            }
            Self::SequentialFill(fill) => write!(f, ":{}{}", fill.rounds, fill.fill),
            Self::Torture(torture) => {
                match torture.until {
                    Until::Time(nanoseconds) => {
                        let seconds = nanoseconds / 1_000_000_000;
                        if seconds * 1_000_000_000 == nanoseconds {
                            write!(f, ":{seconds}s")?;
                        } else {
                            write!(f, ":{nanoseconds}ns")?;
                        }
                    }
                    Until::Bytes(bytes) => write!(f, " bytes={bytes}")?,
                }
                write!(f, " record={} depth={}{}", torture.record, torture.depth, torture.fill)
            }
            Self::SecureErase { command } => write!(f, ":{command}"),
            Self::Trim | Self::Format => Ok(()),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.percent != 100 {
            write!(f, " fill={}%", self.percent)?;
        }
        if self.anyway { f.write_str(" anyway") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(text: &str) -> Step {
        Step::parse(text).expect(text)
    }

    #[test]
    fn what_the_published_test_did_is_one_line() {
        let Step::FillPurge(fill) = step("fill-purge:10 files=590519 directories=48603") else {
            panic!("another step");
        };
        assert_eq!((fill.rounds, fill.files_per_directory()), (10, 13));
        let sizes = fill.sizes(0, 64 << 30, 4096);
        assert_eq!(fill.distribution, None);
        let mean = (sizes.low + sizes.high) / 2;
        assert!(mean.abs_diff((64 << 30) / 590_519) < 4096, "{mean}");
    }

    #[test]
    fn sizes_are_distributed_as_it_is_written() {
        for text in ["fill-purge:1 size=lognormal:16384:1.5", "fill-purge:1 size=tree:/srv/mail"] {
            let Step::FillPurge(fill) = step(text) else { panic!("another step") };
            assert!(fill.distribution.is_some() && fill.sizes.is_none());
            assert_eq!(Step::FillPurge(fill).to_string(), text);
        }
        for text in
            ["size=lognormal:16k", "size=lognormal:0:1", "size=lognormal:1k:9", "size=tree:"]
        {
            assert!(Step::parse(&format!("fill-purge {text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_published_tests() {
        let Step::Torture(torture) = step("torture") else { panic!("another step") };
        assert_eq!((torture.record, torture.depth, torture.fill.percent), (4096, 32, 100));
        assert_eq!(torture.until, Until::Time(1_200_000_000_000));
        assert_eq!(step("sequential-fill").rounds(), 1);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "fill-purge",
            "fill-purge:3 files=10 directories=2 size=4k-1m order=random fill=50%",
            "fill-purge size=64k order=reverse anyway",
            "sequential-fill:2 fill=90",
            "torture:90s record=8k depth=4",
            "torture:20m",
            "torture bytes=1g",
            "trim",
            "format",
            "secure-erase:hdparm --security-erase x $TRIMARK_DEVICE",
        ] {
            let read = step(text);
            assert_eq!(step(&read.to_string()), read, "{text}: {read}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, part) in [
            ("", "fill-purge"),
            ("fill", "there are"),
            ("fill-purge:0", "at least 1"),
            ("fill-purge:x", "rounds"),
            ("fill-purge fill=0", "1% to 100%"),
            ("fill-purge fill=101%", "1% to 100%"),
            ("fill-purge size=9k-4k", "smaller"),
            ("fill-purge order=up", "forward"),
            ("fill-purge files=3 directories=4", "more directories"),
            ("fill-purge files=3 files=4", "twice"),
            ("fill-purge record=4k", "no option of it"),
            ("torture:20m bytes=1g", "not both"),
            ("torture record=3000", "power of two"),
            ("torture depth=0", "at least 1"),
            ("trim:1", "no value"),
            ("trim anyway", "no option"),
            ("secure-erase", "COMMAND"),
            ("secure-erase: ", "COMMAND"),
        ] {
            let error = Step::parse(text).map(|step| step.to_string()).expect_err(text);
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = Step::parse(&text);
        }

        #[test]
        fn any_fill_is_read_again(rounds in 1u64..99, files in 1u64..999, percent in 1u8..=100) {
            let read = step(&format!("fill-purge:{rounds} files={files} fill={percent}%"));
            prop_assert_eq!(step(&read.to_string()), read);
        }
    }
}
