//! The outcome in Markdown, to paste where people talk.

use std::io::{self, Write};

use super::transfers;
use super::view::{self, Table};
use crate::experiment::outcome::Outcome;

/// Writes the report.
pub fn markdown(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    match outcome.headline() {
        None => writeln!(out, "{}\n", escaped(&view::no_headline(outcome)))?,
        Some(metric) => {
            writeln!(out, "### Verdict on `{}`\n", metric.metric)?;
            for line in view::lines(metric) {
                let floor = line.floor.map_or_else(String::new, |f| format!("; noise floor {f}"));
                let (subject, sentence) = (escaped(&line.subject), escaped(&line.sentence));
                writeln!(out, "- **{subject}: {sentence}**{floor}")?;
                for note in &line.notes {
                    writeln!(out, "  - {}", escaped(note))?;
                }
            }
            writeln!(out, "\n({})\n", escaped(&metric.definition))?;
            table(&view::arms(metric), out)?;
        }
    }
    if let Some(speeds) = transfers::table(outcome) {
        writeln!(out, "### Transfers\n")?;
        table(&speeds, out)?;
        for finding in transfers::findings(outcome) {
            writeln!(out, "- {}", escaped(&finding))?;
        }
        writeln!(out)?;
    }
    if let Some(noise) = view::noise(outcome) {
        writeln!(out, "Noise: {}\n", escaped(&noise))?;
    }
    writeln!(out, "### Secondary metrics, which were not the question\n")?;
    table(&view::secondary(outcome), out)?;
    if !outcome.warnings.is_empty() {
        writeln!(out, "### To be known\n")?;
        for warning in &outcome.warnings {
            writeln!(out, "- {}", escaped(warning))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "### In force\n")?;
    table(&view::in_force(outcome), out)?;
    writeln!(out, "### How\n")?;
    writeln!(out, "- {}", escaped(&view::progress(outcome)))?;
    writeln!(out, "- on {}", escaped(&view::place(outcome)))?;
    writeln!(out, "- {}", escaped(&view::workload(outcome)))?;
    if let Some(start) = view::start(outcome) {
        writeln!(out, "- each run began by: {}", escaped(&start))?;
    }
    writeln!(out, "- {}", escaped(&view::machine(outcome)))?;
    writeln!(out, "- begun {}; again:\n", outcome.plan.started)?;
    writeln!(out, "      {}", view::repeat(outcome))
}

fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {} |", table.head.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(table.head.len()))?;
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}

/// Text in which nothing is taken for markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '[' | '\\' | '#') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped.replace('\n', " ")
}
