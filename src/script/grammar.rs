//! From a line to a [`Command`]: which command its words name, and what was probably meant
//! when they name none. Which commands there are is told by the table in `command`.

use super::arguments::Arguments;
use super::command::{COMMANDS, Command, CommandRow};
use super::error::{ErrorKind, LineError};
pub use super::word::Dialect;
use super::word::{Word, is_blank, words};

/// What a line comes to.
#[derive(Debug, Clone, PartialEq)]
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
    let command =
        (row.parse)(&mut arguments).map_err(|error| error.of(row.synopsis(), row.complaint))?;
    arguments.finish().map_err(|error| error.of(row.synopsis(), row.complaint))?;
    let Arguments { notes, complaints, .. } = arguments;
    Ok(ParsedLine { command: Some(command), notes, complaints })
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
