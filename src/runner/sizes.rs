//! The sizes a configuration asks for, ready to be drawn.

use super::refusal::Refusal;
use crate::volume::tree;
use crate::workload::Config;
use crate::workload::config::MAX_FILE_SIZE;
use crate::workload::sizes::{SizeSource, Sizes};

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
