//! Saved results of runs as the arms of a comparison.

use std::path::Path;

use super::file::FileError;
use super::plan::Plan;
use super::record::{RunRecord, Start};
use crate::runner::measurement::{FORMAT, FORMAT_VERSION, RunResult};

/// The runs in the files of the plan's arms: the n-th of each file is of block n.
///
/// # Errors
/// [`FileError`] when a file cannot be read or holds something else.
pub fn records(plan: &Plan) -> Result<Vec<RunRecord>, FileError> {
    let mut records = Vec::new();
    for (index, arm) in plan.arms.iter().enumerate() {
        let Some(path) = &arm.file else { continue };
        for (number, result) in runs(path)?.into_iter().enumerate() {
            let place = result.places.first();
            let mount = place.and_then(|place| place.mount.as_ref());
            records.push(RunRecord {
                block: number as u64 + 1,
                place: index as u64 + 1,
                arm: arm.name.clone(),
                start: Start { steps: vec!["as saved".into()], ..Start::default() },
                options_in_force: mount.map(|mount| mount.options.clone()).unwrap_or_default(),
                unverified: Vec::new(),
                directory: place.map(|place| place.path.clone()).unwrap_or_default(),
                image_bytes_after: None,
                hooks: Vec::new(),
                result: Box::new(result),
            });
        }
    }
    records.sort_by_key(|record| (record.block, record.place));
    Ok(records)
}

/// The runs in a file, a JSON document on each line.
///
/// # Errors
/// [`FileError`]
pub fn runs(path: &Path) -> Result<Vec<RunResult>, FileError> {
    let text = std::fs::read(path).map_err(|error| FileError::Io {
        what: "read",
        path: path.to_owned(),
        error,
    })?;
    let foreign = |line, reason| FileError::Foreign { path: path.to_owned(), line, reason };
    let mut runs = Vec::new();
    for (index, document) in
        serde_json::Deserializer::from_slice(&text).into_iter::<RunResult>().enumerate()
    {
        let run =
            document.map_err(|error| foreign(error.line().max(index + 1), error.to_string()))?;
        if run.format != FORMAT || run.version > FORMAT_VERSION {
            let found = format!("format {} version {}", run.format, run.version);
            return Err(foreign(index + 1, found));
        }
        runs.push(run);
    }
    if runs.is_empty() {
        return Err(foreign(1, "it holds no results; `set report json` makes some".into()));
    }
    Ok(runs)
}
