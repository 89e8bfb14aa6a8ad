//! Where reports go: files are opened before a run, so that no run is lost to a path that
//! cannot be written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::trouble::Trouble;

/// The files of `--output`, each emptied at its first use and added to afterwards.
#[derive(Debug)]
pub struct Outputs {
    paths: Vec<PathBuf>,
    begun: bool,
}

/// A file a report is written to.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    file: File,
    is_new: bool,
    /// What it held is dropped, but only when there is something to put in its place.
    replace: bool,
}

impl Outputs {
    /// Nothing is opened yet.
    #[must_use]
    pub fn new(paths: &[PathBuf]) -> Self {
        Self { paths: paths.to_vec(), begun: false }
    }

    /// Opens a destination for each of `reports` reports: the output of the same place
    /// (the last one for those beyond), else `file`; none at all for standard output.
    ///
    /// # Errors
    /// [`Trouble::Destination`]
    pub fn open(
        &mut self,
        file: Option<&Path>,
        reports: usize,
    ) -> Result<Vec<Destination>, Trouble> {
        if self.paths.is_empty() {
            let Some(file) = file else { return Ok(Vec::new()) };
            return (0..reports).map(|_| open(file, false)).collect();
        }
        let mut destinations: Vec<Destination> = Vec::new();
        for index in 0..reports {
            let path = &self.paths[index.min(self.paths.len() - 1)];
            let first_use = !destinations.iter().any(|other| other.path == *path);
            match open(path, first_use && !self.begun) {
                Ok(destination) => destinations.push(destination),
                Err(trouble) => {
                    destinations.iter_mut().for_each(Destination::discard);
                    return Err(trouble);
                }
            }
        }
        Ok(destinations)
    }

    /// Reports are about to be written: from the next run on they are added.
    pub fn begin(&mut self) {
        self.begun = true;
    }
}

impl Destination {
    /// Writes to the file.
    ///
    /// # Errors
    /// [`Trouble::Destination`]
    pub fn write(
        &mut self,
        render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Trouble> {
        let failed = |error| Trouble::Destination { path: self.path.clone(), error };
        if std::mem::take(&mut self.replace) {
            self.file.set_len(0).map_err(failed)?;
        }
        let mut out = io::BufWriter::new(&mut self.file);
        render(&mut out).and_then(|()| out.flush()).map_err(failed)
    }

    /// Removes the file if it was made for a run that then did not begin.
    pub fn discard(&mut self) {
        if self.is_new {
            // Should it stay, it is an empty file of a name the user chose.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path, replace: bool) -> Result<Destination, Trouble> {
    let is_new = !path.exists();
    let file = append_to(path)?;
    let replace = replace && file.metadata().is_ok_and(|data| data.is_file());
    Ok(Destination { path: path.to_owned(), file, is_new, replace })
}

/// Opens a file to add to it.
///
/// # Errors
/// [`Trouble::Destination`]
pub fn append_to(path: &Path) -> Result<File, Trouble> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| Trouble::Destination { path: path.to_owned(), error })
}
