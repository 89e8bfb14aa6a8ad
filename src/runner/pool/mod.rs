//! The pool's place: its locations, subdirectories and manifests, from the checks before
//! a run to the last directory removed after it.

mod split;

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use crate::engine::name::NameBuffer;
use crate::engine::system::retry;
use crate::engine::{Call, System, Target};
use crate::runner::checks;
use crate::runner::location::{OpenLocation, lock, no_access, open_directory};
use crate::runner::manifest::{self, Found, Manifest, ManifestFile};
use crate::runner::measurement::{CleanUp, Leftover};
use crate::runner::refusal::Refusal;
use crate::volume::device::Device;
use crate::volume::place::Place;
use crate::workload::sizes::SizeSource;
use crate::workload::{Config, FileId};
pub use split::worker_name;

/// What a manifest tells of its run.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The sizes.
    pub sizes: &'a SizeSource,
    /// The run's name.
    pub run: &'a str,
}

/// Where the files of a run are. Empty (no locations) for an engine that has no files.
#[derive(Debug, Default)]
pub struct Pool {
    locations: Vec<OpenLocation>,
    subdirectories: u64,
    subdirectories_made: u64,
    /// The first of those made that were removed again.
    subdirectories_removed: u64,
    manifests: Vec<ManifestFile>,
    /// Places in `locations` of the directories with a manifest: each once.
    distinct: Vec<usize>,
    reserved: u64,
    /// Added to a file's number to tell files of different workers apart.
    key_base: u64,
    /// With several workers, how many directories of theirs were made: `w0` … in each
    /// location in turn.
    worker_directories: u64,
    /// Which worker's it is, if it is of one of several.
    worker: Option<u64>,
    /// What the checks had to say.
    pub warnings: Vec<String>,
}

impl Pool {
    /// Checks and locks every location of a configuration. Creates nothing.
    ///
    /// # Errors
    /// [`Refusal`]
    pub fn open(config: &Config) -> Result<Self, Refusal> {
        let mut locations = Vec::new();
        let mut distinct = Vec::new();
        let mut seen = HashSet::new();
        for location in config.effective_locations() {
            let directory = open_directory(&location.path)?;
            let no_access = |error| no_access(&location.path, error);
            let data = directory.metadata().map_err(no_access)?;
            if seen.insert((data.dev(), data.ino())) {
                lock(&location.path, &directory)?;
                refuse_leftovers(&location.path, &directory)?;
                rustix::fs::access(&location.path, rustix::fs::Access::WRITE_OK)
                    .map_err(|errno| no_access(errno.into()))?;
                distinct.push(locations.len());
            }
            let place = Place::describe(&location.path, &directory).map_err(no_access)?;
            locations.push(OpenLocation { path: location.path, directory, place });
        }
        let mut warnings = checks::room(config, &locations)?;
        for &index in &distinct {
            warnings.extend(checks::names(config, &locations[index])?);
        }
        let subdirectories = config.effective_subdirectories();
        Ok(Self { locations, subdirectories, distinct, warnings, ..Self::default() })
    }

    /// Writes the manifests: from here on something is there to be cleaned up.
    ///
    /// # Errors
    /// [`Refusal::Access`]; nothing is left behind then.
    pub fn write_manifests(&mut self, about: &About<'_>, beginning: &[u8]) -> Result<(), Refusal> {
        let About { config, sizes, run } = *about;
        let manifest = Manifest {
            run: run.to_owned(),
            worker: self.worker,
            process: std::process::id(),
            boot: manifest::current_boot(),
            user: rustix::process::geteuid().as_raw(),
            locations: self.locations.iter().map(|open| open.place.resolved.clone()).collect(),
            size_low: sizes.low(),
            size_high: sizes.high(),
            config: config.clone(),
            beginning: String::from_utf8_lossy(beginning).into_owned(),
            made: None,
        };
        for &index in &self.distinct {
            let location = &self.locations[index];
            match ManifestFile::create(&location.directory, manifest.clone()) {
                Ok(file) => self.manifests.push(file),
                Err(error) => {
                    let refusal = location.no_access(error);
                    self.remove_manifests();
                    return Err(refusal);
                }
            }
        }
        Ok(())
    }

    /// The distinct directories of the locations.
    #[must_use]
    pub fn directories(&self) -> Vec<(&Path, &File)> {
        let of = |&index: &usize| {
            let OpenLocation { path, directory, .. } = &self.locations[index];
            (path.as_path(), directory)
        };
        self.distinct.iter().map(of).collect()
    }

    /// Drops the clean pages of a file.
    ///
    /// # Errors
    /// The I/O error.
    pub fn drop_from_cache(&self, file: FileId) -> io::Result<()> {
        let mut name = NameBuffer::default();
        let target = self.target(file, &mut name);
        crate::volume::cache::drop_file(target.directory, target.name)
    }

    /// The devices under the locations, each once.
    #[must_use]
    pub fn devices(&self) -> Vec<Device> {
        let mut devices: Vec<Device> = Vec::new();
        for device in self.locations.iter().filter_map(|location| location.place.device.as_ref()) {
            if !devices.iter().any(|known| known.name() == device.name()) {
                devices.push(device.clone());
            }
        }
        devices
    }

    /// What the locations are.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        self.locations.iter().map(|location| location.place.clone()).collect()
    }

    /// A file as an engine wants it.
    #[inline]
    pub fn target<'a>(&'a self, file: FileId, name: &'a mut NameBuffer) -> Target<'a> {
        let (location, subdirectory) = self.locate(file.directory);
        Target {
            directory: self.directory(location),
            name: name.file(subdirectory, file.number),
            key: self.key_base + file.number,
        }
    }

    /// A file's path, for messages.
    #[must_use]
    pub fn path(&self, file: FileId) -> PathBuf {
        let (location, subdirectory) = self.locate(file.directory);
        let mut path = self.location_path(location).to_owned();
        if let Some(index) = subdirectory {
            path.push(format!("s{index}"));
        }
        path.join(file.number.to_string())
    }

    /// To be called before a create: keeps the manifests ahead of it.
    ///
    /// # Errors
    /// The I/O error and the manifest's path.
    #[inline]
    pub fn before_create(&mut self, number: u64) -> Result<(), (PathBuf, io::Error)> {
        if number <= self.reserved || self.manifests.is_empty() {
            return Ok(());
        }
        self.reserve_more(number)
    }

    #[cold]
    fn reserve_more(&mut self, number: u64) -> Result<(), (PathBuf, io::Error)> {
        let reserved = number + manifest::STEP - 1;
        for (file, &index) in self.manifests.iter().zip(&self.distinct) {
            let path = || self.locations[index].path.join(manifest::NAME);
            file.reserve(reserved).map_err(|error| (path(), error))?;
        }
        self.reserved = reserved;
        Ok(())
    }

    /// Makes the subdirectories of every location; `stop` is asked between them.
    ///
    /// # Errors
    /// The path and error of the first that cannot be made; none when stopped.
    pub fn make_subdirectories(
        &mut self,
        system: &dyn System,
        stop: impl Fn() -> bool,
    ) -> Result<(), Option<(PathBuf, Errno)>> {
        let mut name = NameBuffer::default();
        while self.subdirectories_made < self.subdirectory_count() {
            if stop() {
                return Err(None);
            }
            let (location, index) = self.nth_subdirectory(self.subdirectories_made);
            let directory = self.directory(location);
            retry(|| system.make_directory(directory, name.subdirectory(index)))
                .map_err(|errno| Some((self.subdirectory_path(location, index), errno)))?;
            self.subdirectories_made += 1;
        }
        Ok(())
    }

    /// Removes the subdirectories that were made.
    ///
    /// # Errors
    /// The path and error of the first that cannot be removed.
    pub fn remove_subdirectories(&mut self, system: &dyn System) -> Result<(), (PathBuf, Errno)> {
        while self.subdirectories_removed < self.subdirectories_made {
            self.remove_subdirectory(system, self.subdirectories_removed)?;
            self.subdirectories_removed += 1;
        }
        Ok(())
    }

    fn remove_subdirectory(
        &self,
        system: &dyn System,
        number: u64,
    ) -> Result<(), (PathBuf, Errno)> {
        let (location, index) = self.nth_subdirectory(number);
        let mut name = NameBuffer::default();
        let directory = self.directory(location);
        retry(|| system.remove_directory(directory, name.subdirectory(index)))
            .map_err(|errno| (self.subdirectory_path(location, index), errno))
    }

    /// Removes files, all subdirectories made, and the manifests if nothing is left,
    /// going on after errors.
    pub fn clean_up(
        &mut self,
        system: &dyn System,
        files: impl Iterator<Item = FileId>,
    ) -> CleanUp {
        let mut done = CleanUp::default();
        let mut name = NameBuffer::default();
        for file in files {
            let target = self.target(file, &mut name);
            let result = retry(|| system.unlink(target.directory, target.name));
            note(&mut done.files, &mut done.left, Call::Unlink, result, || self.path(file));
        }
        for number in self.subdirectories_removed..self.subdirectories_made {
            let result = self.remove_subdirectory(system, number);
            let path = || result.as_ref().err().map(|(path, _)| path.clone()).unwrap_or_default();
            let outcome = result.as_ref().map_err(|(_, errno)| *errno).copied();
            note(&mut done.directories, &mut done.left, Call::RemoveDirectory, outcome, path);
        }
        self.subdirectories_removed = self.subdirectories_made;
        if done.left.is_empty() {
            done.left.extend(self.remove_manifests());
        }
        done
    }

    /// True for the pool of an engine that has no files.
    #[must_use]
    pub fn is_nowhere(&self) -> bool {
        self.locations.is_empty()
    }

    /// Removes the manifests: the run is over and nothing of it is left.
    /// Returns what could not be removed.
    pub fn remove_manifests(&mut self) -> Vec<Leftover> {
        let count = self.manifests.drain(..).count();
        self.distinct
            .iter()
            .take(count)
            .filter_map(|&index| {
                let location = &self.locations[index];
                let reason = manifest::remove(&location.directory).err()?.to_string();
                Some(Leftover { path: location.path.join(manifest::NAME), reason })
            })
            .collect()
    }

    fn subdirectory_count(&self) -> u64 {
        self.locations.len() as u64 * self.subdirectories
    }

    /// Location and index of the n-th subdirectory, in the order they are made in.
    fn nth_subdirectory(&self, number: u64) -> (usize, u32) {
        ((number / self.subdirectories) as usize, (number % self.subdirectories) as u32)
    }

    #[inline]
    fn locate(&self, directory: u32) -> (usize, Option<u32>) {
        if self.subdirectories == 0 {
            return (directory as usize, None);
        }
        let (location, index) = self.nth_subdirectory(u64::from(directory));
        (location, Some(index))
    }

    #[inline]
    fn directory(&self, location: usize) -> BorrowedFd<'_> {
        self.locations.get(location).map_or(rustix::fs::CWD, |open| open.directory.as_fd())
    }

    fn location_path(&self, location: usize) -> &Path {
        self.locations.get(location).map_or(Path::new("."), |open| &open.path)
    }

    fn subdirectory_path(&self, location: usize, index: u32) -> PathBuf {
        self.location_path(location).join(format!("s{index}"))
    }
}

/// Counts a removal; one that finds nothing to remove is neither done nor left.
fn note(
    count: &mut u64,
    left: &mut Vec<Leftover>,
    call: Call,
    result: rustix::io::Result<()>,
    path: impl FnOnce() -> PathBuf,
) {
    match result {
        Ok(()) => *count += 1,
        Err(Errno::NOENT) => {}
        Err(errno) => left.push(Leftover {
            path: path(),
            reason: format!("{}: {}", call.name(), io::Error::from(errno)),
        }),
    }
}

fn refuse_leftovers(path: &Path, directory: &File) -> Result<(), Refusal> {
    match manifest::find(directory).map_err(|error| no_access(path, error))? {
        Found::Nothing => Ok(()),
        Found::Manifest(..) | Found::CutShort => Err(Refusal::Leftovers(path.to_owned())),
        Found::Unreadable(reason) => {
            Err(Refusal::ForeignManifest { path: path.to_owned(), reason })
        }
    }
}
