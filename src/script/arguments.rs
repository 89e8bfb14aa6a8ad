//! What follows a command, taken word by word by its row's reader.

use std::ops::RangeInclusive;

use super::error::LineError;
use super::word::{Dialect, Word};
use crate::units::{UnitError, grouped, leading_number, parse_count, parse_size};

/// The words after a command, taken one by one by its row's parser.
#[derive(Debug)]
pub struct Arguments<'a> {
    pub(super) line: &'a str,
    pub(super) words: &'a [Word<'a>],
    pub(super) dialect: Dialect,
    pub(super) notes: Vec<String>,
    pub(super) complaints: Vec<String>,
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

    /// What is left of the line as it stands, quotes included; none when nothing is.
    pub fn remainder(&mut self) -> Option<&'a str> {
        let words = std::mem::take(&mut self.words);
        let (first, last) = (words.first()?, words.last()?);
        Some(&self.line[first.start..last.end])
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

    /// A size in bytes within bounds, of a word already taken, for what PostMark does not
    /// have.
    ///
    /// # Errors
    /// When it is none, or out of bounds.
    pub fn own_size_of(
        &self,
        word: &Word<'_>,
        what: &str,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, LineError> {
        let text = word.text();
        let size = parse_size(&text).map_err(|error| {
            let expected = format!("{what}, such as 4096 or 4k, {}", from_to(&bounds));
            self.error_at(word, format!("`{text}` is {}", phrase(error))).expecting(expected)
        })?;
        within(word, size.bytes, &bounds, what)
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

    pub(super) fn finish(&mut self) -> Result<(), LineError> {
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
