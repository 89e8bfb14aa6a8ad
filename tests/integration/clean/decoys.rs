//! What users keep beside a run's files, and demands that it stays.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use trimark::runner::manifest;

use super::running::Dice;
use crate::support::{Entry, snapshot};

/// Puts what a run starts beside: names it never uses, and numbers above its pool.
pub fn before_the_run(directory: &Path, number: u64) {
    for name in ["notes", "0007", "s", "s999", "1.txt"] {
        std::fs::write(directory.join(name), format!("the user's {name}")).expect("a file");
    }
    let beyond = |more: u64| directory.join((number + more).to_string());
    std::fs::write(beyond(1), "").expect("a file");
    std::fs::write(beyond(2), "other").expect("a file");
    std::fs::create_dir(beyond(3)).expect("a directory");
    symlink("notes", beyond(4)).expect("a link");
    symlink("nowhere", beyond(5)).expect("a link");
    std::fs::hard_link(directory.join("notes"), beyond(6)).expect("a link");
}

/// Puts what a user might after the run was killed: numbers the run had used or was to
/// use next, copies of its files, files in its directories.
pub fn after_the_kill(directory: &Path, newest: u64, dice: &mut Dice) {
    put_numbers(directory, newest, newest.saturating_sub(dice.below(30)), dice);
    let one = directory.join("1");
    if one.is_file() {
        for name in ["copy", "01", "1.copy"] {
            std::fs::copy(&one, directory.join(name)).expect("a copy");
        }
    }
    for subdirectory in ["s0", "s1"].map(|name| directory.join(name)) {
        if subdirectory.is_dir() {
            std::fs::write(subdirectory.join("notes"), "deep").expect("a file");
            put_numbers(&subdirectory, newest, dice.below(60), dice);
        }
    }
    symlink("/etc/passwd", directory.join("link")).expect("a link");
}

/// Entries with free numbers from `from` on, of every kind. Empty files are not put where
/// the run may just have been about to make its next file: no more could be said of those
/// than that they are empty, and the run's own would be too.
fn put_numbers(directory: &Path, newest: u64, from: u64, dice: &mut Dice) {
    let numbered = |number: u64| directory.join(number.to_string());
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    for from in [1, newest + 50 + dice.below(50)] {
        let mut free = (from..=newest).chain(from.max(newest + 50)..).map(numbered);
        std::fs::write(free.find(is_free).expect("a free number"), "").expect("a file");
    }
    let mut free = (from.max(1)..).map(numbered);
    let mut next = || free.find(is_free).expect("a free number");
    std::fs::write(next(), "other").expect("a file");
    std::fs::write(next(), "o").expect("a file");
    std::fs::write(next(), vec![b'o'; 700]).expect("a file");
    std::fs::create_dir(next()).expect("a directory");
    symlink("1", next()).expect("a link");
    let first = next();
    std::fs::write(&first, "two names").expect("a file");
    std::fs::hard_link(first, next()).expect("a link");
}

/// The highest number of the run's files.
pub fn newest(before_run: &BTreeMap<PathBuf, Entry>, killed: &BTreeMap<PathBuf, Entry>) -> u64 {
    let own = killed.keys().filter(|path| !before_run.contains_key(*path));
    own.filter_map(|path| path.file_name()?.to_str()?.parse().ok()).max().unwrap_or(0)
}

/// Every entry that is a decoy: those that were there before the run, and those that came
/// with the decoys after it.
pub fn decoys(
    before_run: &BTreeMap<PathBuf, Entry>,
    killed: &BTreeMap<PathBuf, Entry>,
    with_decoys: BTreeMap<PathBuf, Entry>,
) -> BTreeMap<PathBuf, Entry> {
    let is_new = |path: &PathBuf| before_run.contains_key(path) || !killed.contains_key(path);
    let mut kept: BTreeMap<_, _> =
        with_decoys.clone().into_iter().filter(|(path, _)| is_new(path)).collect();
    // A subdirectory of the run's that somebody else's files are in stays, for their sake.
    for (path, entry) in with_decoys {
        if kept.keys().any(|inside| inside.parent() == Some(&path)) {
            kept.insert(path, entry);
        }
    }
    kept
}

/// Demands that a directory holds exactly its decoys, as they were.
pub fn assert_only(decoys: &BTreeMap<PathBuf, Entry>, directory: &Path, context: &str) {
    assert!(!decoys.contains_key(Path::new(manifest::NAME)));
    let now = snapshot(directory);
    let left: Vec<_> = now.keys().filter(|path| !decoys.contains_key(*path)).collect();
    let harmed: Vec<_> =
        decoys.iter().filter(|(path, entry)| now.get(*path) != Some(entry)).map(|d| d.0).collect();
    assert!(left.is_empty() && harmed.is_empty(), "left {left:?}, harmed {harmed:?}: {context}");
}
