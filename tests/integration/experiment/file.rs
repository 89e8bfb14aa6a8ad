//! The file of an experiment: cut short, resumed, used by two, of something else.

use std::fs::OpenOptions;

use trimark::experiment::analysis;
use trimark::experiment::file::{ExperimentFile, FileError, read};
use trimark::experiment::plan::Blocks;
use trimark::experiment::record::End;

use super::model::{Model, plan};
use crate::support::scratch;

const BLOCKS: Blocks = Blocks::Fixed { blocks: 8 };

#[test]
fn a_stopped_experiment_goes_on_as_if_it_had_not_been() {
    let place = scratch();
    let factors = &[("a", 1.0), ("b", 1.0), ("c", 1.2)];
    let whole_plan = plan(factors, BLOCKS, 7);
    let path = place.path().join("whole.jsonl");
    let mut file = ExperimentFile::create(&path, &whole_plan).expect("a file");
    let whole = Model::new(factors, 0.0, 1).play(&whole_plan, &mut file, vec![]);
    assert_eq!(whole.end, End::Blocks);
    let order = |runs: &[trimark::experiment::record::RunRecord]| -> Vec<(u64, u64, String)> {
        runs.iter().map(|run| (run.block, run.place, run.arm.clone())).collect()
    };

    for stop_after in [1, 3, 4, 10, 26] {
        let path = place.path().join(format!("stopped-{stop_after}.jsonl"));
        let mut file = ExperimentFile::create(&path, &whole_plan).expect("a file");
        let mut model = Model::new(factors, 0.0, 1);
        model.stop_after = Some(stop_after);
        let stopped = model.play(&whole_plan, &mut file, vec![]);
        assert_eq!(stopped.end, End::Interrupted { signal: "SIGINT".into() });
        drop(file);
        let partial = read(&path).expect("readable");
        assert_eq!(partial.end, Some(stopped.end));
        // What is there can be reported at any time.
        let outcome = analysis::outcome(&partial.plan, &partial.runs, partial.end);
        assert_eq!(outcome.runs.len(), stop_after as usize - 1);

        let (mut file, saved) = ExperimentFile::resume(&path).expect("a file to go on with");
        let resumed = Model::new(factors, 0.0, 1).play(&saved.plan, &mut file, saved.runs);
        assert_eq!(resumed.end, End::Blocks);
        let saved = read(&path).expect("readable");
        let mut sorted = order(&saved.runs);
        sorted.sort();
        let mut expected = order(&whole.runs);
        expected.sort();
        assert_eq!(sorted, expected, "stopped after {stop_after}");
    }
}

#[test]
fn cut_anywhere_it_is_readable_and_can_be_resumed() {
    let place = scratch();
    let factors = &[("a", 1.0), ("b", 1.1)];
    let plan = plan(factors, Blocks::Fixed { blocks: 2 }, 3);
    let path = place.path().join("whole.jsonl");
    let mut file = ExperimentFile::create(&path, &plan).expect("a file");
    Model::new(factors, 0.0, 1).play(&plan, &mut file, vec![]);
    drop(file);
    let bytes = std::fs::read(&path).expect("its bytes");
    let first_line = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let cut_path = place.path().join("cut.jsonl");
    for cut in (first_line..bytes.len()).step_by(997) {
        std::fs::write(&cut_path, &bytes[..cut]).expect("written");
        let whole_lines = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let saved = read(&cut_path).expect("readable");
        assert_eq!(saved.runs.len(), (whole_lines - 1).min(6), "cut at {cut}");
        let (mut file, saved) = ExperimentFile::resume(&cut_path).expect("resumable");
        Model::new(factors, 0.0, 1).play(&plan, &mut file, saved.runs);
        let saved = read(&cut_path).expect("readable again");
        assert_eq!((saved.runs.len(), saved.end), (6, Some(End::Blocks)));
    }
    std::fs::write(&cut_path, &bytes[..first_line - 1]).expect("written");
    assert!(matches!(read(&cut_path), Err(FileError::Foreign { line: 1, .. })));
}

#[test]
fn nothing_is_written_over_and_nobody_else_writes() {
    let place = scratch();
    let plan = plan(&[("a", 1.0), ("b", 1.0)], BLOCKS, 1);
    let path = place.path().join("experiment.jsonl");
    let file = ExperimentFile::create(&path, &plan).expect("a file");
    assert!(matches!(ExperimentFile::create(&path, &plan), Err(FileError::Exists(_))));
    assert!(matches!(ExperimentFile::resume(&path), Err(FileError::Busy(_))));
    drop(file);
    assert!(ExperimentFile::resume(&path).is_ok());
}

#[test]
fn other_files_are_refused_by_line() {
    let place = scratch();
    let path = place.path().join("other.jsonl");
    std::fs::write(&path, "{\"format\":\"trimark-run\"}\n").expect("written");
    let error = ExperimentFile::resume(&path).expect_err("not an experiment");
    assert!(error.to_string().contains("line 1"), "{error}");
    let plan = plan(&[("a", 1.0), ("b", 1.0)], BLOCKS, 1);
    let experiment = place.path().join("experiment.jsonl");
    drop(ExperimentFile::create(&experiment, &plan).expect("a file"));
    std::io::Write::write_all(
        &mut OpenOptions::new().append(true).open(&experiment).expect("the file"),
        b"nonsense\n",
    )
    .expect("written");
    assert!(matches!(read(&experiment), Err(FileError::Foreign { line: 2, .. })));
}
