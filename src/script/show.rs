//! The answer to `show`, as PostMark words it; our own settings follow in our dialect.

use std::io::{self, Write};

use super::grammar::Dialect;
use crate::report::Format;
use crate::workload::config::Bias;
use crate::workload::{Config, EngineKind};

/// Prints the settings. When they go to a file, PostMark still prints the locations on
/// standard output, `console`.
///
/// # Errors
/// Those of the writers.
pub fn show(
    config: &Config,
    reports: &[Format],
    dialect: Dialect,
    console: Option<&mut dyn Write>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "Current configuration is:")?;
    writeln!(out, "The base number of files is {}", config.number)?;
    writeln!(out, "Transactions: {}", config.transactions)?;
    if config.size_low == config.size_high {
        writeln!(out, "Files are {} in size", scale(config.size_low))?;
    } else {
        let (low, high) = (scale(config.size_low), scale(config.size_high));
        writeln!(out, "Files range between {low} and {high} in size")?;
    }
    locations(config, dialect, console, out)?;
    match config.subdirectories {
        0 => {}
        1 => writeln!(out, "1 subdirectory will be used")?,
        count => writeln!(out, "{count} subdirectories will be used")?,
    }
    let (read, write) = (scale(config.read_block), scale(config.write_block));
    writeln!(out, "Block sizes are: read={read}, write={write}")?;
    let (read, create) = (bias(config.bias_read), bias(config.bias_create));
    writeln!(out, "Biases are: read/append={read}, create/delete={create}")?;
    let not = if config.engine == EngineKind::Buffered { "Using" } else { "Not using" };
    writeln!(out, "{not} Unix buffered file I/O")?;
    writeln!(out, "Random number generator seed is {}", config.seed)?;
    let names: Vec<&str> = reports.iter().map(|format| format.row().name).collect();
    match names.as_slice() {
        [name] => writeln!(out, "Report format is {name}.")?,
        names => writeln!(out, "Report formats are {}.", names.join(" "))?,
    }
    if dialect == Dialect::Trimark {
        writeln!(out, "Engine is {}.", config.engine.name())?;
    }
    Ok(())
}

fn locations(
    config: &Config,
    dialect: Dialect,
    console: Option<&mut dyn Write>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if config.locations.is_empty() {
        let directory = std::env::current_dir()?;
        return writeln!(out, "Working directory: {}", directory.display());
    }
    let noun = if config.locations.len() == 1 { "directory" } else { "directories" };
    writeln!(out, "Working {noun}: ")?;
    let mut lines = String::new();
    for location in &config.locations {
        lines += &format!("\t{} (weight={})\n", location.path.display(), location.weight);
    }
    match console {
        Some(console) if dialect == Dialect::PostMark => console.write_all(lines.as_bytes()),
        _ => out.write_all(lines.as_bytes()),
    }
}

fn bias(bias: Bias) -> i8 {
    bias.map_or(-1, |bias| bias as i8)
}

/// PostMark's notation of whole bytes in `show`.
fn scale(bytes: u64) -> String {
    const MEGA: u64 = 1 << 20;
    match bytes {
        MEGA.. => format!("{:.2} megabytes", bytes as f64 / MEGA as f64),
        1024.. => format!("{:.2} kilobytes", bytes as f64 / 1024.0),
        _ => format!("{bytes} bytes"),
    }
}
