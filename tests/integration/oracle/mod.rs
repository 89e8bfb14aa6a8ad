//! Against the installed PostMark itself: same input, same directory, and all that can be
//! seen must be the same.
//!
//! Stated exceptions, where we mean better, are spelt out where they are tested.

mod calls;
mod corpus;
mod generated;
mod report;
mod sums;
mod workload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{
    AsPostmark, entries, real_postmark, run_in, scratch, scratch_in_memory, stderr, stdout,
};

/// PostMark and ours under its name, to be played in the same directory.
struct Pair {
    real: PathBuf,
    ours: AsPostmark,
    scratch: TempDir,
}

/// What came of one session.
struct Played {
    out: String,
    errors: String,
    code: Option<i32>,
    /// The files it left, which are removed.
    files: BTreeMap<String, String>,
}

impl Pair {
    /// Both with an empty scratch directory; none after saying that the test is skipped.
    fn new() -> Option<Self> {
        Self::at(scratch())
    }

    /// The same in memory.
    fn in_memory() -> Option<Self> {
        Self::at(scratch_in_memory())
    }

    fn at(scratch: TempDir) -> Option<Self> {
        let pair = Self { real: real_postmark()?, ours: AsPostmark::new(), scratch };
        std::fs::create_dir(pair.directory()).expect("a directory");
        Some(pair)
    }

    /// Where both play.
    fn directory(&self) -> PathBuf {
        self.scratch.path().join("work")
    }

    /// A file beside that directory.
    fn beside(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn make_directories(&self, names: &[&str]) {
        for name in names {
            std::fs::create_dir_all(self.directory().join(name)).expect("a directory");
        }
    }

    fn real(&self, arguments: &[&str], input: &str) -> Played {
        self.play(&self.real, arguments, input)
    }

    fn ours(&self, arguments: &[&str], input: &str) -> Played {
        self.play(&self.ours.path(), arguments, input)
    }

    fn play(&self, program: &Path, arguments: &[&str], input: &str) -> Played {
        let directory = self.directory();
        let output = run_in(&directory, program, arguments, input);
        Played {
            out: stdout(&output),
            errors: stderr(&output),
            code: output.status.code(),
            files: take_files(&directory),
        }
    }
}

fn take_files(directory: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for name in entries(directory) {
        let path = directory.join(&name);
        if path.is_file() {
            files.insert(name, std::fs::read_to_string(&path).expect("text"));
            std::fs::remove_file(&path).expect("a file of this test");
        }
    }
    files
}

/// Two sessions printed the same and left the same files.
fn assert_same(context: &str, real: &Played, ours: &Played) {
    report::assert_same(context, &real.out, &ours.out);
    assert_eq!(real.code, ours.code, "{context}");
    let names = |played: &Played| played.files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(real), names(ours), "{context}");
    for (name, text) in &real.files {
        report::assert_same(&format!("{context}, file {name}"), text, &ours.files[name]);
    }
}
