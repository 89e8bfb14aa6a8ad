//! Counts and bytes are exact, and what was not done is not counted as done in silence.

use super::runs::{number, run};
use crate::support::{run_in, scratch, stderr, stdout};

#[test]
fn the_published_figures_come_out_exactly() {
    let settings = ["engine null", "size 500 100000", "number 10000", "transactions 20000"];
    let report = run(&settings, &["json"]).json();
    for (place, count) in [
        ("operations/create/alone/count", 10_000),
        ("operations/create/mixed/count", 10_163),
        ("operations/read/mixed/count", 10_053),
        ("operations/append/mixed/count", 9_945),
        ("operations/delete/alone/count", 10_326),
        ("operations/delete/mixed/count", 9_837),
        ("operations/read/mixed/bytes", 584_971_616),
        ("transactions", 20_000),
        ("skipped/appends", 2),
        ("skipped/creates", 0),
    ] {
        assert_eq!(number(&report, place), count, "{place}");
    }
    let written: u64 = ["create/alone", "create/mixed", "append/alone", "append/mixed"]
        .iter()
        .map(|kind| number(&report, &format!("operations/{kind}/bytes")))
        .sum();
    assert_eq!(written, 1_222_242_297);
}

/// Reads of one size, whose sum in PostMark's 32 bits loses count early: 33 bytes are
/// added as 32 from 32 MiB on.
const READS: u64 = 3_000_000;
const SIZE: u64 = 33;

#[test]
fn byte_sums_are_exact_where_the_classic_ones_lose_count() {
    let transactions = format!("transactions {READS}");
    let settings = [
        "engine null",
        "size 33",
        "number 10",
        "bias read 10",
        "bias create -1",
        transactions.as_str(),
    ];
    let finished = run(&settings, &["json", "full", "verbose"]);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let report = finished.json();
    assert_eq!(number(&report, "operations/read/mixed/bytes"), READS * SIZE);
    let classic = (0..READS).fold(0f32, |sum, _| sum + SIZE as f32);
    assert_eq!(report["classic_sums"]["read"].as_f64(), Some(f64::from(classic)));
    assert!(finished.out.contains("99,000,000"), "{}", finished.out);
    let shown = format!("{:.2} megabytes read", classic / 1_048_576.0);
    assert!(finished.out.contains(&shown), "{}", finished.out);
    assert!(finished.errors.contains("really 99000000 bytes were read"), "{}", finished.errors);
    let exact_only = run(&settings, &["full"]);
    assert!(!exact_only.errors.contains("32-bit"), "{}", exact_only.errors);
}

#[test]
fn classic_sums_that_are_right_are_not_commented_on() {
    let finished = run(&["engine null"], &["verbose", "terse"]);
    assert_eq!(finished.code, Some(0));
    assert_eq!(finished.errors, "");
}

#[test]
fn creates_that_found_the_table_full_are_counted_and_warned_of() {
    let settings = ["number 10", "transactions 100", "bias create 10", "bias read -1"];
    let finished = run(&settings, &["json", "full"]);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let report = finished.json();
    assert_eq!(number(&report, "transactions"), 100);
    assert_eq!(number(&report, "operations/create/mixed/count"), 10);
    assert_eq!(number(&report, "skipped/creates"), 90);
    assert!(finished.out.contains("Warning: 90 transactions (90.0 %)"), "{}", finished.out);
    assert_eq!(finished.left(), Vec::<String>::new());
}

#[test]
fn appends_to_files_of_a_fixed_size_are_counted_and_warned_of() {
    let settings = ["size 1000", "number 10", "transactions 100", "bias read 0", "bias create -1"];
    let finished = run(&settings, &["json", "full"]);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let report = finished.json();
    assert_eq!(number(&report, "operations/append/mixed/count"), 0);
    assert_eq!(number(&report, "skipped/appends"), 100);
    assert!(finished.out.contains("Warning: 100 transactions (100.0 %)"), "{}", finished.out);
}

#[test]
fn nothing_skipped_is_not_warned_of() {
    let finished = run(&["number 100", "transactions 10"], &["json", "full"]);
    let report = finished.json();
    assert_eq!(number(&report, "skipped/creates") + number(&report, "skipped/appends"), 0);
    assert!(!finished.out.contains("did nothing"), "{}", finished.out);
}

#[test]
fn out_of_files_is_a_partial_report_and_exit_code_1() {
    for engine in ["engine sync", "engine buffered", "engine null"] {
        let settings = [engine, "number 5", "transactions 500"];
        let finished = run(&settings, &["full", "json", "verbose"]);
        assert_eq!(finished.code, Some(1), "{}", finished.errors);
        let done = number(&finished.json(), "transactions");
        assert!((1..500).contains(&done), "{done}");
        assert_eq!(finished.json()["status"]["outcome"], "out_of_files");
        let marked = format!("INCOMPLETE: out of files after {done} of 500");
        assert!(finished.out.contains(&marked), "{}", finished.out);
        assert!(finished.out.contains("(incomplete)"), "{}", finished.out);
        assert!(finished.errors.contains("out of files"), "{}", finished.errors);
        assert!(!finished.out.contains("seconds of transactions"), "no classic report of it");
        assert_eq!(finished.left(), Vec::<String>::new());
    }
}

#[test]
fn out_of_files_keeps_a_batch_from_going_on() {
    let directory = scratch();
    let script = "set number 5\nrun\n!touch went_on\n";
    let output = run_in(directory.path(), crate::support::trimark(), &[], script);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("INCOMPLETE"));
    assert_eq!(crate::support::entries(directory.path()), Vec::<String>::new());
}
