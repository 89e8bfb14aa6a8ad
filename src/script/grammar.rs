//! From a line to a [`Command`]: words, the command they name, and errors that show the
//! place, what was expected and what was probably meant.
//!
//! Knows the form of a line; which commands there are is told by the table in `command`.

use std::ops::RangeInclusive;

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{take_till, take_till1, take_while},
    character::complete::{char, one_of},
    combinator::{opt, recognize},
    multi::many0,
    sequence::{delimited, preceded},
};

use super::command::{COMMANDS, Command, CommandRow};
use super::error::{ErrorKind, LineError};
use crate::units::{UnitError, grouped, leading_number, parse_count, parse_size};

/// Whose habits are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Ours: what cannot be meant is an error.
    Trimark,
    /// PostMark's, as far as that does no harm: numbers end where their digits end, what
    /// follows a value is ignored.
    PostMark,
}

/// A word of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// A `+` or `-` before an opening quote; empty without quotes.
    sign: &'a str,
    /// Its text, without quotes.
    text: &'a str,
    /// Where it begins in the line, bytes, quotes included.
    start: usize,
    /// Where it ends.
    end: usize,
}

impl Word<'_> {
    /// The whole text, the sign before quotes included.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}", self.sign, self.text)
    }

    fn is(&self, keyword: &str) -> bool {
        self.sign.is_empty() && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// What a line comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedLine {
    /// The command; none on an empty line or a comment.
    pub command: Option<Command>,
    /// What the writer of the line should know.
    pub notes: Vec<String>,
    /// What PostMark reports as an error although the command is obeyed; ours are notes.
    pub complaints: Vec<String>,
}

impl ParsedLine {
    fn of(command: Option<Command>) -> Self {
        Self { command, notes: Vec::new(), complaints: Vec::new() }
    }
}

/// Reads one line.
///
/// # Errors
/// [`LineError`] with the place in the line.
pub fn parse_line(line: &str, dialect: Dialect) -> Result<ParsedLine, LineError> {
    let line = line.trim_end_matches(['\n', '\r']);
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let trimmed = line.trim_start_matches(is_blank);
    if let Some(shell) = trimmed.strip_prefix('!') {
        return Ok(ParsedLine::of(Some(Command::Shell(shell.to_owned()))));
    }
    let words = words(line)?;
    let Some(first) = words.first() else {
        return Ok(ParsedLine::of(None));
    };
    let mut notes = Vec::new();
    let (row, used) = find_command(&words, &mut notes).ok_or_else(|| unknown(&words, first))?;
    let mut arguments =
        Arguments { line, words: &words[used..], dialect, notes, complaints: vec![] };
    let command = (row.parse)(&mut arguments).map_err(|error| error.of(row))?;
    arguments.finish().map_err(|error| error.of(row))?;
    let Arguments { notes, complaints, .. } = arguments;
    Ok(ParsedLine { command: Some(command), notes, complaints })
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

/// The words of a line; a `#` where a word could begin starts a comment.
fn words(line: &str) -> Result<Vec<Word<'_>>, LineError> {
    let blanks = || take_while::<_, &str, nom::error::Error<&str>>(is_blank);
    let mut word_list = many0(preceded(blanks(), |input| word(line, input)));
    let (rest, list) =
        word_list.parse(line).map_err(|_| LineError::at(0..line.len(), "unreadable line"))?;
    let rest = rest.trim_start_matches(is_blank);
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(list);
    }
    // Only an opening quote without its partner stops the list before the end.
    let start = line.len() - rest.len();
    Err(LineError::at(start..line.trim_end().len(), "this quote is never closed")
        .expecting("the same quote at the end of the path"))
}

fn word<'a>(line: &'a str, input: &'a str) -> IResult<&'a str, Word<'a>> {
    let offset = |rest: &str| line.len() - rest.len();
    let quoted = |quote| delimited(char(quote), take_till(move |c| c == quote), char(quote));
    let in_quotes = (recognize(opt(one_of("+-"))), alt((quoted('"'), quoted('\''))));
    let bare = take_till1(is_blank).map(|text| ("", text));
    let opens_quote = input.trim_start_matches(['+', '-']).starts_with(['"', '\'']);
    if input.starts_with('#') {
        return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Not)));
    }
    let (rest, (sign, text)) =
        if opens_quote { { in_quotes }.parse(input)? } else { { bare }.parse(input)? };
    Ok((rest, Word { sign, text, start: offset(input), end: offset(rest) }))
}

/// The row whose words begin the line, the longest match first, and how many words it
/// took. A plural of the last word is taken for it, with a note.
fn find_command(
    words: &[Word<'_>],
    notes: &mut Vec<String>,
) -> Option<(&'static CommandRow, usize)> {
    let matches = |row: &CommandRow| {
        words.len() >= row.words.len()
            && row.words.iter().zip(words).all(|(keyword, word)| word.is(keyword))
    };
    let exact = COMMANDS.iter().filter(|row| matches(row)).max_by_key(|row| row.words.len());
    if let Some(row) = exact {
        return Some((row, row.words.len()));
    }
    if let Some(row) = COMMANDS.iter().find(|row| row.aliases.iter().any(|a| words[0].is(a))) {
        return Some((row, 1));
    }
    let plural = COMMANDS.iter().filter(|row| row.words.len() > 1).find(|row| {
        let last = row.words.len() - 1;
        words.len() > last
            && row.words[..last].iter().zip(words).all(|(keyword, word)| word.is(keyword))
            && words[last].is(&format!("{}s", row.words[last]))
    })?;
    notes.push(format!("read as `{}`", plural.name()));
    Some((plural, plural.words.len()))
}

fn unknown(words: &[Word<'_>], first: &Word<'_>) -> LineError {
    let typed = |count: usize| {
        let texts: Vec<String> = words.iter().take(count).map(Word::text).collect();
        texts.join(" ").to_lowercase()
    };
    let names = COMMANDS.iter().map(|row| (row.words.len(), row.name()));
    let aliases = COMMANDS.iter().flat_map(|row| row.aliases).map(|alias| (1, (*alias).to_owned()));
    let best = names
        .chain(aliases)
        .map(|(words, name)| (strsim::normalized_damerau_levenshtein(&typed(words), &name), name))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name);
    let is_set = first.is("set");
    let (culprit, what) = match words.get(1) {
        Some(second) if is_set => (second, "unknown setting"),
        _ if is_set => (first, "`set` needs the name of a setting"),
        _ => (first, "unknown command"),
    };
    let expected =
        if is_set { "a setting; `help set` lists them" } else { "a command; `help` lists them" };
    LineError::at(culprit.start..culprit.end, what)
        .kind(ErrorKind::Unknown)
        .expecting(expected)
        .suggesting(best)
}

/// The words after a command, taken one by one by its row's parser.
#[derive(Debug)]
pub struct Arguments<'a> {
    line: &'a str,
    words: &'a [Word<'a>],
    dialect: Dialect,
    notes: Vec<String>,
    complaints: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// Whose habits are followed.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Adds a note for the writer of the line.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a complaint in PostMark's words about a value that is then not used.
    pub fn complain(&mut self, complaint: impl Into<String>) {
        self.complaints.push(complaint.into());
    }

    /// The next word, if there is one.
    pub fn take(&mut self) -> Option<&'a Word<'a>> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    /// The next word without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&'a Word<'a>> {
        self.words.first()
    }

    /// A path and nothing after it, if there is one. PostMark takes all the rest of the
    /// line for it; ours, with blanks in it, stands in quotes.
    pub fn path(&mut self) -> Option<String> {
        let count = if self.dialect == Dialect::PostMark { self.words.len() } else { 1 };
        self.path_of_words(count)
    }

    /// A path with perhaps one word after it, if there is one: to PostMark, what follows
    /// the last blank is not of the path.
    pub fn path_before_last(&mut self) -> Option<String> {
        let count =
            if self.dialect == Dialect::PostMark { self.words.len().saturating_sub(1) } else { 1 };
        self.path_of_words(count.max(1))
    }

    fn path_of_words(&mut self, count: usize) -> Option<String> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        match taken {
            [] => None,
            [word] => Some(word.text()),
            [first, .., last] => Some(self.line[first.start..last.end].to_owned()),
        }
    }

    /// True when a word is left.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.words.is_empty()
    }

    /// The words that are left.
    pub fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words).iter().map(Word::text).collect()
    }

    /// The next word, which must be there.
    ///
    /// # Errors
    /// When the line ends here.
    pub fn required(&mut self, what: &str) -> Result<&'a Word<'a>, LineError> {
        self.take().ok_or_else(|| self.missing(what))
    }

    /// The error of a line that ends too early.
    #[must_use]
    pub fn missing(&self, what: &str) -> LineError {
        let end = self.line.trim_end().len();
        LineError::at(end..end, "a value is missing").expecting(what)
    }

    /// A size in bytes within bounds.
    ///
    /// # Errors
    /// When it is missing, none, or out of bounds.
    pub fn size(&mut self, what: &str, bounds: RangeInclusive<u64>) -> Result<u64, LineError> {
        let word = self.required(what)?;
        self.size_of(word, what, bounds)
    }

    /// A size in bytes within bounds, of a word already taken.
    ///
    /// # Errors
    /// When it is none, or out of bounds.
    pub fn size_of(
        &mut self,
        word: &Word<'_>,
        what: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, LineError> {
        let text = word.text();
        let bytes = match parse_size(&text) {
            Ok(size) => {
                if size.suffixed {
                    let there = leading_number(&text).unwrap_or_default();
                    self.note(format!(
                        "`{text}` is read as {} bytes; PostMark reads it as {there}",
                        size.bytes
                    ));
                }
                size.bytes
            }
            Err(error) => self.lenient(word, error, || {
                format!("{what}, such as 4096 or 4k, {}", from_to(&bounds))
            })?,
        };
        within(word, bytes, &bounds, what)
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// When it is missing, none, or out of bounds.
    pub fn count(&mut self, what: &str, bounds: RangeInclusive<u64>) -> Result<u64, LineError> {
        let word = self.required(what)?;
        let number = match parse_count(&word.text()) {
            Ok(number) => number,
            Err(error) => self
                .lenient(word, error, || format!("{what}, in digits only, {}", from_to(&bounds)))?,
        };
        within(word, number, &bounds, what)
    }

    /// PostMark reads a number as far as its digits go.
    fn lenient(
        &mut self,
        word: &Word<'_>,
        error: UnitError,
        expected: impl FnOnce() -> String,
    ) -> Result<u64, LineError> {
        let text = word.text();
        if self.dialect == Dialect::PostMark
            && let Some(number) = leading_number(&text)
        {
            self.note(format!("`{text}` is read as {number}"));
            return Ok(number);
        }
        Err(LineError::at(word.start..word.end, format!("`{text}` is {}", phrase(error)))
            .expecting(expected()))
    }

    /// One of some keywords, in any case: its place in the list.
    ///
    /// # Errors
    /// When it is missing or another word.
    pub fn keyword(&mut self, keywords: &[&str]) -> Result<usize, LineError> {
        let expected = keywords.join(" or ");
        let word = self.required(&expected)?;
        keywords.iter().position(|keyword| word.is(keyword)).ok_or_else(|| {
            let text = word.text().to_lowercase();
            let likeness = |k: &&&str| (strsim::jaro_winkler(&text, k) * 1000.0) as u32;
            let best = keywords.iter().max_by_key(likeness).filter(|k| likeness(k) > 750);
            LineError::at(word.start..word.end, format!("`{}` is not a choice", word.text()))
                .expecting(expected)
                .suggesting(best.map(|keyword| (*keyword).to_owned()))
        })
    }

    /// An error at a word.
    #[must_use]
    pub fn error_at(&self, word: &Word<'_>, message: impl Into<String>) -> LineError {
        LineError::at(word.start..word.end, message)
    }

    fn finish(&mut self) -> Result<(), LineError> {
        let Some((first, last)) = self.words.first().zip(self.words.last()) else { return Ok(()) };
        if self.dialect == Dialect::PostMark {
            self.notes.push(format!("`{}` is ignored", first.text()));
            return Ok(());
        }
        Err(LineError::at(first.start..last.end, "this is one word too many").expecting(
            "the end of the line (a comment begins with #, a path with blanks needs quotes)",
        ))
    }
}

fn phrase(error: UnitError) -> &'static str {
    match error {
        UnitError::NotANumber => "not a number",
        UnitError::TooLarge => "too large a number",
    }
}

fn within(
    word: &Word<'_>,
    value: u64,
    bounds: &RangeInclusive<u64>,
    what: &str,
) -> Result<u64, LineError> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    Err(LineError::at(word.start..word.end, format!("{value} is out of bounds"))
        .expecting(format!("{what} {}", from_to(bounds))))
}

fn from_to(bounds: &RangeInclusive<u64>) -> String {
    format!("from {} to {}", grouped(*bounds.start()), grouped(*bounds.end()))
}
