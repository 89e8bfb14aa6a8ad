//! Scripts as found in the wild, through the program: as a file and on standard input.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::{entries, run_in, scratch, stderr, stdout, trimark};

/// A script carried out in an empty directory.
struct Carried {
    output: Output,
    directory: TempDir,
}

impl Carried {
    fn out(&self) -> String {
        stdout(&self.output)
    }

    fn errors(&self) -> String {
        stderr(&self.output)
    }

    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn made(&self) -> Vec<String> {
        entries(self.directory.path())
    }
}

/// Both ways to hand a script over: as an argument and on standard input.
fn both_ways(script: impl AsRef<[u8]>) -> [Carried; 2] {
    let script = script.as_ref();
    let home = scratch();
    let file = home.path().join("script.pm");
    std::fs::write(&file, script).expect("a script");
    let [first, second] = [scratch(), scratch()];
    let argument = file.to_str().expect("UTF-8");
    let as_argument = run_in(first.path(), trimark(), &[argument], "");
    let input = String::from_utf8(script.to_vec()).expect("UTF-8");
    let as_input = run_in(second.path(), trimark(), &[], &input);
    [
        Carried { output: as_argument, directory: first },
        Carried { output: as_input, directory: second },
    ]
}

/// What `show` prints at the end of a script that is without errors.
fn settings_after(script: &str) -> [String; 2] {
    both_ways(script).map(|carried| {
        assert_eq!(carried.code(), Some(0), "{script:?}: {}", carried.errors());
        assert_eq!(carried.made(), Vec::<String>::new(), "{script:?}");
        carried.out()
    })
}

/// The complaint about a script that must not be carried out at all.
fn refused(script: impl AsRef<[u8]>) -> [String; 2] {
    let script = script.as_ref();
    both_ways(script).map(|carried| {
        let shown = String::from_utf8_lossy(script);
        assert_eq!(carried.code(), Some(2), "{shown:?}: {}", carried.errors());
        assert_eq!(carried.out(), "", "{shown:?}");
        assert_eq!(carried.made(), Vec::<String>::new(), "{shown:?}");
        carried.errors()
    })
}

#[test]
fn every_form_of_a_setting_is_read_as_meant() {
    for (script, shown) in [
        ("   set number 77\n \t show\n", "The base number of files is 77"),
        ("\u{feff}set number 77\nshow\n", "The base number of files is 77"),
        ("# a comment\n\n\t\n  # another\nset number 77 # of them\nshow", "files is 77"),
        ("set\tnumber\t77\nshow\n", "The base number of files is 77"),
        ("set number 77  \t \nshow   \n", "The base number of files is 77"),
        ("SET Number 77\nShow\n", "The base number of files is 77"),
        ("set numbers 77\nshow\n", "The base number of files is 77"),
        ("set size 1k 2K\nshow\n", "Files range between 1.00 kilobytes and 2.00 kilobytes"),
        ("set size 4294968000\nshow\n", "Files are 4096.00 megabytes in size"),
        ("set transactions 4294967396\nshow\n", "Transactions: 4294967396"),
        ("set read 4KiB\nshow\n", "read=4.00 kilobytes"),
        ("set bias create 10\nset bias read -1\nshow", "read/append=-1, create/delete=10"),
        ("set location /tmp/目录 3\nshow", "/tmp/目录 (weight=3)"),
        ("set location \"/tmp/two words\" 3\nshow", "/tmp/two words (weight=3)"),
        ("set location /a\nset location +'/b c' 2\nset location -/a\nshow", "\t/b c (weight=2)"),
        ("set number 77\nquit\nset number 78", ""),
    ] {
        for out in settings_after(script) {
            assert!(out.contains(shown), "{script:?}: {out}");
            assert_eq!(out.contains("Current configuration"), !shown.is_empty(), "{script:?}");
        }
    }
}

#[test]
fn the_last_line_counts_without_a_newline_too() {
    for carried in both_ways("set engine null\nset transactions 1\nset report terse\nrun") {
        assert_eq!(carried.code(), Some(0), "{}", carried.errors());
        let reports = carried.out().lines().filter(|line| line.split(' ').count() == 13).count();
        assert_eq!(reports, 1, "{}", carried.out());
    }
    let directory = scratch();
    std::fs::write(directory.path().join("bias.pm"), "set bias create 10").expect("a script");
    let output = run_in(directory.path(), trimark(), &["show", "bias.pm"], "");
    assert!(stdout(&output).contains("create/delete=10"), "{}", stdout(&output));
    // `quit` keeps the rest unread.
    std::fs::write(directory.path().join("quits.pm"), "set number 7\nquit").expect("a script");
    let output = run_in(directory.path(), trimark(), &["quits.pm"], "show\n");
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[test]
fn line_ends_of_windows_belong_to_no_value() {
    let script = "set buffering false\r\nset number 5\r\nset transactions 10\r\nset seed 1\r\n\
                  set report terse\r\nrun\r\nrun out.txt\r\nshow\r\nquit\r\n";
    for carried in both_ways(script) {
        assert_eq!(carried.code(), Some(0), "{}", carried.errors());
        assert_eq!(carried.made(), ["out.txt"]);
        assert!(carried.out().contains("Not using Unix buffered"), "{}", carried.out());
    }
}

#[test]
fn exit_and_the_question_mark_work_in_files() {
    for carried in both_ways("? set number\nexit\nshow\n") {
        assert_eq!(carried.code(), Some(0), "{}", carried.errors());
        assert!(carried.out().contains("set number N"), "{}", carried.out());
        assert!(!carried.out().contains("Current configuration"), "{}", carried.out());
    }
}

#[test]
fn what_cannot_be_meant_stops_everything_before_it_begins() {
    for (line, said) in [
        ("set transaction 200000", "did you mean `set transactions`?"),
        ("set bias read", "a value is missing"),
        ("set bias read abc", "`abc` is no bias"),
        ("set bias create 11", "0 to 10, or -1"),
        ("set size abc", "`abc` is not a number"),
        ("set number 0", "from 1 to 1,000,000,000"),
        ("set seed 4294968000", "from 1 to 4,294,967,295"),
        ("set number 99999999999999999999", "from 1 to 1,000,000,000"),
        ("set read 2g", "from 1 to 1,073,741,824"),
        ("set buffering maybe", "true or false"),
        ("set location my directory", "a path with blanks stands in quotes"),
        ("set location \"never closed", "never closed"),
        ("runway", "unknown command"),
        ("run my file", "one word too many"),
        ("load nowhere.pm", "nowhere.pm"),
    ] {
        let before = "set number 5\nrun before.txt\n!touch touched\n";
        for errors in refused(format!("{before}{line}\nrun after.txt\n")) {
            assert!(errors.contains(said), "{line}: {errors}");
            assert!(errors.contains(":4"), "{line}: its place is missing: {errors}");
        }
    }
}

#[test]
fn all_errors_are_listed_not_only_the_first() {
    for errors in refused("set numbr 5\nrun\nset size x\n\n  ste seed 1\nload nowhere.pm\n") {
        for (line, said) in [(1, "set number"), (3, "`x` is not"), (5, "set seed"), (6, "nowhere")]
        {
            assert!(errors.contains(&format!(":{line}")), "{errors}");
            assert!(errors.contains(said), "{errors}");
        }
    }
}

#[test]
fn likely_misunderstandings_are_noted() {
    for (line, said) in [
        ("set size 1k 2k", "PostMark reads it as 1"),
        ("set read 50", "`set bias read`"),
        ("set numbers 100", "read as `set number`"),
        ("set size 500 100", "all files will have 500 bytes"),
        ("set location /tmp 0", "taken as 1"),
    ] {
        for carried in both_ways(line) {
            assert_eq!(carried.code(), Some(0), "{line}");
            assert!(carried.errors().contains(said), "{line}: {}", carried.errors());
        }
    }
    for carried in both_ways("set engine null\nset transactions 10\nrun 60") {
        assert!(carried.errors().contains("a file named '60'"), "{}", carried.errors());
        assert_eq!(carried.made(), ["60"]);
    }
}

#[test]
fn ordinary_scripts_are_not_nagged() {
    let script = "set number 5\nset size 500 10000\nset read 4096\nset location .\nshow\n";
    for carried in both_ways(script) {
        assert_eq!(carried.errors(), "");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_that_names_the_line() {
    let home = scratch();
    std::fs::write(home.path().join("latin.pm"), b"set number 5\nset location /tmp/\xe4\nrun\n")
        .expect("a script");
    let output = run_in(home.path(), trimark(), &["latin.pm"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("latin.pm:2"), "{}", stderr(&output));
    assert_eq!(entries(home.path()), ["latin.pm"]);
}

#[test]
fn long_lines_are_read_whole() {
    let gap = " ".repeat(10_000);
    for out in settings_after(&format!("set number{gap}77 #{gap}\nshow\n")) {
        assert!(out.contains("files is 77"), "{out}");
    }
    let path = "/x".repeat(5_000);
    for out in settings_after(&format!("set location {path}\nshow")) {
        assert!(out.contains(&path));
    }
    for errors in refused(format!("set number {}", "9".repeat(10_000))) {
        assert!(errors.contains("from 1 to 1,000,000,000"));
    }
}

#[test]
fn runs_take_place_in_locations_of_any_name() {
    for name in ["目录", "two words", "quote's", "ünïcödé 🦀", "#hash", "-minus"] {
        let home = scratch();
        std::fs::create_dir(home.path().join(name)).expect("a location");
        let script = format!(
            "set location \"./{name}\"\nset number 20\nset transactions 10\nset report json\nrun\n"
        );
        let output = run_in(home.path(), trimark(), &[], &script);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("one document");
        let resolved = report["places"][0]["resolved"].as_str().expect("a path");
        assert!(Path::new(resolved).ends_with(name), "{resolved}");
        assert_eq!(entries(home.path()), [name], "nothing is left");
    }
}

#[test]
fn keep_going_goes_on_and_tells_at_the_end() {
    let home = scratch();
    std::fs::write(home.path().join("faulty.pm"), "set number 5\nset numbr 6\nset size x\n")
        .expect("a script");
    let arguments = ["--keep-going", "faulty.pm", "--set", "engine null"];
    let input = "ste seed 1\nset transactions 10\nset report terse\nrun\nshow\n";
    let output = run_in(home.path(), trimark(), &arguments, input);
    assert_eq!(output.status.code(), Some(2));
    let (out, errors) = (stdout(&output), stderr(&output));
    assert!(out.contains("The base number of files is 5"), "{out}");
    assert!(out.contains("Performing transactions..........Done"), "{out}");
    assert_eq!(out.matches("pm>").count(), 6, "{out}");
    for said in ["faulty.pm:2", "set number", "faulty.pm:3", "input:1", "set seed"] {
        assert!(errors.contains(said), "{said}: {errors}");
    }
    let fine = run_in(home.path(), trimark(), &["--keep-going"], "show\n");
    assert_eq!(fine.status.code(), Some(0), "{}", stderr(&fine));
}
