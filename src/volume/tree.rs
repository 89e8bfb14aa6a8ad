//! The sizes of the files below a directory: a real one as a workload.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// More sizes than this are thinned out to as many, evenly over their order.
const MOST_SIZES: usize = 1 << 20;

/// The sizes of all regular files below a directory (links are not followed, other file
/// systems not entered), in rising order; at most a million of them, evenly chosen.
///
/// # Errors
/// The I/O error, with its path, of what cannot be read; one of its own when there is no
/// file.
pub fn sizes(directory: &Path) -> io::Result<Vec<u64>> {
    let mut sizes = Vec::new();
    for entry in WalkDir::new(directory).same_file_system(true) {
        let entry = entry.map_err(io::Error::other)?;
        if entry.file_type().is_file() {
            sizes.push(entry.metadata().map_err(io::Error::other)?.len());
        }
    }
    if sizes.is_empty() {
        return Err(no_file(directory));
    }
    sizes.sort_unstable();
    if sizes.len() > MOST_SIZES {
        let last = sizes.len() - 1;
        let chosen = (0..MOST_SIZES).map(|index| sizes[index * last / (MOST_SIZES - 1)]);
        sizes = chosen.collect();
    }
    Ok(sizes)
}

/// How many files a directory below `directory` holds on average, of those that hold any,
/// as a fraction: files, and directories.
///
/// # Errors
/// As [`sizes`].
pub fn files_and_directories(directory: &Path) -> io::Result<(u64, u64)> {
    let mut files_of: HashMap<PathBuf, u64> = HashMap::new();
    for entry in WalkDir::new(directory).same_file_system(true) {
        let entry = entry.map_err(io::Error::other)?;
        if let (true, Some(parent)) = (entry.file_type().is_file(), entry.path().parent()) {
            *files_of.entry(parent.to_owned()).or_default() += 1;
        }
    }
    if files_of.is_empty() {
        return Err(no_file(directory));
    }
    Ok((files_of.values().sum(), files_of.len() as u64))
}

fn no_file(directory: &Path) -> io::Error {
    let message = format!("there is no file below '{}'", directory.display());
    io::Error::new(io::ErrorKind::NotFound, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_below_count() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let below = directory.path().join("below");
        std::fs::create_dir(&below).expect("a directory");
        std::fs::write(directory.path().join("a"), [0; 7]).expect("a file");
        std::fs::write(below.join("b"), [0; 3]).expect("a file");
        std::os::unix::fs::symlink("a", below.join("link")).expect("a link");
        assert_eq!(sizes(directory.path()).expect("two files"), [3, 7]);
        assert_eq!(files_and_directories(directory.path()).expect("two files"), (2, 2));
        assert!(files_and_directories(&directory.path().join("missing")).is_err());
        assert!(sizes(&directory.path().join("missing")).is_err());
    }
}
