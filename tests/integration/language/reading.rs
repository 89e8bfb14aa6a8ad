//! Properties of reading: nothing panics, and what is meant is read however it is written.

use proptest::collection::vec;
use proptest::prelude::*;
use trimark::script::Command;
use trimark::script::Dialect::{PostMark, Trimark};
use trimark::script::grammar::parse_line;
use trimark::script::program::{self, Action};

use super::commands::{any_command, any_style, parts, plain, write};

/// Lines that nearly are commands: pieces of the language in any order.
pub fn near_line() -> impl Strategy<Value = String> {
    let pieces = "set size number seed transactions location subdirectories read write buffering \
                  bias create report engine run load show help quit exit ? ! # \" ' + - -1 0 10 \
                  512 4k 1.5m 99t 18446744073709551616 true null full json verbose ä目🦀 \u{feff}";
    let pieces: Vec<String> = pieces.split(' ').map(str::to_owned).collect();
    let piece = prop_oneof![
        6 => prop::sample::select(pieces),
        1 => "[^\r\n]{0,6}",
    ];
    vec((piece, prop::sample::select(vec!["", " ", " ", " ", "\t", "\u{3000}"])), 0..8)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| piece + gap).collect())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..400)) {
        let _ = program::parse(&bytes, "any");
        let text = String::from_utf8_lossy(&bytes);
        let _ = (parse_line(&text, Trimark), parse_line(&text, PostMark));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = program::parse(text.as_bytes(), "any");
        let _ = (parse_line(&text, Trimark), parse_line(&text, PostMark));
    }

    #[test]
    fn any_pieces_of_the_language_are_read_or_refused(lines in vec(near_line(), 0..8)) {
        let _ = program::parse(lines.join("\n").as_bytes(), "any");
        for line in &lines {
            let _ = (parse_line(line, Trimark), parse_line(line, PostMark));
        }
    }

    #[test]
    fn a_command_as_written_reads_as_itself(command in any_command()) {
        let line = write(&parts(&command), &plain());
        for dialect in [Trimark, PostMark] {
            let parsed = parse_line(&line, dialect);
            prop_assert_eq!(parsed.map(|p| p.command), Ok(Some(command.clone())), "{}", line);
        }
    }

    #[test]
    fn decoration_changes_nothing(command in any_command(), style in any_style()) {
        let plain_line = write(&parts(&command), &plain());
        let decorated = write(&parts(&command), &style);
        prop_assert_eq!(
            parse_line(&decorated, Trimark),
            parse_line(&plain_line, Trimark),
            "{:?}", decorated
        );
    }

    #[test]
    fn decorated_lines_make_the_plain_program(
        lines in vec((any_command(), any_style()), 0..10),
        final_newline: bool,
    ) {
        // Files that could be loaded are not there, and nothing follows a `quit`.
        let lines: Vec<_> = lines
            .into_iter()
            .filter(|(command, _)| !matches!(command, Command::Load(_) | Command::Quit))
            .collect();
        let mut text: String =
            lines.iter().map(|(command, style)| write(&parts(command), style) + "\n").collect();
        if !final_newline {
            text.pop();
        }
        let program = program::parse(text.as_bytes(), "any").expect("nothing is wrong with it");
        let commands: Vec<_> =
            program.instructions.into_iter().map(|instruction| instruction.action).collect();
        let expected: Vec<_> =
            lines.into_iter().map(|(command, _)| Action::Do(command)).collect();
        prop_assert_eq!(commands, expected);
    }

    #[test]
    fn a_line_for_the_shell_is_handed_on_as_it_is(blanks in "[ \t]{0,3}", line in "[^\r\n]{0,40}") {
        let parsed = parse_line(&format!("{blanks}!{line}\r\n"), Trimark).expect("any line will do");
        prop_assert_eq!(parsed.command, Some(Command::Shell(line)));
    }

    #[test]
    fn empty_lines_and_comments_are_no_commands(
        blanks in "[ \t\r\u{a0}]{0,8}",
        comment in "(#[^\r\n]{0,60})?",
    ) {
        let parsed = parse_line(&format!("{blanks}{comment}"), Trimark).expect("no error");
        prop_assert_eq!(parsed.command, None);
        prop_assert!(parsed.notes.is_empty());
    }
}
