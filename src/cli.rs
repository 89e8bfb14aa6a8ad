//! The command line, as clap knows it; no behaviour.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// PostMark with a verdict: the classic small-file benchmark, measured properly.
///
/// Without a subcommand: reads CONFIG (or `.pmrc` in the current directory), then the
/// `pm>` prompt on a terminal, or commands from standard input, which are read as a whole
/// and checked before anything runs. Called as `postmark` it behaves as PostMark does.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Action>,
    /// How a session begins.
    #[command(flatten)]
    pub session: SessionArgs,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done; 1 the run failed; 2 bad input; 3 the machine can't; 128+n stopped by signal n.
`help` at the prompt, or `trimark commands`, explains every command of the script language.";

/// How a session of commands begins.
#[derive(Debug, Args)]
pub struct SessionArgs {
    /// A file of commands to obey first.
    pub config: Option<PathBuf>,
    /// PostMark's way: obey line by line with the prompt before each, and go on after
    /// errors.
    #[arg(long)]
    pub keep_going: bool,
    /// Don't read `.pmrc` in the current directory.
    #[arg(long)]
    pub no_rc: bool,
    /// What is set above the script's settings.
    #[command(flatten)]
    pub overrides: OverrideArgs,
}

/// Settings that win over the script's.
#[derive(Debug, Args)]
pub struct OverrideArgs {
    /// A setting as in scripts, such as 'number 2000'; may be given several times.
    #[arg(long = "set", value_name = "SETTING")]
    pub settings: Vec<String>,
    /// Where the files go, instead of the script's locations.
    #[arg(long, value_name = "DIR")]
    pub location: Option<PathBuf>,
    /// verbose, terse, full or json; may be given several times.
    #[arg(long = "report", value_name = "FORMAT")]
    pub reports: Vec<String>,
    /// Write reports to FILE instead of standard output; given several times, the first
    /// is for the first --report, and so on.
    #[arg(long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Obey CONFIG and exit; where it holds no `run`, run once with its settings.
    Run {
        /// A file of commands.
        config: Option<PathBuf>,
        /// Don't read `.pmrc` where no CONFIG is given.
        #[arg(long)]
        no_rc: bool,
        /// What is set above the script's settings.
        #[command(flatten)]
        overrides: OverrideArgs,
    },
    /// Print the settings a run would use, without running.
    Show {
        /// A file of commands, of which only the settings are obeyed.
        config: Option<PathBuf>,
        /// Don't read `.pmrc` where no CONFIG is given.
        #[arg(long)]
        no_rc: bool,
        /// What is set above the script's settings.
        #[command(flatten)]
        overrides: OverrideArgs,
    },
    /// Remove what a killed run left in DIR, and nothing else.
    Clean {
        /// A location of that run.
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// Describe DIR's file system, device and machine, and try in a temporary subdirectory
    /// what they really do: access times, discards, O_DIRECT, birth times.
    Probe {
        /// The directory.
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Print one JSON document instead.
        #[arg(long)]
        json: bool,
    },
    /// Run the script published in 2011 (10,000 files, 20,000 transactions, about 1.2 GB
    /// written) in a temporary directory, which is removed afterwards.
    Demo {
        /// What is set above the script's settings.
        #[command(flatten)]
        overrides: OverrideArgs,
    },
    /// Explain every command of the script language.
    Commands {
        /// Only those whose name begins so.
        prefix: Vec<String>,
    },
    /// Print the manual page, for `man -l -`.
    Man,
}
