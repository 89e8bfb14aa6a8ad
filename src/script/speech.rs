//! How a [`Session`] speaks: to standard output, and to standard error in the manner of
//! its dialect.

use super::{Dialect, Session, Trouble};

impl Session<'_> {
    /// Prints to standard output; a reader that went away is noticed at the next report.
    pub fn say(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// Prints trouble, to those who expect PostMark in its words, with ours as a note.
    pub(super) fn tell(&mut self, trouble: &Trouble) {
        match trouble.classic().filter(|_| self.dialect == Dialect::PostMark) {
            Some(words) => {
                self.complain(&words);
                self.note(&trouble.to_string());
            }
            None => self.complain(&trouble.to_string()),
        }
    }

    /// Prints an error.
    pub fn complain(&mut self, text: &str) {
        let name = if self.dialect == Dialect::PostMark { "Error" } else { "trimark: error" };
        let _ = writeln!(self.errors, "{name}: {text}");
    }

    /// Prints what the writer of the script should know.
    pub(super) fn note(&mut self, text: &str) {
        let name = if self.dialect == Dialect::PostMark { "Note" } else { "trimark: note" };
        let _ = writeln!(self.errors, "{name}: {text}");
    }
}
