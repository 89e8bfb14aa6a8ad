//! What programs and scripts around PostMark rely on, with ours in its place: they read
//! its output by words, by regular expressions and by line numbers.

mod messages;
mod output;
mod streams;

use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::support::{AsPostmark, run_in, scratch_in_memory, stdout};

/// Ours called as `postmark`, in a directory of its own.
struct Wrapped {
    program: AsPostmark,
    directory: TempDir,
}

impl Wrapped {
    fn new() -> Self {
        Self { program: AsPostmark::new(), directory: scratch_in_memory() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn on_input(&self, script: &str) -> Output {
        self.run(&[], script)
    }

    fn with_file(&self, script: &str, input: &str) -> Output {
        std::fs::write(self.path("script.pm"), script).expect("a script");
        self.run(&["script.pm"], input)
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        run_in(self.directory.path(), self.program.path(), arguments, input)
    }
}

/// Standard output of a script on standard input.
fn printed(script: &str) -> String {
    stdout(&Wrapped::new().on_input(script))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}
