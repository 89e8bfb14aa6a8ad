//! Hundreds of made-up runs, many to a session.

use super::workload::{Bounds, DIRECTORIES, Settings, generate};
use super::{Pair, report};

const RUNS: usize = 1000;
const RUNS_PER_SESSION: usize = 50;
const BOUNDS: Bounds = Bounds {
    number: 80,
    transactions: 300,
    blocks: &[50, 100, 511, 512, 1000, 1024, 4095, 4096, 4097, 5000, 8192, 12_288, 65_536],
};
/// What stands before every run, to tell them apart in the output.
const MARK: &str = "Current configuration is:\n";

/// Plays many runs in one session of each program and compares them one by one.
/// Returns how many ran out of files.
fn compare_session(pair: &Pair, runs: &[Settings], format: &str) -> usize {
    let mut script = format!("set report {format}\n");
    runs.iter().for_each(|run| script += &format!("{}show\nrun\n", run.script()));
    script += "quit\n";
    let (real, ours) = (pair.real(&[], &script), pair.ours(&[], &script));
    assert!(real.files.is_empty() && ours.files.is_empty(), "{:?} {:?}", real.files, ours.files);
    assert_eq!((real.code, ours.code), (Some(0), Some(0)));

    let real: Vec<&str> = real.out.split(MARK).collect();
    let ours: Vec<&str> = ours.out.split(MARK).collect();
    assert_eq!(real.len(), runs.len() + 1, "PostMark itself did not play all of them");
    report::assert_same("the start of a session", real[0], ours[0]);
    for (index, run) in runs.iter().enumerate() {
        report::assert_same(&run.script(), real[index + 1], ours[index + 1]);
    }
    real.iter().filter(|part| part.contains("out of files!")).count()
}

#[test]
fn made_up_runs_print_what_postmark_prints() {
    let Some(pair) = Pair::in_memory() else { return };
    pair.make_directories(&DIRECTORIES);
    let mut out_of_files = 0;
    let runs = generate(RUNS, BOUNDS);
    for (session, runs) in runs.chunks(RUNS_PER_SESSION).enumerate() {
        let format = if session % 4 == 3 { "terse" } else { "verbose" };
        out_of_files += compare_session(&pair, runs, format);
    }
    // Both ways to end were seen often enough to mean something.
    assert!((20..RUNS / 2).contains(&out_of_files), "{out_of_files} ran out of files");
}
