//! The subcommands, the overrides, the exit codes, and what each leaves behind.

use super::runs::{call, call_in, contents, number, run};
use crate::support::{entries, program, run_in, scratch, stderr, stdout, trimark};

#[test]
fn what_the_command_line_sets_wins_over_the_script() {
    let directory = scratch();
    std::fs::create_dir(directory.path().join("there")).expect("a location");
    let script = "set number 7\nset location /nonexistent\nset report verbose\nset seed 3\nrun\n";
    std::fs::write(directory.path().join("s.pm"), script).expect("a script");
    let overrides =
        ["--set", "number 9", "--set", "transactions 4", "--location", "there", "--report", "json"];
    for before in [&["run", "s.pm"][..], &["s.pm"]] {
        let output = run_in(directory.path(), trimark(), &[before, &overrides].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON only");
        assert_eq!(number(&report, "config/number"), 9);
        assert_eq!(number(&report, "config/transactions"), 4);
        assert_eq!(number(&report, "config/seed"), 3);
        assert_eq!(report["places"][0]["path"], "there");
    }
    assert_eq!(entries(directory.path()), ["s.pm", "there"]);
}

#[test]
fn what_is_no_setting_is_refused_on_the_command_line() {
    for (setting, said) in [
        ("numbr 5", "did you mean `set number`?"),
        ("number", "a value is missing"),
        ("number 5 6", "one word too many"),
        ("", "needs the name of a setting"),
    ] {
        let finished = call(&["run", "--set", setting]);
        assert_eq!(finished.code, Some(2), "{setting}");
        assert!(finished.errors.contains(said), "{setting}: {}", finished.errors);
        assert_eq!(finished.left(), Vec::<String>::new());
    }
    assert_eq!(call(&["run", "--nonsense"]).code, Some(2));
}

#[test]
fn show_prints_what_a_run_would_use_and_runs_nothing() {
    let directory = scratch();
    let script = "set number 7\nrun out\n!touch touched\nset size 1 2\nload more.pm\nquit\n";
    std::fs::write(directory.path().join("s.pm"), script).expect("a script");
    std::fs::write(directory.path().join("more.pm"), "set seed 5\nset report json").expect("more");
    let arguments = ["show", "s.pm", "--set", "transactions 4", "--location", "elsewhere"];
    let finished = call_in(directory, &arguments, "");
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    for shown in [
        "The base number of files is 7\n",
        "Transactions: 4\n",
        "Files range between 1 bytes and 2 bytes in size\n",
        "\telsewhere (weight=1)\n",
        "Random number generator seed is 5\n",
        "Report format is json.\n",
    ] {
        assert!(finished.out.contains(shown), "{shown}: {}", finished.out);
    }
    assert_eq!(finished.left(), ["more.pm", "s.pm"]);
}

#[test]
fn the_demonstration_leaves_nothing() {
    let temporary = scratch();
    let elsewhere = scratch();
    let output = std::process::Command::new(trimark())
        .args(["demo", "--set", "number 100", "--set", "transactions 100", "--report", "json"])
        .env("TMPDIR", temporary.path())
        .current_dir(elsewhere.path())
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["config"]["size_high"], 100_000, "the published sizes");
    let resolved = report["places"][0]["resolved"].as_str().expect("a path");
    let inside = temporary.path().canonicalize().expect("a path");
    assert!(resolved.starts_with(inside.to_str().expect("UTF-8")), "{resolved}");
    assert_eq!(entries(temporary.path()), Vec::<String>::new());
    assert_eq!(entries(elsewhere.path()), Vec::<String>::new());
}

#[test]
fn the_manual_page_knows_every_command_and_renders() {
    let roff = call(&["man"]);
    assert_eq!((roff.code, roff.errors.as_str()), (Some(0), ""));
    assert!(roff.out.contains(".TH trimark 1"), "{}", roff.out);
    let plain = roff.out.replace("\\-", "-"); // as it is printed
    for row in trimark::script::COMMANDS {
        assert!(plain.contains(&row.name()), "{}", row.name());
    }
    let Some(man) = program("man") else { return };
    let directory = scratch();
    std::fs::write(directory.path().join("trimark.1"), &roff.out).expect("the page");
    let output = run_in(directory.path(), man, &["--warnings", "-l", "trimark.1"], "");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = stdout(&output);
    for section in ["NAME", "SYNOPSIS", "OPTIONS", "SUBCOMMANDS", "SCRIPT LANGUAGE", "EXIT STATUS"]
    {
        assert!(page.lines().any(|line| line == section), "{section}: {page}");
    }
}

#[test]
fn commands_are_explained() {
    let all = call(&["commands"]);
    assert_eq!(all.code, Some(0));
    for row in trimark::script::COMMANDS {
        assert!(all.out.contains(&row.synopsis()), "{}", row.synopsis());
    }
    let one = call(&["commands", "set", "bias"]);
    assert_eq!(one.out.matches(" - ").count(), 2, "{}", one.out);
    assert!(one.out.contains("of 10 transactions read"), "{}", one.out);
}

#[test]
fn the_null_engine_touches_nothing() {
    let Some(strace) = program("strace") else { return };
    let directory = scratch();
    let arguments = ["-f", "-o", "trace", trimark(), "run", "--set", "engine null"];
    let output = run_in(directory.path(), strace, &arguments, "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("the null engine touches no file"), "{}", stdout(&output));
    let trace = contents(directory.path(), "trace");
    assert!(trace.contains("execve("), "the trace is a trace");
    for call in ["O_CREAT", "O_WRONLY", "O_RDWR|", "unlink", "mkdir", "rmdir", "rename"] {
        assert!(!trace.contains(call), "{call} in the trace");
    }
    assert_eq!(entries(directory.path()), ["trace"]);
}

#[test]
fn the_null_engine_needs_no_location() {
    let finished = run(&["engine null", "location /nonexistent/at/all"], &["json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(finished.json()["places"], serde_json::json!([]));
}

#[test]
fn exit_codes_say_what_went_wrong() {
    let user_file = scratch();
    std::fs::write(user_file.path().join("1"), "mine").expect("a file");
    let taken = user_file.path().to_str().expect("UTF-8");
    for (arguments, code) in [
        (&["run", "--set", "engine null"][..], 0),
        (&["run", "--set", "number 3"], 1),
        (&["run", "--location", taken], 1),
        (&["run", "--location", "missing"], 2),
        (&["run", "--location", "/dev/null"], 2),
        (&["run", "missing.pm"], 2),
        (&["run", "--set", "number x"], 2),
        (&["frobnicate.pm"], 2),
        (&["--version"], 0),
        (&["--help"], 0),
    ] {
        let finished = call(arguments);
        assert_eq!(finished.code, Some(code), "{arguments:?}: {}", finished.errors);
        assert_eq!(finished.errors.is_empty(), code == 0, "{arguments:?}: {}", finished.errors);
        assert_eq!(finished.left(), Vec::<String>::new(), "{arguments:?}");
    }
    assert_eq!(contents(user_file.path(), "1"), "mine");
}

#[test]
fn a_failed_shell_command_ends_a_batch() {
    let finished = call_in(scratch(), &[], "!exit 3\nshow\n");
    assert_eq!((finished.code, finished.out.as_str()), (Some(1), ""));
    assert!(finished.errors.contains("exit 3"), "{}", finished.errors);
    assert_eq!(call_in(scratch(), &[], "!echo said\n").out, "said\n");
}

#[test]
fn the_readme_explains_every_command() {
    let readme = include_str!("../../../README.md");
    for row in trimark::script::COMMANDS.iter().filter(|row| row.words[0] == "set") {
        assert!(
            readme.contains(&format!("`{}", row.name())),
            "{} is not in the README",
            row.name()
        );
    }
    for row in trimark::report::FORMATS {
        assert!(readme.contains(&format!("`{}`", row.name)), "{} is not in the README", row.name);
    }
}
