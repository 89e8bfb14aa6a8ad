//! The sizes a configuration asks for, ready to be drawn.

use super::refusal::Refusal;
use crate::volume::tree;
use crate::workload::Config;
use crate::workload::config::{MAX_FILE_SIZE, MAX_SUBDIRECTORIES};
use crate::workload::sizes::{SizeSource, Sizes};

/// The settings with the subdirectories that their fan-out comes to.
///
/// # Errors
/// [`Refusal::Location`] when the directory it is taken from cannot be listed.
pub fn with_fan_out(config: &Config) -> Result<Config, Refusal> {
    let Some(directory) = &config.fan_out else { return Ok(config.clone()) };
    let (files, directories) = tree::files_and_directories(directory).map_err(|error| {
        let hint = "`set fan-out tree DIR` needs a directory with files that can be listed";
        Refusal::Location { path: directory.clone(), reason: error.to_string(), hint }
    })?;
    // All locations have as many; a rounded mean of at least one file each.
    let places = config.locations.len().max(1) as f64;
    let wanted = config.number as f64 * directories as f64 / files as f64 / places;
    let subdirectories = (wanted.round() as u64).clamp(0, MAX_SUBDIRECTORIES);
    Ok(Config { subdirectories, ..config.clone() })
}

/// The sizes of a configuration, ready to be drawn.
pub fn size_source(config: &Config) -> Result<SizeSource, Refusal> {
    match &config.sizes {
        Sizes::Uniform => Ok(config.uniform_sizes()),
        Sizes::Lognormal { median, sigma_thousandths } => {
            let sigma = *sigma_thousandths as f64 / 1000.0;
            Ok(SizeSource::lognormal(*median, sigma, MAX_FILE_SIZE))
        }
        Sizes::Tree(directory) => match tree::sizes(directory) {
            Ok(sizes) => Ok(SizeSource::Samples(sizes.into())),
            Err(error) => Err(Refusal::Location {
                path: directory.clone(),
                reason: error.to_string(),
                hint: "`set sizes tree DIR` needs a directory with files that can be listed",
            }),
        },
    }
}
