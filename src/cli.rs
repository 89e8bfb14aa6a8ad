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
    /// Compare arms: many runs in random balanced order, one verdict. Without CONFIG and
    /// arms: does `discard` make a difference to small files on a scratch image?
    Compare {
        /// A file of commands: its settings and `arm` commands are used.
        config: Option<PathBuf>,
        /// Don't read `.pmrc` where no CONFIG is given.
        #[arg(long)]
        no_rc: bool,
        /// What is compared, where and for how long.
        #[command(flatten)]
        options: Box<CompareArgs>,
    },
    /// Show saved results again: an experiment's file, or results of runs.
    Report {
        /// Files made by `compare`, or by `--report json`.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// text, markdown, csv, json, html, classic or svg-…; for runs those of `set report`.
        #[arg(long = "format", value_name = "FORMAT[:FILE]")]
        formats: Vec<String>,
    },
    /// List the metrics that can be compared.
    Metrics,
    /// Remove what a killed run left in DIR, and nothing else; give back what a killed
    /// comparison changed on this machine.
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
    /// Discard the free space of DIR's file system, and say what the file system says and
    /// what its device counted.
    Trim {
        /// A directory of a mounted file system.
        dir: PathBuf,
        /// Begin at this place of the file system, bytes: 512m, 1g.
        #[arg(long, value_name = "BYTES")]
        offset: Option<String>,
        /// Only so far from there, bytes.
        #[arg(long, value_name = "BYTES")]
        length: Option<String>,
        /// Leave out extents of free blocks shorter than this, bytes.
        #[arg(long, value_name = "BYTES")]
        minimum: Option<String>,
        /// Also write 8 MiB, delete them, trim, and say whether the discards arrive.
        #[arg(long)]
        check: bool,
    },
    /// Bring the drive under DIR to a known state: fill-purge, sequential-fill, torture or
    /// trim, as `trimark commands condition` explains. All that is made for it is removed.
    Condition {
        /// A directory of the file system that is filled.
        dir: PathBuf,
        /// What is done, such as: fill-purge:10 size=4k-400k order=random
        #[arg(required = true, value_name = "STEP")]
        step: Vec<String>,
    },
    /// Play a ready-made experiment on clean and used drives; without NAME, list them. Says
    /// first what it will do, write and take, and asks where it erases a device.
    Recipe {
        /// Which: sizes, trim-atime, cliff, recovery or dirty.
        name: Option<String>,
        /// For a smaller drive: 1/100 of all sizes, numbers and times.
        #[arg(long, value_name = "SCALE")]
        scale: Option<String>,
        /// Your command that erases the drive it finds in TRIMARK_DEVICE, where a clean
        /// drive is needed; a new file system otherwise.
        #[arg(long, value_name = "COMMAND")]
        secure_erase: Option<String>,
        /// Only say what it would do.
        #[arg(long)]
        estimate: bool,
        /// How it is compared.
        #[command(flatten)]
        compare: Box<CompareArgs>,
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

/// What is compared, where and for how long: the options of the script's `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// An arm: mount options as mount(8) takes them, and trim=before, condition='STEP…' (as
    /// `trimark commands condition` explains), fs=TYPE, mkfs=ARGS, scheduler=NAME, dir=DIR, file=FILE, before=CMD, after=CMD, or `set …`; several times.
    #[arg(long = "arm", value_name = "NAME=OPTIONS")]
    pub arm: Vec<String>,
    /// A ready-made set of arms: discard, trim, atime or trim-atime.
    #[arg(long, value_name = "SET")]
    pub arms: Option<String>,
    /// The base arm against itself: how large is the noise here?
    #[arg(long)]
    pub aa: bool,
    /// The arm that others are set against; the first if not given.
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// On file systems in sparse temporary images (the default as root).
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub scratch: Option<String>,
    /// Type of file system of scratch images: ext4 (default), xfs or btrfs.
    #[arg(long, value_name = "TYPE")]
    pub fs: Option<String>,
    /// On the file system of DEV, mounted where nobody else sees it.
    #[arg(long, value_name = "DEV")]
    pub device: Option<String>,
    /// Make a new file system on DEV first, which erases it: asks, or needs --yes-erase.
    #[arg(long, value_name = "TYPE")]
    pub mkfs: Option<String>,
    /// Yes, erase DEV.
    #[arg(long, value_name = "DEV")]
    pub yes_erase: Option<String>,
    /// In DIR, its file system remounted with each arm's options and at last as it was.
    #[arg(long, value_name = "DIR")]
    pub mountpoint: Option<String>,
    /// Number of blocks, each with every arm once (default 20; no verdict below 6).
    #[arg(long, value_name = "N")]
    pub blocks: Option<String>,
    /// Go on until the effect is known to within X% either way, at most 30 minutes or --time.
    #[arg(long, value_name = "X%")]
    pub until: Option<String>,
    /// Begin no block that would end later: 30m, 2h.
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Seed of the order of runs.
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    /// The metric that is the question (`trimark metrics` lists them).
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Differences up to this do not matter (default 3%).
    #[arg(long, value_name = "X%")]
    pub margin: Option<String>,
    /// Take the noise floor from this file, made with --aa.
    #[arg(long, value_name = "FILE")]
    pub noise: Option<String>,
    /// A shell command before each run, the place ready; ARM=CMD for one arm. It finds
    /// TRIMARK_ARM and TRIMARK_DIR.
    #[arg(long, value_name = "[ARM=]CMD")]
    pub before: Vec<String>,
    /// The same after each run.
    #[arg(long, value_name = "[ARM=]CMD")]
    pub after: Vec<String>,
    /// Go on with an experiment that was stopped.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<String>,
    /// Where every run is saved (default: a new file in the current directory).
    #[arg(long, value_name = "FILE")]
    pub save: Option<String>,
    /// text (default), markdown, csv, json, html, classic or svg-…, with a file to write it
    /// to; several times.
    #[arg(long, value_name = "FORMAT[:FILE]")]
    pub report: Vec<String>,
    /// A setting as in scripts, such as 'number 2000'; several times.
    #[arg(long = "set", value_name = "SETTING")]
    pub settings: Vec<String>,
    /// Where the files go, for arms that are not mounted by this program.
    #[arg(long, value_name = "DIR")]
    pub location: Option<PathBuf>,
}

impl CompareArgs {
    /// Names and values of the options given, as the script's `compare` has them.
    #[must_use]
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        let single = [
            ("arms", &self.arms),
            ("base", &self.base),
            ("scratch", &self.scratch),
            ("fs", &self.fs),
            ("device", &self.device),
            ("mkfs", &self.mkfs),
            ("yes-erase", &self.yes_erase),
            ("mountpoint", &self.mountpoint),
            ("blocks", &self.blocks),
            ("until", &self.until),
            ("time", &self.time),
            ("seed", &self.seed),
            ("metric", &self.metric),
            ("margin", &self.margin),
            ("noise", &self.noise),
            ("resume", &self.resume),
            ("save", &self.save),
        ];
        let many = [
            ("arm", &self.arm),
            ("before", &self.before),
            ("after", &self.after),
            ("report", &self.report),
        ];
        let single = single.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        let many = many
            .into_iter()
            .flat_map(|(name, values)| values.iter().map(move |value| (name, value.as_str())));
        let aa = self.aa.then_some(("aa", "true"));
        single.chain(many).chain(aa).collect()
    }
}
