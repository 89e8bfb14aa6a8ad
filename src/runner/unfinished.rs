//! Which file a killed run was just making.
//!
//! Such a file may be empty, and then nothing in it tells it from a user's. But the
//! stream is the same each time: replayed without a disk, it shows for every create which
//! other files were there. When those are just the files that are there now, that create
//! was under way when the run was killed.

use std::collections::HashSet;

use crate::workload::{Config, FileId, Operation, PostmarkStream, Step};

/// Of the `short` files, none of which is whole, the one that a run of this configuration
/// was making when it had the `whole` files and no others; none if more than one would do.
/// `first_alike` turns a directory into the first that is the same, where a location is
/// listed twice.
pub fn being_made(
    config: &Config,
    worker: u64,
    whole: &HashSet<FileId>,
    short: &HashSet<FileId>,
    first_alike: impl Fn(u32) -> u32,
) -> Option<FileId> {
    let last = short.iter().map(|file| file.number).max()?;
    let sizes = super::sizes::size_source(config).ok()?;
    let (mut stream, _) = PostmarkStream::of_worker(config, &sizes, worker, &|| false).ok()??;
    let mut replay = Replay { whole, short, first_alike, different: whole.len(), found: None };
    for _ in 0..config.number {
        replay.follow(stream.create())?;
    }
    while stream.newest() <= last && stream.data_half().is_ok() {
        match stream.name_half() {
            // Once full, a table that only ever gains files stays so.
            None | Some(Step::Skip(_)) if config.bias_create.is_none_or(|bias| bias == 10) => break,
            Some(step) => replay.follow(step)?,
            None => break,
        }
    }
    replay.found
}

struct Replay<'a, F> {
    whole: &'a HashSet<FileId>,
    short: &'a HashSet<FileId>,
    first_alike: F,
    /// Files that are only in the pool, or only on the disk.
    different: usize,
    found: Option<FileId>,
}

impl<F: Fn(u32) -> u32> Replay<'_, F> {
    /// Follows one step; `None` when a second file is found.
    fn follow(&mut self, step: Step) -> Option<()> {
        let Some(operation) = step.operation() else { return Some(()) };
        let file = operation.file();
        let file = FileId { directory: (self.first_alike)(file.directory), ..file };
        let comes = match operation {
            Operation::Create { .. } => true,
            Operation::Delete { .. } => false,
            Operation::Read { .. } | Operation::Append { .. } => return Some(()),
        };
        if comes && self.different == 0 && self.short.contains(&file) {
            if self.found.is_some() {
                return None;
            }
            self.found = Some(file);
        }
        if comes == self.whole.contains(&file) {
            self.different -= 1;
        } else {
            self.different += 1;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Location;
    use proptest::prelude::*;

    /// The creates and deletes of a run.
    fn steps(config: &Config) -> Vec<Operation> {
        let (mut stream, _) = PostmarkStream::new(config).expect("small table");
        let mut steps: Vec<Step> = (0..config.number).map(|_| stream.create()).collect();
        for _ in 0..config.transactions {
            if stream.data_half().is_err() {
                break;
            }
            steps.extend(stream.name_half());
        }
        steps.into_iter().filter_map(Step::operation).collect()
    }

    proptest! {
        #[test]
        fn finds_the_create_at_which_just_these_files_were_there(
            number in 1u64..30, transactions in 0u64..200, stop in any::<prop::sample::Index>(),
            locations in 1usize..3, subdirectories in 0u64..4,
            decoys in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        ) {
            let location = Location { path: "x".into(), weight: 1 };
            let locations = vec![location; locations];
            let config =
                Config { number, transactions, subdirectories, locations, ..Config::default() };
            // Every create, and the files that were there before it.
            let mut moments = Vec::new();
            let mut pool = HashSet::new();
            for step in steps(&config) {
                match step {
                    Operation::Create { file, .. } => {
                        moments.push((file, pool.clone()));
                        pool.insert(file);
                    }
                    _ => drop(pool.remove(&step.file())),
                }
            }
            let (made, whole) = stop.get(&moments);
            let made_only = HashSet::from([*made]);
            prop_assert_eq!(being_made(&config, 0, whole, &made_only, |same| same), Some(*made));

            let decoys: HashSet<FileId> = decoys.iter().map(|decoy| decoy.get(&moments).0).collect();
            let decoys: HashSet<FileId> = decoys.difference(whole).copied().collect();
            let fitting: Vec<FileId> = moments.iter()
                .filter(|(file, before)| decoys.contains(file) && before == whole)
                .map(|(file, _)| *file).collect();
            let expected = fitting.first().filter(|_| fitting.len() == 1).copied();
            prop_assert_eq!(being_made(&config, 0, whole, &decoys, |same| same), expected);
        }
    }
}
