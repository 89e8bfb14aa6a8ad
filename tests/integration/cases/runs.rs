//! Short runs of the program in a directory of their own, and what came of them.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{entries, run_in, scratch, stderr, stdout, trimark};

/// A finished call of the program.
pub struct Finished {
    pub out: String,
    pub errors: String,
    pub code: Option<i32>,
    pub directory: TempDir,
}

impl Finished {
    /// What is in its directory now.
    pub fn left(&self) -> Vec<String> {
        entries(self.directory.path())
    }

    /// The one JSON report on standard output.
    pub fn json(&self) -> Value {
        let line = self.out.lines().find(|line| line.starts_with('{'));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no report: {}", self.errors)))
            .expect("a JSON document")
    }
}

/// Calls the program with these arguments in an empty directory.
pub fn call(arguments: &[&str]) -> Finished {
    call_in(scratch(), arguments, "")
}

/// Calls the program with these arguments and this standard input in this directory.
pub fn call_in(directory: TempDir, arguments: &[&str], input: &str) -> Finished {
    let output = run_in(directory.path(), trimark(), arguments, input);
    Finished {
        out: stdout(&output),
        errors: stderr(&output),
        code: output.status.code(),
        directory,
    }
}

/// `trimark run` with these settings and reports.
pub fn run(settings: &[&str], reports: &[&str]) -> Finished {
    let mut arguments = vec!["run"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    reports.iter().for_each(|report| arguments.extend(["--report", report]));
    call(&arguments)
}

/// The whole number at this place of a document, written `operations/create/alone`.
pub fn number(document: &Value, place: &str) -> u64 {
    document
        .pointer(&format!("/{place}"))
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no whole number at {place}"))
}

/// The contents of a file of that directory.
pub fn contents(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).expect("a text file")
}
