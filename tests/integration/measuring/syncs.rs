//! Sync policies: exactly the calls they promise, in phases of their own.

use std::path::Path;

use trimark::engine::Call;
use trimark::runner::measurement::{Phase, RunResult};

use super::watched::Watched;
use super::{complete, play, writing_operations};
use crate::support::{program, run_in, scratch, trimark};

const ENGINES: [&str; 2] = ["engine sync", "engine buffered"];
const SYNCS: [Phase; 3] = [Phase::CreationSync, Phase::TransactionSync, Phase::DeletionSync];

/// A complete run, and how often it called `fsync`.
fn synced(settings: &[&str]) -> (RunResult, u64) {
    let system = Watched::new();
    let result = play(&[&["number 60", "transactions 300"], settings].concat(), &system);
    assert!(result.is_complete());
    assert!(result.operations.append.mixed.count > 0, "appends are synced, too");
    (result, system.count(Call::Sync))
}

#[test]
fn closing_syncs_every_file_written_to() {
    for engine in ENGINES {
        for workers in ["workers 1", "workers 3"] {
            let (result, syncs) = synced(&["sync close", engine, workers]);
            assert_eq!(syncs, writing_operations(&result), "{engine}, {workers}");
        }
    }
}

#[test]
fn every_nth_file_written_to_is_synced() {
    for engine in ENGINES {
        for n in [1, 2, 7, 100_000] {
            let (result, syncs) = synced(&[&format!("sync fsync-every {n}"), engine]);
            assert_eq!(syncs, writing_operations(&result) / n, "{engine}, {n}");
        }
    }
}

#[test]
fn each_worker_counts_its_own_files() {
    let (result, syncs) = synced(&["sync fsync-every 7", "workers 3"]);
    let written = writing_operations(&result);
    // Each worker's last, unfinished seven are not synced.
    assert!((written / 7 - 2..=written / 7).contains(&syncs), "{syncs} of {written}");
}

#[test]
fn without_a_policy_nothing_is_synced() {
    for policy in ["sync none", "sync phase"] {
        let (_, syncs) = synced(&[policy]);
        assert_eq!(syncs, 0, "{policy}");
    }
}

#[test]
fn syncs_of_phases_are_phases_and_not_in_the_total() {
    let result = complete(&["sync phase", "number 50", "transactions 50", "workers 2"]);
    let phases: Vec<Phase> = result.phases.iter().map(|time| time.phase).collect();
    let expected = [
        Phase::Creation,
        Phase::CreationSync,
        Phase::Transactions,
        Phase::TransactionSync,
        Phase::Deletion,
        Phase::DeletionSync,
    ];
    assert_eq!(phases, expected);
    let syncs: u64 = SYNCS.into_iter().filter_map(|phase| result.elapsed(phase)).sum();
    assert!(syncs > 0);
    let total = result.total().expect("a total");
    assert_eq!(result.total_with_syncs(), Some(total + syncs));
    for other in ["sync none", "sync close", "sync fsync-every 10"] {
        let result = complete(&[other, "number 20", "transactions 20"]);
        assert_eq!(result.phases.len(), 3, "{other}");
        assert_eq!(result.total_with_syncs(), result.total());
    }
}

#[test]
fn the_kernel_sees_the_syncs() {
    let Some(strace) = program("strace") else { return };
    // The manifest is made safe whatever the policy.
    let (_, manifest) = traced(&strace, "sync none");
    for (policy, syncfs, fsync) in [("sync phase", 3, 0), ("sync close", 0, 40)] {
        assert_eq!(traced(&strace, policy), (syncfs, fsync + manifest), "{policy}");
    }
}

/// How often a run that makes 40 files and appends to none calls `syncfs` and `fsync`.
fn traced(strace: &Path, policy: &str) -> (usize, usize) {
    let (directory, log) = (scratch(), scratch());
    let trace = log.path().join("trace");
    let run = ["run", "--set", policy, "--set", "number 40", "--set", "transactions 5"];
    let reads = ["--set", "bias read 10", "--set", "bias create -1"];
    let trace_name = trace.to_string_lossy().into_owned();
    let arguments = ["-f", "-e", "trace=syncfs,fsync", "-o", &trace_name, trimark()];
    let output = run_in(directory.path(), strace, &[&arguments[..], &run, &reads].concat(), "");
    assert!(output.status.success(), "{output:?}");
    let lines = std::fs::read_to_string(&trace).expect("a trace");
    let count = |call: &str| lines.lines().filter(|line| line.contains(call)).count();
    (count(" syncfs("), count(" fsync("))
}
