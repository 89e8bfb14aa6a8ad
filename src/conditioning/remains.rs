//! The directory a fill is made in, and how one that a killed fill left is told and
//! removed: it has our name, is its owner's own, and holds a note of ours that was there
//! before any of its files.

use std::ffi::CString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::ConditionError;
use crate::engine::nameless::LARGE_FILE_PREFIX;
use crate::engine::system::retry;
use crate::engine::{Call, System};

/// What the directory's name begins with.
const PREFIX: &str = "trimark-fill-";
/// The note in it.
const NOTE: &str = ".trimark-fill";
/// What makes the note ours.
const FORMAT: &str = "trimark-fill 1";

/// The note.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    format: String,
    user: u32,
}

/// The directory of a fill that is under way; nobody else removes it as long as this
/// exists.
#[derive(Debug)]
pub struct Remains {
    /// Where it is.
    pub path: PathBuf,
    name: CString,
    parent: File,
    _locked: File,
}

/// The name of a directory of files.
#[must_use]
pub fn directory_name(number: u64) -> String {
    format!("d{number}")
}

impl Remains {
    /// Makes the directory, with its note.
    ///
    /// # Errors
    /// [`ConditionError`]; nothing is left then.
    pub fn make(
        system: &dyn System,
        parent: &File,
        parent_path: &Path,
    ) -> Result<Self, ConditionError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ConditionError::Io { path, error }
        };
        let parent = parent.try_clone().map_err(failed(parent_path))?;
        let mut number = 0;
        let (path, name) = loop {
            let name = format!("{PREFIX}{}-{number}", std::process::id());
            let path = parent_path.join(&name);
            let name = CString::new(name).unwrap_or_default();
            match retry(|| system.make_directory(parent.as_fd(), &name)) {
                Ok(()) => break (path, name),
                Err(Errno::EXIST) => number += 1,
                Err(errno) => return Err(ConditionError::errno(Call::MakeDirectory, path)(errno)),
            }
        };
        match note(&path) {
            Ok(locked) => Ok(Self { path, name, parent, _locked: locked }),
            Err(error) => {
                let _ = fs::remove_dir_all(&path); // it held nothing but the note
                Err(failed(&path)(error))
            }
        }
    }

    /// The directory, open.
    ///
    /// # Errors
    /// [`ConditionError::Io`]
    pub fn open(&self) -> Result<File, ConditionError> {
        let path = self.path.clone();
        File::open(&self.path).map_err(|error| ConditionError::Io { path, error })
    }

    /// Removes it, once its files are gone.
    ///
    /// # Errors
    /// [`ConditionError`]
    pub fn remove(self, system: &dyn System) -> Result<(), ConditionError> {
        let note = self.path.join(NOTE);
        fs::remove_file(&note).map_err(|error| ConditionError::Io { path: note, error })?;
        retry(|| system.remove_directory(self.parent.as_fd(), &self.name))
            .map_err(ConditionError::errno(Call::RemoveDirectory, self.path.clone()))
    }
}

fn note(directory: &Path) -> io::Result<File> {
    let user = rustix::process::geteuid().as_raw();
    let text = serde_json::to_vec(&Note { format: FORMAT.into(), user })?;
    let path = directory.join(NOTE);
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    file.write_all(&text)?;
    file.sync_all()?;
    Ok(file)
}

/// What was removed of killed fills.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Their directories.
    pub fills: Vec<PathBuf>,
    /// Files removed.
    pub files: u64,
    /// What in them was not theirs: left untouched.
    pub foreign: Vec<PathBuf>,
    /// What could not be removed.
    pub left: Vec<(PathBuf, String)>,
    /// Fills that are under way.
    pub busy: Vec<PathBuf>,
}

/// Removes what killed fills left in a directory, and nothing else.
///
/// # Errors
/// The I/O error of reading the directory.
pub fn clean(directory: &Path) -> io::Result<Removed> {
    let mut removed = Removed::default();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_unnamed_in_vain(&entry)? {
            fs::remove_file(entry.path())?;
            removed.files += 1;
            continue;
        }
        let own = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_number);
        if own && entry.file_type()?.is_dir() {
            clean_fill(&entry.path(), &mut removed);
        }
    }
    Ok(removed)
}

/// A large file whose name could not be taken away, or whose program was killed before it
/// could: nothing is written to one that has a name.
fn is_unnamed_in_vain(entry: &fs::DirEntry) -> io::Result<bool> {
    let name = entry.file_name();
    let number = name.to_str().and_then(|name| name.strip_prefix(LARGE_FILE_PREFIX));
    let ours = number
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if !ours {
        return Ok(false);
    }
    let data = entry.metadata()?;
    Ok(data.is_file() && data.len() == 0 && data.nlink() == 1)
}

/// `PID-N`
fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(process, number)| digits(process) && digits(number))
}

fn clean_fill(path: &Path, removed: &mut Removed) {
    match noted(path) {
        Ok(Found::Ours(_locked, user)) => {
            if let Err(error) = remove_all(path, user, removed) {
                removed.left.push((path.to_owned(), error.to_string()));
            }
        }
        Ok(Found::Nothing) => {
            // Killed before the note was there, it is empty.
            match fs::remove_dir(path) {
                Ok(()) => removed.fills.push(path.to_owned()),
                Err(_) => removed.foreign.push(path.to_owned()),
            }
        }
        Ok(Found::Busy) => removed.busy.push(path.to_owned()),
        Ok(Found::Foreign) => removed.foreign.push(path.to_owned()),
        Err(error) => removed.left.push((path.to_owned(), error.to_string())),
    }
}

enum Found {
    Ours(File, u32),
    Busy,
    Foreign,
    Nothing,
}

/// The note of a fill's directory.
fn noted(path: &Path) -> io::Result<Found> {
    let mut file = match File::open(path.join(NOTE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        opened => opened?,
    };
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(Found::Busy);
    }
    let mut text = String::new();
    io::Read::read_to_string(&mut file, &mut text)?;
    let owner = file.metadata()?.uid();
    Ok(match serde_json::from_str::<Note>(&text) {
        Ok(note) if note.format == FORMAT && note.user == owner => Found::Ours(file, owner),
        Ok(_) => Found::Foreign,
        // Killed while it was written, nothing else can be there.
        Err(_) if text.is_empty() || FORMAT.len() > text.len() => Found::Ours(file, owner),
        Err(_) => Found::Foreign,
    })
}

fn remove_all(path: &Path, user: u32, removed: &mut Removed) -> io::Result<()> {
    let foreign = removed.foreign.len();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == NOTE {
            continue;
        }
        let data = entry.metadata()?;
        if numbered(name.to_str(), 'd') && data.is_dir() && data.uid() == user {
            remove_files(&entry.path(), user, removed)?;
        } else {
            removed.foreign.push(entry.path());
        }
    }
    if removed.foreign.len() == foreign {
        fs::remove_file(path.join(NOTE))?;
        fs::remove_dir(path)?;
        removed.fills.push(path.to_owned());
    }
    Ok(())
}

fn remove_files(path: &Path, user: u32, removed: &mut Removed) -> io::Result<()> {
    let foreign = removed.foreign.len();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let ours = |data: Metadata| data.is_file() && data.nlink() == 1 && data.uid() == user;
        if numbered(entry.file_name().to_str(), 'f') && ours(entry.metadata()?) {
            fs::remove_file(entry.path())?;
            removed.files += 1;
        } else {
            removed.foreign.push(entry.path());
        }
    }
    if removed.foreign.len() == foreign { fs::remove_dir(path) } else { Ok(()) }
}

/// A letter and a number.
fn numbered(name: Option<&str>, letter: char) -> bool {
    let digits = name.and_then(|name| name.strip_prefix(letter));
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Kernel;

    fn fill(parent: &Path) -> Remains {
        let open = File::open(parent).expect("a directory");
        Remains::make(&Kernel, &open, parent).expect("a fill's directory")
    }

    #[test]
    fn what_a_killed_fill_left_is_removed_and_nothing_else() {
        let ground = tempfile::tempdir().expect("a directory");
        let remains = fill(ground.path());
        let path = remains.path.clone();
        fs::create_dir(path.join("d0")).expect("a directory");
        fs::write(path.join("d0/f0"), "x").expect("a file");
        fs::write(path.join("d0/letter"), "dear").expect("a file");
        fs::create_dir(ground.path().join("trimark-fill-me-up")).expect("a directory");

        let busy = clean(ground.path()).expect("cleaning");
        assert_eq!((busy.busy.len(), busy.files), (1, 0));
        drop(remains);
        let removed = clean(ground.path()).expect("cleaning");
        assert_eq!((removed.files, removed.fills.len()), (1, 0));
        assert_eq!(removed.foreign, [path.join("d0/letter")]);
        fs::remove_file(path.join("d0/letter")).expect("removal");
        let removed = clean(ground.path()).expect("cleaning");
        assert_eq!((removed.fills, removed.foreign), (vec![path.clone()], vec![]));
        assert!(!path.exists() && ground.path().join("trimark-fill-me-up").exists());
    }

    #[test]
    fn links_and_others_notes_are_left() {
        let ground = tempfile::tempdir().expect("a directory");
        let own = ground.path().join("trimark-fill-1-0");
        fs::create_dir(&own).expect("a directory");
        fs::write(own.join(NOTE), "{\"format\":\"another's\",\"user\":0}").expect("a note");
        std::os::unix::fs::symlink("/etc", ground.path().join("trimark-fill-2-0")).expect("a link");
        let removed = clean(ground.path()).expect("cleaning");
        assert_eq!(removed, Removed { foreign: vec![own], ..Removed::default() });
    }

    #[test]
    fn an_empty_large_file_goes_and_one_with_contents_stays() {
        let ground = tempfile::tempdir().expect("a directory");
        let at = |name: &str| ground.path().join(name);
        for name in ["trimark-transfer-17", "trimark-transfer-", "trimark-transfer-x"] {
            fs::write(at(name), "").expect("a file");
        }
        fs::write(at("trimark-transfer-18"), "dear").expect("a file");
        let removed = clean(ground.path()).expect("cleaning");
        assert_eq!(removed.files, 1);
        assert!(!at("trimark-transfer-17").exists());
        assert_eq!(fs::read_dir(ground.path()).expect("entries").count(), 3);
    }

    #[test]
    fn one_that_ended_is_gone() {
        let ground = tempfile::tempdir().expect("a directory");
        fill(ground.path()).remove(&Kernel).expect("removal");
        assert_eq!(fs::read_dir(ground.path()).expect("entries").count(), 0);
    }
}
