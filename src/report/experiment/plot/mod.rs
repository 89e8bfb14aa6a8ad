//! Plots as SVG: axes with units and sensible numbers, legends of shape and colour.

mod axis;
pub mod courses;
pub mod distributions;
pub mod effects;
mod frame;
pub mod latencies;
mod marks;
pub mod recovery;
pub mod runs;
pub mod speeds;
pub mod timelines;

use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::style;
use crate::experiment::outcome::Outcome;

/// A plot: none where the outcome has nothing to draw.
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// Width and height, in its own units.
    pub size: (f64, f64),
    /// The drawing.
    pub(super) body: Markup,
}

impl Plot {
    /// As part of a page.
    pub(super) fn inline(&self) -> Markup {
        self.svg(html! {})
    }

    fn svg(&self, before: Markup) -> Markup {
        let (width, height) = self.size;
        html! {
            svg.plot xmlns="http://www.w3.org/2000/svg" viewBox={"0 0 " (width) " " (height)}
                role="img" aria-label=(self.title) {
                (before)
                (self.body)
            }
        }
    }
}

/// Writes a plot as a file of its own.
pub(super) fn alone(
    plot: fn(&Outcome) -> Vec<Plot>,
    outcome: &Outcome,
    out: &mut dyn Write,
) -> io::Result<()> {
    let plots = plot(outcome);
    let Some(first) = plots.first() else {
        let message = "there is nothing to draw: no run has such figures";
        return Err(io::Error::other(message));
    };
    let width = first.size.0;
    let mut top = 0.0;
    let stacked: Vec<(f64, &Plot)> = plots
        .iter()
        .map(|plot| {
            let at = top;
            top += plot.size.1;
            (at, plot)
        })
        .collect();
    let body = html! {
        style { (PreEscaped(style::PLOT)) }
        rect.paper x="0" y="0" width=(width) height=(top) {}
        @for (at, plot) in stacked {
            g transform={"translate(0 " (at) ")"} { (plot.body) }
        }
    };
    let title = first.title.clone();
    let whole = Plot { title, caption: String::new(), size: (width, top), body };
    writeln!(out, "{}", whole.inline().into_string())
}
