//! Removes what a killed run left, and nothing else.
//!
//! A file is the run's when all of this holds: its name is a number the run had
//! reserved, in a directory of the run; it is a regular file with one name, owned by the
//! run's user; it is not older than the run's manifest; it is no larger than the run's
//! files can be, and it begins as every file of the run does. Only the newest may be
//! shorter than the smallest size, as it may have been cut off.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::checks::{no_access, open_directory, plain_number};
use super::manifest::{self, FileTime, Found, Manifest};
use super::measurement::{CleanUp, Leftover};
use super::pool::{lock, worker_name};
use super::refusal::Refusal;

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
    let Some(first) = Remains::find(path)? else { return Ok(cleaned) };
    let mut others: BTreeSet<&Path> = BTreeSet::new();
    others.extend(first.manifest.locations.iter().map(PathBuf::as_path));
    if let Ok(resolved) = path.canonicalize() {
        others.remove(resolved.as_path());
    }
    let mut all = Vec::new();
    for other in others.into_iter().filter(|other| other.exists()) {
        all.extend(Remains::find(other)?.filter(|found| found.manifest.run == first.manifest.run));
    }
    all.insert(0, first);
    for remains in &all {
        remains.remove(&mut cleaned)?;
    }
    Ok(cleaned)
}

/// A directory with a manifest, locked.
struct Remains {
    path: PathBuf,
    directory: File,
    manifest: Manifest,
    reserved: u64,
}

impl Remains {
    fn find(path: &Path) -> Result<Option<Self>, Refusal> {
        let directory = open_directory(path)?;
        lock(path, &directory)?;
        match manifest::find(&directory).map_err(|error| no_access(path, error))? {
            Found::Nothing => Ok(None),
            Found::Unreadable(reason) => {
                Err(Refusal::ForeignManifest { path: path.to_owned(), reason })
            }
            Found::Manifest(manifest, mut reserved) => {
                if manifest.boot != manifest::current_boot() {
                    // The crash may have lost the last update of the number.
                    reserved = u64::MAX;
                }
                Ok(Some(Self { path: path.to_owned(), directory, manifest: *manifest, reserved }))
            }
        }
    }

    fn remove(&self, cleaned: &mut Cleaned) -> Result<(), Refusal> {
        let failed = |error| no_access(&self.path, error);
        if self.manifest.workers > 0 {
            self.remove_workers(cleaned)?;
        } else if self.manifest.subdirectories == 0 {
            self.remove_files(&self.path, &self.directory, cleaned).map_err(failed)?;
        } else {
            self.remove_subdirectories(cleaned).map_err(failed)?;
        }
        if cleaned.clean_up.left.is_empty() {
            manifest::remove(&self.directory).map_err(failed)?;
        }
        cleaned.directories.push(self.path.clone());
        Ok(())
    }

    /// The directories of several workers, each with a manifest unless the run was killed
    /// before it was written.
    fn remove_workers(&self, cleaned: &mut Cleaned) -> Result<(), Refusal> {
        for worker in 0..self.manifest.workers {
            let path = self.path.join(worker_name(worker));
            if !path.symlink_metadata().is_ok_and(|data| data.is_dir()) {
                continue;
            }
            if let Some(remains) = Self::find(&path)?
                && remains.manifest.run == self.manifest.run
            {
                remains.remove(cleaned)?;
                cleaned.directories.pop();
            }
            match std::fs::remove_dir(&path) {
                Ok(()) => cleaned.clean_up.directories += 1,
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    cleaned.foreign.push(path);
                }
                Err(error) => leave(cleaned, path, error),
            }
        }
        Ok(())
    }

    fn remove_subdirectories(&self, cleaned: &mut Cleaned) -> io::Result<()> {
        for (index, name) in numbered_entries(&self.path, "s")? {
            if index >= self.manifest.subdirectories {
                continue;
            }
            let path = self.path.join(&name);
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(directory) =
                rustix::fs::openat(&self.directory, name.as_str(), flags, Mode::empty())
            else {
                cleaned.foreign.push(path);
                continue;
            };
            let directory = File::from(directory);
            if !self.is_as_young(&directory)? {
                cleaned.foreign.push(path);
                continue;
            }
            let foreign = cleaned.foreign.len();
            self.remove_files(&path, &directory, cleaned)?;
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
    fn remove_files(&self, path: &Path, directory: &File, cleaned: &mut Cleaned) -> io::Result<()> {
        let mut entries = numbered_entries(path, "")?;
        entries.retain(|(number, _)| (1..=self.reserved).contains(number));
        let newest = entries.iter().map(|(number, _)| *number).max();
        for (number, name) in entries {
            let cut_off = Some(number) == newest;
            if !self.is_ours(directory, &name, cut_off)? {
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

    /// True for a file this run made; see the module's rules.
    fn is_ours(&self, directory: &File, name: &str, may_be_cut_off: bool) -> io::Result<bool> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(directory, name, flags, Mode::empty()) else {
            return Ok(false);
        };
        let file = File::from(file);
        let stat = manifest::stat(&file)?;
        let regular = FileType::from_raw_mode(stat.stx_mode.into()) == FileType::RegularFile;
        let manifest = &self.manifest;
        let smallest = if may_be_cut_off { 0 } else { manifest.size_low };
        Ok(regular
            && stat.stx_nlink == 1
            && stat.stx_uid == manifest.user
            && (smallest..=manifest.size_high).contains(&stat.stx_size)
            && self.is_as_young(&file)?
            && begins_with(&file, manifest.beginning.as_bytes(), stat.stx_size)?)
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

/// Whether a file's first bytes are those, as far as it has any.
fn begins_with(file: &File, beginning: &[u8], size: u64) -> io::Result<bool> {
    let length = beginning.len().min(usize::try_from(size).unwrap_or(usize::MAX));
    let mut bytes = vec![0; length];
    match file.read_exact_at(&mut bytes, 0) {
        Ok(()) => Ok(bytes == beginning[..length]),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
