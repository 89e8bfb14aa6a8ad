//! `set verify on`: what was written is found again, and one wrong byte is not missed.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;

use trimark::engine::Call;
use trimark::runner::measurement::{Failure, Phase, RunResult, Status};

use super::watched::Watched;
use super::{play, sums};
use crate::support::{entries, scratch_in_memory};

const CONTENTS: [&str; 4] =
    ["content postmark", "content random", "content zero", "content compressible 40"];
const ENGINES: [&str; 2] = ["engine sync", "engine buffered"];

#[test]
fn what_was_written_is_found_again() {
    for content in CONTENTS {
        for engine in ENGINES {
            for workers in ["workers 1", "workers 3"] {
                // Blocks that don't divide sizes, pages or each other.
                let settings = ["verify on", "number 200", "transactions 500", "size 1 20k"];
                let blocks = ["read 3000", "write 700", content, engine, workers];
                let result = play(&[&settings[..], &blocks].concat(), &Watched::new());
                assert!(result.is_complete(), "{content}, {engine}: {:?}", result.status);
                assert!(result.operations.append.mixed.count > 50);
                assert!(result.operations.read.mixed.count > 50);
            }
        }
    }
}

#[test]
fn large_blocks_and_subdirectories_are_verified_too() {
    for content in CONTENTS {
        let settings = ["verify on", "number 30", "transactions 200", "size 100k 300k"];
        let blocks = ["read 1m", "write 512", "subdirectories 5", content, "engine sync"];
        let result = play(&[&settings[..], &blocks].concat(), &Watched::new());
        assert!(result.is_complete(), "{content}: {:?}", result.status);
    }
}

/// A run of reads of the one file of 1000 bytes, of which the n-th read call returns one
/// wrong byte; with the right one.
fn with_a_wrong_byte(engine: &str, verify: &str, call: u64, index: usize) -> (RunResult, u8) {
    let right = Mutex::new(None);
    let system = Watched::reading(|number, buffer| {
        if number == call {
            *right.lock().expect("no panic") = Some(buffer[index]);
            buffer[index] ^= 0x40;
        }
    });
    let settings = ["number 1", "size 1000", "transactions 20", "bias read 10", "bias create -1"];
    let result = play(&[&settings[..], &[engine, verify]].concat(), &system);
    drop(system);
    (result, right.into_inner().expect("no panic").expect("so many reads"))
}

fn failure(result: &RunResult) -> &Failure {
    match &result.status {
        Status::Failed { error } => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wrong_byte_is_named_with_its_place() {
    // The fifth read of the file: two calls of 512 bytes, or one into stdio's buffer.
    for (engine, call, index) in [("engine sync", 10, 100), ("engine buffered", 5, 612)] {
        let (result, right) = with_a_wrong_byte(engine, "verify on", call, index);
        let error = failure(&result);
        let wrong = right ^ 0x40;
        let expected = format!(
            "the file differs at offset 612: byte {right:#04x} expected, {wrong:#04x} found"
        );
        assert_eq!(error.message, expected, "{engine}");
        assert_eq!((error.operation.as_str(), error.call.as_str()), ("read", "read"));
        assert_eq!(error.phase, Phase::Transactions);
        assert_eq!(error.path.file_name(), Some("1".as_ref()));
        assert_eq!(error.errno, None);
        assert_eq!(result.transactions, 4, "the four before it");
        assert_eq!(result.operations.read.mixed.count, 4);
    }
}

#[test]
fn without_verification_nobody_looks() {
    for engine in ENGINES {
        let (result, _) = with_a_wrong_byte(engine, "verify off", 5, 300);
        assert!(result.is_complete(), "{engine}: {:?}", result.status);
    }
}

/// Waits for the pool, then changes one byte of a file of it; the right one and the wrong.
fn spoil(pool: &Path, number: usize, file: &str, offset: u64) -> (u8, u8) {
    let is_there = || {
        let last = pool.join(number.to_string());
        last.metadata().is_ok_and(|data| data.len() == 1000)
    };
    while !is_there() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let file: File =
        OpenOptions::new().read(true).write(true).open(pool.join(file)).expect("a file");
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).expect("a byte");
    let wrong = byte[0] ^ 1;
    file.write_all_at(&[wrong], offset).expect("it is written");
    (byte[0], wrong)
}

#[test]
fn a_file_changed_behind_its_back_fails_the_run() {
    for engine in ENGINES {
        for content in ["content postmark", "content random"] {
            let directory = scratch_in_memory();
            let settings = ["verify on", "number 30", "size 1000", "duration 20s", engine, content];
            let biases = ["bias read 10", "bias create -1"];
            let settings = [&settings[..], &biases].concat();
            let (report, (right, wrong)) = std::thread::scope(|scope| {
                let spoiled = scope.spawn(|| spoil(directory.path(), 30, "7", 777));
                let report = super::report_of(directory.path(), &settings);
                (report, spoiled.join().expect("no panic"))
            });
            assert_eq!(report.code, Some(1), "{}", report.errors);
            let told = format!(
                "trimark: error: the run failed: read './7' failed in read: the file differs at \
                 offset 777: byte {right:#04x} expected, {wrong:#04x} found"
            );
            assert!(report.errors.contains(&told), "{}", report.errors);
            let result = report.result();
            assert!(failure(&result).path.ends_with("7"));
            assert!(report.json()["metrics"].as_object().is_some_and(|m| m.is_empty()));
            assert_eq!(entries(directory.path()), Vec::<String>::new());
        }
    }
}

#[test]
fn one_worker_that_finds_a_difference_stops_them_all() {
    let system = Watched::reading(|number, buffer| {
        if number == 500 {
            buffer[0] ^= 1;
        }
    });
    let settings = ["verify on", "number 50", "workers 3", "transactions 100000000"];
    let biases = ["bias read 10", "bias create -1", "engine sync"];
    let result = play(&[&settings[..], &biases].concat(), &system);
    assert!(failure(&result).message.starts_with("the file differs at offset "));
    assert!(result.transactions > 0 && result.transactions < 100_000_000);
    assert!(system.count(Call::Read) >= 500);
    let over_time = result.timelines.iter().find(|t| t.phase == Phase::Transactions);
    let (timed, _) = sums(over_time.expect("a timeline"));
    assert_eq!(timed, result.operations.read.mixed.count, "what was done is counted");
}

#[test]
fn a_file_cut_off_behind_its_back_fails_the_run() {
    let directory = scratch_in_memory();
    let path = directory.path().join("1");
    let system = Watched::calling(|call, number| {
        if call == Call::Read && number == 9 {
            let file = OpenOptions::new().write(true).open(&path).expect("the file");
            file.set_len(0).expect("it is cut off");
        }
    });
    let settings = ["number 1", "size 1000", "transactions 20", "bias read 10", "bias create -1"];
    let settings = [&settings[..], &["engine sync", "verify on"]].concat();
    let clock = trimark::runner::clock::MonotonicClock::start();
    let result = super::play_in(directory, &settings, &system, &clock);
    assert_eq!(failure(&result).message, "the file ends 512 bytes early");
}
