//! Signals at any moment: nothing stays behind, what was measured is readable, and an
//! experiment goes on as if nothing had happened.
//!
//! `TRIMARK_KILLS=N` sends each signal N times instead of a few.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use trimark::experiment::file::read;
use trimark::experiment::record::RunRecord;
use trimark::experiment::schedule::Schedule;

use super::command::{compare, text};
use crate::support::{program, root, scratch, trimark};

const ARGUMENTS: &[&str] = &[
    "--arm",
    "off=nodiscard",
    "--arm",
    "on=discard",
    "--scratch=64m",
    "--blocks",
    "4",
    "--seed",
    "11",
    "--set",
    "number 100",
    "--set",
    "transactions 100",
    "--set",
    "settle off",
    "--save",
    "x.jsonl",
];

fn kills() -> u64 {
    std::env::var("TRIMARK_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

fn start(place: &Path, more: &[&str]) -> Child {
    compare(place, &[ARGUMENTS, more].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// What a process leaves on the machine: loop devices on images in `place`, mounts, open
/// files of that place.
fn remains(place: &Path, process: u32) -> String {
    let place = place.to_string_lossy().into_owned();
    let losetup = Command::new("losetup").arg("-a").output().expect("losetup");
    let loops = text(&losetup.stdout);
    let loops = loops.lines().filter(|line| line.contains(&place)).map(str::to_owned);
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    let point = format!("trimark-mount-{process}-");
    let mounts = mounts.lines().filter(|line| line.contains(&point)).map(str::to_owned);
    loops.chain(mounts).collect::<Vec<_>>().join("\n")
}

fn files(place: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(place).expect("the place");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    entries.map(name).filter(|name| name != "x.jsonl").collect()
}

fn interrupted_by(signal: &str) {
    if !root() || program("mkfs.ext4").is_none() {
        return;
    }
    let mut source = Xoshiro256PlusPlus::seed_from_u64(signal.len() as u64);
    for _ in 0..kills() {
        let place = scratch();
        let mut child = start(place.path(), &[]);
        std::thread::sleep(Duration::from_millis(source.next_u64() % 1500));
        let process = child.id();
        let sent = Command::new("kill").args([format!("-{signal}"), process.to_string()]).status();
        assert!(sent.expect("kill").success());
        let status = child.wait().expect("its end");
        if signal != "KILL" {
            assert!(status.code().is_some_and(|code| code == 0 || code > 128), "{status}");
            let expected: Vec<String> = Vec::new();
            assert_eq!(files(place.path()), expected);
        }
        // A loop device goes a moment after its last user.
        for _ in 0..100 {
            if remains(place.path(), process).is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(remains(place.path(), process), "");
        let path = place.path().join("x.jsonl");
        if path.exists() && std::fs::read(&path).expect("its bytes").contains(&b'\n') {
            let saved = read(&path).expect("readable");
            assert!(saved.runs.iter().all(|run| run.result.is_complete()));
            let report = Command::new(trimark())
                .args(["report", "x.jsonl"])
                .current_dir(place.path())
                .output()
                .expect("it starts");
            assert!(report.status.success(), "{}", text(&report.stderr));
        }
    }
}

#[test]
fn sigint_leaves_nothing() {
    interrupted_by("INT");
}

#[test]
fn sigterm_leaves_nothing() {
    interrupted_by("TERM");
}

#[test]
fn sigkill_leaves_nothing() {
    interrupted_by("KILL");
}

#[test]
fn a_killed_experiment_goes_on_in_the_same_order() {
    if !root() || program("mkfs.ext4").is_none() {
        return;
    }
    let place = scratch();
    let path = place.path().join("x.jsonl");
    let mut child = start(place.path(), &[]);
    // Killed when some runs are there.
    for _ in 0..1000 {
        if std::fs::read(&path).is_ok_and(|bytes| bytes.split(|b| *b == b'\n').count() > 5) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    let _ = child.wait();
    let before = read(&path).expect("readable").runs;
    let output = compare(place.path(), &["--resume", "x.jsonl"]).output().expect("it starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let saved = read(&path).expect("readable");
    let order = |runs: &[RunRecord]| -> Vec<(u64, u64, String)> {
        let mut order: Vec<_> =
            runs.iter().map(|run| (run.block, run.place, run.arm.clone())).collect();
        order.sort();
        order
    };
    let schedule = Schedule::new(11, 2);
    let planned: Vec<(u64, u64, String)> = (0..=4)
        .flat_map(|block| {
            let order = schedule.order(block);
            order
                .into_iter()
                .enumerate()
                .map(move |(place, arm)| (block, place as u64 + 1, ["off", "on"][arm].to_owned()))
        })
        .collect();
    assert_eq!(order(&saved.runs), planned);
    // What was measured before the kill counts.
    let kept = before.iter().filter(|run| !run.is_warm_up());
    for run in kept {
        assert!(saved.runs.contains(run));
    }
    let shown = text(&output.stdout);
    assert!(shown.contains("4 of 4 blocks, 8 runs, complete"), "{shown}");
}
