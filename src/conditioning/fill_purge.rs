//! Filling a file system to its last block with small files and deleting them, in a
//! directory of its own that [`remains`](super::remains) can tell.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::remains::{self, Remains};
use super::room::{Room, is_full};
use super::step::{FillPurge, Order};
use super::{ConditionError, Work};
use crate::engine::Call;
use crate::engine::system::retry;
use crate::volume::tree;
use crate::workload::config::MAX_FILE_SIZE;
use crate::workload::content::FileContent;
use crate::workload::generator::{Generator, Xoshiro};
use crate::workload::permutation::Permutation;
use crate::workload::policy::Content;
use crate::workload::sizes::{SizeSource, Sizes as Distribution};

/// The longest single write, bytes.
const WRITE: u64 = 1 << 20;
/// Bytes tried, the larger first, for what is left when a file no longer fits.
const REMAINDERS: [u64; 4] = [WRITE, 64 << 10, 4 << 10, 512];
/// Passes over the remainder: what is written back may turn out to take less space than
/// was set aside for it.
const PASSES: u64 = 64;
/// The part of the room that a number of files leaves to the last of them: one in so many.
const MARGIN: u64 = 33;
/// Files between two looks at whether to stop, and at the room there is.
const BETWEEN_STOPS: u64 = 16;

/// The name of a file below the own directory.
fn file_name(number: u64, per_directory: u64) -> CString {
    let name = format!("{}/f{number}", remains::directory_name(number / per_directory));
    CString::new(name).unwrap_or_default() // no NUL is in it
}

/// One round of files.
struct Tree<'w, 'a> {
    work: &'w mut Work<'a>,
    content: &'w FileContent,
    path: PathBuf,
    own: File,
    per_directory: u64,
    /// Files that are there; the last perhaps not whole.
    files: u64,
    directories: u64,
    /// Bytes still to write; none when it is filled until nothing fits.
    room: Option<u64>,
    /// The unit in which files take space, bytes.
    block: u64,
}

/// Whether a file system takes more.
#[derive(PartialEq, Eq)]
enum Taken {
    /// All of it.
    Whole,
    /// It is as full as it is to be.
    Full,
}

impl Work<'_> {
    pub(super) fn fill_purge(&mut self, fill: &FillPurge) -> Result<(), ConditionError> {
        let content = FileContent::of_blocks(Content::Random, self.seed(), WRITE);
        for round in 0..fill.rounds {
            self.stop_if_asked()?;
            let room = Room::of(&self.directory).map_err(|error| self.io(error))?;
            let remains = Remains::make(self.means.system, &self.directory, &self.path)?;
            let begun = Instant::now();
            let mut tree = Tree {
                path: remains.path.clone(),
                own: remains.open()?,
                work: self,
                content: &content,
                per_directory: fill.files_per_directory(),
                files: 0,
                directories: 0,
                room: room.until(fill.fill),
                block: room.block,
            };
            let filled = tree.fill(fill, &room, round);
            tree.work.done.filling_ns += begun.elapsed().as_nanos() as u64;
            tree.work.see_least()?;
            // Also what could not be finished goes.
            let purged = tree.purge(fill.order, round);
            let removed = purged.and_then(|()| remains.remove(self.means.system));
            filled.and(removed)?;
            self.wait_for_space()?;
            self.done.rounds += 1;
        }
        Ok(())
    }

    /// The sizes of files where they are not between two bounds.
    fn distribution(&self, fill: &FillPurge) -> Result<Option<SizeSource>, ConditionError> {
        Ok(match &fill.distribution {
            None | Some(Distribution::Uniform) => None,
            Some(Distribution::Lognormal { median, sigma_thousandths }) => {
                let sigma = *sigma_thousandths as f64 / 1000.0;
                Some(SizeSource::lognormal(*median, sigma, MAX_FILE_SIZE))
            }
            Some(Distribution::Tree(directory)) => {
                let sizes = tree::sizes(directory).map_err(|error| {
                    let directory = directory.display();
                    ConditionError::Refused(format!("size=tree:{directory}: {error}"))
                })?;
                Some(SizeSource::Samples(sizes.into()))
            }
        })
    }

    /// Of contents and orders: other bytes each time, lest a drive recognise them.
    pub(super) fn seed(&self) -> u64 {
        std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64)
    }
}

impl Tree<'_, '_> {
    fn fill(
        &mut self,
        fill: &FillPurge,
        at_first: &Room,
        round: u64,
    ) -> Result<(), ConditionError> {
        // What the file system's own lists need is not known before, so that the sizes
        // follow the room there is. A number of files comes to its end a little before the
        // room does, and the last one takes the rest.
        let margin = at_first.about(fill.fill) / MARGIN;
        let mut sizes = fill.sizes(0, at_first.about(fill.fill) - margin, self.block);
        let drawn = self.work.distribution(fill)?;
        let mut random = Xoshiro::new(round, 0);
        let what = format!("fill {} of {}", round + 1, fill.rounds);
        let mut taken = Taken::Whole;
        while taken == Taken::Whole && fill.files.is_none_or(|files| self.files < files) {
            if self.files.is_multiple_of(BETWEEN_STOPS) {
                self.work.stop_if_asked()?;
                self.work.tell(&what);
                let room = Room::of(&self.work.directory).map_err(|error| self.work.io(error))?;
                let room = room.about(fill.fill).saturating_sub(margin);
                sizes = fill.sizes(self.files, room, self.block);
            }
            let size = match &drawn {
                Some(source) => source.draw(&mut random),
                None => sizes.low + random.below(sizes.high - sizes.low + 1),
            };
            taken = self.create(size)?;
        }
        if let Some(files) = fill.files.filter(|files| self.files < *files) {
            self.work
                .note(format!("{} of {files} files made it as full as it was to be", self.files));
        }
        self.fill_rest(&what)
    }

    /// Makes the next file, and its directory if it is the first in it.
    fn create(&mut self, size: u64) -> Result<Taken, ConditionError> {
        let directory = self.files / self.per_directory;
        if directory == self.directories && self.make_directory(directory)? == Taken::Full {
            return Ok(Taken::Full);
        }
        let name = file_name(self.files, self.per_directory);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let Some(file) = self.open(&name, flags)? else { return Ok(Taken::Full) };
        let number = self.files;
        self.files += 1;
        self.work.done.files += 1;
        let size = self.room.map_or(size, |room| size.min(room));
        let mut offset = 0;
        let mut taken = Taken::Whole;
        while offset < size && taken == Taken::Whole {
            let length = (size - offset).min(WRITE);
            let (count, end) = self.write(&file, &name, number, offset, length)?;
            offset += count;
            taken = end;
        }
        self.close(file, &name)?;
        if let Some(room) = &mut self.room {
            // It takes whole blocks.
            *room = room.saturating_sub(offset.next_multiple_of(self.block) - offset);
        }
        if self.room == Some(0) { Ok(Taken::Full) } else { Ok(taken) }
    }

    fn make_directory(&mut self, number: u64) -> Result<Taken, ConditionError> {
        let name = CString::new(remains::directory_name(number)).unwrap_or_default();
        match retry(|| self.work.means.system.make_directory(self.own.as_fd(), &name)) {
            Ok(()) => {
                self.directories += 1;
                self.work.done.directories += 1;
                Ok(Taken::Whole)
            }
            // Some file systems bound the entries of a directory.
            Err(errno) if is_full(errno) || errno == Errno::MLINK => Ok(Taken::Full),
            Err(errno) => Err(ConditionError::errno(Call::MakeDirectory, self.at(&name))(errno)),
        }
    }

    /// None when there is no room for it.
    fn open(&self, name: &CString, flags: OFlags) -> Result<Option<OwnedFd>, ConditionError> {
        let (system, own) = (self.work.means.system, self.own.as_fd());
        match retry(|| system.open(own, name, flags, Mode::from_raw_mode(0o600))) {
            Ok(file) => Ok(Some(file)),
            Err(errno) if is_full(errno) => Ok(None),
            Err(errno) => Err(ConditionError::errno(Call::Open, self.at(name))(errno)),
        }
    }

    /// Writes at the descriptor's position; the bytes written, and whether all were.
    fn write(
        &mut self,
        file: &OwnedFd,
        name: &CString,
        key: u64,
        offset: u64,
        length: u64,
    ) -> Result<(u64, Taken), ConditionError> {
        let bytes = self.content.at(key, offset, length as usize);
        let mut done = 0;
        let mut taken = Taken::Whole;
        while done < bytes.len() && taken == Taken::Whole {
            match self.work.means.system.write(file.as_fd(), &bytes[done..]) {
                Ok(0) => taken = Taken::Full,
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                // As long as a file can be.
                Err(errno) if is_full(errno) || errno == Errno::FBIG => taken = Taken::Full,
                Err(errno) => {
                    return Err(ConditionError::errno(Call::Write, self.at(name))(errno));
                }
            }
        }
        self.work.done.bytes_written += done as u64;
        if let Some(room) = &mut self.room {
            *room = room.saturating_sub(done as u64);
        }
        Ok((done as u64, taken))
    }

    fn close(&self, file: OwnedFd, name: &CString) -> Result<(), ConditionError> {
        match self.work.means.system.close(file) {
            Ok(()) | Err(Errno::INTR) => Ok(()),
            // NFS says so only now.
            Err(errno) if is_full(errno) => Ok(()),
            Err(errno) => Err(ConditionError::errno(Call::Close, self.at(name))(errno)),
        }
    }

    /// Lets the last file take what is left.
    fn fill_rest(&mut self, what: &str) -> Result<(), ConditionError> {
        let Some(last) = self.files.checked_sub(1) else { return Ok(()) };
        let name = file_name(last, self.per_directory);
        for _ in 0..PASSES {
            // Its error would be that it is full.
            let _ = self.work.sync();
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC;
            let Some(file) = self.open(&name, flags)? else { return Ok(()) };
            let mut written = 0;
            for remainder in REMAINDERS {
                let mut taken = Taken::Whole;
                while taken == Taken::Whole && self.room != Some(0) {
                    self.work.stop_if_asked()?;
                    self.work.tell(what);
                    let length = self.room.map_or(remainder, |room| room.min(remainder));
                    let (count, end) = self.write(&file, &name, last, written, length)?;
                    written += count;
                    taken = end;
                }
            }
            self.close(file, &name)?;
            if written == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Deletes all there is; goes on after errors.
    fn purge(&mut self, order: Order, round: u64) -> Result<(), ConditionError> {
        let permutation = Permutation::new(self.files.max(1), round);
        let mut left: Option<(u64, PathBuf, Errno)> = None;
        let mut leave = |path: PathBuf, errno| match &mut left {
            Some((number, _, _)) => *number += 1,
            None => left = Some((1, path, errno)),
        };
        let system = self.work.means.system;
        for place in 0..self.files {
            let number = match order {
                Order::Forward => place,
                Order::Reverse => self.files - 1 - place,
                Order::Random => permutation.at(place),
            };
            let name = file_name(number, self.per_directory);
            if let Err(errno) = retry(|| system.unlink(self.own.as_fd(), &name)) {
                leave(self.at(&name), errno);
            }
            if place.is_multiple_of(1024) {
                self.work.tell("purge");
            }
        }
        for number in 0..self.directories {
            let name = CString::new(remains::directory_name(number)).unwrap_or_default();
            if let Err(errno) = retry(|| system.remove_directory(self.own.as_fd(), &name)) {
                leave(self.at(&name), errno);
            }
        }
        match left {
            None => Ok(()),
            Some((number, path, errno)) => {
                Err(ConditionError::Left { number, path, error: errno.into() })
            }
        }
    }

    fn at(&self, name: &CString) -> PathBuf {
        self.path.join(Path::new(&*name.to_string_lossy()))
    }
}
