//! Runs of several workers that are interrupted or killed: nothing is left, and what was
//! measured until then is told as partial.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use trimark::runner::measurement::{Phase, RunResult, Status};
use trimark::workload::OperationKind;

use super::count;
use crate::support::{entries, run_in, scratch_in_memory, stderr, stdout, trimark};

const WORKERS: usize = 3;
const NUMBER: usize = 200;
const KINDS: [&[&str]; 4] = [
    &["engine sync"],
    &["engine buffered", "subdirectories 4"],
    &["content random", "latency on"],
    &["content random", "subdirectories 3", "bias read 2"],
];

/// Longer than any test waits: a run that goes on for ever, killed if the test fails.
struct Endless(Child);

impl Endless {
    fn start(directory: &Path, settings: &[&str]) -> Self {
        let mut command = Command::new(trimark());
        command.arg("run").args(["--report", "json", "--report", "full"]);
        let number = format!("number {NUMBER}");
        let workers = format!("workers {WORKERS}");
        let usual = ["duration 1h", "bias create 5", "size 1k 4k", &number, &workers];
        for setting in usual.iter().chain(settings) {
            command.args(["--set", setting]);
        }
        command.current_dir(directory).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().expect("the program starts"))
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(process, signal).expect("it is still there");
    }

    fn end(mut self) -> Output {
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        use std::io::Read;
        let (stdout, stderr) = (self.0.stdout.take(), self.0.stderr.take());
        stdout.expect("a pipe").read_to_end(&mut out).expect("its output");
        stderr.expect("a pipe").read_to_end(&mut errors).expect("its messages");
        let status = self.0.wait().expect("it ends");
        Output { status, stdout: out, stderr: errors }
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until every worker has made a file of a number only transactions come to.
fn wait_for_transactions(directory: &Path) {
    let begun = Instant::now();
    let is_under_way = |worker: usize| {
        let name = format!("w{worker}");
        let files = entries(&directory.join(name));
        files.iter().any(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.parse::<usize>().is_ok_and(|number| number > NUMBER)
        })
    };
    while !(0..WORKERS).all(|worker| directory.join(format!("w{worker}")).is_dir())
        || !(0..WORKERS).all(is_under_way)
    {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", entries(directory));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn assert_is_partial(result: &RunResult, document: &Value) {
    let Status::Interrupted { signal, name } = &result.status else {
        panic!("{:?}", result.status)
    };
    assert_eq!((*signal, name.as_str()), (2, "SIGINT"));
    let last = result.phases.last().expect("phases");
    assert_eq!((last.phase, last.complete), (Phase::Transactions, false));
    assert!(result.phases[..result.phases.len() - 1].iter().all(|time| time.complete));
    assert!(result.transactions > 0);
    for kind in OperationKind::ALL {
        assert!(count(result, kind) > 0, "{}", kind.name());
        let latencies = result.latencies.as_ref().expect("latencies");
        let timed = latencies.of(kind).map_or(0, |latency| latency.count());
        assert_eq!(timed, count(result, kind), "{}", kind.name());
    }
    assert_eq!(document["status"]["outcome"], "interrupted");
    let rate = document["metrics"]["transactions_per_second"]["value"].as_f64().expect("a rate");
    let done = rate * last.elapsed() as f64 / 1e9;
    assert!((done - result.transactions as f64).abs() < 1e-3, "of what was done: {done}");
    let clean_up = result.clean_up.as_ref().expect("it was cleaned up");
    assert!(clean_up.files > 0 && clean_up.left.is_empty(), "{clean_up:?}");
}

#[test]
fn interrupted_workers_leave_nothing_and_tell_what_they_did() {
    for kind in KINDS {
        let directory = scratch_in_memory();
        let run = Endless::start(directory.path(), kind);
        wait_for_transactions(directory.path());
        run.signal(rustix::process::Signal::INT);
        let output = run.end();
        assert_eq!(output.status.code(), Some(130), "{kind:?}: {}", stderr(&output));
        assert_eq!(entries(directory.path()), Vec::<String>::new(), "{kind:?}");
        let out = stdout(&output);
        let line = out.lines().find(|line| line.starts_with('{')).expect("a report");
        let document: Value = serde_json::from_str(line).expect("JSON");
        let result: RunResult = serde_json::from_value(document.clone()).expect("a result");
        assert_is_partial(&result, &document);
        assert!(out.contains("INTERRUPTED by SIGINT after "), "{out}");
        assert!(stderr(&output).contains("everything it made was removed"));
    }
}

#[test]
fn killed_workers_are_cleaned_up_after() {
    for kind in KINDS {
        let directory = scratch_in_memory();
        std::fs::write(directory.path().join("mine"), "mine").expect("a file");
        let run = Endless::start(directory.path(), kind);
        wait_for_transactions(directory.path());
        run.signal(rustix::process::Signal::KILL);
        assert!(!run.end().status.success());
        let left = entries(directory.path()).len();
        assert!(left > WORKERS, "{kind:?}: {left}");
        let path = directory.path().to_string_lossy().into_owned();
        let refused = run_in(directory.path(), trimark(), &["run"], "");
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("trimark clean"), "{}", stderr(&refused));
        let cleaned = run_in(directory.path(), trimark(), &["clean", &path], "");
        assert_eq!(cleaned.status.code(), Some(0), "{kind:?}: {}", stderr(&cleaned));
        assert_eq!(entries(directory.path()), ["mine"], "{kind:?}: {}", stdout(&cleaned));
        let again = run_in(directory.path(), trimark(), &["clean", &path], "");
        assert!(stdout(&again).contains("Nothing to clean"), "{}", stdout(&again));
    }
}

#[test]
fn workers_killed_while_they_create_are_cleaned_up_after() {
    for wait in [0, 2, 5, 10, 20, 40] {
        let directory = scratch_in_memory();
        let run = Endless::start(directory.path(), &["number 5000", "subdirectories 10"]);
        while entries(directory.path()).is_empty() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_millis(wait));
        run.signal(rustix::process::Signal::KILL);
        assert!(!run.end().status.success());
        let cleaned = run_in(directory.path(), trimark(), &["clean", "."], "");
        assert_eq!(cleaned.status.code(), Some(0), "{wait}: {}", stderr(&cleaned));
        let said = stdout(&cleaned);
        assert_eq!(entries(directory.path()), Vec::<String>::new(), "{wait}: {said}");
    }
}
