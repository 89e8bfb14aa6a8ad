//! Every figure of the JSON report: a number that can be one, and rate × time = count.

use serde_json::Value;

use super::runs::{call_in, number, run};
use crate::support::scratch;

/// Fields that may be null: a bias that is switched off.
const OPTIONAL: [&str; 2] = ["bias_read", "bias_create"];

/// Every value of a document with the name of its field.
fn walk<'a>(name: &'a str, value: &'a Value, visit: &mut dyn FnMut(&str, &Value)) {
    visit(name, value);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, v)| walk(name, v, visit)),
        Value::Array(values) => values.iter().for_each(|v| walk(name, v, visit)),
        _ => {}
    }
}

fn assert_figures_are_figures(document: &Value) {
    let mut figures = 0;
    walk("document", document, &mut |name, value| match value {
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            assert!(number.is_finite() && number >= 0.0, "{name}: {number}");
            assert!(number < u64::MAX as f64 / 2.0, "{name}: {number} looks like a sentinel");
            figures += 1;
        }
        Value::Null => assert!(OPTIONAL.contains(&name), "{name} is null"),
        Value::String(text) => {
            let lower = text.to_lowercase();
            assert!(!["nan", "inf", "-inf", "infinity", "-1", "n/a"].contains(&lower.as_str()));
        }
        _ => {}
    });
    assert!(figures > 20, "only {figures} figures");
}

/// Nanoseconds from the beginning of one phase to the end of another.
fn elapsed(document: &Value, first: &str, last: &str) -> u64 {
    let phase = |name: &str| {
        let phases = document["phases"].as_array().expect("phases");
        phases.iter().find(|phase| phase["phase"] == name).expect("the phase")
    };
    number(phase(last), "end") - number(phase(first), "start")
}

/// How long what the transactions wrote took to reach the device, in
/// nanoseconds: 0 where nobody waited for it.
fn sync_after(document: &Value) -> u64 {
    let phases = document["phases"].as_array().expect("phases");
    let sync = phases.iter().find(|phase| phase["phase"] == "transaction_sync");
    sync.map_or(0, |phase| number(phase, "end") - number(phase, "start"))
}

/// What is counted by a rate, and over which time.
fn counted(document: &Value, metric: &str) -> (u64, u64) {
    let total = || {
        let phases = ["creation", "transactions", "deletion"];
        phases.iter().map(|phase| elapsed(document, phase, phase)).sum()
    };
    let transactions = || elapsed(document, "transactions", "transactions");
    let of = |kind: &str, when: &str, what: &str| {
        number(document, &format!("operations/{kind}/{when}/{what}"))
    };
    let both = |kind: &str, what: &str| of(kind, "alone", what) + of(kind, "mixed", what);
    match metric {
        "transactions_per_second" => (number(document, "transactions"), transactions()),
        "transactions_with_sync_per_second" => {
            (number(document, "transactions"), transactions() + sync_after(document))
        }
        "created_per_second" => (both("create", "count"), total()),
        "created_alone_per_second" => {
            (of("create", "alone", "count"), elapsed(document, "creation", "creation"))
        }
        "created_mixed_per_second" => (of("create", "mixed", "count"), transactions()),
        "read_per_second" => (both("read", "count"), transactions()),
        "appended_per_second" => (both("append", "count"), transactions()),
        "deleted_per_second" => (both("delete", "count"), total()),
        "deleted_alone_per_second" => {
            (of("delete", "alone", "count"), elapsed(document, "deletion", "deletion"))
        }
        "deleted_mixed_per_second" => (of("delete", "mixed", "count"), transactions()),
        "bytes_read_per_second" => (both("read", "bytes"), total()),
        "bytes_written_per_second" => (both("create", "bytes") + both("append", "bytes"), total()),
        "transaction_bytes_read_per_second" => (of("read", "mixed", "bytes"), transactions()),
        "transaction_bytes_written_per_second" => {
            (of("create", "mixed", "bytes") + of("append", "mixed", "bytes"), transactions())
        }
        other => panic!("{other} is a rate: say here what it counts, over which time"),
    }
}

fn assert_rates_times_time_are_counts(document: &Value) {
    let metrics = document["metrics"].as_object().expect("metrics");
    let mut rates = 0;
    for (name, metric) in metrics {
        let rate = metric["value"].as_f64().expect("a value");
        if metric["unit"] == "s" || name.ends_with("_per_transaction") {
            continue; // a time, or by count instead of time
        }
        assert!(metric["unit"] == "1/s" || metric["unit"] == "B/s", "{name}");
        let (count, nanoseconds) = counted(document, name);
        let product = rate * (nanoseconds as f64 / 1e9);
        assert!((product - count as f64).abs() <= 1e-6 * count as f64, "{name}: {product} {count}");
        rates += 1;
    }
    assert!(rates >= 13, "only {rates} rates");
}

#[test]
fn figures_of_every_kind_of_run_are_figures_and_add_up() {
    let kinds: [&[&str]; 7] = [
        &["transactions 500"],
        &["engine sync", "subdirectories 5", "number 50", "transactions 100"],
        &["engine null", "transactions 100000", "number 1000"],
        &["engine null", "number 1", "transactions 1"],
        &["number 100", "bias read -1", "transactions 20"],
        &["number 10", "bias read -1", "bias create -1", "transactions 20"],
        &["number 5", "transactions 500"],
    ];
    for settings in kinds {
        let document = run(settings, &["json"]).json();
        assert_figures_are_figures(&document);
        assert_rates_times_time_are_counts(&document);
    }
}

#[test]
fn durations_are_those_of_the_phases() {
    let document = run(&["number 100", "transactions 100"], &["json"]).json();
    let phases = ["creation", "transactions", "deletion"];
    for (metric, phases) in [
        ("total_seconds", &phases[..]),
        ("creation_seconds", &phases[..1]),
        ("transaction_seconds", &phases[1..2]),
        ("deletion_seconds", &phases[2..]),
    ] {
        let value = document["metrics"][metric]["value"].as_f64().expect("a value");
        let nanoseconds: u64 = phases.iter().map(|phase| elapsed(&document, phase, phase)).sum();
        assert!((value * 1e9 - nanoseconds as f64).abs() < 1.0, "{metric}: {value} {nanoseconds}");
        assert!(nanoseconds > 0, "{metric}");
    }
}

#[test]
fn a_run_that_failed_has_no_rates() {
    // A user's file with a name the run comes to only later.
    let directory = scratch();
    std::fs::write(directory.path().join("105"), "mine").expect("a file");
    let arguments = [
        "run",
        "--set",
        "number 100",
        "--set",
        "transactions 100",
        "--report",
        "json",
        "--report",
        "full",
        "--report",
        "verbose",
    ];
    let finished = call_in(directory, &arguments, "");
    assert_eq!(finished.code, Some(1), "{}", finished.errors);
    let document = finished.json();
    assert_eq!(document["metrics"], serde_json::json!({}));
    assert_figures_are_figures(&document);
    assert!(finished.out.contains("FAILED in transactions after"), "{}", finished.out);
    assert!(!finished.out.contains("per second)"), "{}", finished.out);
    assert!(finished.errors.contains("'./105'"), "{}", finished.errors);
    assert_eq!(finished.left(), ["105"]);
    assert_eq!(std::fs::read(finished.directory.path().join("105")).expect("kept"), b"mine");
}

#[test]
fn a_run_too_short_to_mean_much_is_told_so() {
    let short = run(&["number 10", "transactions 5"], &["full"]);
    assert!(short.out.contains("too short to mean much"), "{}", short.out);
    assert!(short.out.contains("`set transactions "), "{}", short.out);
}

#[test]
fn two_runs_that_differ_in_time_show_it() {
    let seconds = || {
        let document = run(&["number 50", "transactions 50"], &["json"]).json();
        document["metrics"]["transaction_seconds"]["value"].as_f64().expect("a value")
    };
    // No two real runs take the same nanoseconds three times over.
    let times = [seconds(), seconds(), seconds(), seconds()];
    assert!(times.iter().any(|time| *time != times[0]), "{times:?}");
    assert!(times.iter().all(|time| *time < 1.0), "no whole seconds: {times:?}");
}
