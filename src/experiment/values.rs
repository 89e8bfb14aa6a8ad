//! The values of a run: those of the table of metrics, and those of the place it took
//! place on.

use super::record::RunRecord;
use crate::stats::metrics::{Better, METRICS, metric};

/// A metric of the place a run took place on, which the run itself does not know.
pub(super) struct PlaceMetric {
    pub name: &'static str,
    pub unit: &'static str,
    pub better: Better,
    pub definition: &'static str,
    pub value: fn(&RunRecord) -> Option<f64>,
}

pub(super) const PLACE_METRICS: &[PlaceMetric] = &[PlaceMetric {
    name: "image_bytes",
    unit: "B",
    better: Better::Lower,
    definition: "bytes the backing file of a scratch image takes when the run is over",
    value: |run| run.image_bytes_after.map(|bytes| bytes as f64),
}];

/// Name, unit and definition of every metric that can be compared.
pub fn definitions() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let of_runs = METRICS.iter().map(|row| (row.name, row.unit, row.definition));
    of_runs.chain(PLACE_METRICS.iter().map(|row| (row.name, row.unit, row.definition)))
}

/// One metric's value of a run, from either table.
#[must_use]
pub fn value(name: &str, run: &RunRecord) -> Option<f64> {
    let value = match metric(name) {
        Some(row) => (row.value)(&run.result),
        None => PLACE_METRICS.iter().find(|row| row.name == name).and_then(|row| (row.value)(run)),
    };
    value.filter(|value| value.is_finite())
}
