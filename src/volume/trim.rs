//! Telling a device which blocks a file system does not use: FITRIM.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use linux_raw_sys::general::fstrim_range;
use linux_raw_sys::ioctl::FITRIM;
use rustix::io::Errno;
use rustix::ioctl::{self, Opcode};
use serde::{Deserialize, Serialize};

use super::device::{Device, DeviceCounts};
use super::mount::Mount;
use super::place::{Place, Space};
use super::{cache, probe};
use crate::interrupt::Interrupt;

/// Discards that a check has not seen by then are not waited for.
const PATIENCE: Duration = Duration::from_secs(8);
/// Time between the trims of a check.
const BETWEEN_TRIMS: Duration = Duration::from_millis(200);

/// Free space that was not discarded.
#[derive(Debug, thiserror::Error)]
pub enum TrimError {
    /// Something on the way to the device cannot discard.
    #[error("cannot trim: {0}")]
    Unsupported(String),
    /// Not a directory one can open.
    #[error("cannot trim '{}': {error}", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A device itself.
    #[error(
        "'{}' is a device: what is free on it only its file system knows. Name a directory of \
         the file system, mounted", .0.display()
    )]
    Device(PathBuf),
    /// A range that cannot be.
    #[error("cannot trim: {0}")]
    Range(&'static str),
    /// Another error of the kernel.
    #[error("cannot trim: {0}")]
    Io(io::Error),
}

impl TrimError {
    /// True when what was asked for is at fault, and not the machine.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Device(_) | Self::Range(_))
    }
}

/// Which free space is to be discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Where it begins on the file system, bytes.
    pub start: u64,
    /// How long it is, bytes; up to the file system's end.
    pub length: u64,
    /// Shorter extents of free blocks are left out, bytes.
    pub least: u64,
}

impl Range {
    /// All of a file system.
    pub const WHOLE: Self = Self { start: 0, length: u64::MAX, least: 0 };
}

/// Discards all free space of the file system that an open directory is on; the bytes
/// the file system says it discarded. (ext4 leaves out what it has discarded since it was
/// mounted: 0 does not mean that it cannot.)
///
/// # Errors
/// [`TrimError`]
pub fn free_space(directory: &File) -> Result<u64, TrimError> {
    free_space_in(directory, Range::WHOLE)
}

/// The same of a part of it.
///
/// # Errors
/// [`TrimError`]
pub fn free_space_in(directory: &File, range: Range) -> Result<u64, TrimError> {
    if range.length == 0 {
        return Err(TrimError::Range("a range of no bytes holds nothing to trim"));
    }
    let mut asked = fstrim_range { start: range.start, len: range.length, minlen: range.least };
    type Trim<'a> = ioctl::Updater<'a, { FITRIM as Opcode }, fstrim_range>;
    // SAFETY: this is the structure that the request reads and writes.
    match unsafe { ioctl::ioctl(directory, Trim::new(&mut asked)) } {
        Ok(()) => Ok(asked.len),
        Err(Errno::OPNOTSUPP | Errno::NOTTY) => Err(TrimError::Unsupported(blocked(directory))),
        Err(Errno::PERM) => Err(TrimError::Unsupported("it takes root".into())),
        Err(Errno::INVAL) if range != Range::WHOLE => Err(TrimError::Range(
            "the file system refuses this range: it must begin before its end, be no shorter \
             than a block, and the minimum no longer than a group of blocks",
        )),
        Err(error) => Err(TrimError::Io(error.into())),
    }
}

/// What a trim came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trimmed {
    /// Where.
    pub place: Place,
    /// Bytes free when it was over.
    pub free_bytes_after: u64,
    /// Bytes that the file system says it discarded.
    pub bytes: u64,
    /// What the device counted meanwhile, by anybody; none where there is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounts>,
    /// How long it took, nanoseconds.
    pub elapsed_ns: u64,
}

/// Trims a directory's file system and counts what reaches the device.
///
/// # Errors
/// [`TrimError`]
pub fn trim(path: &Path, range: Range) -> Result<Trimmed, TrimError> {
    let directory = open(path)?;
    let place = Place::describe(path, &directory).map_err(TrimError::Io)?;
    // What was deleted and not yet written back is not free yet.
    cache::sync_file_system(&directory).map_err(TrimError::Io)?;
    let counts = || place.device.as_ref().and_then(Device::counts);
    let before = counts();
    let begun = Instant::now();
    let bytes = free_space_in(&directory, range)?;
    let elapsed_ns = begun.elapsed().as_nanos() as u64;
    let device = counts().zip(before).map(|(now, then)| now.since(&then));
    let free_bytes_after = Space::of(&directory).map_err(TrimError::Io)?.bytes;
    Ok(Trimmed { place, free_bytes_after, bytes, device, elapsed_ns })
}

/// Whether what is deleted and trimmed arrives on the device, by trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Bytes written, deleted and trimmed.
    pub bytes_deleted: u64,
    /// Bytes that the file system says a trim discarded; the most of them, if it took
    /// several.
    pub bytes_trimmed: u64,
    /// What the device counted from the delete on, by anybody.
    pub device: DeviceCounts,
}

impl Check {
    /// True when at least half of what was deleted was discarded.
    #[must_use]
    pub fn arrived(&self) -> bool {
        self.device.bytes_discarded >= self.bytes_deleted / 2
    }
}

/// Writes a file into a directory, deletes it, trims until that is discarded (or there is
/// no hope of it any more), and counts the device's discards.
///
/// # Errors
/// [`TrimError`], also where there is no device whose discards could be counted.
pub fn check(path: &Path, interrupt: &Interrupt) -> Result<Check, TrimError> {
    let directory = open(path)?;
    let place = Place::describe(path, &directory).map_err(TrimError::Io)?;
    let device = place.device.as_ref().ok_or_else(|| {
        TrimError::Unsupported("there is no device under it whose discards could be counted".into())
    })?;
    if place.free_bytes < probe::TRIAL_ROOM {
        return Err(TrimError::Io(io::ErrorKind::StorageFull.into()));
    }
    let ground = tempfile::Builder::new().prefix(".trimark-trim-").tempdir_in(path);
    let ground = ground.map_err(TrimError::Io)?;
    let file = ground.path().join("deleted");
    probe::write_trial(&file, &directory).map_err(TrimError::Io)?;
    let uncounted = || TrimError::Unsupported("the kernel counts nothing for its device".into());
    let before = device.counts().ok_or_else(uncounted)?;
    std::fs::remove_file(&file).map_err(TrimError::Io)?;
    let begun = Instant::now();
    let mut bytes_trimmed = 0;
    loop {
        cache::sync_file_system(&directory).map_err(TrimError::Io)?;
        bytes_trimmed = free_space(&directory)?.max(bytes_trimmed);
        let counts = device.counts().ok_or_else(uncounted)?.since(&before);
        let check = Check { bytes_deleted: probe::TRIAL_BYTES, bytes_trimmed, device: counts };
        // xfs frees in the background, and leaves out what it is about to free.
        let patient = begun.elapsed() < PATIENCE && interrupt.pending().is_none();
        if check.arrived() || !patient {
            return Ok(check);
        }
        sleep(BETWEEN_TRIMS);
    }
}

fn open(path: &Path) -> Result<File, TrimError> {
    let failed = |error| TrimError::Open { path: path.to_owned(), error };
    // Opening some devices has effects of its own.
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if kind.is_block_device() || kind.is_char_device() {
        return Err(TrimError::Device(path.to_owned()));
    }
    if !kind.is_dir() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    File::open(path).map_err(failed)
}

/// Which layer is in the way.
fn blocked(directory: &File) -> String {
    let mount = Mount::of(directory);
    let file_system = mount.as_ref().map_or("this file system", |mount| &mount.file_system);
    match Device::under(directory, mount.as_ref()) {
        None => format!("{file_system} is on no block device"),
        Some(device) => match device.discards_blocked_by() {
            Some(layer) => format!("{} does not pass discards on", layer.title()),
            None => format!("{file_system} does not support it"),
        },
    }
}
