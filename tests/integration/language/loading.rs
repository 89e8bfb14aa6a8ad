//! Files that are loaded: named, missing, stray, and going in circles.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::{entries, run_in, scratch, stderr, stdout, trimark};

/// A directory with these files.
fn with_files(files: &[(&str, &str)]) -> TempDir {
    let directory = scratch();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

fn call(directory: &Path, arguments: &[&str], input: &str) -> Output {
    run_in(directory, trimark(), arguments, input)
}

const QUICK: &str = "set engine null\nset number 5\nset transactions 1\n";

#[test]
fn a_config_file_that_is_not_there_is_named() {
    let directory = scratch();
    for arguments in [
        &["nowhere.pm"][..],
        &["run", "nowhere.pm"],
        &["show", "nowhere.pm"],
        &["--keep-going", "nowhere.pm"],
    ] {
        let output = call(directory.path(), arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("'nowhere.pm'"), "{arguments:?}: {}", stderr(&output));
        assert_eq!(entries(directory.path()), Vec::<String>::new());
    }
    let output = call(directory.path(), &["."], "");
    assert_eq!(output.status.code(), Some(2), "a directory is no script");
}

#[test]
fn a_stray_pmrc_is_announced_and_shown_in_the_reports() {
    let directory = with_files(&[(".pmrc", QUICK)]);
    let reports = ["run", "--report", "full", "--report", "json"];
    let output = call(directory.path(), &reports, "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("settings are read from '.pmrc'"), "{}", stderr(&output));
    let out = stdout(&output);
    assert!(out.contains("Settings   from '.pmrc'"), "{out}");
    let json = out.lines().find(|line| line.starts_with('{')).expect("a document");
    let json: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(json["config_files"], serde_json::json!([".pmrc"]));
    assert_eq!(json["config"]["number"], 5);
    for (arguments, input) in [(&["show"][..], ""), (&[], "show\n")] {
        let output = call(directory.path(), arguments, input);
        assert!(stderr(&output).contains("'.pmrc'"), "{arguments:?}");
        assert!(stdout(&output).contains("The base number of files is 5"), "{arguments:?}");
    }
}

#[test]
fn a_stray_pmrc_can_be_ignored_and_gives_way_to_a_named_file() {
    let directory = with_files(&[(".pmrc", QUICK), ("named.pm", "set number 6\n")]);
    for (arguments, input, number) in [
        (&["show", "--no-rc"][..], "", 500),
        (&["--no-rc"], "show\n", 500),
        (&["--no-rc", "--keep-going"], "show\n", 500),
        (&["show", "named.pm"], "", 6),
        (&["named.pm"], "show\n", 6),
    ] {
        let output = call(directory.path(), arguments, input);
        let shown = format!("The base number of files is {number}\n");
        assert!(stdout(&output).contains(&shown), "{arguments:?}: {}", stdout(&output));
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

#[test]
fn a_faulty_pmrc_stops_what_would_build_on_it() {
    let directory = with_files(&[(".pmrc", "set numbr 5\n")]);
    let output = call(directory.path(), &["run"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(".pmrc:1:5"), "{}", stderr(&output));
    assert_eq!(entries(directory.path()), [".pmrc"]);
}

#[test]
fn a_file_that_loads_itself_is_shown_its_way_back() {
    let directory = with_files(&[
        ("self.pm", "load self.pm\nrun\n"),
        ("one.pm", "load two.pm\nrun\n"),
        ("two.pm", "# on\nload three.pm\n"),
        ("three.pm", "load ./one.pm\n"),
    ]);
    let resolved = directory.path().canonicalize().expect("a path");
    let name = |file: &str| resolved.join(file).display().to_string();
    let own = format!("{} → {}", name("self.pm"), name("self.pm"));
    let files = ["one.pm", "two.pm", "three.pm", "one.pm"].map(name);
    let circle = files.join(" → ");
    for (arguments, input, chain) in [
        (&["self.pm"][..], "", &own),
        (&["run", "self.pm"], "", &own),
        (&[], "load self.pm\n", &own),
        (&["--keep-going", "self.pm", "--set", "engine null"], "", &own),
        (&["one.pm"], "", &circle),
        (&[], "load one.pm\n", &circle),
        (&["--keep-going"], "load one.pm\n", &circle),
    ] {
        let before = entries(directory.path());
        let output = call(directory.path(), arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {input:?}");
        assert!(stderr(&output).contains(chain.as_str()), "{arguments:?}: {}", stderr(&output));
        assert_eq!(entries(directory.path()), before);
    }
}

#[test]
fn loading_a_file_twice_is_no_circle() {
    let directory = with_files(&[("more.pm", "set location +.\n")]);
    let output = call(directory.path(), &[], "load more.pm\nload more.pm\nshow\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("\t. (weight=1)").count(), 2, "{}", stdout(&output));
}

#[test]
fn quit_in_a_loaded_file_ends_that_file_only() {
    let directory = with_files(&[
        ("inner.pm", "set number 7\nquit\nset number 8\n"),
        ("outer.pm", "load inner.pm\nset seed 9\nshow\n"),
    ]);
    for (arguments, input) in [
        (&["outer.pm"][..], ""),
        (&[], "load inner.pm\nset seed 9\nshow\n"),
        (&[], "load outer.pm\n"),
        (&["--keep-going"], "load inner.pm\nset seed 9\nshow\n"),
    ] {
        let output = call(directory.path(), arguments, input);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        let out = stdout(&output);
        assert!(out.contains("The base number of files is 7\n"), "{arguments:?} {input:?}: {out}");
        assert!(out.contains("seed is 9\n"), "{arguments:?} {input:?}: {out}");
    }
}

#[test]
fn errors_of_loaded_files_are_listed_with_their_own_places() {
    let directory = with_files(&[
        ("outer.pm", "set numbr 1\nload inner.pm\nrun\n"),
        ("inner.pm", "\nset size x\nset sede 3\n"),
    ]);
    let output = call(directory.path(), &["outer.pm"], "");
    assert_eq!(output.status.code(), Some(2));
    for place in ["outer.pm:1:5", "inner.pm:2:10", "inner.pm:3:5"] {
        assert!(stderr(&output).contains(place), "{place}: {}", stderr(&output));
    }
    assert_eq!(entries(directory.path()), ["inner.pm", "outer.pm"]);
}

#[test]
fn published_scripts_are_read_or_told_what_is_wrong() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
    let mut scripts = 0;
    for name in entries(&corpus).into_iter().filter(|name| name.ends_with(".pm")) {
        let text = std::fs::read(corpus.join(&name)).expect("a script");
        scripts += 1;
        if let Err(trouble) = trimark::script::program::parse(&text, &name) {
            let shown = trouble.to_string();
            assert!(shown.contains(&format!("{name}:")), "{shown}");
            assert!(shown.contains('^') || shown.contains("cannot read"), "{shown}");
        }
    }
    assert!(scripts >= 50, "only {scripts} scripts");
}
