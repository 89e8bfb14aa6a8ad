//! Who is measured: each makes and unlinks the same number of files of one size, and says
//! how many it managed per second.

use std::ffi::CString;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, OFlags};
use trimark::interrupt::Interrupt;
use trimark::runner::clock::MonotonicClock;
use trimark::runner::measurement::{Phase, RunResult};
use trimark::runner::{NoProgress, Runner};
use trimark::workload::config::{Config, EngineKind, Location};
use trimark::workload::policy::{LatencyLevel, SyncPolicy};

use crate::volume::{Volume, program};

/// What all of them do.
#[derive(Clone, Copy)]
pub struct Contest {
    /// Bytes of each file, written in one piece.
    pub size: u64,
    /// Files of each thread.
    pub files: u64,
    pub threads: u64,
    /// Whether each file is synced before it is closed.
    pub fsync: bool,
}

/// Files per second, all threads together; none where a contender cannot do it.
#[derive(Clone, Copy, Default)]
pub struct Rates {
    pub create: Option<f64>,
    pub unlink: Option<f64>,
}

pub struct Contender {
    pub name: &'static str,
    pub measure: fn(&Volume, Contest) -> Rates,
}

pub const TRIMARK: usize = 0;
pub const FLOOR: usize = 2;
pub const FS_MARK: usize = 3;

pub const CONTENDERS: &[Contender] = &[
    Contender {
        name: "trimark",
        measure: |volume, contest| trimark(volume, contest, LatencyLevel::Operations),
    },
    Contender {
        name: "latency off",
        measure: |volume, contest| trimark(volume, contest, LatencyLevel::Off),
    },
    Contender { name: "floor", measure: floor },
    Contender { name: "fs_mark", measure: fs_mark },
    Contender { name: "PostMark", measure: postmark },
    Contender { name: "fio", measure: fio },
];

/// At least this much is written by one call.
const BLOCK: u64 = 16_384;

fn trimark(volume: &Volume, contest: Contest, latency: LatencyLevel) -> Rates {
    let place = volume.scratch();
    let config = Config {
        size_low: contest.size,
        size_high: contest.size,
        number: contest.files,
        transactions: 1,
        write_block: BLOCK,
        engine: EngineKind::Sync,
        workers: contest.threads,
        sync: if contest.fsync { SyncPolicy::Close } else { SyncPolicy::None },
        locations: vec![Location { path: place.path().into(), weight: 1 }],
        latency,
        ..Config::default()
    };
    let result = play(&config);
    let rate = |count: u64, phase| {
        Some(count as f64 * 1e9 / result.elapsed(phase).expect("every phase was played") as f64)
    };
    Rates {
        create: rate(result.operations.create.alone.count, Phase::Creation),
        unlink: rate(result.operations.delete.alone.count, Phase::Deletion),
    }
}

/// One run by the library.
pub fn play(config: &Config) -> RunResult {
    let clock = MonotonicClock::start();
    let mut runner = Runner {
        system: &trimark::engine::Kernel,
        clock: &clock,
        interrupt: Interrupt::default(),
        progress: &mut NoProgress,
    };
    let result = runner.run(config, &[]).expect("nothing to refuse");
    assert!(result.is_complete(), "{:?}", result.status);
    result
}

/// The same system calls on the same names, and nothing else.
fn floor(volume: &Volume, contest: Contest) -> Rates {
    let place = volume.scratch();
    let names: Vec<CString> = (1..=contest.files)
        .map(|number| CString::new(number.to_string()).expect("digits"))
        .collect();
    let directories: Vec<std::fs::File> = (0..contest.threads)
        .map(|thread| {
            let path = place.path().join(format!("w{thread}"));
            std::fs::create_dir(&path).expect("made");
            std::fs::File::open(&path).expect("opened")
        })
        .collect();
    let bytes = vec![0u8; contest.size as usize];
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let create = together(&directories, |directory| {
        for name in &names {
            let mode = Mode::from_raw_mode(0o644);
            let file = rustix::fs::openat(directory, name, flags, mode).expect("opened");
            assert_eq!(rustix::io::write(&file, &bytes), Ok(bytes.len()));
            if contest.fsync {
                rustix::fs::fsync(&file).expect("synced");
            }
            drop(file);
        }
    });
    let unlink = together(&directories, |directory| {
        for name in &names {
            rustix::fs::unlinkat(directory, name, AtFlags::empty()).expect("unlinked");
        }
    });
    let rate = |time: Duration| Some((contest.files * contest.threads) as f64 / time.as_secs_f64());
    Rates { create: rate(create), unlink: rate(unlink) }
}

/// The time from the first to start to the last to end, of a thread per directory.
fn together(directories: &[std::fs::File], body: impl Fn(&std::fs::File) + Sync) -> Duration {
    let barrier = Barrier::new(directories.len());
    let play = |directory| {
        barrier.wait();
        let begun = Instant::now();
        body(directory);
        (begun, Instant::now())
    };
    let play = &play;
    let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let start = |directory| scope.spawn(move || play(directory));
        let threads: Vec<_> = directories.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("it worked")).collect()
    });
    let begun = times.iter().map(|(begun, _)| *begun).min().expect("a thread");
    times.iter().map(|(_, ended)| *ended - begun).max().expect("a thread")
}

/// `fs_mark` gives whole microseconds for unlinks, too coarse. Its creates are as it
/// reports them; the rest of its time, but for what a run of one file takes, is unlinks.
fn fs_mark(volume: &Volume, contest: Contest) -> Rates {
    let Some(program) = program("fs_mark") else { return Rates::default() };
    let run = |files: u64| {
        let place = volume.scratch();
        let mut command = Command::new(&program);
        command.current_dir(place.path());
        for thread in 0..contest.threads {
            command.arg("-d").arg(format!("d{thread}")); // it takes short paths only
        }
        let (size, files) = (contest.size.to_string(), files.to_string());
        let (threads, sync) = (contest.threads.to_string(), u8::from(contest.fsync).to_string());
        command.args(["-s", &size, "-n", &files, "-t", &threads, "-S", &sync]);
        output(&mut command)
    };
    let (start_up, _) = run(1);
    let (wall, text) = run(contest.files);
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let create: f64 = last
        .split_whitespace()
        .nth(3)
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no rate in fs_mark's `{last}`"));
    let files = (contest.files * contest.threads) as f64;
    let rest = (wall.saturating_sub(start_up)).as_secs_f64() - files / create;
    // What is left of seconds of syncs is no measurement.
    let plain = rest > wall.as_secs_f64() / 20.0;
    Rates { create: Some(create), unlink: plain.then(|| files / rest) }
}

/// PostMark's own figures are of whole seconds; the times here are those at which it says
/// what it is doing.
fn postmark(volume: &Volume, contest: Contest) -> Rates {
    let installed = program("postmark").filter(|_| contest.threads == 1 && !contest.fsync);
    let Some(program) = installed else { return Rates::default() };
    let place = volume.scratch();
    let script = format!(
        "set buffering false\nset size {0} {0}\nset write {BLOCK}\nset number {1}\n\
         set transactions 10\nset location {2}\nrun\nquit\n",
        contest.size,
        contest.files,
        place.path().display()
    );
    let mut file = tempfile::tempfile().expect("a temporary file");
    std::io::Write::write_all(&mut file, script.as_bytes()).expect("written");
    std::io::Seek::rewind(&mut file).expect("rewound");
    let mut command = Command::new(program);
    command.current_dir(place.path()).stdin(file).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut pipe = child.stdout.take().expect("a pipe");
    let (mut text, mut seen) = (String::new(), Vec::new());
    let mut buffer = [0u8; 4096];
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        text.push_str(&String::from_utf8_lossy(&buffer[..length]));
        seen.push((text.len(), Instant::now()));
    }
    assert!(child.wait().expect("a child").success());
    let when = |words: &str| {
        let end = text.find(words).unwrap_or_else(|| panic!("no `{words}`")) + words.len();
        seen.iter().find(|(length, _)| *length >= end).expect("it was read").1
    };
    let rate = |begun: &str, ended: &str| {
        Some(contest.files as f64 / (when(ended) - when(begun)).as_secs_f64())
    };
    Rates {
        create: rate("Creating files...", "Performing"),
        unlink: rate("Deleting files...", "Deleting files...Done"),
    }
}

/// fio's `filecreate` opens and closes, but writes nothing; it has no fsync.
fn fio(volume: &Volume, contest: Contest) -> Rates {
    let installed = program("fio").filter(|_| !contest.fsync);
    let Some(program) = installed else { return Rates::default() };
    let run = |engine: &str| {
        let place = volume.scratch();
        let directories: Vec<String> = (0..contest.threads)
            .map(|thread| {
                let path = place.path().join(format!("w{thread}"));
                std::fs::create_dir(&path).expect("made");
                path.display().to_string()
            })
            .collect();
        let mut command = Command::new(&program);
        command.current_dir(place.path());
        command.args(["--name=peers", "--thread", "--rw=write", "--fallocate=none"]);
        command.args(["--openfiles=1", "--file_service_type=sequential"]);
        command.args(["--output-format=json".into(), format!("--ioengine={engine}")]);
        command.args([
            format!("--directory={}", directories.join(":")),
            format!("--numjobs={}", contest.threads),
            format!("--nrfiles={}", contest.files),
            format!("--filesize={}", contest.size),
            format!("--bs={}", contest.size),
        ]);
        let (_, text) = output(&mut command);
        let report: serde_json::Value =
            serde_json::from_str(&text[text.find('{').unwrap_or(0)..]).expect("fio's JSON");
        let jobs = report["jobs"].as_array().expect("jobs");
        Some(jobs.iter().filter_map(|job| job["write"]["iops"].as_f64()).sum())
    };
    let create = if contest.size == 1 { run("filecreate") } else { None };
    Rates { create, unlink: run("filedelete") }
}

/// Runs a program to its end: how long it took and what it printed.
fn output(command: &mut Command) -> (Duration, String) {
    let begun = Instant::now();
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let wall = begun.elapsed();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {errors}");
    (wall, String::from_utf8_lossy(&output.stdout).into_owned())
}
