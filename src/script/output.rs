//! Where reports go: files are tried before a run, so that no run is lost to a path that
//! cannot be written, but made only for a report, so that none stands in the run's way.

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
    /// None while there is no such file.
    file: Option<File>,
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
            destinations.push(open(path, first_use && !self.begun)?);
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
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(append_to(&self.path)?),
        };
        if std::mem::take(&mut self.replace) {
            file.set_len(0).map_err(failed)?;
        }
        let mut out = io::BufWriter::new(file);
        render(&mut out).and_then(|()| out.flush()).map_err(failed)
    }
}

fn open(path: &Path, replace: bool) -> Result<Destination, Trouble> {
    let probe = OpenOptions::new().write(true).create_new(true).open(path);
    if probe.is_ok() {
        // `run 60` means a file of a name that the pool may need as well. Should it stay,
        // it is an empty file of a name the user chose.
        let _ = std::fs::remove_file(path);
        return Ok(Destination { path: path.to_owned(), file: None, replace: false });
    }
    let file = append_to(path)?;
    let replace = replace && file.metadata().is_ok_and(|data| data.is_file());
    Ok(Destination { path: path.to_owned(), file: Some(file), replace })
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
