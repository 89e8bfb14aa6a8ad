//! The prompt, by typing at it: the program runs on a pseudo-terminal.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rexpect::process::WaitStatus;
use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};
use tempfile::TempDir;

use crate::support::{AsPostmark, entries, scratch, trimark};

/// How long anything may take, milliseconds.
const PATIENCE: u64 = 20_000;

const PROMPT: &str = "pm>";
const TAB: &str = "\t";
const ENTER: &str = "\r";
const LEFT: &str = "\x1b[D";
const UP: &str = "\x1b[A";
const BACKSPACE: &str = "\x7f";

/// A workload nobody waits for.
const ENDLESS: [&str; 4] = [
    "set number 2000",
    "set size 500 1000",
    "set transactions 1000000000",
    "set report verbose full",
];

/// The program on a terminal, and the directory it was started in.
struct Terminal {
    session: PtySession,
    directory: TempDir,
}

impl Terminal {
    fn start(program: impl AsRef<Path>, directory: TempDir) -> Self {
        let mut command = Command::new(program.as_ref());
        command.current_dir(directory.path()).env("TERM", "xterm").env_remove("NO_COLOR");
        let options = Options::new().timeout_ms(Some(PATIENCE)).strip_ansi_escape_codes(true);
        let session = spawn_with_options(command, options).expect("a terminal");
        let mut terminal = Self { session, directory };
        terminal.sees(PROMPT);
        terminal
    }

    fn trimark() -> Self {
        Self::start(trimark(), scratch())
    }

    fn types(&mut self, keys: &str) {
        self.session.send(keys).and_then(|_| self.session.flush()).expect("the keys are taken");
    }

    /// Waits until this is on the screen; what came before it.
    fn sees(&mut self, text: &str) -> String {
        match self.session.exp_string(text) {
            Ok(before) => before,
            Err(error) => panic!("waiting for {text:?}: {error}"),
        }
    }

    fn presses_control(&mut self, key: char) {
        self.session.send_control(key).expect("the key is taken");
    }

    /// Types a line and Enter, and waits until it is taken. (While it is typed it is
    /// drawn anew, prompt and all, so a prompt by itself says nothing.)
    fn enters(&mut self, line: &str) {
        self.types(&format!("{line}{ENTER}"));
        self.sees("\r\n");
    }

    /// Enters a line and waits for the next prompt.
    fn does(&mut self, line: &str) {
        self.enters(line);
        self.sees(PROMPT);
    }

    /// Enters a line and waits for its answer, which must hold `text`, and the prompt.
    fn asks(&mut self, line: &str, text: &str) {
        self.enters(line);
        self.sees(text);
        self.sees(PROMPT);
    }

    /// Waits for the end of the program: its exit code.
    fn ends(mut self) -> i32 {
        self.session.exp_eof().expect("the end");
        match self.session.process_mut().wait().expect("a status") {
            WaitStatus::Exited(_, code) => code,
            other => panic!("ended by {other:?}"),
        }
    }
}

#[test]
fn quit_exit_and_the_end_of_input_end_it() {
    for word in ["quit", "EXIT", "  quit  # enough"] {
        let mut terminal = Terminal::trimark();
        terminal.enters(word);
        assert_eq!(terminal.ends(), 0, "{word}");
    }
    let mut terminal = Terminal::trimark();
    terminal.presses_control('d');
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_line_can_be_edited_before_it_is_sent() {
    let mut terminal = Terminal::trimark();
    // In the middle, then at the end (Ctrl-E).
    terminal.does(&format!("set number 95{LEFT}1\x05x{BACKSPACE}"));
    terminal.asks("show", "The base number of files is 915\r\n");
    // At the beginning (Ctrl-A), one to the right.
    terminal.does("st seed 77\x01\x1b[Ce");
    terminal.asks("show", "seed is 77\r\n");
}

#[test]
fn earlier_lines_come_back() {
    let mut terminal = Terminal::trimark();
    terminal.does("set number 71");
    terminal.does("set number 72");
    terminal.does(&format!("{UP}{UP}{BACKSPACE}3"));
    terminal.asks("show", "The base number of files is 73\r\n");
}

#[test]
fn tab_completes_commands_settings_values_and_paths() {
    let directory = scratch();
    std::fs::write(directory.path().join("settings.pm"), "set seed 123\n").expect("a script");
    std::fs::create_dir(directory.path().join("location")).expect("a directory");
    let mut terminal = Terminal::start(trimark(), directory);
    terminal.does(&format!("set num{TAB}64"));
    terminal.does(&format!("set bias cr{TAB}9"));
    terminal.does(&format!("set report full j{TAB}"));
    terminal.does(&format!("set engine n{TAB}"));
    terminal.does(&format!("set location loc{TAB}"));
    terminal.does(&format!("load sett{TAB}"));
    terminal.enters(&format!("sh{TAB}"));
    for shown in [
        "The base number of files is 64\r\n",
        "location/ (weight=1)",
        "create/delete=9\r\n",
        "seed is 123\r\n",
        "Report formats are full json.",
        "Engine is null.",
    ] {
        terminal.sees(shown);
    }
    terminal.sees(PROMPT);
    terminal.enters("quit");
    assert_eq!(terminal.ends(), 0, "nothing was misread");
}

#[test]
fn lines_typed_ahead_are_all_obeyed() {
    let mut terminal = Terminal::trimark();
    terminal.types("set number 71\rset seed 72\rset transactions 73\rshow\r");
    for shown in ["files is 71\r\n", "Transactions: 73\r\n", "seed is 72\r\n"] {
        terminal.sees(shown);
    }
}

#[test]
fn pasted_lines_are_all_obeyed() {
    let mut terminal = Terminal::trimark();
    terminal
        .types("\x1b[200~  set number 71\r\n\r\n# of a page\r\n  set seed 72\r\nshow\x1b[201~\r");
    for shown in ["files is 71\r\n", "seed is 72\r\n"] {
        terminal.sees(shown);
    }
    terminal.sees(PROMPT);
    terminal.types("\x1b[200~set number 5\nquit\nshow\n\x1b[201~\r");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn an_error_is_marked_and_the_session_goes_on() {
    let mut terminal = Terminal::trimark();
    terminal.enters("set numbr 5");
    terminal.sees("unknown setting");
    terminal.sees("    set numbr 5\r\n        ^^^^^");
    terminal.sees("did you mean `set number`?");
    terminal.sees(PROMPT);
    terminal.asks("set seed 0", "from 1 to 4,294,967,295");
    terminal.asks("load missing.pm", "'missing.pm'");
    terminal.does("set location missing");
    terminal.asks("run", "there is no such directory");
    terminal.asks("show", "The base number of files is 500\r\n");
    terminal.enters("quit");
    assert_eq!(terminal.ends(), 2, "the errors are not forgotten");
}

#[test]
fn a_run_at_the_prompt_reports_and_leaves_nothing() {
    let mut terminal = Terminal::trimark();
    terminal.does("set number 20");
    terminal.does("set transactions 10");
    terminal.asks("run", "transactions/s");
    terminal.asks("!echo to the shell", "to the shell\r\n");
    assert_eq!(entries(terminal.directory.path()), Vec::<String>::new());
}

#[test]
fn control_c_at_the_prompt_drops_the_line() {
    let mut terminal = Terminal::trimark();
    terminal.types("set number 77");
    terminal.sees("77");
    terminal.presses_control('c');
    terminal.sees("\r\n");
    terminal.sees(PROMPT);
    terminal.asks("show", "The base number of files is 500\r\n");
    terminal.enters("quit");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn control_c_stops_a_run_cleans_up_and_returns_to_the_prompt() {
    let mut terminal = Terminal::trimark();
    ENDLESS.iter().for_each(|line| terminal.does(line));
    for _ in 0..2 {
        terminal.enters("run");
        terminal.sees("Performing transactions");
        assert!(entries(terminal.directory.path()).len() > 1000, "the pool is there");
        terminal.presses_control('c');
        terminal.sees("INTERRUPTED by SIGINT");
        terminal.sees("interrupted by SIGINT; everything it made was removed");
        terminal.sees(PROMPT);
        assert_eq!(entries(terminal.directory.path()), Vec::<String>::new());
    }
    terminal.asks("show", "The base number of files is 2000\r\n");
    terminal.enters("quit");
    assert_eq!(terminal.ends(), 130);
}

#[test]
fn control_c_ends_a_command_of_the_shell_only() {
    let mut terminal = Terminal::trimark();
    terminal.enters("!echo begun; sleep 60");
    terminal.sees("begun\r\n");
    terminal.presses_control('c');
    terminal.sees(PROMPT);
    terminal.asks("show", "Current configuration is:");
}

#[test]
fn a_terminal_that_is_closed_in_a_run_leaves_nothing() {
    let mut terminal = Terminal::trimark();
    ENDLESS.iter().for_each(|line| terminal.does(line));
    terminal.enters("run");
    terminal.sees("Performing transactions");
    let Terminal { session, directory } = terminal;
    drop(session); // the hang-up
    let begun = Instant::now();
    while !entries(directory.path()).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "something is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn called_as_postmark_it_is_the_same_prompt_with_postmarks_answers() {
    let postmark = AsPostmark::new();
    let mut terminal = Terminal::start(postmark.path(), scratch());
    terminal.asks("set numbr 5", "Eh?\r\n");
    terminal.does(&format!("set number 4{LEFT}2"));
    terminal.asks("show", "The base number of files is 24\r\n");
    terminal.does("set transactions 10");
    terminal.asks("run", "seconds of transactions");
    terminal.enters("quit");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn called_as_postmark_control_c_in_a_run_ends_it_and_leaves_nothing() {
    let postmark = AsPostmark::new();
    let mut terminal = Terminal::start(postmark.path(), scratch());
    ENDLESS[..3].iter().for_each(|line| terminal.does(line));
    terminal.enters("run");
    terminal.sees("Performing transactions");
    terminal.presses_control('c');
    let Terminal { mut session, directory } = terminal;
    session.exp_eof().expect("the end");
    let status = session.process_mut().wait().expect("a status");
    assert!(matches!(status, WaitStatus::Exited(_, 130)), "{status:?}");
    assert_eq!(entries(directory.path()), Vec::<String>::new());
}
