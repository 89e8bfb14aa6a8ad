//! Two runs in one directory, runs after a crash, and `clean` where it has no business.

use std::path::Path;

use rustix::process::Signal;
use trimark::runner::manifest;

use super::running::{ENDLESS, Running, clean, kill_after, script};
use crate::support::{
    AsPostmark, assert_unchanged, entries, run_in, scratch_in_memory, snapshot, stderr, stdout,
    trimark,
};

/// Files that stay as long as the run does.
const POOL: &str = "set number 50\nset bias create -1";

fn start(location: &Path) -> Running {
    let script = script(&[location], &[ENDLESS, POOL, "set report json"]);
    let running = Running::start(Path::new(trimark()), &script);
    running.wait_for(&location.join("50"));
    running
}

#[test]
fn a_second_run_is_refused_and_the_first_unharmed() {
    let location = scratch_in_memory();
    let running = start(location.path());
    let path = location.path().to_string_lossy().into_owned();
    let second = run_in(Path::new("/"), trimark(), &["run", "--no-rc", "--location", &path], "");
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("in use by another run"), "{}", stderr(&second));
    assert_eq!(stdout(&second), "");
    let postmark = AsPostmark::new();
    let third = run_in(location.path(), postmark.path(), &[], "run\nquit\n");
    assert_eq!(third.status.code(), Some(0));
    assert!(stderr(&third).contains("in use by another run"));
    assert!(!stdout(&third).contains("per second"));
    let (code, _, errors) = clean(location.path());
    assert_eq!(code, Some(1));
    assert!(errors.contains("in use by another run"), "{errors}");

    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 130);
    let document: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(document["status"]["outcome"], "interrupted");
    assert_unchanged(location.path(), &Default::default(), "after the first run");
}

#[test]
fn of_two_locations_each_is_kept_from_others() {
    let (a, b) = (scratch_in_memory(), scratch_in_memory());
    let settings = [ENDLESS, POOL, "set report json"];
    let running = Running::start(Path::new(trimark()), &script(&[a.path(), b.path()], &settings));
    running.wait_for(&b.path().join(manifest::NAME));
    let (code, _, errors) = clean(b.path());
    assert_eq!(code, Some(1), "{errors}");
    running.signal(Signal::INT);
    assert_eq!(running.end().code(), 130);
    for location in [a, b] {
        assert_unchanged(location.path(), &Default::default(), "two locations");
    }
}

#[test]
fn a_run_after_a_killed_one_is_refused_with_advice_that_works() {
    let location = scratch_in_memory();
    let path = location.path();
    std::fs::write(path.join("notes"), "the user's").expect("a file");
    let before = snapshot(path);
    let run = script(&[path], &[ENDLESS, POOL]);
    kill_after(&run, |running| running.wait_for(&path.join("50")));
    let killed = snapshot(path);
    let named = path.to_string_lossy().into_owned();
    let arguments = ["run", "--no-rc", "--location", &named, "--set", "transactions 10"];
    let again = run_in(Path::new("/"), trimark(), &arguments, "");
    assert_eq!(again.status.code(), Some(1));
    let advice = format!("`trimark clean {named}`");
    assert!(stderr(&again).contains(&advice), "{}", stderr(&again));
    assert_unchanged(path, &killed, "a refused run");

    let (code, out, _) = clean(path);
    assert_eq!(code, Some(0));
    let files = killed.len() - before.len() - 1;
    assert!(out.contains(&format!("Removed {files} files and 0 subdirectories")), "{out}");
    assert_unchanged(path, &before, "a cleaned directory");
    let again = run_in(Path::new("/"), trimark(), &arguments, "");
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_unchanged(path, &before, "a run after all");
}

#[test]
fn clean_without_a_manifest_says_so_and_touches_nothing() {
    let location = scratch_in_memory();
    for name in ["1", "2", "notes"] {
        std::fs::write(location.path().join(name), "").expect("a file");
    }
    let before = snapshot(location.path());
    for _ in 0..2 {
        let (code, out, errors) = clean(location.path());
        assert_eq!((code, errors.as_str()), (Some(0), ""));
        assert!(out.contains("Nothing to clean") && out.contains("manifest"), "{out}");
        assert_unchanged(location.path(), &before, "nothing to clean");
    }
    let (code, _, errors) = clean(&location.path().join("missing"));
    assert_eq!(code, Some(2));
    assert!(errors.contains("no such directory"), "{errors}");
}

#[test]
fn a_file_named_like_a_manifest_is_nobodys_to_remove() {
    for content in ["shopping list", "trimark-manifest 2 00000000000000000000\n{}\n"] {
        let location = scratch_in_memory();
        std::fs::write(location.path().join(manifest::NAME), content).expect("a file");
        std::fs::write(location.path().join("600"), "").expect("a file");
        let before = snapshot(location.path());
        let (code, _, errors) = clean(location.path());
        assert_eq!(code, Some(1));
        assert!(errors.contains(manifest::NAME) && errors.contains("no manifest"), "{errors}");
        let named = location.path().to_string_lossy().into_owned();
        let run = run_in(Path::new("/"), trimark(), &["run", "--no-rc", "--location", &named], "");
        assert_eq!(run.status.code(), Some(1));
        assert_unchanged(location.path(), &before, content);
    }
}

/// A run killed while it writes its manifest has made nothing else.
#[test]
fn a_manifest_cut_short_is_cleaned() {
    let donor = scratch_in_memory();
    let run = script(&[donor.path()], &[ENDLESS, POOL]);
    kill_after(&run, |running| running.wait_for(&donor.path().join("50")));
    let whole = std::fs::read(donor.path().join(manifest::NAME)).expect("a manifest");
    for length in [0, 1, 10, 19, 25, whole.len() / 2, whole.len() - 3] {
        let location = scratch_in_memory();
        let path = location.path();
        std::fs::write(path.join("notes"), "the user's").expect("a file");
        let before = snapshot(path);
        // As it is written first: no number is reserved yet.
        let mut cut = whole[..length].to_vec();
        cut.iter_mut().skip(19).take(20).for_each(|digit| *digit = b'0');
        std::fs::write(path.join(manifest::NAME), cut).expect("a file");
        let (code, out, errors) = clean(path);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{length}");
        assert!(out.contains("Removed 0 files"), "{out}");
        assert_unchanged(path, &before, &format!("cut after {length} bytes"));
    }
    assert!(entries(donor.path()).len() > 50);
}
