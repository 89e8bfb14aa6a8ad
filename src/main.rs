//! The program: reads the command line, hands over to the library, turns what comes back
//! into an exit code.

mod cli;
mod comparison;
mod man;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

use cli::{Action, Cli, CompareArgs, OverrideArgs, SessionArgs};
use trimark::conditioning::remains::{self, Removed};
use trimark::interrupt::{Signals, signal_name};
use trimark::report::{self, FORMATS};
use trimark::runner::clean::{Cleaned, clean};
use trimark::script::grammar::parse_line;
use trimark::script::program::{self, Program};
use trimark::script::{Command, Dialect, Flow, Overrides, Session, Trouble, prompt};
use trimark::volume;
use trimark::workload::{Assignment, Location, LocationChange};

/// What PostMark prints first.
const BANNER: &str = "PostMark v1.51 : 8/14/01\n";
/// The settings file PostMark reads by itself.
const RC_FILE: &str = ".pmrc";
/// The script of the demonstration, first published in 2011.
const DEMO: &str = include_str!("../fixtures/2011.pm");

fn main() -> ExitCode {
    let called_as = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let outcome = if called_as.file_name().is_some_and(|name| name == "postmark") {
        as_postmark()
    } else {
        let cli = Cli::parse();
        match cli.command {
            None => session(cli.session),
            Some(Action::Run { config, no_rc, overrides }) => run(config, no_rc, &overrides),
            Some(Action::Show { config, no_rc, overrides }) => show(config, no_rc, &overrides),
            Some(Action::Compare { config, no_rc, options }) => compare(config, no_rc, &options),
            Some(Action::Report { files, formats }) => comparison::report(&files, &formats),
            Some(Action::Metrics) => comparison::metrics(),
            Some(Action::Clean { dir }) => clean_directory(&dir),
            Some(Action::Probe { dir, json }) => probe(&dir, json),
            Some(Action::Trim { dir, offset, length, minimum, check }) => {
                let options = [("offset", offset), ("length", length), ("minimum", minimum)];
                trim(&dir, &options, check)
            }
            Some(Action::Condition { dir, step }) => condition(&dir, &step),
            Some(Action::Recipe { name, scale, secure_erase, estimate, compare }) => {
                let (name, scale) = (name.as_deref(), scale.as_deref());
                comparison::recipe(name, scale, secure_erase, estimate, &compare)
            }
            Some(Action::Demo { overrides }) => demo(&overrides),
            Some(Action::Commands { prefix }) => commands(&prefix.join(" ")),
            Some(Action::Man) => man::print().map(|()| 0),
        }
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let trouble = error.downcast_ref::<Trouble>();
            if !trouble.is_some_and(Trouble::is_silent) {
                eprintln!("trimark: error: {error:#}");
            }
            ExitCode::from(trouble.map_or(1, Trouble::exit_code))
        }
    }
}

/// Calls `body` with a session that prints to the standard streams.
fn with_session<T>(
    dialect: Dialect,
    overrides: Overrides,
    body: impl FnOnce(&mut Session<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let signals = Signals::install().context("cannot take over signals")?;
    // Both streams are line buffered; the prompt and progress are flushed by the session.
    let (mut out, mut errors) = (io::stdout(), io::stderr());
    body(&mut Session::new(dialect, overrides, signals, &mut out, &mut errors))
}

/// PostMark itself: banner, a configuration file if exactly one argument is given, the
/// prompt on any input, exit code 0 whatever happened (but for a signal).
fn as_postmark() -> anyhow::Result<u8> {
    with_session(Dialect::PostMark, Overrides::default(), |session| {
        session.say(BANNER);
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        let config = match arguments.as_slice() {
            [config] => Some(PathBuf::from(config)),
            _ => Some(PathBuf::from(RC_FILE)).filter(|rc| rc.exists()),
        };
        let loaded = config.map(|path| session.load(&path));
        let flow = match loaded {
            Some(Ok(flow)) => flow,
            Some(Err(trouble)) => session.report(&trouble),
            None => Flow::Continue,
        };
        if flow == Flow::Continue {
            converse(session)?;
        }
        // Only a signal is told by the exit code.
        Ok(if session.worst() > 128 { session.worst() } else { 0 })
    })
}

/// The prompt on a terminal, or line by line from standard input.
fn converse(session: &mut Session<'_>) -> anyhow::Result<()> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        prompt::terminal(session)?;
    } else {
        prompt::stream(session, &mut io::stdin().lock()).context("cannot read standard input")?;
    }
    Ok(())
}

/// `trimark [CONFIG]`
fn session(arguments: SessionArgs) -> anyhow::Result<u8> {
    let overrides = overrides(&arguments.overrides)?;
    with_session(Dialect::Trimark, overrides, |session| {
        let config = config_or_rc(arguments.config, arguments.no_rc);
        if arguments.keep_going {
            let loaded = config.map(|path| session.load_line_by_line(&path));
            if !matches!(loaded, Some(Flow::Quit)) {
                converse(session)?;
            }
            return Ok(session.worst());
        }
        if let Some(path) = config
            && session.execute_program(program::read(&path)?)? == Flow::Quit
        {
            return Ok(session.worst());
        }
        if io::stdin().is_terminal() {
            converse(session)?;
        } else {
            let mut text = Vec::new();
            io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
            session.execute_program(program::parse(&text, "standard input")?)?;
        }
        Ok(session.worst())
    })
}

/// `trimark run`
fn run(config: Option<PathBuf>, no_rc: bool, arguments: &OverrideArgs) -> anyhow::Result<u8> {
    let program = read_program(config, no_rc)?;
    run_program(program, overrides(arguments)?)
}

fn run_program(program: Program, overrides: Overrides) -> anyhow::Result<u8> {
    with_session(Dialect::Trimark, overrides, |session| {
        let runs = program.runs();
        session.execute_program(program)?;
        if !runs {
            session.run(None)?;
        }
        Ok(session.worst())
    })
}

/// `trimark show`
fn show(config: Option<PathBuf>, no_rc: bool, arguments: &OverrideArgs) -> anyhow::Result<u8> {
    let program = read_program(config, no_rc)?.settings_only();
    with_session(Dialect::Trimark, overrides(arguments)?, |session| {
        session.execute_program(program)?;
        session.execute(Command::Show(arguments.outputs.first().cloned()))?;
        Ok(0)
    })
}

/// `trimark demo`
fn demo(arguments: &OverrideArgs) -> anyhow::Result<u8> {
    let program = program::parse(DEMO.as_bytes(), "the demonstration")?;
    let mut overrides = overrides(arguments)?;
    let directory = tempfile::Builder::new()
        .prefix("trimark-demo-")
        .tempdir()
        .context("cannot make a temporary directory")?;
    if arguments.location.is_none() {
        overrides.assignments.push(location(directory.path()));
    }
    run_program(program, overrides)
}

/// `trimark compare`
fn compare(config: Option<PathBuf>, no_rc: bool, options: &CompareArgs) -> anyhow::Result<u8> {
    let program = config_or_rc(config, no_rc).map(|path| program::read(&path)).transpose()?;
    comparison::compare(program, options)
}

/// `trimark commands`
fn commands(prefix: &str) -> anyhow::Result<u8> {
    with_session(Dialect::Trimark, Overrides::default(), |session| {
        session.execute(Command::Help(prefix.to_owned()))?;
        Ok(0)
    })
}

/// `trimark clean`
fn clean_directory(directory: &Path) -> anyhow::Result<u8> {
    let mut failed = false;
    for undone in volume::undo::undo_all()? {
        match undone.failure {
            None => println!("Put back: {}.", undone.change),
            Some(reason) => {
                failed = true;
                println!("Could not be put back: {}: {reason}", undone.change);
            }
        }
    }
    let Cleaned { clean_up, foreign, directories } = clean(directory).map_err(Trouble::from)?;
    let fills = remains::clean(directory)
        .with_context(|| format!("cannot look for fills in '{}'", directory.display()))?;
    let mut out = io::stdout().lock();
    failed |= tell_of_fills(&fills, &mut out)?;
    if directories.is_empty() && fills != Removed::default() {
        return Ok(u8::from(failed));
    }
    if directories.is_empty() {
        writeln!(out, "Nothing to clean in '{}': no run left a manifest.", directory.display())?;
        return Ok(u8::from(failed));
    }
    for cleaned in directories {
        writeln!(out, "Cleaned '{}'.", cleaned.display())?;
    }
    writeln!(out, "Removed {} files and {} subdirectories.", clean_up.files, clean_up.directories)?;
    for path in foreign {
        writeln!(out, "Not of that run, left untouched: '{}'", path.display())?;
    }
    for left in &clean_up.left {
        writeln!(out, "Could not be removed: '{}': {}", left.path.display(), left.reason)?;
    }
    Ok(u8::from(failed || !clean_up.left.is_empty()))
}

/// Says what was removed of killed fills; true when something of them is still there.
fn tell_of_fills(fills: &Removed, out: &mut dyn Write) -> io::Result<bool> {
    for fill in &fills.fills {
        writeln!(out, "Removed what a fill had left: '{}'.", fill.display())?;
    }
    if fills.files > 0 {
        writeln!(out, "Removed {} files of fills and transfers.", fills.files)?;
    }
    for path in &fills.foreign {
        writeln!(out, "Not of a fill, left untouched: '{}'", path.display())?;
    }
    for path in &fills.busy {
        writeln!(out, "Still being filled, left alone: '{}'", path.display())?;
    }
    for (path, reason) in &fills.left {
        writeln!(out, "Could not be removed: '{}': {reason}", path.display())?;
    }
    Ok(!fills.left.is_empty())
}

/// `trimark trim`: the script's `trim`, so that both say the same.
fn trim(directory: &Path, options: &[(&str, Option<String>)], check: bool) -> anyhow::Result<u8> {
    let given = options.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let mut words = vec![quoted(directory)];
    words.extend(given.map(|(name, value)| format!("{name}={value}")));
    words.extend(check.then(|| "check".to_owned()));
    with_session(Dialect::Trimark, Overrides::default(), |session| {
        session.execute(command(&format!("trim {}", words.join(" ")))?)?;
        Ok(0)
    })
}

/// `trimark condition`: the script's.
fn condition(directory: &Path, step: &[String]) -> anyhow::Result<u8> {
    with_session(Dialect::Trimark, Overrides::default(), |session| {
        let line = format!("condition {} {}", quoted(directory), step.join(" "));
        session.execute(command(&line)?)?;
        Ok(0)
    })
}

/// A path as a word of the script language.
fn quoted(path: &Path) -> String {
    let quote = if path.to_string_lossy().contains('"') { '\'' } else { '"' };
    format!("{quote}{}{quote}", path.display())
}

/// The command of a line made from the command line.
fn command(line: &str) -> Result<Command, Trouble> {
    let parsed = parse_line(line, Dialect::Trimark)
        .map_err(|error| Trouble::Script(vec![error.show("command line", 1, line).to_string()]))?;
    parsed.command.ok_or_else(|| Trouble::Script(vec![format!("`{line}` is no command")]))
}

/// `trimark probe`
fn probe(directory: &Path, json: bool) -> anyhow::Result<u8> {
    let signals = Signals::install().context("cannot take over signals")?;
    let (probed, signal) = {
        let _held = signals.hold();
        let interrupt = signals.interrupt();
        (volume::probe::probe(directory, &interrupt), interrupt.pending())
    };
    if let Some(signal) = signal {
        return Err(Trouble::Interrupted { signal, name: signal_name(signal) }.into());
    }
    let probed = probed.map_err(|error| {
        Trouble::Script(vec![format!("cannot probe '{}': {error}", directory.display())])
    })?;
    if let Some(left) = &probed.left {
        eprintln!("trimark: warning: a temporary directory could not be removed: {left}");
    }
    let mut out = io::stdout().lock();
    let written = if json {
        report::probe::json(&probed, &mut out)
    } else {
        report::probe::text(&probed, &mut out)
    };
    written.map_err(Trouble::Output)?;
    Ok(0)
}

fn read_program(config: Option<PathBuf>, no_rc: bool) -> Result<Program, Trouble> {
    config_or_rc(config, no_rc).map_or_else(|| Ok(Program::default()), |path| program::read(&path))
}

/// The configuration file to read: the one named, else `.pmrc`, which is announced.
fn config_or_rc(config: Option<PathBuf>, no_rc: bool) -> Option<PathBuf> {
    config.or_else(|| {
        let rc = PathBuf::from(RC_FILE);
        let found = !no_rc && rc.exists();
        if found {
            eprintln!("trimark: note: settings are read from '{RC_FILE}' (--no-rc ignores it)");
        }
        found.then_some(rc)
    })
}

fn overrides(arguments: &OverrideArgs) -> Result<Overrides, Trouble> {
    let mut overrides = Overrides { outputs: arguments.outputs.clone(), ..Overrides::default() };
    if let Some(directory) = &arguments.location {
        overrides.assignments.push(location(directory));
    }
    let reports = arguments.reports.iter().map(|report| format!("report {report}"));
    for setting in arguments.settings.iter().cloned().chain(reports) {
        match command_of_setting(&setting)? {
            Command::Set(assignment) => overrides.assignments.push(assignment),
            Command::SetReports(formats) => overrides.reports.extend(formats),
            _ => return Err(no_setting(&setting)),
        }
    }
    if overrides.outputs.len() > overrides.reports.len().max(1) {
        let known: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
        return Err(Trouble::Script(vec![format!(
            "more --output than --report: name the report of each ({})",
            known.join(", ")
        )]));
    }
    Ok(overrides)
}

/// The settings of runs in `--set`.
fn setting_overrides(settings: &[String]) -> Result<Vec<Assignment>, Trouble> {
    let assignment = |setting: &String| match command_of_setting(setting)? {
        Command::Set(assignment) => Ok(assignment),
        _ => Err(no_setting(setting)),
    };
    settings.iter().map(assignment).collect()
}

fn no_setting(setting: &str) -> Trouble {
    Trouble::Script(vec![format!("`{setting}` is no setting")])
}

/// What `set SETTING` comes to; its notes are told.
fn command_of_setting(setting: &str) -> Result<Command, Trouble> {
    let line = format!("set {setting}");
    let failed = |shown: String| Trouble::Script(vec![shown]);
    let parsed = parse_line(&line, Dialect::Trimark)
        .map_err(|error| failed(error.show("command line", 1, &line).to_string()))?;
    for note in parsed.notes {
        eprintln!("trimark: note: `{line}`: {note}");
    }
    parsed.command.ok_or_else(|| no_setting(setting))
}

fn location(directory: &Path) -> Assignment {
    let location = Location { path: directory.to_owned(), weight: 1 };
    Assignment::Location(LocationChange::Replace(location))
}
