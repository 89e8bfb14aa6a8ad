//! Reports and where they go: standard output, files of `run FILE`, files of `--output`.

use super::runs::{Finished, call, call_in, contents};
use crate::support::{entries, scratch};

const QUICK: &str = "set number 10\nset transactions 5\n";

/// `trimark run` with these further arguments.
fn report_in(directory: tempfile::TempDir, arguments: &[&str]) -> Finished {
    let quick = ["run", "--set", "number 10", "--set", "transactions 5"];
    call_in(directory, &[&quick, arguments].concat(), "")
}

/// Which formats a text holds, in order.
fn formats(text: &str) -> Vec<&'static str> {
    let of = |line: &str| match line {
        _ if line.starts_with('{') => Some("json"),
        _ if line.starts_with("trimark ") => Some("full"),
        _ if line == "Time:" => Some("verbose"),
        _ if line.split(' ').count() == 13 && !line.contains(',') => Some("terse"),
        _ => None,
    };
    text.lines().filter_map(of).collect()
}

#[test]
fn several_reports_follow_each_other_on_standard_output() {
    for reports in [&["full"][..], &["json", "full"], &["verbose", "terse", "full", "json"]] {
        let arguments: Vec<&str> = reports.iter().flat_map(|r| ["--report", r]).collect();
        let finished = report_in(scratch(), &arguments);
        assert_eq!(finished.code, Some(0), "{}", finished.errors);
        assert_eq!(formats(&finished.out), reports, "{}", finished.out);
        let in_one_word = ["--report", &reports.join(" ")];
        assert_eq!(formats(&report_in(scratch(), &in_one_word).out), reports);
    }
    assert_eq!(formats(&report_in(scratch(), &[]).out), ["full"]);
}

#[test]
fn reports_go_to_the_outputs_in_their_order() {
    let arguments =
        ["--report", "json", "--output", "run.json", "--report", "full", "--output", "run.txt"];
    let finished = report_in(scratch(), &arguments);
    assert_eq!((finished.code, finished.out.as_str()), (Some(0), ""), "{}", finished.errors);
    assert_eq!(finished.left(), ["run.json", "run.txt"]);
    assert_eq!(formats(&contents(finished.directory.path(), "run.json")), ["json"]);
    assert_eq!(formats(&contents(finished.directory.path(), "run.txt")), ["full"]);
}

#[test]
fn further_reports_follow_in_the_last_output() {
    let arguments = ["--report", "json", "--report", "terse", "--report", "full", "--output", "a"];
    let finished = report_in(scratch(), &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(formats(&contents(finished.directory.path(), "a")), ["json", "terse", "full"]);
}

#[test]
fn more_outputs_than_reports_are_refused() {
    let arguments = ["--report", "json", "--output", "a", "--output", "b"];
    let finished = report_in(scratch(), &arguments);
    assert_eq!(finished.code, Some(2));
    assert!(finished.errors.contains("more --output than --report"), "{}", finished.errors);
    assert_eq!(finished.left(), Vec::<String>::new());
}

#[test]
fn an_output_replaces_the_last_one_and_holds_every_run_of_the_script() {
    let directory = scratch();
    std::fs::write(directory.path().join("a"), "of last time\n").expect("a file");
    std::fs::write(directory.path().join("s.pm"), format!("{QUICK}run\nrun b\n")).expect("script");
    let finished = call_in(directory, &["run", "s.pm", "--report", "json", "--output", "a"], "");
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let text = contents(finished.directory.path(), "a");
    assert_eq!(formats(&text), ["json", "json"]);
    assert!(!text.contains("of last time"));
    assert_eq!(finished.left(), ["a", "s.pm"], "`--output` wins over the file of `run b`");
}

#[test]
fn run_file_adds_to_the_file() {
    let directory = scratch();
    std::fs::write(directory.path().join("out"), "mine\n").expect("a file");
    let script = format!("{QUICK}set report full terse\nrun out\nset report json\nrun out\n");
    let finished = call_in(directory, &[], &script);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(formats(&finished.out), Vec::<&str>::new());
    let text = contents(finished.directory.path(), "out");
    assert!(text.starts_with("mine\n"), "{text}");
    assert_eq!(formats(&text), ["full", "terse", "json"]);
}

#[test]
fn show_file_adds_to_the_file() {
    let script = "set number 7\nshow out\nset number 8\nshow out\n";
    let finished = call_in(scratch(), &[], script);
    assert_eq!((finished.code, finished.out.as_str()), (Some(0), ""), "{}", finished.errors);
    let text = contents(finished.directory.path(), "out");
    let [seven, eight] = [7, 8].map(|n| text.find(&format!("The base number of files is {n}\n")));
    assert!(seven.is_some() && seven < eight, "{text}");
}

#[test]
fn a_report_file_that_cannot_be_written_is_refused_before_anything_is_made() {
    for arguments in [
        &["--output", "missing/report"][..],
        &["--output", "."],
        &["--report", "full", "--output", "a", "--report", "json", "--output", "missing/b"],
    ] {
        let directory = scratch();
        let location = scratch();
        let place = location.path().to_str().expect("UTF-8");
        // Were the location looked at first, this file would be complained of, with code 1.
        std::fs::write(location.path().join("1"), "mine").expect("a file");
        let finished = report_in(directory, &[arguments, &["--location", place]].concat());
        assert_eq!(finished.code, Some(2), "{arguments:?}: {}", finished.errors);
        assert!(finished.errors.contains("cannot direct output to file"), "{}", finished.errors);
        assert_eq!(finished.out, "");
        assert_eq!(finished.left(), Vec::<String>::new(), "{arguments:?}");
        assert_eq!(entries(location.path()), ["1"]);
    }
    let finished = call_in(scratch(), &[], &format!("{QUICK}run missing/report\n"));
    assert_eq!(finished.code, Some(2), "{}", finished.errors);
    assert_eq!(finished.left(), Vec::<String>::new());
}

#[test]
fn a_refused_run_costs_no_earlier_report() {
    for arguments in [
        &["--location", "missing", "--output", "a"][..],
        &["--report", "full", "--output", "a", "--report", "json", "--output", "missing/b"],
    ] {
        let directory = scratch();
        std::fs::write(directory.path().join("a"), "of last time\n").expect("a file");
        let finished = report_in(directory, arguments);
        assert_eq!(finished.code, Some(2), "{}", finished.errors);
        assert_eq!(contents(finished.directory.path(), "a"), "of last time\n", "{arguments:?}");
    }
    let finished = report_in(scratch(), &["--location", "missing", "--output", "new"]);
    assert_eq!(finished.left(), Vec::<String>::new(), "no empty report is left");
}

#[test]
fn an_unknown_report_is_refused() {
    let finished = call(&["run", "--report", "jsno"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.errors.contains("did you mean `json`?"), "{}", finished.errors);
}
