//! Long sessions of commands, good and bad, answered as PostMark answers them: standard
//! output to the byte, and on standard error the same errors in the same order.
//!
//! Ours adds lines that begin with `Note:` on standard error, and reads some lines that
//! PostMark does not (leading and trailing blanks, capitals, suffixes); those are left out
//! here.

use std::path::Path;

use super::Wrapped;
use crate::support::{real_postmark, run_in, stderr, stdout};

/// Every setting, accepted and refused.
const SETTINGS: &str = "\
show
set size
set size 0
set size -5
set size abc
set size 100 50
show
set size 100 abc
show
set size 1023 1024
show
set size 1024 1048576
show
set size 1025 1048577
show
set size 5 5 5
show
set size 500 10000
set number
set number 0
set number -1
set number abc
set number 12abc
show
set numbers 77
show
set seed
set seed 0
set seed -3
set seed x
set seed 99
show
set transactions
set transactions 0
set transactions -4
set transactions x
set transactions 15
show
set subdirectories
set subdirectories 0
set subdirectories -2
set subdirectories 1
show
set subdirectories 2
show
set subdirectories x
set read
set read 0
set read -1
set read x
set read 4096
set write
set write 0
set write x
set write 1048576
show
set read 1023
set write 1048577
show
set buffering
set buffering x
set buffering false
show
set buffering true
set bias read 11
set bias read -2
set bias read -1
set bias create 11
set bias create -2
set bias create 10
show
set bias read 0
set bias create -1
show
set report
set report x
set report verbose x
set report terse
show
set report verbose
show
";

/// Locations, one and several, with and without weights, added and removed.
const LOCATIONS: &str = "\
set location
show
set location a
show
set location a 3
show
set location b x
set location b -4
set location b 0
show
set location +c 2
set location +d
set location +e five
show
set location -nowhere
set location -c
show
set location my own disk 7
set location +an other 2
show
set location -an other
set location -an other one
show
set location -my own disk
show
set location /tmp
show
";

/// What is no command, help, files, and a file that is loaded.
const COMMANDS: &str = "\
help
?
help set
help set bias
help s
help r
help qu
help nothing
foo
set
set foo
set foo 3
set bias
set bias foo 3
set transaction 20
unrun
sho
-e set location a
# a comment

load
load missing
load a file that is missing
load first.pm
show
load second file.pm
show
show /nowhere/file
show shown
!cat shown
!echo done
!false
run /nowhere/report
";

const FIRST_FILE: &str =
    "set number 11\nset size 0\nfoo\nload second file.pm\nshow\nquit\nset number 9\n";
const SECOND_FILE: &str =
    "set transactions 12\nset location a\nset location -a\nquit\nset seed 8\n";

/// What a program says to a session in this directory, its exit status included. Of
/// standard error only the errors.
fn answers(program: &Path, directory: &Path, input: &str) -> (String, Vec<String>, Option<i32>) {
    let output = run_in(directory, program, &[], input);
    let errors = stderr(&output);
    let errors = errors.lines().filter(|line| !line.starts_with("Note: "));
    (stdout(&output), errors.map(str::to_owned).collect(), output.status.code())
}

/// Plays a session with both programs in the same directory.
fn compare(session: &str) {
    let Some(real) = real_postmark() else { return };
    let wrapped = Wrapped::new();
    for (name, text) in [("first.pm", FIRST_FILE), ("second file.pm", SECOND_FILE)] {
        std::fs::write(wrapped.path(name), text).expect("a file");
    }
    let answers = |program: &Path| {
        let answers = answers(program, wrapped.directory.path(), session);
        let _ = std::fs::remove_file(wrapped.path("shown")); // where the session made it
        answers
    };
    let (real, ours) = (answers(&real), answers(&wrapped.program.path()));
    for (number, (expected, got)) in real.0.lines().zip(ours.0.lines()).enumerate() {
        assert_eq!(got, expected, "line {} of standard output", number + 1);
    }
    assert_eq!(ours.0, real.0);
    assert_eq!(ours.1, real.1);
    assert_eq!(ours.2, real.2);
}

#[test]
fn settings_are_answered_as_postmark_does() {
    compare(SETTINGS);
}

#[test]
fn locations_are_answered_as_postmark_does() {
    compare(LOCATIONS);
}

#[test]
fn other_commands_are_answered_as_postmark_does() {
    compare(COMMANDS);
}

#[test]
fn all_in_one_session_with_quit() {
    compare(&format!("{COMMANDS}{SETTINGS}{LOCATIONS}quit\nshow\n"));
}
