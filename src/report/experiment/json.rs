//! The outcome as one JSON document, each verdict with its sentence.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::experiment::outcome::Outcome;
use crate::experiment::plan::{FORMAT, FORMAT_VERSION};

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    verdicts: Vec<Value>,
    outcome: &'a Outcome,
}

/// Writes the document.
pub fn json(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let verdicts = outcome.metrics.iter().flat_map(|metric| {
        metric.comparisons.iter().map(|comparison| {
            json!({
                "metric": metric.metric,
                "role": metric.role,
                "contrast": comparison.contrast,
                "base": comparison.base,
                "sentence": comparison.sentence(&metric.unit),
            })
        })
    });
    let verdicts = verdicts.collect();
    let document = Document { format: FORMAT, version: FORMAT_VERSION, verdicts, outcome };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}
