//! What is said of a drive that slows down as flash does: where it becomes slow, what
//! being used costs, and what trimming brings back.

mod drive;

use std::path::{Path, PathBuf};

use drive::FlashDrive;
use trimark::conditioning::{self, Means, Step};
use trimark::experiment::analysis;
use trimark::experiment::file::ExperimentFile;
use trimark::experiment::outcome::Outcome;
use trimark::experiment::plan::{Arm, Blocks, VolumePlan};
use trimark::experiment::play::Player;
use trimark::experiment::record::Start;
use trimark::experiment::request::{About, Request, RequestError};
use trimark::experiment::stage::{Ready, Stage, StageError};
use trimark::interrupt::{Interrupt, Signals};
use trimark::report::FORMATS;
use trimark::report::experiment::OUTCOME_FORMATS;
use trimark::runner::measurement::RunResult;
use trimark::runner::{NoProgress, Runner};
use trimark::script::{Dialect, Overrides, Session};
use trimark::workload::Config;

use crate::experiment::model::Silent;
use crate::measuring::config;
use crate::probe::images::Mounted;
use crate::support::{root, run_in, scratch, stderr, trimark};

/// Bytes of the drive, and of the file that is written to it.
const CAPACITY: u64 = 48 << 20;
const FILE: u64 = 32 << 20;
const TRANSFERS: [&str; 5] =
    ["workload transfers", "patterns write", "records 64k", "file-size 32m", "interval 10ms"];

/// The same for arms: twice through half of the file.
const COMPARED: [&str; 5] =
    ["workload transfers", "patterns write", "records 64k 256k", "file-size 16m", "interval 5ms"];

/// A file system in memory of the size of the drive; none after saying that the test is
/// skipped.
fn memory() -> Option<Mounted> {
    root().then(|| Mounted::new(&["-t", "tmpfs", "-o", "size=48m", "none"]))
}

fn play(drive: &FlashDrive, config: &Config) -> RunResult {
    let progress = &mut NoProgress;
    let mut runner =
        Runner { system: drive, clock: drive, interrupt: Interrupt::default(), progress };
    runner.run(config, &[]).expect("nothing to refuse")
}

#[test]
fn the_cliff_is_found_at_its_byte() {
    let Some(memory) = memory() else { return };
    for erased in [12 << 20, 20 << 20, 27 << 20] {
        let drive = FlashDrive::new(CAPACITY, true);
        let used = (CAPACITY - erased) / (64 << 10);
        let before = format!("file-size {}", used * (64 << 10));
        play(&drive, &config(memory.path(), &[&TRANSFERS[..3], &[&before]].concat()));
        assert_eq!(drive.erased(), erased);

        let result = play(&drive, &config(memory.path(), &TRANSFERS));
        let cliff = result.transfers[0].cliff.unwrap_or_else(|| panic!("none at {erased}"));
        // One interval of 10 ms at 200 MB/s either way.
        assert!(cliff.after_bytes.abs_diff(erased) <= 2_100_000, "{erased}: {cliff:?}");
        assert!((0.88..=0.92).contains(&cliff.depth()), "{cliff:?}");
        let full = FORMATS.iter().find(|row| row.name == "full").expect("a report");
        let mut report = Vec::new();
        (full.render)(&result, &mut report).expect("a report");
        let report = String::from_utf8(report).expect("UTF-8");
        assert!(report.contains("CLIFF after ") && report.contains("90 % less"), "{report}");
    }
}

#[test]
fn a_drive_that_does_not_wear_has_no_cliff() {
    let Some(memory) = memory() else { return };
    let drive = FlashDrive::new(FILE / 2, false);
    let result = play(&drive, &config(memory.path(), &TRANSFERS));
    assert_eq!(result.transfers[0].cliff, None);
}

/// Brings the model to the state of an arm. Trims reach it, as the file system in memory
/// has none.
struct States<'d> {
    drive: &'d FlashDrive,
    directory: PathBuf,
}

impl Stage for States<'_> {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        let interrupt = Interrupt::default();
        let means = Means { system: self.drive, interrupt: &interrupt, watch: &|_| {} };
        let mut start = Start::default();
        for step in &arm.conditions {
            match step {
                Step::Trim | Step::Format => self.drive.discard(),
                step => {
                    let (done, outcome) = conditioning::carry_out(step, &self.directory, &means)
                        .map_err(StageError::machine)?;
                    outcome.map_err(StageError::machine)?;
                    start.conditions.push(done);
                }
            }
        }
        Ok(Ready {
            directory: self.directory.clone(),
            start,
            options_in_force: vec![],
            identity: arm.name.clone(),
            unverified: vec![],
        })
    }

    fn image_bytes(&self, _: &Arm) -> Option<u64> {
        None
    }
}

/// Clean, used and trimmed arms on a drive.
fn compared(memory: &Path, wears: bool) -> Outcome {
    let arm = |name: &str, conditions: &[&str]| Arm {
        name: name.into(),
        conditions: conditions.iter().map(|step| Step::parse(step).expect("a step")).collect(),
        directory: Some(memory.to_owned()),
        ..Arm::default()
    };
    let arms = vec![
        arm("clean", &["format"]),
        arm("used", &["format", "fill-purge:2 size=100k-900k"]),
        arm("trimmed", &["format", "fill-purge:2 size=100k-900k", "trim"]),
    ];
    let config = config(memory, &COMPARED);
    let about = About {
        config: &config,
        config_files: &[],
        command: vec!["trimark".into(), "compare".into()],
        default_arm_set: None,
    };
    let request = Request { arms, seed: Some(3), ..Request::default() };
    let plan = request.plan::<RequestError>(&about, &|_| Ok(config.clone()));
    let mut plan = plan.expect("a plan");
    plan.volume = VolumePlan::Directories { directory: memory.to_owned() };
    plan.blocks = Blocks::Fixed { blocks: 6 };
    let drive = FlashDrive::new(CAPACITY, wears);
    let place = scratch();
    let mut file =
        ExperimentFile::create(&place.path().join("flash.jsonl"), &plan).expect("a file");
    let mut stage = States { drive: &drive, directory: memory.to_owned() };
    let (interrupt, progress) = (Interrupt::default(), &mut Silent);
    let mut run = |config: &Config| Ok(play(&drive, config));
    let mut player = Player {
        plan: &plan,
        stage: &mut stage,
        run: &mut run,
        file: &mut file,
        interrupt,
        progress,
    };
    let played = player.play(Vec::new());
    assert!(played.halt.is_none(), "{:?}", played.halt);
    analysis::outcome(&plan, &played.runs, Some(played.end))
}

fn rendered(outcome: &Outcome, format: &str) -> String {
    let row = OUTCOME_FORMATS.iter().find(|row| row.name == format).expect("a format");
    let mut bytes = Vec::new();
    (row.render)(outcome, &mut bytes).unwrap_or_else(|error| panic!("{format}: {error}"));
    String::from_utf8(bytes).expect("UTF-8")
}

/// What is said of an arm against the clean one.
fn sentence(text: &str, arm: &str) -> String {
    let start = format!("  {arm} against clean: ");
    let found = text.lines().find(|line| line.starts_with(&start));
    found.unwrap_or_else(|| panic!("{arm}: {text}")).trim_start_matches(&start).to_owned()
}

#[test]
fn a_used_drive_is_slower_and_trimming_brings_it_back() {
    let Some(memory) = memory() else { return };
    let outcome = compared(memory.path(), true);
    let text = rendered(&outcome, "text");
    assert!(sentence(&text, "used").starts_with("slower by 9"), "{text}");
    assert!(sentence(&text, "trimmed").starts_with("no difference larger than"), "{text}");
    assert!(text.contains("States of the drive: transfer_write in per cent of clean"), "{text}");
    let share = |arm: &str| {
        let line =
            text.lines().find(|line| line.starts_with(&format!("  {arm}  ")) && line.contains('█'));
        let line = line.unwrap_or_else(|| panic!("{arm}: {text}"));
        let figure = line.rsplit('█').next().expect("a figure").trim();
        figure.split(' ').next().expect("a figure").parse::<f64>().expect("a number")
    };
    assert!((9.0..=11.0).contains(&share("used   ")), "{text}");
    assert!((97.0..=103.0).contains(&share("trimmed")), "{text}");
    let html = rendered(&outcome, "html");
    for title in ["over time", "by position", "by size of record", "per cent of clean"] {
        assert!(html.contains(title), "{title}");
    }
    for plot in ["svg-speeds", "svg-times", "svg-positions", "svg-recovery"] {
        let svg = rendered(&outcome, plot);
        assert!(svg.contains("</svg>") && !svg.contains("NaN"), "{plot}: {svg}");
    }
}

#[test]
fn on_a_drive_that_does_not_wear_no_state_differs() {
    let Some(memory) = memory() else { return };
    let text = rendered(&compared(memory.path(), false), "text");
    for arm in ["used", "trimmed"] {
        assert!(sentence(&text, arm).starts_with("no difference larger than"), "{text}");
    }
    assert!(!text.contains("CLIFF"), "{text}");
}

/// What a script says that is played on a drive.
fn script(drive: &FlashDrive, place: &Path, settings: &[&str]) -> String {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let signals = Signals::default();
    let mut session =
        Session::new(Dialect::Trimark, Overrides::default(), signals, &mut out, &mut errors)
            .with_system(drive)
            .with_clock(drive);
    let location = format!("location \"{}\"", place.display());
    for setting in settings.iter().copied().chain([location.as_str()]) {
        session.line("test", 1, &format!("set {setting}"));
    }
    session.line("test", 2, "run");
    assert_eq!(session.worst(), 0, "{}", String::from_utf8_lossy(&errors));
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn rounds_go_on_until_the_drive_is_steady() {
    let Some(memory) = memory() else { return };
    // Three rounds find erased blocks for all, those after them for nothing.
    let drive = FlashDrive::new(CAPACITY, true);
    let settings =
        [&TRANSFERS[..3], &["file-size 16m", "steady transfer_write rounds=12"]].concat();
    let out = script(&drive, memory.path(), &settings);
    assert!(out.contains("STEADY STATE in rounds 4 to 8: 20."), "{out}");
    assert_eq!(out.matches("  steady\n").count(), 5, "{out}");

    let drive = FlashDrive::new(CAPACITY, true);
    let short = [&TRANSFERS[..3], &["file-size 16m", "steady transfer_write rounds=6"]].concat();
    let out = script(&drive, memory.path(), &[&short[..], &["report full json"]].concat());
    assert!(out.contains("NO STEADY STATE in 6 rounds"), "{out}");
    let last = out.lines().rfind(|line| line.starts_with('{')).expect("JSON");
    let last: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!((&last["round"]["number"], &last["round"]["of"]), (&6.into(), &6.into()));
    assert!(last["round"]["steady"].is_null() && last["round"]["value"].is_number(), "{last}");
    assert!(last["warnings"].to_string().contains("no steady state"), "{last}");
    assert_eq!(crate::schema::violations(&last), [""; 0]);
}

#[test]
fn a_script_that_cannot_become_steady_is_refused() {
    let place = scratch();
    for (setting, said) in [
        ("steady speed", "no metric `speed`"),
        ("steady transfer_write rounds=3", "5 rounds in a row"),
        ("steady transfer_write window=2", "from 3 to"),
        ("steady transfer_write bound=2", "no option of `set steady`"),
    ] {
        let script = format!("set {setting}\nrun\n");
        std::fs::write(place.path().join("script"), script).expect("a script");
        let output = run_in(place.path(), trimark(), &["script"], "");
        assert_eq!(output.status.code(), Some(2), "{setting}");
        assert!(stderr(&output).contains(said), "{setting}: {}", stderr(&output));
    }
}
