//! Looking before leaping: is there room for the pool, and is nothing of the user's in
//! its way? Creates nothing.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

use super::location::OpenLocation;
use super::refusal::Refusal;
use crate::units::{grouped, human_bytes};
use crate::volume::place::Space;
use crate::workload::Config;

/// Refuses when an entry of a location has a name that the run is sure to need.
/// Returns warnings for names it may need.
///
/// # Errors
/// [`Refusal::NameTaken`], or [`Refusal::Access`] when the directory cannot be read.
pub fn names(config: &Config, location: &OpenLocation) -> Result<Vec<String>, Refusal> {
    let mut perhaps = 0u64;
    for entry in std::fs::read_dir(&location.path).map_err(|e| location.no_access(e))? {
        let entry = entry.map_err(|error| location.no_access(error))?;
        match need(config, &entry.file_name().to_string_lossy()) {
            Need::Certain => return Err(Refusal::NameTaken(entry.path())),
            Need::Possible => perhaps += 1,
            Need::None => {}
        }
    }
    Ok((perhaps > 0)
        .then(|| {
            format!(
                "{} names in '{}' are numbers above {}: should the run come to one of them, it will \
                 stop there and leave it untouched",
                grouped(perhaps),
                location.path.display(),
                config.number
            )
        })
        .into_iter()
        .collect())
}

enum Need {
    None,
    Possible,
    Certain,
}

/// Whether a run needs a name in the location itself.
fn need(config: &Config, name: &str) -> Need {
    let subdirectories = config.effective_subdirectories();
    if config.workers > 1 {
        return match name.strip_prefix('w').and_then(plain_number) {
            Some(index) if index < config.workers => Need::Certain,
            _ => Need::None,
        };
    }
    if subdirectories > 0 {
        return match name.strip_prefix('s').and_then(plain_number) {
            Some(index) if index < subdirectories => Need::Certain,
            _ => Need::None,
        };
    }
    match plain_number(name) {
        Some(0) | None => Need::None,
        Some(number) if number <= config.number => Need::Certain,
        Some(number) if number <= config.number + config.transactions => Need::Possible,
        Some(_) => Need::None,
    }
}

/// A number as we would print it: no sign, no leading zeros.
pub fn plain_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Refuses when the pool is certain not to fit; returns warnings when it is likely not to.
///
/// # Errors
/// [`Refusal::NoRoom`], or [`Refusal::Access`] when the file system cannot be asked.
pub fn room(config: &Config, locations: &[OpenLocation]) -> Result<Vec<String>, Refusal> {
    let mut volumes: HashMap<u64, (Space, &OpenLocation)> = HashMap::new();
    for location in locations {
        let space = Space::of(&location.directory).map_err(|error| location.no_access(error))?;
        let device = location.directory.metadata().map_err(|e| location.no_access(e))?.dev();
        volumes.insert(device, (space, location));
    }
    let Some((first_space, first)) = volumes.values().next().copied() else {
        return Ok(Vec::new());
    };
    let bytes = volumes.values().fold(0u64, |sum, (space, _)| sum.saturating_add(space.bytes));
    let inodes: Option<u64> = volumes
        .values()
        .map(|(space, _)| space.inodes)
        .try_fold(0u64, |sum, inodes| Some(sum.saturating_add(inodes?)));

    let entries = config.workers * config.number
        + config.workers * config.effective_subdirectories() * locations.len() as u64;
    if let Some(inodes) = inodes
        && inodes < entries
    {
        return Err(Refusal::NoRoom {
            path: first.path.clone(),
            what: format!("{} inodes are", grouped(entries)),
            available: grouped(inodes),
            hint: "lower `set number`, or choose a file system with more inodes",
        });
    }
    let least = config.workers * config.number.saturating_mul(config.size_low);
    if least > bytes && !volumes.values().any(|(_, location)| location.may_compress()) {
        return Err(Refusal::NoRoom {
            path: first.path.clone(),
            what: format!("{} are", human_bytes(least)),
            available: human_bytes(bytes),
            hint: "lower `set number` or `set size`, or free some space",
        });
    }
    let likely = likely_size(config, first_space.block);
    Ok((likely > bytes)
        .then(|| {
            format!(
                "the pool may grow to about {}, and {} are free in '{}': the run may fail for want \
                 of space",
                human_bytes(likely),
                human_bytes(bytes),
                first.path.display()
            )
        })
        .into_iter()
        .collect())
}

/// The largest size, bytes, that the pool is likely to have: the expected number of files
/// at its peak, each at its expected size (appended files lie half-way up to the high
/// bound) in whole blocks.
fn likely_size(config: &Config, block: u64) -> u64 {
    let growth = config
        .bias_create
        .map_or(0.0, |bias| config.transactions as f64 * (f64::from(bias) / 5.0 - 1.0));
    let files = (config.number as f64 + growth.max(0.0)).min(2.0 * config.number as f64);
    let middle = (config.size_low + config.size_high) as f64 / 2.0;
    let appends = config.bias_read.is_some_and(|bias| bias < 10);
    let size = if appends { (middle + config.size_high as f64) / 2.0 } else { middle };
    let blocks = (size / block as f64).ceil().max(1.0);
    (config.workers as f64 * files * blocks * block as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_run_needs() {
        let flat = Config::default();
        assert!(matches!(need(&flat, "1"), Need::Certain));
        assert!(matches!(need(&flat, "500"), Need::Certain));
        assert!(matches!(need(&flat, "501"), Need::Possible));
        assert!(matches!(need(&flat, "1000"), Need::Possible));
        for name in ["1001", "0", "01", "+1", "s1", "notes.txt", ""] {
            assert!(matches!(need(&flat, name), Need::None), "{name}");
        }
        let deep = Config { subdirectories: 3, ..flat };
        assert!(matches!(need(&deep, "s2"), Need::Certain));
        assert!(matches!(need(&deep, "s3"), Need::None));
        assert!(matches!(need(&deep, "1"), Need::None));
    }

    #[test]
    fn likely_size_follows_the_biases() {
        let fixed = Config { size_low: 4096, size_high: 4096, ..Config::default() };
        assert_eq!(likely_size(&fixed, 4096), 500 * 4096);
        let growing = Config { bias_create: Some(10), transactions: 100_000, ..fixed };
        assert_eq!(likely_size(&growing, 4096), 1000 * 4096);
    }
}
