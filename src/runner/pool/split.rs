//! The pools of several workers, each in a directory of its own below every location.

use std::os::fd::AsFd;

use super::{About, Pool, note};
use crate::engine::system::retry;
use crate::engine::{Call, System};
use crate::runner::location::{OpenLocation, lock, no_access, open_directory};
use crate::runner::measurement::Leftover;
use crate::runner::refusal::Refusal;

impl Pool {
    /// Makes the directories of several workers and returns the pool of each, locked and
    /// with manifests of its own. The pool's own manifests must have been written.
    ///
    /// # Errors
    /// [`Refusal::Access`]; what was made is removed again.
    pub fn split(
        &mut self,
        about: &About<'_>,
        beginnings: &[Vec<u8>],
        system: &dyn System,
    ) -> Result<Vec<Self>, Refusal> {
        let mut pools: Vec<Self> = Vec::new();
        for (worker, beginning) in (0u64..).zip(beginnings) {
            match self.make_worker(about, worker, beginning, system) {
                Ok(pool) => pools.push(pool),
                Err(refusal) => {
                    pools.iter_mut().for_each(|pool| drop(pool.remove_manifests()));
                    self.remove_worker_directories(system);
                    self.remove_manifests();
                    return Err(refusal);
                }
            }
        }
        Ok(pools)
    }

    fn make_worker(
        &mut self,
        about: &About<'_>,
        worker: u64,
        beginning: &[u8],
        system: &dyn System,
    ) -> Result<Self, Refusal> {
        let mut pool = Self {
            subdirectories: self.subdirectories,
            key_base: worker << 40,
            worker: Some(worker),
            ..Self::default()
        };
        for location in &self.locations {
            let path = location.path.join(worker_name(worker));
            let name = std::ffi::CString::new(worker_name(worker)).unwrap_or_default();
            retry(|| system.make_directory(location.directory.as_fd(), &name))
                .map_err(|errno| no_access(&path, errno.into()))?;
            self.worker_directories += 1;
            let directory = open_directory(&path)?;
            lock(&path, &directory)?;
            let mut place = location.place.clone();
            place.resolved.push(worker_name(worker));
            pool.distinct.push(pool.locations.len());
            pool.locations.push(OpenLocation { path, directory, place });
        }
        pool.write_manifests(about, beginning)?;
        Ok(pool)
    }

    /// Removes the workers' directories, which must be empty by now. Returns those that
    /// could not be removed.
    pub fn remove_worker_directories(&mut self, system: &dyn System) -> Vec<Leftover> {
        let mut left = Vec::new();
        let locations = self.locations.len().max(1) as u64;
        for made in 0..std::mem::take(&mut self.worker_directories) {
            let location = &self.locations[(made % locations) as usize];
            let name = worker_name(made / locations);
            let path = location.path.join(&name);
            let name = std::ffi::CString::new(name).unwrap_or_default();
            let result = retry(|| system.remove_directory(location.directory.as_fd(), &name));
            note(&mut 0, &mut left, Call::RemoveDirectory, result, || path);
        }
        left
    }
}

/// Name of a worker's directory.
#[must_use]
pub fn worker_name(worker: u64) -> String {
    format!("w{worker}")
}
