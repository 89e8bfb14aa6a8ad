//! Transfers of one large file next to fio's with the same parameters: bytes per second,
//! and the processor's time for them.
//!
//! `cargo bench --bench transfers [-- ROUNDS]`, with `fio` installed; ext4 as root.

mod numbers;
#[path = "peers/volume.rs"]
mod volume;

use std::path::Path;
use std::process::Command;

use numbers::{median, sorted};
use serde_json::Value;
use volume::{Volume, program};

/// At least so fast as fio.
const SPEED: f64 = 0.95;
/// No more of the processor's time than fio.
const PROCESSOR: f64 = 1.0;
/// Bytes of the file: a second and more of each pass, or where that is less, all of it.
const FILE: u64 = 256 << 20;

const PATTERNS: [(&str, &str); 4] = [
    ("rewrite", "write"),
    ("read", "read"),
    ("random-write", "randwrite"),
    ("random-read", "randread"),
];

/// What is moved.
#[derive(Clone, Copy)]
struct Contest {
    /// Our name for it, and fio's.
    pattern: (&'static str, &'static str),
    record: u64,
    direct: bool,
    depth: u64,
}

/// What it came to: bytes and processor seconds, both by second.
#[derive(Clone, Copy)]
struct Measured {
    rate: f64,
    processor_per_byte: f64,
}

fn main() {
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(5).max(1);
    let Some(fio) = program("fio") else {
        println!("SKIPPED: `fio` is not installed (Debian's package fio)");
        return;
    };
    println!("MB/s, median of {rounds} pairs in turn; CPU: seconds by bytes, ours by fio's");
    for volume in [Volume::in_memory(), Volume::ext4()] {
        match volume {
            Ok(volume) => contests(&volume, &fio, rounds),
            Err(reason) => println!("SKIPPED: {reason}"),
        }
    }
}

fn contests(volume: &Volume, fio: &Path, rounds: usize) {
    println!(
        "\n{:<44}{:>10}{:>10}{:>8}{:>7}{:>8}{:>7}",
        volume.name, "trimark", "fio", "ratio", "bound", "CPU", "bound"
    );
    for direct in [false, true] {
        for depth in [1, 32] {
            for record in [4 << 10, 1 << 20] {
                for pattern in PATTERNS {
                    contest(volume, fio, Contest { pattern, record, direct, depth }, rounds);
                }
            }
        }
    }
}

fn contest(volume: &Volume, fio: &Path, contest: Contest, rounds: usize) {
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let (mut ours, mut theirs) = (None, None);
        // Each goes first as often as the other.
        for turn in 0..2 {
            let directory = volume.scratch();
            volume.settle();
            if (turn + round) % 2 == 0 {
                ours = by_trimark(directory.path(), contest);
            } else {
                theirs = by_fio(fio, directory.path(), contest);
            }
        }
        pairs.extend(ours.zip(theirs));
    }
    let title = format!(
        "{} {}, {}, depth {}",
        contest.pattern.0,
        if contest.record < 1 << 20 { "4k" } else { "1m" },
        if contest.direct { "direct" } else { "cached" },
        contest.depth
    );
    if pairs.is_empty() {
        println!("{title:<44}{:>10}", "cannot be");
        return;
    }
    let middle = |of: &dyn Fn(&(Measured, Measured)) -> f64| median(&sorted(pairs.iter().map(of)));
    let ratio = middle(&|(ours, theirs)| ours.rate / theirs.rate);
    let processor = middle(&|(ours, theirs)| ours.processor_per_byte / theirs.processor_per_byte);
    let mark = |good: bool| if good { " " } else { "!" };
    println!(
        "{title:<44}{:>10.0}{:>10.0}{ratio:>8.2}{SPEED:>6.2}{}{processor:>8.2}{PROCESSOR:>6.2}{}",
        middle(&|(ours, _)| ours.rate / 1e6),
        middle(&|(_, theirs)| theirs.rate / 1e6),
        mark(ratio >= SPEED),
        mark(processor <= PROCESSOR),
    );
}

/// None where it cannot be, such as past a cache that the file system has no way around.
fn by_trimark(directory: &Path, contest: Contest) -> Option<Measured> {
    let script = format!(
        "set workload transfers\nset patterns {}\nset records {}\nset file-size {FILE}\n\
         set direct {}\nset depth {}\nset report json\nset location \"{}\"\nrun\n",
        contest.pattern.0,
        contest.record,
        contest.direct,
        contest.depth,
        directory.display()
    );
    let path = directory.join("script");
    std::fs::write(&path, script).expect("a script");
    let output = Command::new(env!("CARGO_BIN_EXE_trimark")).arg(&path).output();
    let output = output.expect("trimark starts");
    let result: Value = serde_json::from_slice(&output.stdout).ok()?;
    let passes = result["transfers"].as_array()?;
    let pass = passes.iter().find(|pass| pass["pattern"] == contest.pattern.0.replace('-', "_"))?;
    let number = |value: &Value| value.as_u64().map(|number| number as f64);
    let seconds = (number(&pass["end"])? - number(&pass["start"])?) / 1e9;
    let bytes = number(&pass["bytes"])?;
    let processor = number(&pass["process"]["user_ns"])? + number(&pass["process"]["system_ns"])?;
    Some(Measured { rate: bytes / seconds, processor_per_byte: processor / 1e9 / bytes })
}

fn by_fio(fio: &Path, directory: &Path, contest: Contest) -> Option<Measured> {
    let engine = if contest.depth == 1 { "psync" } else { "io_uring" };
    let lay_out = format!(
        "--name=t --filename={}/t --filesize={FILE} --bs=1m --rw=write --end_fsync=0",
        directory.display()
    );
    let laid = Command::new(fio).args(lay_out.split(' ')).output().expect("fio starts");
    if !laid.status.success() {
        return None;
    }
    let options = format!(
        "--name=t --filename={}/t --filesize={FILE} --bs={} --rw={} --direct={} --ioengine={engine} \
         --iodepth={} --invalidate=0 --fallocate=none --overwrite=1 --refill_buffers=0 \
         --output-format=json",
        directory.display(),
        contest.record,
        contest.pattern.1,
        u8::from(contest.direct),
        contest.depth
    );
    let output = Command::new(fio).args(options.split(' ')).output().expect("fio starts");
    let result: Value = serde_json::from_slice(&output.stdout).ok()?;
    let job = &result["jobs"][0];
    if job["error"] != 0 {
        return None;
    }
    let side = &job[if contest.pattern.1.ends_with("read") { "read" } else { "write" }];
    let bytes = side["io_bytes"].as_f64()?;
    // `runtime` is in whole milliseconds; the rate was made of something finer.
    let seconds = bytes / side["bw_bytes"].as_f64()?;
    let processor = (job["usr_cpu"].as_f64()? + job["sys_cpu"].as_f64()?) / 100.0 * seconds;
    Some(Measured { rate: bytes / seconds, processor_per_byte: processor / bytes })
}
