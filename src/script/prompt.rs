//! The `pm>` prompt: with line editing, history and completion on a terminal, plain
//! everywhere else.

use std::io::{self, BufRead};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper, history::MemHistory};

use super::completion::complete;
use super::grammar::Dialect;
use super::{Flow, Session, Trouble};

/// What stands before every line.
pub const PROMPT: &str = "pm>";

/// The name of what is typed, in messages.
const SOURCE: &str = "input";

/// Obeys lines from a reader until it ends or says `quit`, with the prompt before each as
/// PostMark has it on any input.
///
/// # Errors
/// An I/O error of the reader.
pub fn stream(session: &mut Session<'_>, input: &mut dyn BufRead) -> io::Result<()> {
    let mut bytes = Vec::new();
    for number in 1.. {
        session.say(PROMPT);
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&bytes);
        if session.line(SOURCE, number, line.trim_end_matches(['\n', '\r'])) == Flow::Quit {
            return Ok(());
        }
    }
    Ok(())
}

/// Obeys lines from a terminal until its end or `quit`. Ctrl-C drops the line being typed
/// (and ends a program that passes for PostMark).
///
/// # Errors
/// [`Trouble::Output`] when the terminal fails.
pub fn terminal(session: &mut Session<'_>) -> Result<(), Trouble> {
    session.set_interactive();
    let failed = |error: ReadlineError| Trouble::Output(io::Error::other(error));
    let config = rustyline::Config::builder().auto_add_history(true).build();
    let mut editor: Editor<PromptHelper, MemHistory> =
        Editor::with_history(config, MemHistory::new()).map_err(failed)?;
    editor.set_helper(Some(PromptHelper));
    for number in 1.. {
        match editor.readline(PROMPT) {
            Ok(typed) => {
                if lines(session, number, &typed) == Flow::Quit {
                    break;
                }
            }
            Err(ReadlineError::Eof) => break,
            Err(ReadlineError::Interrupted) if session.dialect() == Dialect::Trimark => {}
            Err(ReadlineError::Interrupted) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// Obeys what was typed before Enter: one line, or as many as were pasted.
fn lines(session: &mut Session<'_>, number: usize, typed: &str) -> Flow {
    for line in typed.strip_suffix('\n').unwrap_or(typed).split('\n') {
        if session.line(SOURCE, number, line) == Flow::Quit {
            return Flow::Quit;
        }
    }
    Flow::Continue
}

struct PromptHelper;

impl Completer for PromptHelper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&line[..position]))
    }
}

impl Hinter for PromptHelper {
    type Hint = String;
}

impl Highlighter for PromptHelper {}
impl Validator for PromptHelper {}
impl Helper for PromptHelper {}
