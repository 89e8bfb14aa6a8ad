//! The manual page, made of the command line's definition and the table of commands.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli::Cli;
use trimark::report::FORMATS;
use trimark::script::COMMANDS;

/// Prints the page in roff.
pub fn print() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let command = Cli::command();
    let man = Man::new(command.clone());
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    let mut roff = Roff::new();
    roff.control("SH", ["SUBCOMMANDS"]);
    for subcommand in command.get_subcommands() {
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        entry(&mut roff, subcommand.get_name(), &about);
    }
    roff.control("SH", ["SCRIPT LANGUAGE"]);
    roff.text([roman(
        "One command per line; a # where a word could begin starts a comment. A path with blanks \
         stands in quotes. Keywords may be written in any case.",
    )]);
    for row in COMMANDS {
        entry(&mut roff, &row.synopsis(), &format!("{}. {}", row.summary, row.details));
    }
    roff.control("SH", ["REPORTS"]);
    for row in FORMATS {
        entry(&mut roff, row.name, row.help);
    }
    roff.control("SH", ["EXIT STATUS"]);
    roff.text([roman(
        "0 done; 1 the run failed; 2 bad input; 3 the machine cannot; 128+n stopped by signal n. As \
         postmark: 0 whatever happened, but for a signal.",
    )]);
    roff.control("SH", ["FILES"]);
    entry(&mut roff, ".pmrc", "Read from the current directory where no CONFIG is given.");
    entry(
        &mut roff,
        ".trimark-run",
        "In each location while a run lasts: tells `trimark clean` what a killed run left.",
    );
    roff.to_writer(&mut out)?;
    Ok(out.flush()?)
}

fn entry(roff: &mut Roff, term: &str, text: &str) {
    roff.control("TP", []);
    roff.text([bold(term)]);
    roff.text([roman(text)]);
}
