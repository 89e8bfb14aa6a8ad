//! Drives brought to a state, on file systems of the tests' own.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use serde_json::Value;
use tempfile::TempDir;
use trimark::conditioning::remains::clean;
use trimark::conditioning::{self, Means, Step};
use trimark::engine::Call;

use crate::experiment::command::compare;
use crate::faults::faulty::{Fault, FaultySystem, Lasting};
use crate::probe::images::{FileSystem, Mounted, format_device};
use crate::support::{entries, root, scratch, stderr, stdout, trimark};

const FILE_SYSTEMS: [&str; 3] = ["ext4", "xfs", "btrfs"];

/// A file system and where its states are remembered.
struct Ground {
    system: FileSystem,
    states: TempDir,
}

impl Ground {
    fn make(kind: &str) -> Option<Self> {
        Some(Self { system: FileSystem::make(kind, &[], "defaults")?, states: scratch() })
    }

    fn trimark(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(trimark());
        command
            .args(arguments)
            .env("TRIMARK_STATE_DIR", self.states.path())
            .current_dir(self.states.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn place(&self) -> String {
        self.system.path().to_string_lossy().into_owned()
    }

    /// `trimark condition DIR STEP`
    fn begin(&self, step: &str) -> Command {
        let place = self.place();
        let words: Vec<&str> = step.split(' ').collect();
        self.trimark(&[&["condition", &place], &words[..]].concat())
    }

    fn condition(&self, step: &str) -> (Option<i32>, String, String) {
        let output = self.begin(step).output().expect("the program starts");
        (output.status.code(), stdout(&output), stderr(&output))
    }

    /// What a step says that succeeds.
    fn conditioned(&self, step: &str) -> String {
        let (code, out, errors) = self.condition(step);
        assert_eq!(code, Some(0), "{step}: {out}{errors}");
        out
    }

    fn made_by_us(&self) -> Vec<String> {
        let all = entries(self.system.path());
        all.into_iter().filter(|name| name.contains("trimark")).collect()
    }

    /// Waits until a fill is under way.
    fn wait_for_files(&self) {
        let begun = Instant::now();
        while !self.made_by_us().iter().any(|name| name.contains("/f")) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no file is made");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The exact number of bytes of a line.
fn bytes(out: &str, line: &str) -> u64 {
    let found = out.lines().find(|text| text.starts_with(line)).unwrap_or_else(|| panic!("{out}"));
    let (_, rest) = found.rsplit_once('(').expect("an exact number");
    let digits = rest.split(" bytes").next().expect("bytes").replace(',', "");
    digits.parse().expect("a number")
}

/// Full means that nothing more can be written; what `free` still says the file system
/// keeps for itself.
fn assert_filled_and_given_back(kind: &str, out: &str) {
    let [before, least, after] =
        ["free before", "at the fullest", "free after"].map(|l| bytes(out, l));
    assert!(least * 3 < before, "{kind}: {out}");
    match kind {
        "ext4" => assert_eq!(before, after, "{out}"),
        // They free some of it at their leisure, or make room for their own lists.
        _ => assert!(after > before / 100 * 85, "{kind}: {out}"),
    }
    assert_eq!(least > 0, out.contains("keeps them for itself"), "{kind}: {out}");
}

#[test]
fn fills_reach_the_last_block_and_purges_return_the_space() {
    for kind in FILE_SYSTEMS {
        let Some(ground) = Ground::make(kind) else { continue };
        for step in ["fill-purge:2 order=random", "sequential-fill", "torture:200ms"] {
            let out = ground.conditioned(step);
            assert_filled_and_given_back(kind, &out);
            assert_eq!(ground.made_by_us(), [""; 0], "{kind} {step}");
        }
        let out = ground.conditioned("trim");
        assert!(out.contains("trimmed"), "{kind}: {out}");
        let probe = ground.trimark(&["probe", &ground.place()]).output().expect("it starts");
        let probe = stdout(&probe);
        let states: Vec<&str> = probe.lines().filter(|line| line.contains("state of")).collect();
        assert_eq!(states.len(), 1, "{probe}");
        for state in ["fill-purge:2 order=random at ", "then torture:", "then trim at "] {
            assert!(probe.contains(state), "{kind}: {probe}");
        }
    }
}

#[test]
fn a_fill_makes_so_many_files_of_such_sizes_up_to_a_level() {
    let Some(ground) = Ground::make("ext4") else { return };
    let out = ground.conditioned("fill-purge files=500 directories=50 size=4k fill=80");
    assert!(out.contains("500 files in 50 directories"), "{out}");
    let out = ground.conditioned("fill-purge files=400 fill=60%");
    // 60 per cent of all blocks are taken then, give or take what directories need.
    let stat = rustix::fs::statvfs(ground.system.path()).expect("a file system");
    let total = stat.f_blocks * stat.f_frsize;
    let taken = (total - bytes(&out, "at the fullest")) as f64 / total as f64;
    assert!((0.58..=0.63).contains(&taken), "{taken} {out}");
}

/// Bytes that a file took on average.
fn each(out: &str) -> f64 {
    let files = out.split(" files in").next().and_then(|text| text.rsplit(' ').next());
    let files = files.map(|digits| digits.replace(',', "")).expect("a number of files");
    let taken = bytes(out, "free before") - bytes(out, "at the fullest");
    taken as f64 / files.parse::<f64>().expect("a number")
}

#[test]
fn sizes_of_files_are_as_asked_for() {
    let Some(ground) = Ground::make("ext4") else { return };
    // Whole blocks (of 1 KiB on so small a file system), and a part of a directory's.
    let even = each(&ground.conditioned("fill-purge size=4k fill=80%"));
    let aside = even - 4096.0;
    assert!((0.0..300.0).contains(&aside), "{even}");
    // The mean is e^(1/2) times the median.
    let lognormal = each(&ground.conditioned("fill-purge size=lognormal:16k:1 fill=80%"));
    assert!((25_000.0..34_000.0).contains(&lognormal), "{lognormal}");
    let tree = scratch();
    std::fs::write(tree.path().join("mail"), [0; 5000]).expect("a file");
    let step = format!("fill-purge fill=80% size=tree:{}", tree.path().display());
    let samples = each(&ground.conditioned(&step));
    assert!((5120.0..5120.0 + 2.0 * aside).contains(&samples), "{samples} beside {even}");
    let (code, _, errors) = ground.condition("fill-purge size=tree:/nothing-here");
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("/nothing-here"), "{errors}");
}

#[test]
fn an_interrupted_step_leaves_nothing_and_can_be_resumed() {
    for kind in FILE_SYSTEMS {
        let Some(ground) = Ground::make(kind) else { continue };
        let running = ground.begin("fill-purge:1000").spawn().expect("the program starts");
        ground.wait_for_files();
        let pid = rustix::process::Pid::from_child(&running);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
        let output = running.wait_with_output().expect("it ends");
        let (out, errors) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(130), "{kind}: {out}{errors}");
        assert!(out.contains("STOPPED") && errors.contains("SIGINT"), "{kind}: {out}{errors}");
        assert_eq!(ground.made_by_us(), [""; 0], "{kind}");
        let probe = ground.trimark(&["probe", &ground.place()]).output().expect("it starts");
        assert!(stdout(&probe).contains("stopped after 0 of 1000 rounds"), "{}", stdout(&probe));
    }
}

#[test]
fn resuming_does_the_rounds_that_are_left() {
    let Some(ground) = Ground::make("ext4") else { return };
    let step = "fill-purge:6 files=20 fill=10%";
    let none = ground.conditioned(&format!("{step} resume"));
    assert!(!none.contains("written"), "{none}");
    let states = std::fs::read_dir(ground.states.path()).expect("a directory").count();
    assert_eq!(states, 0);
    let words = "fill-purge:6 files=20 fill=10%".to_owned();
    ground.conditioned(&words);
    let file = std::fs::read_dir(ground.states.path()).expect("a directory").next();
    let file = file.expect("a state").expect("an entry").path();
    let text = std::fs::read_to_string(&file).expect("text");
    let mut states: Value = serde_json::from_str(&text).expect("JSON");
    states[0]["complete"] = false.into();
    states[0]["rounds"] = 4.into();
    std::fs::write(&file, states.to_string()).expect("a file");
    let out = ground.conditioned(&format!("{words} resume"));
    assert!(out.contains("fill-purge:2") && out.contains("40 files"), "{out}");
    let text = std::fs::read_to_string(&file).expect("text");
    let states: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(states[1]["rounds"], 6, "{states}");
    assert_eq!(states[1]["complete"], true, "{states}");
}

#[test]
fn what_a_killed_fill_made_is_removed_by_clean() {
    for kind in FILE_SYSTEMS {
        let Some(ground) = Ground::make(kind) else { continue };
        std::fs::write(ground.system.path().join("letter"), "dear").expect("a file");
        let mut running = ground.begin("fill-purge:1000").spawn().expect("the program starts");
        ground.wait_for_files();
        // It is busy then, and clean lets it be.
        let output = ground.trimark(&["clean", &ground.place()]).output().expect("it starts");
        assert!(!ground.made_by_us().is_empty(), "{}", stdout(&output));
        running.kill().expect("it is killed");
        running.wait().expect("it ends");
        assert!(!ground.made_by_us().is_empty(), "{kind}");
        let output = ground.trimark(&["clean", &ground.place()]).output().expect("it starts");
        assert!(output.status.success(), "{kind}: {}{}", stdout(&output), stderr(&output));
        assert_eq!(ground.made_by_us(), [""; 0], "{kind}: {}", stdout(&output));
        assert!(ground.system.path().join("letter").exists());
    }
}

#[test]
fn the_file_systems_that_a_system_needs_are_not_filled() {
    for step in [&["fill-purge"][..], &["sequential-fill"], &["torture", "fill=95%"]] {
        let states = scratch();
        let output = Command::new(trimark())
            .args([&["condition", "/"], step].concat())
            .env("TRIMARK_STATE_DIR", states.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{step:?}");
        assert!(stderr(&output).contains("which the system needs room on"), "{step:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_done() {
    let place = scratch();
    for (words, said) in [
        (&["fill-purge:0"][..], "at least 1"),
        (&["fill-purge", "files=3", "directories=4"], "more directories than files"),
        (&["torture:1m", "bytes=1g"], "not both"),
        (&["torture", "record=3k"], "power of two"),
        (&["polish"], "fill-purge"),
        (&["format"], "trimark compare"),
        (&["secure-erase:true"], "trimark compare"),
    ] {
        let here = place.path().to_string_lossy().into_owned();
        let output = Command::new(trimark())
            .args([&["condition", &here], words].concat())
            .env("TRIMARK_STATE_DIR", place.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{words:?}: {}", stderr(&output));
    }
    assert_eq!(entries(place.path()), [""; 0]);
}

#[test]
fn arms_are_brought_to_their_states_before_each_run() {
    if !root() {
        return;
    }
    let place = scratch();
    let arms = [
        "clean=condition=format",
        "used=condition='fill-purge:2 files=50',condition='torture bytes=1m'",
        "trimmed=condition='fill-purge files=50',condition=trim",
    ];
    let arms = arms.iter().flat_map(|arm| ["--arm", arm]);
    let short = ["--set", "number 100", "--set", "transactions 100", "--set", "settle off"];
    let ground = ["--scratch=96m", "--blocks", "1", "--report", "json"];
    let arguments: Vec<&str> = ground.into_iter().chain(arms).chain(short).collect();
    let output = compare(place.path(), &arguments).output().expect("the program starts");
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let outcome: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let runs = outcome["outcome"]["runs"].as_array().unwrap_or_else(|| panic!("{outcome}"));
    let steps = |arm: &str| -> Vec<String> {
        let run = runs.iter().find(|run| run["arm"] == arm).expect("its run");
        let done = run["start"]["conditions"].as_array().expect("conditions");
        assert!(done.iter().all(|done| done["complete"] == true), "{run}");
        done.iter().map(|done| done["step"]["step"].as_str().expect("a name").into()).collect()
    };
    assert_eq!(steps("clean"), ["format"]);
    assert_eq!(steps("used"), ["fill-purge", "torture"]);
    assert_eq!(steps("trimmed"), ["fill-purge", "trim"]);
}

#[test]
fn a_device_is_erased_only_with_its_confirmation() {
    let Some(device) = format_device("ext4", &[]) else { return };
    {
        let mounted = Mounted::new(&[&device.node]);
        std::fs::write(mounted.path().join("letter"), "dear").expect("a file");
    }
    let place = scratch();
    let short = ["--blocks", "1", "--set", "number 50", "--set", "transactions 50"];
    let erase = "erased=condition='secure-erase:blkdiscard -f $TRIMARK_DEVICE'";
    for arm in ["formatted=condition=format", erase] {
        let arguments =
            [&["--device", &device.node, "--arm", "kept=noatime", "--arm", arm][..], &short]
                .concat();
        let output = compare(place.path(), &arguments).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{arm}: {}", stderr(&output));
        assert!(stderr(&output).contains("--yes-erase"), "{arm}: {}", stderr(&output));
        {
            let mounted = Mounted::new(&[&device.node]);
            assert!(mounted.path().join("letter").exists(), "{arm}");
        }
    }
    let yes = ["--yes-erase", &device.node];
    let arm = ["--device", &device.node, "--arm", "kept=noatime", "--arm", erase];
    let output = compare(place.path(), &[&arm[..], &short, &yes].concat()).output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let mounted = Mounted::new(&[&device.node]);
    assert!(!mounted.path().join("letter").exists(), "it was to be erased");
}

/// Brings a directory to a state with a fault at some call; the call it hit.
fn with_fault(directory: &Path, step: &Step, system: &FaultySystem) -> (bool, Option<Call>) {
    let means = Means { system, interrupt: &system.interrupt, watch: &|_| {} };
    let ended = conditioning::carry_out(step, directory, &means);
    let sound = ended.is_ok_and(|(done, outcome)| done.complete && outcome.is_ok());
    (sound, system.hit().map(|hit| hit.call))
}

#[test]
fn a_fault_at_any_call_leaves_nothing_that_clean_does_not_remove() {
    if !root() {
        return;
    }
    let memory = Mounted::new(&["-t", "tmpfs", "-o", "size=2m", "none"]);
    for step in ["fill-purge:2 files=12 directories=3", "torture bytes=256k depth=2"] {
        let step = Step::parse(step).expect("a step");
        let sound = FaultySystem::sound();
        assert!(with_fault(memory.path(), &step, &sound).0);
        // A fill of one file has many calls of one kind: some of each are enough.
        let calls = sound.calls();
        let every = (calls / 100).max(1) as usize;
        let faults = [Fault::Error(Errno::IO), Fault::Stop, Fault::Half];
        for fault in faults {
            for at in (1..=calls).step_by(every) {
                let system = FaultySystem::new(at, fault, Lasting::Once);
                let (complete, call) = with_fault(memory.path(), &step, &system);
                let context = format!("{fault:?} at {at} ({call:?}) of {step}");
                match (fault, call) {
                    // Once all is being deleted there is nothing to stop.
                    (Fault::Stop, _) => assert!(!complete || at > calls / 2, "{context}"),
                    (Fault::Half, _) => assert!(complete, "{context}"),
                    (_, Some(Call::Close)) => {}
                    _ => assert!(!complete, "{context}"),
                }
                let left = entries(memory.path());
                if !left.is_empty() {
                    assert_eq!(fault, Fault::Error(Errno::IO), "{context}: {left:?}");
                    clean(memory.path()).expect("cleaning");
                    assert_eq!(entries(memory.path()), [""; 0], "{context}");
                }
            }
        }
    }
}

#[test]
fn a_device_node_is_no_place_to_bring_to_a_state() {
    let Some(device) = format_device("ext4", &[]) else { return };
    let place = scratch();
    let link = place.path().join("link");
    std::os::unix::fs::symlink(&device.node, &link).expect("a link");
    let link = link.to_string_lossy().into_owned();
    let before = std::fs::read(&device.image).expect("an image");
    for node in [&device.node, &link] {
        for step in ["fill-purge", "sequential-fill", "torture:1s", "trim"] {
            let output = Command::new(trimark())
                .args(["condition", node, step])
                .env("TRIMARK_STATE_DIR", place.path())
                .stdin(Stdio::null())
                .output()
                .expect("the program starts");
            assert_eq!(output.status.code(), Some(2), "{step}: {}", stderr(&output));
            assert!(stderr(&output).contains("is no directory"), "{step}: {}", stderr(&output));
        }
    }
    assert!(std::fs::read(&device.image).expect("an image") == before, "it was written to");
}
