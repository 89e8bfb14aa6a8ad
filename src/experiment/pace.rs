//! How fast a place is, by a short look before something long: about a second for each
//! of two sizes of record.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::engine::blocks::{Block, Course, Data, block_engine};
use crate::engine::nameless::LargeFile;
use crate::engine::{Cause, Kernel};
use crate::workload::content::{FileContent, Mismatch};
use crate::workload::permutation::Permutation;
use crate::workload::policy::Content;

/// Bytes of the two records.
const SMALL: u64 = 4 << 10;
const LARGE: u64 = 1 << 20;
/// A look at one of them ends after this, or after so many bytes.
const LOOK: Duration = Duration::from_millis(700);
const BYTES: u64 = 64 << 20;

/// Bytes per second with small and with large records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// With records of 4 KiB, at random.
    pub small: f64,
    /// With records of 1 MiB, in order.
    pub large: f64,
    /// False when only reading could be tried.
    pub written: bool,
}

impl Pace {
    /// Bytes per second with records of some size: between the two by powers of the size,
    /// beyond them as the nearer.
    #[must_use]
    pub fn with(&self, record: u64) -> f64 {
        let power = |bytes: u64| (bytes.max(1) as f64).ln();
        let share = (power(record) - power(SMALL)) / (power(LARGE) - power(SMALL));
        (self.small.ln() + share.clamp(0.0, 1.0) * (self.large / self.small).ln()).exp()
    }
}

/// Of writing into a directory's file system, the page cache passed by where that is
/// possible. Nothing is left of it.
///
/// # Errors
/// The I/O error.
pub fn of_directory(path: &Path) -> io::Result<Pace> {
    let directory = File::open(path)?;
    let create = |direct| LargeFile::create(&Kernel, path, &directory, direct);
    let file =
        create(true).or_else(|_| create(false)).map_err(|error| io::Error::from(error.errno))?;
    let content = FileContent::of_blocks(Content::Random, 1, LARGE);
    let large = look(file.descriptor(), LARGE, BYTES, Some(&content))?;
    let small = look(file.descriptor(), SMALL, BYTES, Some(&content))?;
    file.close().map_err(|error| io::Error::from(error.errno))?;
    Ok(Pace { small, large, written: true })
}

/// Of reading from a device, to which nothing is written.
///
/// # Errors
/// The I/O error.
pub fn of_device(path: &Path) -> io::Result<Pace> {
    let flags = (OFlags::DIRECT | OFlags::CLOEXEC).bits();
    let mut device = File::options().read(true).custom_flags(flags as i32).open(path)?;
    let bytes = device.seek(SeekFrom::End(0))?.min(BYTES) / LARGE * LARGE;
    if bytes == 0 {
        return Err(io::Error::other("it is too small to be measured"));
    }
    let large = look(device.as_fd(), LARGE, bytes, None)?;
    let small = look(device.as_fd(), SMALL, bytes, None)?;
    Ok(Pace { small, large, written: false })
}

/// Bytes per second.
fn look(
    file: BorrowedFd<'_>,
    record: u64,
    bytes: u64,
    content: Option<&FileContent>,
) -> io::Result<f64> {
    let blocks = bytes / record;
    let order = (record < LARGE).then(|| Permutation::new(blocks, 1));
    let begun = Instant::now();
    let mut course = Look { content, record, blocks, order, place: 0, moved: 0, begun };
    let mut engine = block_engine(&Kernel, 1, record as usize);
    engine.play(file, &mut course).map_err(|error| match error.cause {
        Cause::Errno(errno) => io::Error::from(errno),
        _ => io::Error::other(error.to_string()),
    })?;
    let seconds = begun.elapsed().as_secs_f64().max(1e-6);
    Ok((course.moved * record).max(1) as f64 / seconds)
}

struct Look<'c> {
    content: Option<&'c FileContent>,
    record: u64,
    blocks: u64,
    order: Option<Permutation>,
    place: u64,
    moved: u64,
    begun: Instant,
}

impl<'c> Course<'c> for Look<'c> {
    fn next(&mut self, _: usize) -> Option<Block<'c>> {
        if self.place >= self.blocks || self.begun.elapsed() >= LOOK {
            return None;
        }
        let place = self.order.map_or(self.place, |order| order.at(self.place));
        self.place += 1;
        let (offset, length) = (place * self.record, self.record as usize);
        let data = match self.content {
            Some(content) => Data::Write(content.at(0, offset, length)),
            None => Data::Read(length),
        };
        Some(Block { offset, data })
    }

    fn moved(&mut self, _: usize, _: Option<&[u8]>) -> Result<(), Mismatch> {
        self.moved += 1;
        Ok(())
    }

    fn sync_is_due(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_the_two_sizes_it_grows_by_powers() {
        let pace = Pace { small: 10e6, large: 160e6, written: true };
        for (record, rate) in
            [(512, 10e6), (4096, 10e6), (64 << 10, 40e6), (1 << 20, 160e6), (1 << 24, 160e6)]
        {
            assert!((pace.with(record) / rate - 1.0).abs() < 1e-9, "{record}");
        }
    }

    #[test]
    fn a_directory_is_measured_and_left_empty() {
        let place = tempfile::tempdir().expect("a directory");
        let pace = of_directory(place.path()).expect("a pace");
        assert!(pace.small > 0.0 && pace.large > 0.0 && pace.written);
        assert_eq!(std::fs::read_dir(place.path()).expect("entries").count(), 0);
    }
}
