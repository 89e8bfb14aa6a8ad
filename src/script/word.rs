//! Words of a line: blanks, quotes, comments.

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{take_till, take_till1, take_while},
    character::complete::{char, one_of},
    combinator::{opt, recognize},
    multi::many0,
    sequence::{delimited, preceded},
};

use super::error::LineError;

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
    pub(super) sign: &'a str,
    /// Its text, without quotes.
    pub(super) text: &'a str,
    /// Where it begins in the line, bytes, quotes included.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

impl Word<'_> {
    /// The whole text, the sign before quotes included.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}", self.sign, self.text)
    }

    /// True for that keyword, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.sign.is_empty() && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// White space, and the zero bytes that some editors leave.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

/// The words of a line; a `#` where a word could begin starts a comment.
pub(super) fn words(line: &str) -> Result<Vec<Word<'_>>, LineError> {
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
