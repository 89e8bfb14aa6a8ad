//! Transactions that stop between their two halves: nothing of the run is left, and
//! nothing of the user's is gone.

use std::path::Path;

use crate::support::{entries, run_in, scratch, stderr, trimark};

/// Runs in which many an append, and now and then a create, passes the largest size a
/// file may have; the signal that goes with it is ignored, so that the call fails.
fn run_into_the_limit(directory: &Path, seed: u32) -> String {
    // 16 blocks are 8192 bytes to a POSIX shell.
    let script = "ulimit -f 16; trap '' XFSZ; exec \"$0\" \"$@\"";
    let seed = format!("seed {seed}");
    let settings = ["size 8000 8400", "number 3", "transactions 50", "bias read 2", &seed];
    let mut arguments = vec!["-c", script, trimark(), "run"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let output = run_in(directory, "/bin/sh", &arguments, "");
    assert_eq!(output.status.code(), Some(1), "{seed}: {}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_failed_first_half_leaves_nothing_of_the_second() {
    let mut appends = 0;
    for seed in 1..=60 {
        let directory = scratch();
        let errors = run_into_the_limit(directory.path(), seed);
        appends += usize::from(errors.contains("append '"));
        assert_eq!(entries(directory.path()), Vec::<String>::new(), "seed {seed}: {errors}");
    }
    assert!(appends >= 5, "only {appends} appends failed");
}

#[test]
fn a_failed_first_half_removes_no_file_of_the_users() {
    for seed in 1..=60 {
        let directory = scratch();
        // The first file the transactions would make.
        std::fs::write(directory.path().join("4"), "mine").expect("a file");
        let errors = run_into_the_limit(directory.path(), seed);
        assert_eq!(entries(directory.path()), ["4"], "seed {seed}: {errors}");
        assert_eq!(std::fs::read(directory.path().join("4")).expect("kept"), b"mine");
    }
}
