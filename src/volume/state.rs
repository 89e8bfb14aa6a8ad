//! What was done to a drive to bring it to a state, remembered from one program to the
//! next, so that later results of that drive can say so.
//!
//! A file per drive, next to the journal. Images in use as drives are told by their file;
//! one that is already deleted ends with its user and is not remembered.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::device::{Device, Layer, LayerKind};

/// Names another place, for tests and for users without root.
const PLACE_VARIABLE: &str = "TRIMARK_STATE_DIR";
/// Where states are.
const PLACE: &str = "/var/lib/trimark/drives";
/// So many of the latest entries are kept of a drive.
const KEPT: usize = 20;

/// One thing that was done to a drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveState {
    /// When it was over: RFC 3339, UTC.
    pub at: String,
    /// What was to be done, as it is written.
    pub step: String,
    /// Rounds done.
    pub rounds: u64,
    /// Rounds there were to be.
    pub of_rounds: u64,
    /// Bytes that were written for it.
    pub bytes_written: u64,
    /// False when it was stopped.
    pub complete: bool,
}

impl std::fmt::Display for DriveState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.step)?;
        if self.complete {
            write!(f, " at {}", self.at)
        } else {
            write!(
                f,
                ", stopped after {} of {} rounds, at {}",
                self.rounds, self.of_rounds, self.at
            )
        }
    }
}

/// Adds what was done to a drive; nothing for what does not last.
///
/// # Errors
/// The I/O error of the file of states.
pub fn record(device: &Device, state: DriveState) -> io::Result<()> {
    let Some(path) = file(device) else { return Ok(()) };
    let mut states = read(&path)?;
    states.push(state);
    let surplus = states.len().saturating_sub(KEPT);
    states.drain(..surplus);
    if let Some(place) = path.parent() {
        fs::create_dir_all(place)?;
    }
    // Whole or not at all, whoever reads it meanwhile.
    let new = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&new, serde_json::to_vec_pretty(&states)?)?;
    fs::rename(&new, &path)
}

/// What was done to a drive, the latest last; nothing when that cannot be read.
#[must_use]
pub fn of(device: &Device) -> Vec<DriveState> {
    file(device).and_then(|path| read(&path).ok()).unwrap_or_default()
}

fn read(path: &Path) -> io::Result<Vec<DriveState>> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn file(device: &Device) -> Option<PathBuf> {
    let place = std::env::var_os(PLACE_VARIABLE).map_or_else(|| PLACE.into(), PathBuf::from);
    Some(place.join(format!("{}.json", identity(device)?)))
}

/// What stays the same of a drive whatever the kernel calls it.
fn identity(device: &Device) -> Option<String> {
    // An image counts as the drive, not what it is stored on.
    let image = device.layers.iter().find(|layer| layer.kind == LayerKind::Loop);
    let identity = match image {
        Some(layer) => {
            let data = fs::metadata(layer.backing_file.as_ref()?).ok()?;
            format!("image-{:x}-{}", data.dev(), data.ino())
        }
        None => {
            let disk = device.layers.iter().rev().find(|layer| layer.kind == LayerKind::Disk)?;
            identifier(disk)?
        }
    };
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    Some(identity.trim().chars().map(plain).collect())
}

/// A disk's world-wide name, or its serial number.
fn identifier(disk: &Layer) -> Option<String> {
    let directory = Path::new("/sys/class/block").join(&disk.name);
    let files = ["wwid", "device/wwid", "serial", "device/serial"];
    let known = files.iter().filter_map(|file| fs::read_to_string(directory.join(file)).ok());
    known.map(|text| text.trim().to_owned()).find(|text| !text.is_empty())
}
