//! Few transactions, huge sizes, huge counts: meant as written, or refused with the bound.

use super::runs::{call, number, run};
use crate::support::skip;

#[test]
fn fewer_than_ten_transactions_work() {
    for transactions in 1..=11 {
        let setting = format!("transactions {transactions}");
        for report in ["full", "verbose", "terse"] {
            let finished = run(&["number 20", &setting], &[report]);
            assert_eq!(finished.code, Some(0), "{setting}: {}", finished.errors);
            assert_eq!(finished.left(), Vec::<String>::new(), "{setting}");
            if report != "full" {
                let dots = ".".repeat(transactions);
                let progress = format!("Performing transactions{dots}Done\n");
                assert!(finished.out.contains(&progress), "{setting}: {}", finished.out);
            }
        }
    }
}

#[test]
fn sizes_of_a_gibibyte_and_beyond_32_bits_are_meant() {
    for (size, bytes) in [("1g", 1u64 << 30), ("2147483648", 1 << 31), ("4294968000", 4294968000)] {
        let size = format!("size {size}");
        let settings = ["engine null", "number 1", "transactions 1", "bias read 10", &size];
        let finished = run(&settings, &["json", "full"]);
        assert_eq!(finished.code, Some(0), "{}", finished.errors);
        let report = finished.json();
        assert_eq!(number(&report, "operations/create/alone/bytes"), bytes);
        assert_eq!(number(&report, "operations/read/mixed/bytes"), bytes);
    }
}

#[test]
fn a_file_of_more_than_a_gibibyte_is_really_written_and_read() {
    // One create; the one transaction reads it.
    let settings = [
        "engine sync",
        "number 1",
        "transactions 1",
        "bias read 10",
        "bias create -1",
        "size 1100m",
        "write 4m",
        "read 4m",
    ];
    let finished = run(&settings, &["json"]);
    if finished.code == Some(3) {
        return skip("the scratch directory has no room for a file of 1.1 GiB");
    }
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let report = finished.json();
    assert_eq!(number(&report, "operations/create/alone/bytes"), 1100 << 20);
    assert_eq!(number(&report, "operations/read/mixed/bytes"), 1100 << 20);
    assert_eq!(finished.left(), Vec::<String>::new());
}

#[test]
fn counts_beyond_32_bits_are_meant() {
    // A pool of one file is soon used up; the report says of how many.
    let settings = ["engine null", "number 1", "transactions 4294967396", "bias create 0"];
    let finished = run(&settings, &["full", "json"]);
    assert_eq!(finished.code, Some(1));
    assert!(finished.out.contains("of 4,294,967,396 transactions"), "{}", finished.out);
    assert_eq!(number(&finished.json(), "config/transactions"), 4_294_967_396);
}

#[test]
fn values_out_of_bounds_name_the_bound() {
    for (setting, bound) in [
        ("seed 4294968000", "4,294,967,295"),
        ("number 4294968000", "1,000,000,000"),
        ("transactions 99999999999999", "1,000,000,000,000"),
        ("transactions 18446744073709551717", "1,000,000,000,000"),
        ("size 32t", "17,592,186,044,416"),
        ("read 4294968000", "1,073,741,824"),
        ("write 0", "from 1 to"),
        ("subdirectories 4294968000", "10,000,000"),
        ("bias read 256", "0 to 10, or -1"),
        ("location . 4294968000", "1,000,000"),
    ] {
        for subcommand in ["run", "show"] {
            let finished = call(&[subcommand, "--set", setting]);
            assert_eq!(finished.code, Some(2), "{setting}");
            assert!(finished.errors.contains(bound), "{setting}: {}", finished.errors);
            assert_eq!(finished.out, "", "{setting}");
            assert_eq!(finished.left(), Vec::<String>::new());
        }
    }
}

#[test]
fn settings_that_only_together_are_too_much_are_refused() {
    let settings = ["subdirectories 10000000", "location +a", "location +b"];
    let finished = run(&settings, &[]);
    assert_eq!(finished.code, Some(2), "{}", finished.errors);
    assert!(finished.errors.contains("set subdirectories"), "{}", finished.errors);
}

#[test]
fn a_pool_that_cannot_fit_is_refused_before_anything_is_made() {
    let place = run(&["number 5", "transactions 1"], &["json"]).json();
    let file_system = place["places"][0]["mount"]["file_system"].as_str().unwrap_or_default();
    if ["btrfs", "zfs", "bcachefs", "f2fs"].contains(&file_system) {
        return skip("a file system that compresses may take any pool");
    }
    // 16 EiB: more than any file system of today has.
    let finished = run(&["size 16t", "number 1000000"], &["full"]);
    assert_eq!(finished.code, Some(3), "{}", finished.errors);
    assert!(finished.errors.contains("lower `set number`"), "{}", finished.errors);
    assert_eq!(finished.out, "");
    assert_eq!(finished.left(), Vec::<String>::new());
}
