//! Real PostMark scripts, as published, scaled down and played by both programs.

use std::path::{Path, PathBuf};

use super::{Pair, Played, assert_same};

/// Where the scripts of the corpus play.
const PUBLISHED_LOCATION: &str = "/tmp/pmtest";
/// `set size 1k`: PostMark reads 1, we read what is meant.
const SUFFIXED: &str = "022";
/// Scripts that end in `exit`, which PostMark knows at the prompt only.
const EXIT_IN_FILE: [&str; 2] = ["014", "018"];

const MOST_FILES: u64 = 60;
const MOST_TRANSACTIONS: u64 = 200;
const MOST_SUBDIRECTORIES: u64 = 12;
const LARGEST_SIZE: u64 = 40_000;

fn scripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("it").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pm"));
    paths.sort();
    assert!(paths.len() >= 50, "{} scripts", paths.len());
    let name = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("text"))).collect()
}

/// The script with small numbers, otherwise to the byte as it was.
fn scaled(script: &str, location: &Path) -> String {
    let script = script.replace(PUBLISHED_LOCATION, &location.to_string_lossy());
    script.split('\n').map(scaled_line).collect::<Vec<_>>().join("\n")
}

fn scaled_line(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers: Vec<Option<u64>> = words.iter().map(|word| word.parse().ok()).collect();
    let at_most = |number: &str, most: u64| {
        line.replace(number, &number.parse().map_or(most, |value: u64| value.min(most)).to_string())
    };
    match (words.as_slice(), numbers.as_slice()) {
        (["set", "number" | "numbers", number], _) => at_most(number, MOST_FILES),
        (["set", "transactions", number], _) => at_most(number, MOST_TRANSACTIONS),
        (["set", "subdirectories", number], _) => at_most(number, MOST_SUBDIRECTORIES),
        (["set", "size", ..], [_, _, Some(low), Some(high)]) if *high > LARGEST_SIZE => {
            let low = (low * LARGEST_SIZE / high).max(1);
            format!("set size {low} {LARGEST_SIZE}")
        }
        _ => line.to_owned(),
    }
}

/// Plays a script with both programs, as an argument and on standard input.
fn play(name: &str, script: &str, pair: &Pair) {
    let script = scaled(script, &pair.directory().join("pool"));
    // PostMark is given what we are expected to read.
    let meant = if name == SUFFIXED { script.replace("1k", "1024") } else { script.clone() };

    let (real, ours) = (pair.real(&[], &meant), pair.ours(&[], &script));
    assert_same(&format!("{name}, on standard input:\n{script}"), &real, &ours);

    let file = pair.beside("script.pm");
    let argument = file.to_string_lossy().into_owned();
    let as_argument = |text: &str| std::fs::write(&file, text).expect("the script");
    as_argument(&meant);
    let mut real = pair.real(&[&argument], "");
    as_argument(&script);
    let ours = pair.ours(&[&argument], "");
    if EXIT_IN_FILE.contains(&name) {
        let end = real.out.strip_suffix("Eh?\npm>").expect("`exit` is unknown in a file");
        real.out = end.to_owned();
    }
    assert_same(&format!("{name}, as an argument:\n{script}"), &real, &ours);
    check_words(name, &script, &ours);
}

/// What only we have to say.
fn check_words(name: &str, script: &str, ours: &Played) {
    if name == SUFFIXED {
        assert!(ours.errors.contains("PostMark reads it as 1"), "{}", ours.errors);
    }
    let answered = ours.out.matches("Eh?\n").count();
    let unreadable = script
        .lines()
        .take_while(|line| *line != "quit")
        .filter(|line| line.is_empty() || line.starts_with('#') || line.starts_with("-e"));
    assert_eq!(answered, unreadable.count(), "{name}: {}", ours.out);
}

#[test]
fn published_scripts_print_what_postmark_prints() {
    let mut reports = 0;
    for (name, script) in scripts() {
        let Some(pair) = Pair::in_memory() else { return };
        pair.make_directories(&["pool/tmp"]);
        if script.contains("/tmp/pmtest/1\n") {
            pair.make_directories(&["pool/1"]);
        }
        play(&name, &script, &pair);
        reports += usize::from(script.contains("run"));
    }
    assert!(reports >= 49, "{reports} scripts run");
}

#[test]
fn scaling_keeps_everything_but_the_numbers() {
    for (line, expected) in [
        ("set size 100 ", "set size 100 "),
        ("set size 500 100000", "set size 200 40000"),
        ("set size 1048576 1048576", "set size 40000 40000"),
        ("set numbers 100000", "set numbers 60"),
        ("set transactions 50", "set transactions 50"),
        ("# set report terse", "# set report terse"),
        ("set size 1k", "set size 1k"),
        ("", ""),
    ] {
        assert_eq!(scaled_line(line), expected);
    }
    let script = "set location /tmp/pmtest/tmp\nrun";
    assert_eq!(scaled(script, Path::new("/x")), "set location /x/tmp\nrun");
}
