//! Removes what a killed run left, and nothing else.
//!
//! A file is the run's when all of this holds: its name is a number the run had
//! reserved, in a directory of the run; it is a regular file with one name, owned by the
//! run's user; it is not older than the run's manifest; it is no larger than the run's
//! files can be, and it begins as every file of the run does. One that is too short to
//! tell must be the very file that was being made when the run was killed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::checks::plain_number;
use super::evidence::begins_with;
use super::location::{lock, no_access, open_directory};
use super::manifest::{self, FileTime, Found, Manifest};
use super::measurement::{CleanUp, Leftover};
use super::pool::worker_name;
use super::refusal::Refusal;
use super::unfinished::being_made;
use crate::workload::FileId;

/// The number up to which files were reserved, after a crash of the system.
const UNKNOWN: u64 = u64::MAX;
/// So many bytes that begin as the run's files do are no accident, also in a file that is
/// shorter than its files are when whole.
const TELLING: u64 = 16;

/// What was found in a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// What was removed and what could not be.
    pub clean_up: CleanUp,
    /// Entries of names the run used that are not its own: left untouched.
    pub foreign: Vec<PathBuf>,
    /// The directories that were cleaned.
    pub directories: Vec<PathBuf>,
}

/// Removes the remains of an interrupted run from a directory, and from the other
/// locations of the same run. Without a manifest there is nothing to do.
///
/// # Errors
/// [`Refusal`] when the directory cannot be used, is in use by an active run, or holds a
/// manifest that cannot be understood.
pub fn clean(path: &Path) -> Result<Cleaned, Refusal> {
    let mut cleaned = Cleaned::default();
    let Some(first) = Remains::find(path, &mut cleaned)? else { return Ok(cleaned) };
    let mut others: BTreeSet<PathBuf> = first.manifest.locations.iter().cloned().collect();
    if let Ok(resolved) = path.canonicalize() {
        others.remove(&resolved);
    }
    let run = first.manifest.run.clone();
    let mut all = vec![first];
    for other in others.into_iter().filter(|other| other.exists()) {
        let found = Remains::find(&other, &mut cleaned)?;
        all.extend(found.filter(|found| found.manifest.run == run));
    }
    if all[0].manifest.is_of_workers() {
        clean_workers(&all, &mut cleaned)?;
    } else {
        remove_all(&all, &mut cleaned)?;
    }
    for remains in &all {
        remains.close(&mut cleaned)?;
    }
    Ok(cleaned)
}

/// Removes the files and subdirectories of a run, or of one of its workers.
fn remove_all(all: &[Remains], cleaned: &mut Cleaned) -> Result<(), Refusal> {
    let unfinished = unfinished(all)?;
    all.iter().try_for_each(|remains| remains.remove(unfinished, cleaned))
}

/// Cleans what several workers left: each has a directory in every location, with a
/// manifest of its own unless the run was killed before it was written.
fn clean_workers(all: &[Remains], cleaned: &mut Cleaned) -> Result<(), Refusal> {
    let Manifest { run, config, .. } = &all[0].manifest;
    for worker in 0..config.workers {
        let mut paths: Vec<PathBuf> =
            all.iter().map(|remains| remains.path.join(worker_name(worker))).collect();
        paths.retain(|path| path.symlink_metadata().is_ok_and(|data| data.is_dir()));
        let mut remains = Vec::new();
        for path in &paths {
            remains
                .extend(Remains::find(path, cleaned)?.filter(|found| found.manifest.run == *run));
        }
        remove_all(&remains, cleaned)?;
        if cleaned.clean_up.left.is_empty() {
            for one in &remains {
                manifest::remove(&one.directory).map_err(|error| no_access(&one.path, error))?;
            }
        }
        for path in paths {
            match std::fs::remove_dir(&path) {
                Ok(()) => cleaned.clean_up.directories += 1,
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    cleaned.foreign.push(path);
                }
                Err(error) => leave(cleaned, path, error),
            }
        }
    }
    Ok(())
}

/// The file that was being made when the run was killed, should one be there that only
/// this can tell.
fn unfinished(all: &[Remains]) -> Result<Option<FileId>, Refusal> {
    let (mut whole, mut short) = (HashSet::new(), HashSet::new());
    for remains in all {
        remains.survey(&mut whole, &mut short).map_err(|error| no_access(&remains.path, error))?;
    }
    let Some(Remains { manifest, .. }) = all.first() else { return Ok(None) };
    if all.iter().any(|remains| remains.reserved == UNKNOWN) {
        return Ok(None); // nor is it known then which of its files reached the disk
    }
    let directories = directories_each(manifest);
    let first_alike = |directory: u32| {
        let path = &manifest.locations[(directory / directories) as usize];
        directory_number(manifest, path, directory % directories).unwrap_or(directory)
    };
    let worker = manifest.worker.unwrap_or(0);
    Ok(being_made(&manifest.config, worker, &whole, &short, first_alike))
}

/// Directories of each location that hold files.
fn directories_each(manifest: &Manifest) -> u32 {
    manifest.config.effective_subdirectories().max(1) as u32
}

/// How the stream numbers a directory: a location's subdirectory, or itself.
fn directory_number(manifest: &Manifest, location: &Path, subdirectory: u32) -> Option<u32> {
    let index = manifest.locations.iter().position(|path| path == location)?;
    Some(index as u32 * directories_each(manifest) + subdirectory)
}

/// What a file with a name of the run's is, by all that can be seen of it.
enum Verdict {
    Ours,
    /// Perhaps ours, being made.
    Short,
    Foreign,
}

/// A directory with a manifest, locked.
struct Remains {
    path: PathBuf,
    directory: File,
    manifest: Manifest,
    reserved: u64,
    /// The first of its directories in the stream; none if it is not where it was.
    first_directory: Option<u32>,
}

impl Remains {
    /// Looks for them. Of a run killed before it made anything but the beginning of a
    /// manifest, that is removed.
    fn find(path: &Path, cleaned: &mut Cleaned) -> Result<Option<Self>, Refusal> {
        let directory = open_directory(path)?;
        lock(path, &directory)?;
        match manifest::find(&directory).map_err(|error| no_access(path, error))? {
            Found::Nothing => Ok(None),
            Found::CutShort => {
                manifest::remove(&directory).map_err(|error| no_access(path, error))?;
                cleaned.directories.push(path.to_owned());
                Ok(None)
            }
            Found::Unreadable(reason) => {
                Err(Refusal::ForeignManifest { path: path.to_owned(), reason })
            }
            Found::Manifest(manifest, mut reserved) => {
                if manifest.boot != manifest::current_boot() {
                    // The crash may have lost the last update of the number.
                    reserved = UNKNOWN;
                }
                let resolved = path.canonicalize().map_err(|error| no_access(path, error))?;
                let first_directory = directory_number(&manifest, &resolved, 0);
                let (path, manifest) = (path.to_owned(), *manifest);
                Ok(Some(Self { path, directory, manifest, reserved, first_directory }))
            }
        }
    }

    fn subdirectories(&self) -> u64 {
        self.manifest.config.effective_subdirectories()
    }

    /// Sorts the run's files into those that are surely its own and those that are too
    /// short to tell.
    fn survey(&self, whole: &mut HashSet<FileId>, short: &mut HashSet<FileId>) -> io::Result<()> {
        let mut note = |path: &Path, directory: &File, subdirectory| {
            for (number, name) in self.reserved_entries(path)? {
                let file = self.file(number, subdirectory);
                match self.judge(directory, &name)? {
                    Verdict::Ours => drop(whole.insert(file)),
                    Verdict::Short => drop(short.insert(file)),
                    Verdict::Foreign => {}
                }
            }
            Ok(())
        };
        if self.subdirectories() == 0 {
            return note(&self.path, &self.directory, 0);
        }
        for (index, name) in numbered_entries(&self.path, "s")? {
            if let Some(directory) = self.open_subdirectory(index, &name)? {
                note(&self.path.join(name), &directory, index)?;
            }
        }
        Ok(())
    }

    fn file(&self, number: u64, subdirectory: u64) -> FileId {
        let first = self.first_directory.unwrap_or(u32::MAX);
        FileId { number, directory: first.saturating_add(subdirectory as u32) }
    }

    /// Entries with numbers that the run had reserved.
    fn reserved_entries(&self, path: &Path) -> io::Result<Vec<(u64, String)>> {
        let mut entries = numbered_entries(path, "")?;
        entries.retain(|(number, _)| (1..=self.reserved).contains(number));
        Ok(entries)
    }

    /// A subdirectory, if it is one that the run made.
    fn open_subdirectory(&self, index: u64, name: &str) -> io::Result<Option<File>> {
        if index >= self.subdirectories() {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(directory) = rustix::fs::openat(&self.directory, name, flags, Mode::empty()) else {
            return Ok(None);
        };
        let directory = File::from(directory);
        Ok(self.is_as_young(&directory)?.then_some(directory))
    }

    fn remove(&self, unfinished: Option<FileId>, cleaned: &mut Cleaned) -> Result<(), Refusal> {
        let failed = |error| no_access(&self.path, error);
        if self.subdirectories() == 0 {
            let unfinished = unfinished.filter(|file| *file == self.file(file.number, 0));
            self.remove_files(&self.path, &self.directory, unfinished, cleaned).map_err(failed)?;
        } else {
            self.remove_subdirectories(unfinished, cleaned).map_err(failed)?;
        }
        Ok(())
    }

    /// Removes the manifest, if nothing of the run is left.
    fn close(&self, cleaned: &mut Cleaned) -> Result<(), Refusal> {
        if cleaned.clean_up.left.is_empty() {
            let failed = |error| no_access(&self.path, error);
            manifest::remove(&self.directory).map_err(failed)?;
        }
        cleaned.directories.push(self.path.clone());
        Ok(())
    }

    fn remove_subdirectories(
        &self,
        unfinished: Option<FileId>,
        cleaned: &mut Cleaned,
    ) -> io::Result<()> {
        let mut entries = numbered_entries(&self.path, "s")?;
        entries.retain(|(index, _)| *index < self.subdirectories());
        for (index, name) in entries {
            let path = self.path.join(&name);
            let Some(directory) = self.open_subdirectory(index, &name)? else {
                cleaned.foreign.push(path);
                continue;
            };
            let foreign = cleaned.foreign.len();
            let unfinished = unfinished.filter(|file| *file == self.file(file.number, index));
            self.remove_files(&path, &directory, unfinished, cleaned)?;
            let others = std::fs::read_dir(&path)?.next().is_some();
            if others && cleaned.foreign.len() == foreign {
                cleaned.foreign.push(path);
            } else if !others {
                match rustix::fs::unlinkat(&self.directory, name.as_str(), AtFlags::REMOVEDIR) {
                    Ok(()) => cleaned.clean_up.directories += 1,
                    Err(errno) => leave(cleaned, path, errno.into()),
                }
            }
        }
        Ok(())
    }

    /// Removes the run's files of one directory.
    fn remove_files(
        &self,
        path: &Path,
        directory: &File,
        unfinished: Option<FileId>,
        cleaned: &mut Cleaned,
    ) -> io::Result<()> {
        for (number, name) in self.reserved_entries(path)? {
            let is_ours = match self.judge(directory, &name)? {
                Verdict::Ours => true,
                Verdict::Short => unfinished.is_some_and(|file| file.number == number),
                Verdict::Foreign => false,
            };
            if !is_ours {
                cleaned.foreign.push(path.join(name));
                continue;
            }
            match rustix::fs::unlinkat(directory, name.as_str(), AtFlags::empty()) {
                Ok(()) => cleaned.clean_up.files += 1,
                Err(errno) => leave(cleaned, path.join(name), errno.into()),
            }
        }
        Ok(())
    }

    /// Whether this run made a file; see the module's rules.
    fn judge(&self, directory: &File, name: &str) -> io::Result<Verdict> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(directory, name, flags, Mode::empty()) else {
            return Ok(Verdict::Foreign);
        };
        let file = File::from(file);
        let stat = manifest::stat(&file)?;
        let regular = FileType::from_raw_mode(stat.stx_mode.into()) == FileType::RegularFile;
        let manifest = &self.manifest;
        let may_be = regular
            && stat.stx_nlink == 1
            && stat.stx_uid == manifest.user
            && stat.stx_size <= manifest.size_high
            && self.is_as_young(&file)?
            && begins_with(&file, manifest, stat.stx_size)?;
        Ok(match may_be {
            false => Verdict::Foreign,
            true if stat.stx_size < manifest.size_low.clamp(1, TELLING) => Verdict::Short,
            true => Verdict::Ours,
        })
    }

    fn is_as_young(&self, file: &File) -> io::Result<bool> {
        Ok(self
            .manifest
            .made
            .is_none_or(|made| manifest::stat(file).is_ok_and(|stat| FileTime::of(&stat) >= made)))
    }
}

fn leave(cleaned: &mut Cleaned, path: PathBuf, error: io::Error) {
    cleaned.clean_up.left.push(Leftover { path, reason: error.to_string() });
}

/// Entries whose names are `prefix` and a plain number, with that number.
fn numbered_entries(directory: &Path, prefix: &str) -> io::Result<Vec<(u64, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let name = entry?.file_name();
        if let Some(number) =
            name.to_str().and_then(|name| name.strip_prefix(prefix)).and_then(plain_number)
            && let Some(name) = OsStr::to_str(&name)
        {
            found.push((number, name.to_owned()));
        }
    }
    Ok(found)
}
