//! The sizes of the files below a directory: a real one as a workload.

use std::io;
use std::path::Path;

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
        let message = format!("there is no file below '{}'", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    sizes.sort_unstable();
    if sizes.len() > MOST_SIZES {
        let last = sizes.len() - 1;
        let chosen = (0..MOST_SIZES).map(|index| sizes[index * last / (MOST_SIZES - 1)]);
        sizes = chosen.collect();
    }
    Ok(sizes)
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
        assert!(sizes(&directory.path().join("missing")).is_err());
    }
}
