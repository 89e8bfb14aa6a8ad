//! How fast the program is, as ratios against the real PostMark in the same run, and its
//! own cost per operation with the null engine.
//!
//! `cargo bench --bench speed [-- PAIRS]`. PostMark and a tmpfs at `/dev/shm` are needed
//! for the ratios; what is missing is said.

mod numbers;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use numbers::{median, sorted};
use trimark::workload::policy::LatencyLevel;

/// One comparison: a name, a script without location and `run`, the ratio to be reached.
struct Scenario {
    name: &'static str,
    script: &'static str,
    bound: f64,
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "script of 2011",
        script: "set buffering false\nset size 500 100000\nset read 4096\nset write 4096\n\
                 set number 10000\nset transactions 20000\n",
        bound: 1.0,
    },
    Scenario {
        name: "200,000 small files",
        script: "set size 100 200\nset buffering false\nset number 200000\nset transactions 800000\n",
        bound: 0.45,
    },
    Scenario {
        name: "full table",
        script: "set number 50000\nset transactions 100000\nset bias create 10\n",
        bound: 0.15,
    },
];

fn main() {
    let pairs = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(7);
    if pairs > 0 {
        ratios(pairs);
    }
    own_cost();
    memory();
}

fn ratios(pairs: usize) {
    let postmark = Path::new("/usr/bin/postmark");
    if !postmark.exists() || !Path::new("/dev/shm").is_dir() {
        println!("SKIPPED: ratios need `postmark` (Debian's package) and a tmpfs at /dev/shm");
        return;
    }
    println!("wall time on tmpfs, median of {pairs} pairs in turn");
    println!(
        "{:<22}{:>12}{:>12}{:>9}{:>18}{:>9}",
        "", "trimark s", "PostMark s", "ratio", "(least, most)", "bound"
    );
    for scenario in SCENARIOS {
        let place = tempfile::tempdir_in("/dev/shm").expect("a directory on tmpfs");
        let input = format!(
            "{}set report terse\nset location {}\nrun\nquit\n",
            scenario.script,
            place.path().display()
        );
        let mut times: Vec<[f64; 2]> = Vec::new();
        for pair in 0..=pairs {
            let ours = || time(Command::new(trimark()).arg("--no-rc"), &input);
            let theirs = || time(&mut Command::new(postmark), &input);
            // Alternate the order, so that neither always comes second.
            let both = if pair % 2 == 0 {
                [ours(), theirs()]
            } else {
                let [theirs, ours] = [theirs(), ours()];
                [ours, theirs]
            };
            if pair > 0 {
                times.push(both); // the first pair warms up
            }
        }
        let ratios = sorted(times.iter().map(|[ours, theirs]| ours / theirs));
        let of = |which: usize| median(&sorted(times.iter().map(|pair| pair[which])));
        println!(
            "{:<22}{:>12.3}{:>12.3}{:>9.3}{:>18}{:>9.2}",
            scenario.name,
            of(0),
            of(1),
            median(&ratios),
            format!("({:.3}, {:.3})", ratios[0], ratios[ratios.len() - 1]),
            scenario.bound
        );
    }
}

fn trimark() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_trimark"))
}

fn time(command: &mut Command, input: &str) -> f64 {
    let mut file = tempfile::tempfile().expect("a temporary file");
    std::io::Write::write_all(&mut file, input.as_bytes()).expect("written");
    std::io::Seek::rewind(&mut file).expect("rewound");
    let begun = Instant::now();
    let status = command.stdin(file).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("it starts").success(), "{command:?} failed");
    begun.elapsed().as_secs_f64()
}

/// The program's own time, with the engine that does nothing.
fn own_cost() {
    println!("\nown time (null engine, `set latency off`)");
    let per_transaction: Vec<f64> = [10_000u64, 100_000, 1_000_000]
        .into_iter()
        .map(|number| {
            let run = null_run(number, 4_000_000, LatencyLevel::Off);
            let nanoseconds = run.transactions.as_nanos() as f64;
            println!(
                "  pool of {number:>9}: {:>6.1} ns per operation, {:>6.1} ns per transaction",
                run.total.as_nanos() as f64 / run.operations as f64,
                nanoseconds / 4e6
            );
            nanoseconds / 4e6
        })
        .collect();
    println!(
        "  growth from 10,000 to 1,000,000: {:.2} (bound 1.50); bound 150 ns per operation",
        per_transaction[2] / per_transaction[0]
    );
    let measured = null_run(10_000, 4_000_000, LatencyLevel::Operations);
    println!(
        "  with `set latency operations`, the default: {:.1} ns per operation",
        measured.total.as_nanos() as f64 / measured.operations as f64
    );
}

struct NullRun {
    transactions: Duration,
    total: Duration,
    operations: u64,
}

/// The fastest of five runs: what the machine does besides only adds.
fn null_run(number: u64, transactions: u64, latency: LatencyLevel) -> NullRun {
    use trimark::interrupt::Interrupt;
    use trimark::runner::clock::MonotonicClock;
    use trimark::runner::measurement::Phase;
    use trimark::runner::{NoProgress, Runner};
    use trimark::workload::{Config, EngineKind, OperationKind};

    let engine = EngineKind::Null;
    let config = Config { number, transactions, engine, latency, ..Config::default() };
    (0..5)
        .map(|_| {
            let clock = MonotonicClock::start();
            let mut runner = Runner {
                system: &trimark::engine::Kernel,
                clock: &clock,
                interrupt: Interrupt::default(),
                progress: &mut NoProgress,
            };
            let run = runner.run(&config, &[]).expect("nothing to refuse");
            let count = |kind| run.operations.of(kind).total().count;
            NullRun {
                transactions: Duration::from_nanos(run.elapsed(Phase::Transactions).unwrap_or(0)),
                total: Duration::from_nanos(run.total().unwrap_or(0)),
                operations: OperationKind::ALL.into_iter().map(count).sum(),
            }
        })
        .min_by_key(|run| run.total)
        .expect("five runs")
}

/// Peak memory of a pool of ten million files.
fn memory() {
    const FILES: u64 = 10_000_000;
    let script = format!("set engine null\nset number {FILES}\nset transactions {FILES}\nrun\n");
    let mut child = Command::new(trimark())
        .arg("--no-rc")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, script.as_bytes()).expect("written");
    drop(stdin);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0u64;
    while child.try_wait().expect("a child").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kib = text
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_millis(5));
    }
    println!(
        "\npool of {FILES} files: peak memory {:.1} MiB, {:.1} bytes per file (bound 32)",
        peak as f64 / 1_048_576.0,
        peak as f64 / FILES as f64
    );
}
