//! SIGINT, SIGTERM and SIGHUP at random moments, and readers that go away.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use super::running::{Dice, ENDLESS, Ended, Running, script};
use crate::support::{AsPostmark, assert_unchanged, scratch, scratch_in_memory, snapshot, trimark};

const SIGNALS: [(Signal, i32, &str); 3] =
    [(Signal::INT, 2, "SIGINT"), (Signal::TERM, 15, "SIGTERM"), (Signal::HUP, 1, "SIGHUP")];
/// How long cleaning up may take.
const SOON: Duration = Duration::from_secs(2);

const SMALL: &str = "set size 500 10000\nset number 300";
const LARGE: &str = "set size 1000000 4000000\nset number 20\nset write 4096";
const TINY: &str = "set size 5\nset number 2000\nset buffering false";

/// Interrupts a run in a directory with a file of the user's; returns whether it had begun.
fn interrupt(program: &Path, settings: &[&str], json: bool, dice: &mut Dice) -> bool {
    let location = scratch_in_memory();
    std::fs::write(location.path().join("notes"), "the user's").expect("a file");
    let before = snapshot(location.path());
    let &(signal, number, name) = dice.pick(&SIGNALS);
    let report = if json { "set report json" } else { "set report full" };
    let settings = [settings, &[ENDLESS, report]].concat();
    let running = Running::start(program, &script(&[location.path()], &settings));
    dice.sleep_up_to(60);
    running.signal(signal);
    let ended = running.end();
    let context = format!("{name} seed {} {settings:?}\n{}", dice.seed, ended.errors);
    assert_eq!(ended.code(), 128 + number, "{context}");
    assert!(ended.took < SOON, "{:?} {context}", ended.took);
    assert_unchanged(location.path(), &before, &context);
    // Before the run begins a signal ends the program as any other.
    let begun = ended.status.code().is_some();
    if begun {
        assert_labelled(&ended, name, json, &context);
    }
    begun
}

fn assert_labelled(ended: &Ended, name: &str, json: bool, context: &str) {
    assert!(ended.errors.contains(&format!("interrupted by {name}")), "{context}");
    if json {
        let line = ended.out.lines().last().expect("a document");
        let document: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(document["status"]["outcome"], "interrupted", "{context}");
        assert_eq!(document["status"]["name"], name, "{context}");
        assert_eq!(document["clean_up"]["left"].as_array().expect("a list").len(), 0, "{context}");
    } else {
        let label = format!("INTERRUPTED by {name} after ");
        assert_eq!(ended.out.matches(&label).count(), 1, "{} {context}", ended.out);
    }
}

/// 50 runs under one name of the program: half of them with subdirectories.
fn interrupt_many(program: &Path) {
    let mut dice = Dice::new();
    let mut begun = 0;
    for round in 0..50 {
        let size = [SMALL, LARGE, TINY][round % 3];
        let subdirectories = if round % 2 == 0 { &["set subdirectories 5"][..] } else { &[] };
        let settings = [&[size], subdirectories].concat();
        begun += u32::from(interrupt(program, &settings, round % 4 < 2, &mut dice));
    }
    assert!(begun > 20, "only {begun} runs had begun");
}

#[test]
fn fifty_interrupted_runs_leave_nothing() {
    interrupt_many(Path::new(trimark()));
}

#[test]
fn fifty_interrupted_runs_as_postmark_leave_nothing() {
    interrupt_many(&AsPostmark::new().path());
}

#[test]
fn a_run_of_half_gigabyte_files_ends_soon_too() {
    let mut dice = Dice::new();
    let location = scratch();
    let settings = ["set size 500000000\nset number 2\nset write 65536\nset report full", ENDLESS];
    for &(signal, number, name) in &SIGNALS {
        let script = script(&[location.path()], &settings);
        let running = Running::start(Path::new(trimark()), &script);
        running.wait_for(&location.path().join("1"));
        dice.sleep_up_to(400);
        running.signal(signal);
        let ended = running.end();
        assert_eq!(ended.code(), 128 + number, "{}", ended.errors);
        assert!(ended.took < SOON, "{:?}", ended.took);
        assert_unchanged(location.path(), &Default::default(), name);
        assert_labelled(&ended, name, false, name);
    }
}

#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    let location = scratch_in_memory();
    let config = location.path().join("config");
    std::fs::write(&config, "set number 20\nset transactions 300\nrun\n").expect("a file");
    let ended = Command::new("/bin/sh")
        .args(["-c", "trap '' HUP; kill -HUP $$; (sleep 0.05; kill -HUP $$) & exec \"$0\" \"$1\""])
        .arg(trimark())
        .arg(&config)
        .current_dir(location.path())
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    assert!(ended.status.success(), "{ended:?}");
}

#[test]
fn a_signal_while_the_text_is_drawn_is_heeded() {
    let location = scratch();
    let settings = ["set size 1000000000\nset number 2\nset report full", ENDLESS];
    let running = Running::start(Path::new(trimark()), &script(&[location.path()], &settings));
    std::thread::sleep(Duration::from_millis(200));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.errors);
    assert!(ended.took < Duration::from_secs(1), "{:?}", ended.took);
    assert_unchanged(location.path(), &Default::default(), "drawing");
}

#[test]
fn a_script_of_many_runs_ends_at_a_signal() {
    let mut dice = Dice::new();
    for _ in 0..15 {
        let location = scratch_in_memory();
        let settings = format!(
            "set number 20\nset subdirectories 50\nset location {}",
            location.path().display()
        );
        let script = settings + &"\nrun".repeat(3000);
        let running = Running::start(Path::new(trimark()), &script);
        running.wait_for(&location.path().join("s0"));
        dice.sleep_up_to(30);
        running.signal(Signal::TERM);
        let ended = running.end();
        assert_eq!(ended.code(), 128 + 15, "seed {} {}", dice.seed, ended.errors);
        assert!(ended.took < SOON, "{:?}", ended.took);
        assert_unchanged(location.path(), &Default::default(), "many runs");
    }
}

#[test]
fn a_reader_that_goes_away_leaves_nothing() {
    let postmark = AsPostmark::new();
    for program in [Path::new(trimark()), &postmark.path()] {
        for report in ["verbose", "terse", "full", "json"] {
            let location = scratch_in_memory();
            let report = format!("set report {report}");
            let runs = script(&[location.path()], &[SMALL, "set subdirectories 3", &report]);
            let runs = runs.replace("quit\n", &"run\n".repeat(20));
            let config = location.path().join("config");
            std::fs::write(&config, runs).expect("a file");
            let before = snapshot(location.path());
            let mut child = Command::new(program)
                .arg(&config)
                .current_dir(location.path())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            let mut first = String::new();
            let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
            reader.read_line(&mut first).expect("a line");
            drop(reader);
            child.wait().expect("it ends");
            assert!(!first.is_empty());
            assert_unchanged(location.path(), &before, &report);
        }
    }
}
