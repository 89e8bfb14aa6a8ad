//! SIGKILL at random moments, then `trimark clean`.

use std::path::Path;

use rustix::process::Signal;
use trimark::runner::manifest;

use super::decoys::{after_the_kill, assert_only, before_the_run, decoys, newest};
use super::running::{Dice, ENDLESS, Running, clean, kill_after, script};
use crate::support::{assert_unchanged, scratch_in_memory, snapshot, trimark};

/// One run to be killed.
struct Trial {
    size: &'static str,
    number: u64,
    locations: usize,
    subdirectories: bool,
    more: &'static str,
}

const SIZES: [(&str, u64); 5] = [
    ("set size 5", 400),
    ("set size 1 20\nset buffering false", 300),
    ("set size 500 10000", 100),
    ("set size 9000 30000\nset buffering false", 60),
    ("set size 100000 3000000\nset write 4096", 20),
];

/// Every combination of sizes, one and two locations, with and without subdirectories.
fn trials() -> impl Iterator<Item = Trial> {
    (0..40).map(|index| {
        let (size, number) = SIZES[index % SIZES.len()];
        let kind = index / SIZES.len();
        // Without creates the users' numbers beyond the pool are never reached.
        let more = if kind < 4 { "set bias create -1" } else { "" };
        Trial { size, number, locations: 1 + kind % 2, subdirectories: kind / 2 % 2 == 1, more }
    })
}

fn kill_and_clean(trial: &Trial, dice: &mut Dice) -> bool {
    let parent = scratch_in_memory();
    let names = &["a", "b"][..trial.locations];
    let locations: Vec<_> = names.iter().map(|name| parent.path().join(name)).collect();
    for location in &locations {
        std::fs::create_dir(location).expect("a directory");
        if !trial.more.is_empty() {
            before_the_run(location, trial.number);
        }
    }
    let before_run = snapshot(parent.path());
    let paths: Vec<_> = locations.iter().map(|path| path.as_path()).collect();
    let number = format!("set number {}", trial.number);
    let subdirectories = if trial.subdirectories { "set subdirectories 4" } else { "" };
    let settings = [ENDLESS, trial.size, &number, trial.more, subdirectories];
    kill_after(&script(&paths, &settings), |_| dice.sleep_up_to(50));

    let killed = snapshot(parent.path());
    let newest = newest(&before_run, &killed);
    locations.iter().for_each(|location| after_the_kill(location, newest, dice));
    let decoys = decoys(&before_run, &killed, snapshot(parent.path()));
    let context = format!("seed {} {settings:?} {names:?} {:?}", dice.seed, killed.keys());
    for _ in 0..2 {
        // From any of the locations; the second time there is nothing to do.
        let location: &&Path = dice.pick(&paths);
        let (code, out, errors) = clean(location);
        let context = format!("{context}\n{out}{errors}");
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{context}");
        assert_only(&decoys, parent.path(), &context);
    }
    killed.len() > before_run.len() + trial.locations
}

#[test]
fn clean_removes_all_that_forty_killed_runs_left_and_nothing_else() {
    let mut dice = Dice::new();
    let begun = trials().filter(|trial| kill_and_clean(trial, &mut dice)).count();
    assert!(begun > 15, "only {begun} of the runs had begun");
}

#[test]
fn a_file_of_the_run_that_the_user_linked_keeps_its_content() {
    let location = scratch_in_memory();
    let path = location.path();
    kill_after(&script(&[path], &[ENDLESS, "set bias create -1"]), |run| {
        run.wait_for(&path.join("9"))
    });
    std::fs::hard_link(path.join("3"), path.join("kept")).expect("a link");
    let content = std::fs::read(path.join("3")).expect("a file");
    let (code, out, _) = clean(path);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(std::fs::read(path.join("kept")).expect("still there"), content);
}

#[test]
fn a_run_killed_while_it_cleans_up_is_cleaned_later() {
    let mut dice = Dice::new();
    for round in 0..12 {
        let location = scratch_in_memory();
        let path = location.path();
        let subdirectories = if round % 2 == 0 { "set subdirectories 3" } else { "" };
        let settings = [ENDLESS, "set number 5000\nset size 10 3000", subdirectories];
        let running = Running::start(Path::new(trimark()), &script(&[path], &settings));
        running.wait_for(&path.join(manifest::NAME));
        dice.sleep_up_to(60);
        running.signal(Signal::TERM);
        dice.sleep_up_to(8);
        running.signal(Signal::KILL);
        // It may have been done with cleaning up.
        assert!([128 + 9, 128 + 15].contains(&running.end().code()));
        let killed = snapshot(path);
        let (code, out, _) = clean(path);
        assert_eq!(code, Some(0), "{out}");
        let context = format!("seed {} {out} {:?}", dice.seed, killed.keys());
        assert_unchanged(path, &Default::default(), &context);
    }
}
