//! The outcome for a terminal: verdicts first.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table as Drawn, presets};

use super::transfers as of_transfers;
use super::view::{self, Line, Table};
use crate::experiment::outcome::{MetricOutcome, Outcome};
use crate::report::instruments::sparkline;
use crate::stats::comparison::{Comparison, Scale, Verdict};
use crate::units::{human_bytes, human_duration};
use crate::workload::transfer::Pattern;

/// Columns of the page.
const WIDTH: u16 = 100;
/// Columns of a bar of an interval.
const BAR: usize = 41;

/// Writes the report.
pub fn text(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    match outcome.headline() {
        None => writeln!(out, "{}", view::no_headline(outcome))?,
        Some(metric) => headline(metric, out)?,
    }
    if let Some(noise) = view::noise(outcome) {
        writeln!(out, "\nNoise")?;
        paragraph("  ", &noise, out)?;
    }
    states(outcome, out)?;
    transfers(outcome, out)?;
    secondary(outcome, out)?;
    if !outcome.warnings.is_empty() {
        writeln!(out, "\nTo be known")?;
        for warning in &outcome.warnings {
            paragraph("  - ", warning, out)?;
        }
    }
    writeln!(out, "\nIn force")?;
    for row in view::in_force(outcome).rows {
        paragraph(&format!("  {}: ", row[0]), &format!("{} (asked for: {})", row[2], row[1]), out)?;
    }
    writeln!(out, "\nHow")?;
    let start = view::start(outcome).unwrap_or_else(|| "–".into());
    let facts = [
        ("blocks", view::progress(outcome)),
        ("place", view::place(outcome)),
        ("workload", view::workload(outcome)),
        ("each run began by", start),
        ("machine", view::machine(outcome)),
        ("begun", outcome.plan.started.clone()),
        ("again", view::repeat(outcome)),
    ];
    for (name, value) in facts {
        paragraph(&format!("  {name}: "), &value, out)?;
    }
    Ok(())
}

fn headline(metric: &MetricOutcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Verdict on {}\n", metric.metric)?;
    for Line { subject, sentence, floor, notes, .. } in view::lines(metric) {
        let floor = floor.map_or_else(String::new, |floor| format!("; noise floor {floor}"));
        paragraph("  ", &format!("{subject}: {sentence}{floor}"), out)?;
        for note in notes {
            paragraph("      note: ", &note, out)?;
        }
    }
    writeln!(out)?;
    paragraph("  ", &format!("({}: {})", metric.metric, metric.definition), out)?;
    table(view::arms(metric), out)?;
    bars(metric, out)
}

/// How much of the base's rate each state of the drive has.
fn states(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let shares = view::shares_of_base(outcome);
    if shares.len() < 2 {
        return Ok(());
    }
    writeln!(
        out,
        "\nStates of the drive: {} in per cent of {}",
        outcome.plan.metric, outcome.plan.base
    )?;
    let width = shares.iter().map(|share| share.arm.chars().count()).max().unwrap_or(0);
    let most = shares.iter().map(|share| share.estimate).fold(1.0, f64::max);
    for share in shares {
        let length = (share.estimate.max(0.0) / most * BAR as f64).round() as usize;
        let bar = "█".repeat(length);
        writeln!(out, "  {:width$}  {bar:<BAR$} {}", share.arm, share.figure())?;
    }
    Ok(())
}

/// Transfers by size of record, over time, and what stands out.
fn transfers(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let Some(speeds) = of_transfers::table(outcome) else { return Ok(()) };
    writeln!(out, "\nTransfers: medians of the runs, and the change against the base")?;
    table(speeds, out)?;
    for pattern in Pattern::ALL {
        let passes = of_transfers::courses(outcome, pattern);
        let courses = passes.iter().map(|(arm, pass)| (*arm, *pass, of_transfers::over_time(pass)));
        let courses: Vec<_> = courses.filter(|(_, _, course)| !course.is_empty()).collect();
        for (arm, pass, course) in courses {
            let rates: Vec<f64> = course.iter().map(|(_, rate)| *rate).collect();
            let top = rates.iter().copied().fold(0.0, f64::max);
            writeln!(
                out,
                "  {} {}, {} over {}: |{}| up to {} MB/s",
                pass.pattern.name(),
                human_bytes(pass.record),
                outcome.plan.arms[arm].name,
                human_duration(pass.elapsed()),
                sparkline(&rates),
                super::quantity::four_digits(top)
            )?;
        }
    }
    for finding in of_transfers::findings(outcome) {
        paragraph("  - ", &finding, out)?;
    }
    Ok(())
}

/// The intervals, drawn on one scale.
fn bars(metric: &MetricOutcome, out: &mut dyn Write) -> io::Result<()> {
    let drawn: Vec<&Comparison> =
        metric.comparisons.iter().filter(|c| c.effect.is_some()).collect();
    let Some(scale) = drawn.first().map(|first| first.scale) else { return Ok(()) };
    let ends = drawn.iter().filter_map(|c| c.effect).flat_map(|e| [e.low.abs(), e.high.abs()]);
    let most = ends.fold(0.0, f64::max);
    if most <= 0.0 {
        return Ok(());
    }
    let end = match scale {
        Scale::Ratio => format!("{:.1} %", 100.0 * most),
        Scale::Difference => super::quantity(most, &metric.unit),
    };
    let names = drawn.iter().map(|c| view::subject(c).chars().count());
    let width = names.max().unwrap_or(0).max(8);
    writeln!(out, "\n  {:width$}  −{end:<20}{:^0}{:>21}", "effect", "0", format!("+{end}"))?;
    for comparison in drawn {
        let subject = view::subject(comparison);
        writeln!(out, "  {subject:width$}  {}", bar(comparison, most))?;
    }
    Ok(())
}

/// `·····├──●──┤···│·······`
fn bar(comparison: &Comparison, most: f64) -> String {
    let Some(effect) = comparison.effect else { return String::new() };
    let column = |value: f64| {
        let share = (value / most).clamp(-1.0, 1.0);
        ((share + 1.0) / 2.0 * (BAR - 1) as f64).round() as usize
    };
    let (low, middle, high) = (column(effect.low), column(effect.estimate), column(effect.high));
    (0..BAR)
        .map(|place| match place {
            _ if place == middle => '●',
            _ if place == low => '├',
            _ if place == high => '┤',
            _ if place == BAR / 2 => '│',
            _ if low < place && place < high => '─',
            _ => '·',
        })
        .collect()
}

/// The other metrics: what differs in full, the rest by name.
fn secondary(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let table_of = view::secondary(outcome);
    let found = outcome.metrics.iter().filter(|metric| outcome.plan.metric != metric.metric);
    let differing = found.flat_map(|metric| {
        metric.comparisons.iter().map(|c| matches!(c.verdict, Verdict::Differs { .. }))
    });
    let (rows, others): (Vec<_>, Vec<_>) =
        table_of.rows.into_iter().zip(differing).partition(|(_, differs)| *differs);
    writeln!(out, "\nSecondary metrics, which were not the question")?;
    if rows.is_empty() {
        writeln!(out, "  none differs")?;
    } else {
        let rows = rows.into_iter().map(|(row, _)| row).collect();
        table(Table { head: table_of.head, rows }, out)?;
    }
    if !others.is_empty() {
        let same = others.iter().filter(|(row, _)| row[3].starts_with("no difference")).count();
        writeln!(
            out,
            "  {} more comparisons: {same} without a difference that matters, {} undecided \
             (--report markdown, csv, json and html have them all)",
            others.len(),
            others.len() - same
        )?;
    }
    Ok(())
}

fn table(table: Table, out: &mut dyn Write) -> io::Result<()> {
    let mut drawn = Drawn::new();
    drawn
        .load_preset(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header(table.head);
    drawn.add_rows(table.rows);
    for column in drawn.column_iter_mut().skip(1).filter(|column| column.index > 0) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    writeln!(out, "{drawn}")
}

/// A paragraph that keeps its indentation.
fn paragraph(first: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let indent = first.chars().count().min(8);
    let mut line = first.to_owned();
    let mut width = first.chars().count();
    let mut fresh = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !fresh && width + 1 + length > usize::from(WIDTH) {
            writeln!(out, "{line}")?;
            line = " ".repeat(indent);
            width = indent;
            fresh = true;
        }
        if !fresh {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += length;
        fresh = false;
    }
    writeln!(out, "{line}")
}
