//! A run in the background, its settings, and dice to choose when it is stopped.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{run_in, scratch, stderr, stdout, trimark};

/// More than any test waits for, in a pool that grows, so that it never runs out of files.
pub const ENDLESS: &str = "set transactions 100000000\nset bias create 6";

/// Numbers that differ from one test run to the next. Print the seed when a test fails.
pub struct Dice {
    pub seed: u64,
    state: u64,
}

impl Dice {
    pub fn new() -> Self {
        let seed = RandomState::new().build_hasher().finish() | 1;
        Self { seed, state: seed }
    }

    /// From 0 up to but not including `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    pub fn sleep_up_to(&mut self, milliseconds: u64) {
        std::thread::sleep(Duration::from_micros(self.below(milliseconds * 1000)));
    }
}

/// A script for these locations.
pub fn script(locations: &[&Path], settings: &[&str]) -> String {
    let mut script = settings.join("\n");
    for (index, location) in locations.iter().enumerate() {
        let more = if index > 0 { "+" } else { "" };
        script += &format!("\nset location {more}{}", location.display());
    }
    script + "\nrun\nquit\n"
}

/// A program at work; killed when dropped.
pub struct Running {
    child: Child,
    directory: TempDir,
}

/// How it ended.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub errors: String,
    /// From the signal to the end.
    pub took: Duration,
}

impl Running {
    /// Starts a program with a script as its configuration file.
    pub fn start(program: &Path, script: &str) -> Self {
        let directory = scratch();
        let config = directory.path().join("config");
        File::create(&config).and_then(|mut file| file.write_all(script.as_bytes())).expect("file");
        let create = |name| File::create(directory.path().join(name)).expect("a file");
        let child = Command::new(program)
            .arg(&config)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(create("out"))
            .stderr(create("errors"))
            .spawn()
            .expect("the program starts");
        Self { child, directory }
    }

    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_child(&self.child);
        kill_process(process, signal).expect("it runs until it is told to stop");
    }

    /// Waits for the end, not for long.
    pub fn end(mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "it does not end");
            std::thread::sleep(Duration::from_micros(200));
        };
        let read = |name| std::fs::read_to_string(self.directory.path().join(name)).expect("text");
        Ended { status, out: read("out"), errors: read("errors"), took: start.elapsed() }
    }

    /// Waits until a file is there.
    pub fn wait_for(&self, path: &Path) {
        let start = Instant::now();
        while !path.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "{} is not made", path.display());
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Already ended, as a rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// The exit code as a shell tells it.
    pub fn code(&self) -> i32 {
        self.status.signal().map_or_else(|| self.status.code().expect("a code"), |n| 128 + n)
    }
}

/// Kills a run after some time and waits for its end.
pub fn kill_after(script: &str, delay: impl FnOnce(&Running)) {
    let running = Running::start(Path::new(trimark()), script);
    delay(&running);
    running.signal(Signal::KILL);
    assert_eq!(running.end().code(), 128 + 9);
}

/// `trimark clean`: exit code, standard output, standard error.
pub fn clean(directory: &Path) -> (Option<i32>, String, String) {
    let path: PathBuf = directory.to_owned();
    let output = run_in(Path::new("/"), trimark(), &["clean", &path.to_string_lossy()], "");
    (output.status.code(), stdout(&output), stderr(&output))
}
