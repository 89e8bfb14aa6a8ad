//! A small run in a directory with files of the user's, played on faulty system calls.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use trimark::report::FORMATS;
use trimark::runner::clock::MonotonicClock;
use trimark::runner::measurement::{RunResult, Status};
use trimark::runner::{NoProgress, Refusal, Runner, manifest};
use trimark::workload::{Config, EngineKind, Location};

use super::faulty::FaultySystem;
use crate::support::{Entry, assert_unchanged, scratch_in_memory, snapshot};

/// A location with files of the user's, and the settings of a run in it.
pub struct Rig {
    directory: TempDir,
    before: BTreeMap<PathBuf, Entry>,
    pub config: Config,
}

impl Rig {
    pub fn new(engine: EngineKind, subdirectories: u64) -> Self {
        let directory = scratch_in_memory();
        put_user_files(directory.path());
        let config = Config {
            size_low: 900,
            size_high: 1150,
            number: 6,
            transactions: 12,
            subdirectories,
            engine,
            locations: vec![Location { path: directory.path().to_owned(), weight: 1 }],
            ..Config::default()
        };
        Self { before: snapshot(directory.path()), directory, config }
    }

    /// Puts one more file of the user's there.
    pub fn with_users_file(mut self, name: &str) -> Self {
        std::fs::write(self.path().join(name), format!("the user's {name}")).expect("a file");
        self.before = snapshot(self.path());
        self
    }

    /// Both engines, with and without subdirectories.
    pub fn all() -> impl Iterator<Item = Self> {
        [EngineKind::Sync, EngineKind::Buffered]
            .into_iter()
            .flat_map(|engine| [0, 2].map(|subdirectories| Self::new(engine, subdirectories)))
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Plays a run; a panic of the system comes back as `None`.
    pub fn play(&self, system: &FaultySystem) -> Option<RunResult> {
        patiently(|| match self.attempt(system) {
            Some(Err(Refusal::Busy(_))) => None,
            Some(Err(refusal)) => panic!("something is in the way of the run: {refusal}"),
            Some(Ok(result)) => Some(Some(result)),
            None => Some(None),
        })
    }

    fn attempt(&self, system: &FaultySystem) -> Option<Result<RunResult, Refusal>> {
        let clock = MonotonicClock::start();
        let mut progress = NoProgress;
        let interrupt = system.interrupt.clone();
        let mut runner = Runner { system, clock: &clock, interrupt, progress: &mut progress };
        let run = || -> Result<RunResult, Refusal> { runner.run(&self.config, &[]) };
        catch_unwind(AssertUnwindSafe(run)).ok()
    }

    pub fn assert_only_the_users_files(&self, context: &str) {
        assert_unchanged(self.path(), &self.before, context);
    }

    pub fn assert_users_files_are_untouched(&self, context: &str) {
        let now = snapshot(self.path());
        for (path, entry) in &self.before {
            assert_eq!(now.get(path), Some(entry), "{} {context}", path.display());
        }
    }

    pub fn has_manifest(&self) -> bool {
        self.path().join(manifest::NAME).exists()
    }
}

/// Tries again while another thread's test is starting a program: until its process has
/// become that program it holds all our descriptors, and with them the locks of locations
/// that were let go.
pub fn patiently<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(done) = attempt() {
            return done;
        }
        assert!(Instant::now() < deadline, "the location stays in use");
        std::thread::yield_now();
    }
}

/// Names that look like the run's and are not.
fn put_user_files(directory: &Path) {
    for name in ["notes", "0007", "s99", "99999", "+1", "1.txt", " 1", "s", "s01", ".trimark"] {
        std::fs::write(directory.join(name), format!("the user's {name}")).expect("a file");
    }
    std::fs::create_dir(directory.join("88888")).expect("a directory");
    std::fs::write(directory.join("88888/1"), "deeper").expect("a file");
    std::os::unix::fs::symlink("notes", directory.join("77777")).expect("a link");
}

/// Demands that no format shows a rate of a failed run.
pub fn assert_no_rates(result: &RunResult, context: &str) {
    assert!(matches!(result.status, Status::Failed { .. }), "{context}");
    for row in FORMATS {
        let mut out = Vec::new();
        (row.render)(result, &mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("text");
        match row.name {
            "verbose" | "terse" => assert_eq!(text, "", "{context}"),
            "full" => assert_no_rates_in_full(&text, context),
            "json" => assert_no_rates_in_json(&text, context),
            other => panic!("what may {other} show of a failed run?"),
        }
    }
}

/// Demands that the columns of rates of a `full` report are empty, and that there are any.
pub fn assert_no_rates_in_full(text: &str, context: &str) {
    assert!(text.contains("\nFAILED in "), "{context}\n{text}");
    let (mut section, mut empty) = ("", 0);
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = line.split_whitespace().next().unwrap_or_default();
        } else if section == "Operations" && !line.contains("skipped") {
            let columns: Vec<&str> = line.split_whitespace().rev().collect();
            assert_eq!(columns[1], "-", "{context}\n{text}");
            empty += 1;
        } else if section == "Data" {
            assert!(line.ends_with(" -"), "{context}\n{text}");
            empty += 1;
        }
        assert!(!line.contains("transactions/s") && !line.contains("/s "), "{context}\n{text}");
    }
    assert_eq!(empty, 8 + 4, "{context}\n{text}");
}

/// Demands that a JSON document holds no rate, not even a zero.
pub fn assert_no_rates_in_json(text: &str, context: &str) {
    let document: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(document["status"]["outcome"], "failed", "{context}");
    let metrics = document["metrics"].as_object().expect("metrics");
    for (name, metric) in metrics {
        let unit = metric["unit"].as_str().expect("a unit");
        assert!(!["1/s", "B/s"].contains(&unit), "{name} {context}");
    }
    assert!(!text.contains("per_second"), "{context}");
}
