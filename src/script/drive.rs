//! The rows of the table for what is done to a drive besides runs: trimming it and
//! bringing it to a known state.

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::ProgressBar;

use super::arguments::Arguments;
use super::error::LineError;
use super::row::{Command, CommandRow, ROW, Values};
use super::{Session, Trouble};
use crate::conditioning::{self, ConditionError, Means, Step};
use crate::interrupt::signal_name;
use crate::report;
use crate::units::parse_size;
use crate::volume::trim::{self, Range};

const NEW: CommandRow = CommandRow { classic: false, ..ROW };

/// The rows.
pub const DRIVE: [CommandRow; 2] = [TRIM, CONDITION];

const TRIM: CommandRow = CommandRow {
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
};

const CONDITION: CommandRow = CommandRow {
    words: &["condition"],
    usage: "DIR STEP[:VALUE] [KEY=VALUE…] [resume]",
    summary: "Brings a drive to a known state",
    details: "fill-purge[:ROUNDS] files=N directories=N size=LOW-HIGH fill=100% \
              order=forward|reverse|random: fills the file system of DIR to its last block with \
              small files (4k-400k, or such that N fill it; also size=lognormal:MEDIAN:SIGMA or \
              size=tree:DIR) and deletes them. sequential-fill[:ROUNDS] fill=100%: the same with \
              one file. torture[:TIME] record=4k depth=32 fill=100% (or bytes=BYTES for TIME, \
              20m): also writes all over that file at random first. trim: discards free space. \
              All they made is removed; what is full is full of random bytes. A file system that \
              the system needs is not filled beyond 90% without the word anyway. resume: the rest \
              of the same step that was stopped. Arms of a comparison take condition='STEP…', and \
              there also format and secure-erase:COMMAND.",
    values: Values::Path,
    parse: parse_condition,
    ..NEW
};

/// How a drive is to be brought to a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionRequest {
    /// A directory of the file system.
    pub directory: PathBuf,
    /// What is done.
    pub step: Step,
    /// Only what is left of the same step that was stopped.
    pub resume: bool,
}

fn parse_condition(arguments: &mut Arguments<'_>) -> Result<Command, LineError> {
    const EXPECTED: &str = "fill-purge, sequential-fill, torture or trim, with options";
    let directory = arguments.required("a directory of a mounted file system")?.text();
    let first = arguments.required(EXPECTED)?;
    let mut words = vec![first.text()];
    words.extend(arguments.rest());
    let resume = words.last().is_some_and(|word| word == "resume");
    words.truncate(words.len() - usize::from(resume));
    let step = Step::parse(&words.join(" "))
        .map_err(|error| arguments.error_at(first, error.to_string()).expecting(EXPECTED))?;
    let request = ConditionRequest { directory: directory.into(), step, resume };
    Ok(Command::Condition(Box::new(request)))
}

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
    /// Brings a drive to a state and says what was done.
    ///
    /// # Errors
    /// [`Trouble::Condition`], [`Trouble::Interrupted`], [`Trouble::Output`]; what was done
    /// is said then, too.
    pub fn condition(&mut self, request: &ConditionRequest) -> Result<(), Trouble> {
        let directory = request.directory.as_path();
        let Some(step) = step_to_do(request)? else {
            self.note("nothing of this step is left to do there: it was not stopped");
            return Ok(());
        };
        let signals = self.signals.clone();
        let held = signals.hold();
        let interrupt = signals.interrupt();
        let line = ProgressLine::on_terminal();
        let watch = |text: &str| line.show(text);
        let means = Means { system: self.system, interrupt: &interrupt, watch: &watch };
        let (done, outcome) = conditioning::carry_out(&step, directory, &means)?;
        line.clear();
        drop(held);
        let of_all = conditioning::of_all(&request.step, &done);
        if let Err(error) = conditioning::remember(directory, &of_all) {
            self.note(&format!("the drive's state could not be written down: {error}"));
        }
        report::condition::conditioned(&done, self.out)?;
        self.out.flush()?;
        match (outcome, interrupt.pending()) {
            (Err(ConditionError::Interrupted), Some(signal)) => {
                Err(Trouble::Interrupted { signal, name: signal_name(signal) })
            }
            (outcome, _) => Ok(outcome?),
        }
    }

    /// Trims a file system and says what came of it.
    ///
    /// # Errors
    /// [`Trouble::Trim`], [`Trouble::Output`]; [`Trouble::Run`] when a check shows that
    /// discards do not arrive.
    pub fn trim(&mut self, request: &TrimRequest) -> Result<(), Trouble> {
        let signals = self.signals.clone();
        let _held = signals.hold();
        let trimmed = trim::trim(&request.directory, request.range)?;
        report::trim::trimmed(&trimmed, self.out)?;
        if request.check {
            let check = trim::check(&request.directory, &signals.interrupt())?;
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

/// The step, or what is left of it; none when nothing is.
fn step_to_do(request: &ConditionRequest) -> Result<Option<Step>, Trouble> {
    if !request.resume {
        return Ok(Some(request.step.clone()));
    }
    let failed = |error| ConditionError::Io { path: request.directory.clone(), error };
    Ok(conditioning::rest_of(&request.step, &request.directory).map_err(failed)?)
}

/// How far something is, on a line of a terminal that is written over.
struct ProgressLine(Option<ProgressBar>);

impl ProgressLine {
    fn on_terminal() -> Self {
        Self(std::io::stderr().is_terminal().then(ProgressBar::new_spinner))
    }

    fn show(&self, text: &str) {
        if let Some(line) = &self.0 {
            line.set_message(text.to_owned());
            line.tick();
        }
    }

    fn clear(&self) {
        if let Some(line) = &self.0 {
            line.finish_and_clear();
        }
    }
}
