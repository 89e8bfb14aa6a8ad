//! The answer to `help`.

use std::io::{self, Write};

use super::command::{COMMANDS, CommandRow};
use super::grammar::Dialect;

/// Explains the commands whose name begins with `prefix`; all of them when none does.
///
/// # Errors
/// Those of the writer.
pub fn help(prefix: &str, dialect: Dialect, out: &mut dyn Write) -> io::Result<()> {
    let prefix = prefix.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let known = COMMANDS.iter().filter(|row| row.classic || dialect == Dialect::Trimark);
    let mut rows: Vec<&CommandRow> =
        known.clone().filter(|row| row.name().starts_with(&prefix)).collect();
    let mut detailed = !prefix.is_empty();
    if rows.is_empty() {
        rows = known.collect();
        detailed = false;
    }
    for row in rows {
        match dialect {
            Dialect::PostMark => writeln!(out, "{} - {}", row.name(), row.summary)?,
            Dialect::Trimark => {
                writeln!(out, "{} - {}", row.synopsis(), row.summary)?;
                if detailed {
                    writeln!(out, "    {}", row.details)?;
                }
            }
        }
    }
    Ok(())
}
