//! `trimark compare` on real file systems, as its users call it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{program, root, scratch, trimark};

/// `trimark compare ARGUMENTS` in a directory, its state kept there, too.
pub fn compare(place: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(trimark());
    command
        .arg("compare")
        .args(arguments)
        .current_dir(place)
        .env("TRIMARK_STATE_DIR", place.join("state"))
        .env("TMPDIR", place);
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The outcome as JSON, of a comparison that must succeed.
fn outcome(place: &Path, arguments: &[&str]) -> Value {
    let output = compare(place, &[arguments, &["--report", "json"]].concat())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refused(place: &Path, arguments: &[&str], code: i32) -> String {
    let output = compare(place, arguments).output().expect("the program starts");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn sentence(outcome: &Value, metric: &str, contrast: &str) -> String {
    let verdicts = outcome["verdicts"].as_array().expect("verdicts");
    let found = verdicts.iter().find(|v| v["metric"] == metric && v["contrast"] == contrast);
    found.unwrap_or_else(|| panic!("no {metric} of {contrast}"))["sentence"]
        .as_str()
        .expect("a sentence")
        .to_owned()
}

/// Options of a workload that takes tenths of a second.
const SHORT: [&str; 4] = ["--set", "number 300", "--set", "transactions 300"];

fn has_mkfs(file_system: &str) -> bool {
    root() && program(&format!("mkfs.{file_system}")).is_some()
}

fn discards_are_told(file_system: &str) {
    if !has_mkfs(file_system) {
        return;
    }
    let place = scratch();
    let arms = ["--arm", "off=nodiscard", "--arm", "on=discard", "--blocks", "12"];
    let on = ["--fs", file_system, "--scratch=400m", "--set", "size 4096 60000"];
    let outcome = outcome(place.path(), &[&arms[..], &on, &SHORT].concat());
    let more = sentence(&outcome, "discards_per_transaction", "on");
    assert!(more.starts_with("more by"), "{file_system}: {more}");
    let fewer = sentence(&outcome, "image_bytes", "on");
    assert!(fewer.starts_with("fewer by"), "{file_system}: {fewer}");
    let warnings = outcome["outcome"]["warnings"].to_string();
    assert!(warnings.contains("not about flash"), "{warnings}");
    // A file system that is made completely writes nothing by itself.
    for run in outcome["outcome"]["runs"].as_array().expect("runs") {
        assert_eq!(run["start"]["quiet"]["quiet"], true, "{file_system}: {}", run["start"]);
    }
}

#[test]
fn ext4_discards_show_in_the_device_and_the_image() {
    discards_are_told("ext4");
}

#[test]
fn xfs_discards_show_in_the_device_and_the_image() {
    discards_are_told("xfs");
}

#[test]
fn btrfs_discards_show_in_the_device_and_the_image() {
    discards_are_told("btrfs");
}

#[test]
fn access_times_show_in_what_is_written() {
    if !has_mkfs("ext4") {
        return;
    }
    let place = scratch();
    let arms = ["--arm", "noatime=noatime", "--arm", "strict=strictatime", "--blocks", "12"];
    let reading =
        ["--set", "bias read 10", "--set", "bias create -1", "--set", "transactions 4000"];
    let synced = ["--set", "sync phase"];
    let files = ["--scratch=200m", "--set", "number 2000"];
    let outcome = outcome(place.path(), &[&arms[..], &reading, &synced, &files].concat());
    let written = sentence(&outcome, "device_bytes_written_per_transaction", "strict");
    assert!(written.starts_with("more by"), "{written}");
}

#[test]
fn a_misspelt_option_is_named_with_what_was_meant() {
    if !has_mkfs("ext4") {
        return;
    }
    let place = scratch();
    let said = refused(place.path(), &["--arm", "a=noatme", "--arm", "b=relatime"], 2);
    for part in ["'noatme'", "ext4", "did you mean 'noatime'", "arm 'a'"] {
        assert!(said.contains(part), "no {part} in: {said}");
    }
    let said = refused(place.path(), &["--arm", "a=commit=many", "--arm", "b=relatime"], 2);
    assert!(said.contains("commit=many"), "{said}");
    let said = refused(place.path(), &["--arm", "a=compress=zstd", "--arm", "b=relatime"], 2);
    assert!(said.contains("ext4 does not take the mount option 'compress=zstd'"), "{said}");
    let said = refused(place.path(), &["--arm", "a=noatime", "--arm", "b=fs=ext9"], 2);
    assert!(said.contains("ext9") && said.contains("btrfs"), "{said}");
    let said = refused(place.path(), &["--arm", "a=noatime", "--arm", "b=scheduler=fast"], 2);
    assert!(said.contains("scheduler 'fast'") && said.contains("none"), "{said}");
    let said = refused(place.path(), &["--arm", "a=noatime", "--arm", "b=mkfs=--frob"], 2);
    assert!(said.contains("mkfs.ext4") && said.contains("--frob"), "{said}");
}

#[test]
fn arms_that_are_the_same_in_force_are_refused() {
    if !has_mkfs("ext4") {
        return;
    }
    let place = scratch();
    let said =
        refused(place.path(), &[&["--arm", "a=relatime", "--arm", "b="], &SHORT[..]].concat(), 2);
    assert!(said.contains("are the same") && said.contains("--aa"), "{said}");
    // What btrfs does by itself.
    if has_mkfs("btrfs") {
        let arms = ["--arm", "a=", "--arm", "b=discard=async", "--fs", "btrfs"];
        let said = refused(place.path(), &[&arms[..], &SHORT].concat(), 2);
        assert!(said.contains("are the same"), "{said}");
    }
}

#[test]
fn what_cannot_be_planned_is_said_before_anything_is_done() {
    let place = scratch();
    let cases: [(&[&str], &str); 12] = [
        (&["--arms", "trim", "--fs", "xfs", "--device", "/dev/null"], "for scratch images"),
        (&["--resume", "x.jsonl", "--blocks", "9"], "as it was planned"),
        (&["--arm", "a=noatime"], "at least two arms"),
        (&["--arms", "trims"], "there are discard, trim, atime, trim-atime"),
        (&["--arms", "trim", "--base", "x"], "no arm 'x' to be the base"),
        (&["--arms", "trim", "--metric", "transactions_per_secnd"], "did you mean"),
        (&["--arms", "trim", "--blocks", "0"], "0 blocks"),
        (&["--arms", "trim", "--blocks", "3", "--until", "2%"], "choose one"),
        (&["--arms", "trim", "--margin", "200%"], "between 0 and 100"),
        (&["--arms", "trim", "--mkfs", "ext4"], "--device"),
        (&["--arm", "a=dir=/tmp", "--arm", "b=noatime"], "all of them or to none"),
        (&["--arm", "a=set frob 3", "--arm", "b="], "frob"),
    ];
    for (arguments, expected) in cases {
        let said = refused(place.path(), &[&["--no-rc"], arguments].concat(), 2);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(place.path()).expect("the place").count(), 0);
}

#[test]
fn commands_around_runs_are_obeyed_checked_and_kept() {
    let place = scratch();
    let directory = place.path().join("files");
    std::fs::create_dir(&directory).expect("a directory");
    let location = directory.to_str().expect("UTF-8");
    let arms = ["--arm", "a=set read 512", "--arm", "b=set read 4096", "--location", location];
    let hooks = ["--before", "b=echo $TRIMARK_ARM in $TRIMARK_DIR", "--blocks", "1"];
    let outcome = outcome(place.path(), &[&arms[..], &hooks, &SHORT].concat());
    for run in outcome["outcome"]["runs"].as_array().expect("runs") {
        let hooks = run["hooks"].as_array().expect("hooks");
        match run["arm"].as_str() {
            Some("a") => assert!(hooks.is_empty()),
            _ => assert_eq!(hooks[0]["output"], format!("b in {location}\n")),
        }
    }
    let failing = ["--after", "echo no such drive >&2; exit 3", "--save", "failing.jsonl"];
    let said = refused(place.path(), &[&arms[..], &failing, &SHORT].concat(), 1);
    assert!(said.contains("exit status: 3") && said.contains("no such drive"), "{said}");
    // Nothing was measured, so nothing is kept.
    assert!(!place.path().join("failing.jsonl").exists());
}

/// How many experiments, each of how many blocks.
fn experiments() -> (u64, &'static str) {
    let count = std::env::var("TRIMARK_AA").ok().and_then(|text| text.parse().ok());
    count.map_or((3, "6"), |count| (count, "10"))
}

/// `TRIMARK_AA=60` makes 60 experiments of 10 blocks.
#[test]
fn an_arm_hardly_ever_differs_from_itself() {
    if !has_mkfs("ext4") {
        return;
    }
    let place = scratch();
    let (count, blocks) = experiments();
    let mut claims = Vec::new();
    for _ in 0..count {
        let arguments = ["--aa", "--arm", "x=noatime", "--scratch=64m", "--blocks", blocks];
        let short = ["--set", "number 200", "--set", "transactions 1500", "--set", "sync phase"];
        let outcome = outcome(place.path(), &[&arguments[..], &short].concat());
        assert!(outcome["outcome"]["noise"].as_f64().is_some_and(|noise| noise > 0.0));
        let headline = &outcome["verdicts"][0];
        assert_eq!(headline["contrast"], "x again");
        let sentence = headline["sentence"].as_str().expect("a sentence").to_owned();
        if sentence.starts_with("faster") || sentence.starts_with("slower") {
            claims.push(sentence);
        }
    }
    // As many as chance makes of 5 % at most once in twenty times.
    let allowed = if count >= 60 { count / 10 } else { 1 };
    assert!(claims.len() as u64 <= allowed, "{} of {count}: {claims:?}", claims.len());
}

#[test]
fn directories_and_saved_results_are_compared_without_root() {
    let place = scratch();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    for directory in [&one, &other] {
        std::fs::create_dir(directory).expect("a directory");
    }
    // On one file system with the same options they are the same.
    let same = [format!("a=dir={}", one.display()), format!("b=dir={}", other.display())];
    let said =
        refused(place.path(), &[&["--arm", &same[0], "--arm", &same[1]], &SHORT[..]].concat(), 2);
    assert!(said.contains("are the same"), "{said}");
    let memory = crate::support::scratch_in_memory();
    let apart = format!("b=dir={}", memory.path().display());
    let arguments = ["--arm", &same[0], "--arm", &apart, "--blocks", "2"];
    let result = outcome(place.path(), &[&arguments[..], &SHORT].concat());
    assert_eq!(result["outcome"]["complete_blocks"], 2);

    for (name, read) in [("one.json", "512"), ("two.json", "4096")] {
        let output = Command::new(trimark())
            .args(["run", "--set", "iterations 6", "--set", &format!("read {read}")])
            .args(["--location", one.to_str().expect("UTF-8"), "--report", "json"])
            .args(["--output", place.path().join(name).to_str().expect("UTF-8")])
            .current_dir(place.path())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let files = ["--arm", "a=file=one.json", "--arm", "b=file=two.json"];
    let result = outcome(place.path(), &files);
    assert_eq!(result["outcome"]["complete_blocks"], 6);
    let warnings = result["outcome"]["warnings"].to_string();
    assert!(warnings.contains("not in turn"), "{warnings}");
    std::fs::write(place.path().join("two.json"), "{}").expect("written");
    let said = refused(place.path(), &files, 2);
    assert!(said.contains("two.json"), "{said}");
}

#[test]
fn without_root_it_says_what_it_can_do_and_does_it() {
    let Some(setpriv) = program("setpriv").filter(|_| root()) else { return };
    let place = scratch();
    let copy = place.path().join("trimark");
    std::fs::copy(trimark(), &copy).expect("a copy that nobody may run");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(place.path(), open).expect("open to all");
    let run = |arguments: &[&str]| -> Output {
        Command::new(&setpriv)
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(&copy)
            .arg("compare")
            .args(arguments)
            .current_dir(place.path())
            .env("TMPDIR", place.path())
            .output()
            .expect("it starts")
    };
    let output = run(&[&["--blocks", "2"], &SHORT[..]].concat());
    let (said, shown) = (text(&output.stderr), text(&output.stdout));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("mounting takes root") && said.contains("dir=DIR"), "{said}");
    assert!(shown.contains("again against as it is"), "{shown}");
    let output = run(&["--arms", "trim"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("takes root") && said.contains("sudo"), "{said}");
}

#[test]
fn a_full_file_system_ends_it_with_what_there_is() {
    if !has_mkfs("ext4") {
        return;
    }
    let place = scratch();
    let arms = ["--arm", "a=noatime", "--arm", "b=relatime", "--scratch=64m"];
    let large = ["--set", "size 1000000", "--set", "number 40", "--set", "transactions 2000"];
    let growing = ["--set", "bias create 10", "--save", "full.jsonl"];
    let output =
        compare(place.path(), &[&arms[..], &large, &growing].concat()).output().expect("it starts");
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{said}");
    assert!(said.contains("space") || said.contains("room"), "{said}");
}

#[test]
fn a_script_holds_a_whole_experiment() {
    let place = scratch();
    let directory = place.path().join("files");
    std::fs::create_dir(&directory).expect("a directory");
    let script = format!(
        "set number 200\nset transactions 200\nset location {}\narm small set read 512\n\
         arm large set read 8192\ncompare blocks=6 save=x.jsonl report=json:out.json\n",
        directory.display()
    );
    std::fs::write(place.path().join("script.pm"), script).expect("written");
    let run = Command::new(trimark())
        .args(["run", "script.pm"])
        .current_dir(place.path())
        .output()
        .expect("it starts");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let document: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out.json")).expect("the report"))
            .expect("JSON");
    assert_eq!(document["outcome"]["complete_blocks"], 6);
    // The same by `report`, from the file.
    let report = Command::new(trimark())
        .args(["report", "x.jsonl", "--format", "json"])
        .current_dir(place.path())
        .output()
        .expect("it starts");
    let again: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(again, document);
}
