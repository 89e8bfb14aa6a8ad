//! The I/O scheduler of a block device.

use std::fs;
use std::io;

use super::journal::{Change, JournalError, Noted};

/// A scheduler that cannot be chosen.
#[derive(Debug, thiserror::Error)]
pub enum SchedulerError {
    /// The device has no such scheduler.
    #[error("{device} has no I/O scheduler '{given}'; it has {}", known.join(", "))]
    Unknown {
        /// The device.
        device: String,
        /// What was asked for.
        given: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The kernel refuses.
    #[error("cannot change the I/O scheduler of {device}: {error}")]
    Io {
        /// The device.
        device: String,
        /// Why.
        error: io::Error,
    },
    /// It cannot be written down.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A scheduler that was chosen in place of another, which comes back when this is dropped.
#[derive(Debug)]
pub struct Chosen {
    device: String,
    before: String,
    noted: Option<Noted>,
}

impl Chosen {
    /// Chooses the scheduler of a device by the kernel's name.
    ///
    /// # Errors
    /// [`SchedulerError`]; it is as it was then.
    pub fn choose(device: &str, scheduler: &str) -> Result<Self, SchedulerError> {
        let (before, known) = read(device)?;
        if !known.iter().any(|name| name == scheduler) {
            let (device, given) = (device.to_owned(), scheduler.to_owned());
            return Err(SchedulerError::Unknown { device, given, known });
        }
        let change = Change::Scheduler { device: device.to_owned(), before: before.clone() };
        let noted = Some(Noted::note(&change)?);
        let chosen = Self { device: device.to_owned(), before, noted };
        choose(device, scheduler)?;
        Ok(chosen)
    }
}

impl Drop for Chosen {
    fn drop(&mut self) {
        if choose(&self.device, &self.before).is_ok()
            && let Some(noted) = self.noted.take()
        {
            noted.forget();
        }
    }
}

/// Chooses without remembering.
///
/// # Errors
/// [`SchedulerError::Io`]
pub fn choose(device: &str, scheduler: &str) -> Result<(), SchedulerError> {
    let failed = |error| SchedulerError::Io { device: device.to_owned(), error };
    fs::write(path(device), scheduler).map_err(failed)
}

/// The scheduler in use, and all there are.
fn read(device: &str) -> Result<(String, Vec<String>), SchedulerError> {
    let text = fs::read_to_string(path(device))
        .map_err(|error| SchedulerError::Io { device: device.to_owned(), error })?;
    Ok(parse(&text))
}

/// `[none] mq-deadline`
fn parse(text: &str) -> (String, Vec<String>) {
    let bare = |word: &str| word.trim_matches(['[', ']']).to_owned();
    let chosen = text.split_whitespace().find(|word| word.starts_with('['));
    (chosen.map(bare).unwrap_or_default(), text.split_whitespace().map(bare).collect())
}

fn path(device: &str) -> String {
    format!("/sys/class/block/{device}/queue/scheduler")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_in_brackets_is_in_use() {
        let (chosen, all) = parse("none [mq-deadline] kyber\n");
        assert_eq!((chosen.as_str(), all.len()), ("mq-deadline", 3));
        assert_eq!(all[1], "mq-deadline");
    }
}
