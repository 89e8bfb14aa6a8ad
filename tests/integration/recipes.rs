//! The experiments that come with the program.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use trimark::experiment::recipes::RECIPES;

use crate::probe::images::{Mounted, format_device};
use crate::support::{entries, program, root, scratch, stderr, stdout, trimark};

/// `trimark recipe ARGUMENTS` in a directory, images and states in it, too.
fn recipe(place: &Path, arguments: &[&str]) -> Output {
    Command::new(trimark())
        .arg("recipe")
        .args(arguments)
        .current_dir(place)
        .env("TRIMARK_STATE_DIR", place.join("states"))
        .env("TMPDIR", place)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

#[test]
fn they_are_listed_and_unknown_ones_refused() {
    let place = scratch();
    let output = recipe(place.path(), &[]);
    let listed = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for of in RECIPES {
        assert!(listed.contains(&format!("{} ", of.name)) && listed.contains(of.summary()));
    }
    let output = recipe(place.path(), &["cliffs"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cliff, recovery"), "{}", stderr(&output));
    let output = recipe(place.path(), &["cliff", "--scale", "big"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("1/100"), "{}", stderr(&output));
}

#[test]
fn an_estimate_says_what_would_be_done_and_does_nothing() {
    if !root() {
        return;
    }
    for of in RECIPES {
        let place = scratch();
        let output = recipe(place.path(), &[of.name, "--scratch", "--scale=1/100", "--estimate"]);
        let said = stdout(&output);
        assert!(output.status.success(), "{}", stderr(&output));
        for word in ["arms", "runs", "writes", "takes"] {
            assert!(said.contains(&format!("\n  {word} ")), "{word}: {said}");
        }
        assert!(!said.contains("Verdict"), "{said}");
        assert_eq!(entries(place.path()), [""; 0], "{}", of.name);
    }
}

#[test]
fn one_command_leads_to_a_report_with_plots_on_every_file_system() {
    for kind in ["ext4", "xfs", "btrfs"] {
        if !root() || program(&format!("mkfs.{kind}")).is_none() {
            continue;
        }
        let place = scratch();
        let reports = ["--report", "text", "--report", "html:out.html"];
        let small = ["--scratch", "--fs", kind, "--scale", "1/1000", "--blocks", "1"];
        let output = recipe(place.path(), &[&["cliff"], &small[..], &reports].concat());
        let said = stdout(&output);
        assert!(output.status.success(), "{kind}: {}", stderr(&output));
        assert!(said.contains("trimmed: condition='fill-purge:2 order=random', condition='trim'"));
        assert!(said.contains("Transfers: medians of the runs"), "{said}");
        assert!(said.contains("a scratch image of 320 MiB"), "{said}");
        let html = std::fs::read_to_string(place.path().join("out.html")).expect("a page");
        assert!(html.contains("write, 1 MiB by position"), "{kind}: {html}");
    }
}

#[test]
fn no_recipe_writes_to_a_device_that_was_not_confirmed() {
    let Some(device) = format_device("ext4", &[]) else { return };
    {
        let mounted = Mounted::new(&[&device.node]);
        std::fs::write(mounted.path().join("letter"), "dear").expect("a file");
    }
    let before = std::fs::read(&device.image).expect("an image");
    for name in ["sizes", "recovery", "dirty"] {
        let place = scratch();
        let arguments = [name, "--device", &device.node, "--scale", "1/1000"];
        let output = recipe(place.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stdout(&output));
        assert!(stdout(&output).contains("EVERYTHING on"), "{name}: {}", stdout(&output));
        assert!(stderr(&output).contains("--yes-erase"), "{name}: {}", stderr(&output));
        assert!(std::fs::read(&device.image).expect("an image") == before, "{name} wrote to it");
    }
}
