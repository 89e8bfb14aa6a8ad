//! Any bytes as a script: read or refused, never a panic, and every error is shown with
//! its mark inside or just behind the line.

#![no_main]

use std::path::Path;

use libfuzzer_sys::{Corpus, fuzz_target};
use unicode_width::UnicodeWidthStr;
use trimark::script::Dialect::{PostMark, Trimark};
use trimark::script::grammar::{ParsedLine, parse_line};
use trimark::script::{Command, program};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(bytes);
    let mut loads = false;
    for line in text.split('\n') {
        let own = parse_line(line, Trimark);
        loads |= matches!(&own, Ok(ParsedLine { command: Some(Command::Load(path)), .. })
            if exists(path));
        match own {
            Ok(parsed) => assert_decoration_changes_nothing(line, &parsed),
            Err(error) => assert_mark_is_in_place(&error.show("fuzz", 1, line).to_string()),
        }
        if let Err(error) = parse_line(line, PostMark) {
            let _ = error.complaint();
        }
    }
    // A script may load any file of this machine; the fuzzer had better not.
    if loads {
        return Corpus::Reject;
    }
    let _ = program::parse(bytes, "fuzz").map(|program| program.settings_only());
    Corpus::Keep
});

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn assert_decoration_changes_nothing(line: &str, parsed: &ParsedLine) {
    let is_shell = matches!(parsed.command, Some(Command::Shell(_)));
    if is_shell || line.starts_with('\u{feff}') || line.contains('\r') {
        return;
    }
    let decorated = format!(" \t{line} # and a comment\r");
    assert_eq!(parse_line(&decorated, Trimark).as_ref(), Ok(parsed), "{line:?}");
}

fn assert_mark_is_in_place(shown: &str) {
    let mut lines = shown.split('\n').skip(1).map(|line| line.get(4..).expect("indented"));
    let (line, mark) = (lines.next().expect("the line"), lines.next().expect("the mark"));
    let caret = mark.chars().take_while(|c| *c == ' ').count();
    let carets = mark.chars().skip(caret).take_while(|c| *c == '^').count();
    let width = line.width();
    let inside = caret + carets <= width;
    let behind = caret <= width && carets == 1;
    assert!(carets > 0 && (inside || behind), "{shown}");
}
