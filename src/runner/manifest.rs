//! The manifest: a small file in each location that says, for as long as a run lasts,
//! which files there are the run's. What a killed run leaves can then be told from what
//! is the user's.
//!
//! Its name is [`NAME`]. The first line holds, at a fixed place, up to which running
//! number files may exist; it is moved ahead in steps, so that the measured creates are
//! not each followed by another write. The rest is JSON.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode, OFlags, Statx, StatxFlags};
use serde::{Deserialize, Serialize};

use crate::workload::Config;

/// Name of the manifest in a location.
pub const NAME: &str = ".trimark-run";
/// How many file numbers are reserved at once.
pub const STEP: u64 = 1024;

const MAGIC: &str = "trimark-manifest 1 ";
/// Bytes of every file's beginning that are kept for comparison.
pub const BEGINNING: usize = 64;

/// A time of the file system, seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileTime {
    seconds: i64,
    nanoseconds: u32,
}

impl FileTime {
    /// When a file was made: its birth time, or the last change of its contents where
    /// the file system keeps no birth times.
    #[must_use]
    pub fn of(stat: &Statx) -> Self {
        let has_birth = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
        let time = if has_birth { stat.stx_btime } else { stat.stx_mtime };
        Self { seconds: time.tv_sec, nanoseconds: time.tv_nsec }
    }
}

/// What a manifest tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Names the run; the same in all its locations.
    pub run: String,
    /// The process.
    pub process: u32,
    /// The boot it was in: after another one the reserved number may have been lost.
    pub boot: String,
    /// Owner of its files.
    pub user: u32,
    /// The run's locations, absolute.
    pub locations: Vec<PathBuf>,
    /// With several workers, the one whose directory this is, counted from 0; in the
    /// location itself none, and `config.workers` tells how many there are.
    #[serde(default)]
    pub worker: Option<u64>,
    /// Smallest size of a complete file.
    pub size_low: u64,
    /// Largest size of a file.
    pub size_high: u64,
    /// Its settings, from which every operation follows.
    pub config: Config,
    /// The first bytes of every file (text).
    pub beginning: String,
    /// When it was made, by the file system's clock; none before it is there.
    pub made: Option<FileTime>,
}

/// The boot this system is in.
#[must_use]
pub fn current_boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// A manifest on disk while its run lasts.
#[derive(Debug)]
pub struct ManifestFile {
    file: File,
}

impl Manifest {
    /// True for that of a location whose files are in directories of several workers.
    #[must_use]
    pub fn is_of_workers(&self) -> bool {
        self.config.workers > 1 && self.worker.is_none()
    }
}

impl ManifestFile {
    /// Writes a manifest into a directory and onto the disk. One that is there already is
    /// never replaced.
    ///
    /// # Errors
    /// The I/O error; nothing is left behind then.
    pub fn create(directory: &File, mut manifest: Manifest) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file: File =
            rustix::fs::openat(directory, NAME, flags, Mode::from_raw_mode(0o644))?.into();
        let written = stat(&file).and_then(|made| {
            manifest.made = Some(FileTime::of(&made));
            // Not this process's user: file systems may map users, or have only one.
            manifest.user = made.stx_uid;
            let text = serde_json::to_string_pretty(&manifest)?;
            file.write_all_at(format!("{MAGIC}{:020}\n{text}\n", 0).as_bytes(), 0)?;
            file.sync_all()?;
            // Some file systems refuse to sync a directory; the file itself is safe there.
            let _ = directory.sync_all();
            Ok(())
        });
        match written {
            Ok(()) => Ok(Self { file }),
            Err(error) => {
                remove(directory)?;
                Err(error)
            }
        }
    }

    /// Notes that files up to this number may exist from now on.
    ///
    /// # Errors
    /// The I/O error.
    pub fn reserve(&self, number: u64) -> io::Result<()> {
        self.file.write_all_at(format!("{number:020}").as_bytes(), MAGIC.len() as u64)
    }
}

/// Removes the manifest of a directory.
///
/// # Errors
/// The I/O error.
pub fn remove(directory: &File) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(directory, NAME, AtFlags::empty())?)
}

/// What an open file is: type, owner, size, links, times.
///
/// # Errors
/// The error of `statx`.
pub fn stat(file: &File) -> io::Result<Statx> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    Ok(rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, wanted)?)
}

/// What was read of a manifest.
#[derive(Debug)]
pub enum Found {
    /// There is none.
    Nothing,
    /// This one, with the number up to which files were reserved.
    Manifest(Box<Manifest>, u64),
    /// The beginning of one, of a run killed while writing it: before it made anything.
    CutShort,
    /// Something of that name that cannot be understood.
    Unreadable(String),
}

/// Looks for a manifest in an open directory.
///
/// # Errors
/// An I/O error other than its absence.
pub fn find(directory: &File) -> io::Result<Found> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(directory, NAME, flags, Mode::empty()) {
        Ok(file) => file,
        Err(rustix::io::Errno::NOENT) => return Ok(Found::Nothing),
        Err(errno) => return Err(errno.into()),
    };
    let mut text = Vec::new();
    File::from(file).take(1 << 24).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    Ok(match parse(&text) {
        Ok((manifest, reserved)) => Found::Manifest(Box::new(manifest), reserved),
        Err(_) if is_cut_short(&text) => Found::CutShort,
        Err(reason) => Found::Unreadable(reason),
    })
}

/// The beginning of a manifest as it is first written, with no file reserved.
fn is_cut_short(text: &str) -> bool {
    let first = format!("{MAGIC}{:020}\n", 0);
    match text.strip_prefix(&first) {
        None => first.starts_with(text),
        Some(json) => {
            serde_json::from_str::<serde::de::IgnoredAny>(json).is_err_and(|error| error.is_eof())
        }
    }
}

fn parse(text: &str) -> Result<(Manifest, u64), String> {
    let rest = text.strip_prefix(MAGIC).ok_or("it does not begin as a manifest does")?;
    let (reserved, json) = rest.split_once('\n').ok_or("it is cut short")?;
    let reserved = reserved.parse().map_err(|_| "its first line holds no number")?;
    let manifest = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok((manifest, reserved))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        Manifest {
            run: "1-2".into(),
            process: 1,
            boot: current_boot(),
            user: 0,
            locations: vec!["/a b".into()],
            worker: None,
            size_low: 500,
            size_high: 10_000,
            config: Config::default(),
            beginning: "Le\"Z\\".into(),
            made: None,
        }
    }

    #[test]
    fn is_found_again_with_its_reservation() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let open = File::open(directory.path()).expect("open");
        let manifest = ManifestFile::create(&open, example()).expect("create");
        manifest.reserve(2048).expect("reserve");
        let Ok(Found::Manifest(found, 2048)) = find(&open) else { panic!("not found") };
        assert!(found.made.is_some());
        assert_eq!(Manifest { made: None, ..*found }, example());
        remove(&open).expect("remove");
        assert!(matches!(find(&open), Ok(Found::Nothing)));
    }

    #[test]
    fn is_never_replaced_and_foreign_files_are_not_misread() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join(NAME), "shopping list").expect("write");
        let open = File::open(directory.path()).expect("open");
        let error = ManifestFile::create(&open, example()).expect_err("there is one");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(matches!(find(&open), Ok(Found::Unreadable(_))));
    }

    #[test]
    fn the_beginning_of_one_is_told_from_something_else() {
        let text =
            format!("{MAGIC}{:020}\n{}", 0, serde_json::to_string(&example()).expect("JSON"));
        assert!((0..text.len()).all(|end| is_cut_short(&text[..end])));
        for other in [&text, "trimark-manifest 2 ", "x", &text.replacen("000", "001", 1)[..50]] {
            assert!(!is_cut_short(other), "{other}");
        }
    }
}
