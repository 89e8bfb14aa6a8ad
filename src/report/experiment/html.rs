//! The outcome as one page, complete in itself: no scripts, nothing to be fetched.

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plot::{self, Plot};
use super::style;
use super::transfers;
use super::view::{self, Line, Table};
use crate::experiment::outcome::{MetricOutcome, Outcome};

/// Writes the page.
pub fn html(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", page(outcome).into_string())
}

fn page(outcome: &Outcome) -> Markup {
    let title = match outcome.headline().map(view::lines).as_deref() {
        Some([line, ..]) => format!("{}: {}", line.subject, line.sentence),
        _ => "a comparison without a verdict".into(),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – trimark" }
                link rel="icon" href="data:,";
                style { (PreEscaped(style::PAGE)) (PreEscaped(style::PLOT)) }
            }
            body {
                main {
                    @match outcome.headline() {
                        Some(metric) => (verdicts(metric)),
                        None => {
                            h1 { "Verdict" }
                            div.verdict { div.sentence { (view::no_headline(outcome)) } }
                        }
                    }
                    @if let Some(noise) = view::noise(outcome) { p { strong { "Noise: " } (noise) } }
                    (warnings(outcome))
                    (plots(outcome))
                    (tables(outcome))
                    (provenance(outcome))
                }
            }
        }
    }
}

fn verdicts(metric: &MetricOutcome) -> Markup {
    html! {
        h1 { "Verdict on " code { (metric.metric) } ": " (metric.definition) }
        @for line in view::lines(metric) { (verdict(&line)) }
    }
}

fn verdict(line: &Line) -> Markup {
    let kind = match line {
        line if line.differs => "verdict differs",
        line if line.sentence.starts_with("no difference") => "verdict same",
        _ => "verdict",
    };
    html! {
        div class=(kind) {
            div.subject { (line.subject) }
            div.sentence { (line.sentence) }
            @if line.floor.is_some() || !line.notes.is_empty() {
                ul {
                    @if let Some(floor) = &line.floor { li { "noise floor " (floor) } }
                    @for note in &line.notes { li { (note) } }
                }
            }
        }
    }
}

fn warnings(outcome: &Outcome) -> Markup {
    html! {
        @if !outcome.warnings.is_empty() {
            h2 { "To be known" }
            ul { @for warning in &outcome.warnings { li { (warning) } } }
        }
    }
}

fn plots(outcome: &Outcome) -> Markup {
    let singles: Vec<Plot> =
        [plot::runs::runs(outcome), plot::distributions::distributions(outcome)]
            .into_iter()
            .flatten()
            .collect();
    let mut effects = plot::effects::effects(outcome);
    let many = if effects.len() > 1 { effects.pop() } else { None };
    let times: Vec<Plot> =
        [plot::latencies::latencies(outcome), plot::timelines::timelines(outcome)]
            .into_iter()
            .flatten()
            .collect();
    let transfers: Vec<Plot> = [
        plot::speeds::speeds(outcome),
        plot::courses::by_time(outcome),
        plot::courses::by_position(outcome),
    ]
    .into_iter()
    .flatten()
    .collect();
    let groups = [
        ("States of the drive", plot::recovery::recovery(outcome)),
        ("Transfers", transfers),
        ("Runs", singles),
        ("Effects", effects),
        ("Latencies and time", times),
    ];
    html! {
        @for (title, group) in groups {
            @if !group.is_empty() {
                h2 { (title) }
                div.plots { @for plot in &group { (figure(plot)) } }
            }
            @if let (Some(many), "Effects") = (&many, title) {
                details { summary { (many.title) } (figure(many)) }
            }
        }
    }
}

fn figure(plot: &Plot) -> Markup {
    html! {
        figure {
            (plot.inline())
            figcaption { (plot.caption) }
        }
    }
}

fn tables(outcome: &Outcome) -> Markup {
    html! {
        h2 { "Figures" }
        @if let Some(speeds) = transfers::table(outcome) {
            (table("Transfers: medians of the runs, and the change against the base", &speeds))
        }
        @let findings = transfers::findings(outcome);
        @if !findings.is_empty() { ul { @for finding in findings { li { (finding) } } } }
        @if let Some(metric) = outcome.headline() {
            (table(&metric.metric, &view::arms(metric)))
        }
        (table(
            "Secondary metrics, which were not the question, corrected for their number",
            &view::secondary(outcome),
        ))
        h2 { "In force" }
        (table("Options of each arm", &view::in_force(outcome)))
    }
}

fn table(caption: &str, table: &Table) -> Markup {
    html! {
        div.wide tabindex="0" {
            table {
                caption { (caption) }
                thead { tr { @for name in &table.head { th scope="col" { (name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (place, cell) in row.iter().enumerate() {
                                @if place == 0 { th scope="row" { (cell) } }
                                @else if cell.len() > 60 { td.options { (cell) } }
                                @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn provenance(outcome: &Outcome) -> Markup {
    let facts = [
        ("Blocks", Some(view::progress(outcome))),
        ("Place", Some(view::place(outcome))),
        ("Workload", Some(view::workload(outcome))),
        ("Each run began by", view::start(outcome)),
        ("Machine", Some(view::machine(outcome))),
        ("Begun", Some(outcome.plan.started.clone())),
    ];
    html! {
        h2 { "How" }
        dl {
            @for (name, value) in facts {
                @if let Some(value) = value { dt { (name) } dd { (value) } }
            }
        }
        h2 { "Again" }
        pre { (view::repeat(outcome)) }
        footer {
            (outcome.plan.tool.name) " " (outcome.plan.tool.version) ". The orders of arms are \
            random, balanced over blocks, and drawn from the seed; intervals are of paired \
            differences."
        }
    }
}
