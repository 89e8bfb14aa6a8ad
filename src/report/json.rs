//! The result as one JSON document on a line of its own, with the metrics made of it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::runner::measurement::RunResult;
use crate::stats::metrics::METRICS;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    run: &'a RunResult,
    metrics: Map<String, Value>,
}

/// Writes the document. Metrics a run does not have are left out: no nulls, no sentinels.
pub fn json(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let metrics = METRICS
        .iter()
        .filter_map(|metric| {
            let value = (metric.value)(run).filter(|value| value.is_finite())?;
            Some((metric.name.to_owned(), json!({ "value": value, "unit": metric.unit })))
        })
        .collect();
    serde_json::to_writer(&mut *out, &Document { run, metrics })?;
    writeln!(out)
}
