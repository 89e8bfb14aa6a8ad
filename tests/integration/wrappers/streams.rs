//! What goes to which stream, what comes last, and the exit status.

use std::process::Output;

use super::{Wrapped, read};
use crate::support::{entries, stderr, stdout};

const BANNER: &str = "PostMark v1.51 : 8/14/01\n";
const RUN: &str = "set number 30\nset transactions 20\nrun\n";

fn assert_success(output: &Output, what: &str) {
    assert_eq!(output.status.code(), Some(0), "{what}: {}", stderr(output));
}

#[test]
fn the_prompt_comes_last_on_standard_input() {
    for script in ["", "quit\n", "exit\n", "quit", "show\n", "show"] {
        let text = stdout(&Wrapped::new().on_input(&format!("{RUN}{script}")));
        assert!(text.ends_with("\npm>") || text.ends_with(" second)\npm>"), "{script:?}: {text}");
        let lines = script.lines().filter(|line| *line == "show").count();
        // One before every line, and one more unless `quit` was the last of them.
        assert_eq!(text.matches("pm>").count(), 4 + lines, "{script:?}: {text}");
    }
}

#[test]
fn no_prompt_follows_a_file_that_ends_in_quit() {
    let wrapped = Wrapped::new();
    for end in ["quit\n", "quit\n\n", "quit\nrun\n"] {
        let text = stdout(&wrapped.with_file(&format!("{RUN}{end}"), "show\n"));
        assert!(!text.contains("pm>") && text.ends_with(" per second)\n"), "{end:?}: {text}");
        assert_eq!(text.matches("Time:").count(), 1, "{end:?}: {text}");
    }
}

#[test]
fn the_prompt_follows_a_file_without_quit() {
    let wrapped = Wrapped::new();
    let head = format!("{BANNER}Reading configuration from file 'script.pm'\n");
    assert_eq!(stdout(&wrapped.with_file("set number 3\n", "")), format!("{head}pm>"));
    let text = stdout(&wrapped.with_file("set number 3\n", "show\nquit\n"));
    assert!(text.starts_with(&format!("{head}pm>Current configuration is:\n")), "{text}");
    assert!(text.contains("The base number of files is 3\n") && text.ends_with("\npm>"), "{text}");
}

#[test]
fn a_pmrc_is_read_unless_a_file_is_given() {
    let wrapped = Wrapped::new();
    std::fs::write(wrapped.path(".pmrc"), "set number 7\nquit\n").expect("a file");
    let text = stdout(&wrapped.on_input("show\n"));
    assert_eq!(text, format!("{BANNER}Reading configuration from file '.pmrc'\n"));
    let text = stdout(&wrapped.with_file("show\nquit\n", ""));
    assert!(text.contains("The base number of files is 500\n"), "{text}");
}

#[test]
fn the_exit_status_is_0_whatever_happened() {
    let out_of_files = "set number 1\nset transactions 50\nset bias create 0\nrun\n";
    for (script, in_output, in_errors) in [
        ("set location nowhere\nrun\n", "pm>", "Error: "),
        (
            out_of_files,
            "out of files!\nFor this workload, either increase the number of files or\n\
          decrease the number of transactions.\n",
            "Error: ",
        ),
        ("gibberish\n", "pm>Eh?\npm>", ""),
        (
            "set size many\nset bias read 11\n",
            "pm>pm>pm>",
            "Error: no file size low or high bounds \
          specified\nError: no bias specified (0-10 for greater chance,-1 to disable)\n",
        ),
        ("load nothing\n", "pm>pm>", "Error: cannot read configuration file 'nothing'\n"),
        ("!exit 3\n", "pm>pm>", ""),
    ] {
        let wrapped = Wrapped::new();
        let output = wrapped.on_input(script);
        assert_success(&output, script);
        assert!(stdout(&output).contains(in_output), "{script}: {}", stdout(&output));
        assert!(stderr(&output).contains(in_errors), "{script}: {}", stderr(&output));
        assert!(!stdout(&output).contains("Error"), "{script}: {}", stdout(&output));
        assert!(!stderr(&output).contains("Eh?"), "{script}: {}", stderr(&output));
        assert_eq!(entries(wrapped.directory.path()), [""; 0], "{script}");
    }
}

#[test]
fn a_missing_file_is_told_of_and_the_prompt_follows() {
    let output = Wrapped::new().run(&["missing.pm"], "");
    assert_success(&output, "a missing file");
    assert_eq!(stdout(&output), format!("{BANNER}pm>"));
    assert!(stderr(&output).contains("Error: cannot read configuration file 'missing.pm'\n"));
}

#[test]
fn a_run_that_cannot_be_prints_no_report() {
    for script in
        ["set location nowhere\n", "set number 1\nset transactions 99\nset bias create 0\n"]
    {
        let text = stdout(&Wrapped::new().on_input(&format!("{script}run\n")));
        assert!(!text.contains("Time:") && !text.contains("per second"), "{script}: {text}");
    }
}

#[test]
fn a_report_is_added_to_its_file() {
    let wrapped = Wrapped::new();
    std::fs::write(wrapped.path("log"), "before\n").expect("a file");
    let output = wrapped.on_input("set number 5\nset transactions 10\nrun log\nrun log\n");
    assert_success(&output, "run log");
    let log = read(&wrapped.path("log"));
    assert!(log.starts_with("before\nTime:\n\t"), "{log}");
    assert_eq!(log.matches("Time:\n").count(), 2, "{log}");
    let text = stdout(&output);
    assert!(!text.contains("Time:"), "{text}");
    assert_eq!(text.matches("\nPerforming transactions..........Done\n").count(), 2, "{text}");
}

/// `run 60` means a file, and the pool beside it needs that name as well for a while.
#[test]
fn a_report_may_have_the_name_of_a_file_of_the_pool() {
    let wrapped = Wrapped::new();
    let output = wrapped.on_input("set number 100\nset transactions 10\nrun 60\n");
    assert!(read(&wrapped.path("60")).starts_with("Time:\n"), "{}", stderr(&output));
    assert_eq!(entries(wrapped.directory.path()), ["60"]);
}

#[test]
fn a_refused_run_makes_no_file_for_its_report() {
    let wrapped = Wrapped::new();
    let output = wrapped.on_input("set location nowhere\nrun log\n");
    assert!(stderr(&output).contains("nowhere"), "{}", stderr(&output));
    assert_eq!(entries(wrapped.directory.path()), [""; 0]);
}

#[test]
fn shown_locations_go_to_standard_output_even_with_a_file() {
    let wrapped = Wrapped::new();
    let output = wrapped.on_input("set location /a 2\nset location +/b\nshow log\n");
    assert_eq!(stdout(&output), format!("{BANNER}pm>pm>pm>\t/a (weight=2)\n\t/b (weight=1)\npm>"));
    let log = read(&wrapped.path("log"));
    assert!(log.contains("\nWorking directories: \nBlock sizes are: "), "{log}");
    assert!(!log.contains("weight"), "{log}");
}

/// To PostMark a path goes on to the end of the line, or to the weight.
#[test]
fn paths_with_blanks_need_no_quotes() {
    let wrapped = Wrapped::new();
    std::fs::create_dir(wrapped.path("my own disk")).expect("a directory");
    let script =
        "set location my own disk 7\nset number 5\nset transactions 10\nrun my report\nshow\n";
    let output = wrapped.on_input(script);
    assert!(stdout(&output).contains("\n\tmy own disk (weight=7)\n"), "{}", stdout(&output));
    assert!(read(&wrapped.path("my report")).contains("\t\tCreation alone: 5 files"));
    assert_eq!(entries(wrapped.directory.path()), ["my own disk", "my report"]);
}

/// A shell's output stands between the prompts, where the command was.
#[test]
fn shell_commands_print_in_their_place() {
    let text = stdout(&Wrapped::new().on_input("!echo one\nfoo\n!echo two\n"));
    assert_eq!(text, format!("{BANNER}pm>one\npm>Eh?\npm>two\npm>"));
}
