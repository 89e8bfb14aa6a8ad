//! Real file systems that fill up, run out of inodes, or are read-only.

use std::path::Path;
use std::process::Output;

use super::rig::{assert_no_rates_in_full, assert_no_rates_in_json};
use super::volume::Volume;
use crate::support::{AsPostmark, entries, run_in, scratch, stderr, stdout, trimark};

const MEGABYTE: u64 = 1 << 20;
/// More than fits into 16 MiB, but not certain to: sizes are drawn between these.
const TOO_MUCH: &str = "set size 1000 400000\nset number 200\nset transactions 1000\n";

fn trimark_run(location: &Path, settings: &str, report: &str) -> Output {
    let script =
        format!("{settings}\nset location {}\nset report {report}\nrun\n", location.display());
    let elsewhere = scratch();
    run_in(elsewhere.path(), trimark(), &[], &script)
}

#[test]
fn a_full_disk_fails_the_run_with_file_call_and_reason() {
    let Some(volume) = Volume::ext4(16 * MEGABYTE, &[]) else { return };
    let before = entries(&volume.path());
    for buffering in ["true", "false"] {
        let settings = format!("{TOO_MUCH}set buffering {buffering}");
        let full = trimark_run(&volume.path(), &settings, "full");
        assert_eq!(full.status.code(), Some(1));
        let errors = stderr(&full);
        assert!(errors.contains(&format!("'{}/", volume.path().display())), "{errors}");
        assert!(errors.contains("failed in write: No space left on device"), "{errors}");
        assert!(errors.contains("the file system is full"), "{errors}");
        assert_no_rates_in_full(&stdout(&full), "full disk");
        assert_eq!(entries(&volume.path()), before);

        let json = trimark_run(&volume.path(), &settings, "json");
        assert_eq!(json.status.code(), Some(1));
        assert_no_rates_in_json(&stdout(&json), "full disk");
        let document: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
        let error = &document["status"]["error"];
        assert_eq!(error["call"], "write");
        assert_eq!(error["errno"], 28);
        let written = document["operations"]["create"]["alone"]["bytes"].as_u64().expect("bytes");
        assert!((8 * MEGABYTE..16 * MEGABYTE).contains(&written), "{written}");
        assert_eq!(entries(&volume.path()), before);

        for report in ["verbose", "terse"] {
            let classic = trimark_run(&volume.path(), &settings, report);
            assert_eq!(classic.status.code(), Some(1));
            assert_eq!(stdout(&classic), "Creating files...\n");
        }
    }
}

#[test]
fn a_full_disk_gives_no_report_as_postmark_either() {
    let Some(volume) = Volume::ext4(16 * MEGABYTE, &[]) else { return };
    let before = entries(&volume.path());
    let postmark = AsPostmark::new();
    let output = run_in(&volume.path(), postmark.path(), &[], &format!("{TOO_MUCH}run\nquit\n"));
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("failed in write: No space left on device"));
    let printed = stdout(&output);
    assert!(printed.contains("Creating files..."), "{printed}");
    assert!(!printed.contains("per second") && !printed.contains("megabytes"), "{printed}");
    assert_eq!(entries(&volume.path()), before);
}

#[test]
fn a_pool_that_cannot_fit_is_refused_before_anything_is_made() {
    let Some(volume) = Volume::ext4(16 * MEGABYTE, &["-N", "64"]) else { return };
    let before = entries(&volume.path());
    for (settings, missing) in [
        ("set size 1000000\nset number 30", "bytes"),
        ("set size 1\nset number 100", "inodes"),
        ("set size 1\nset number 10\nset subdirectories 80", "inodes"),
    ] {
        let output = trimark_run(&volume.path(), settings, "full");
        assert_eq!(output.status.code(), Some(3), "{settings}: {}", stderr(&output));
        let errors = stderr(&output);
        assert!(errors.contains("needed at least") && errors.contains("lower `set"), "{errors}");
        if missing == "inodes" {
            assert!(errors.contains(missing), "{errors}");
        }
        assert_eq!(stdout(&output), "");
        assert_eq!(entries(&volume.path()), before);
    }
}

#[test]
fn running_out_of_inodes_fails_the_run_at_open() {
    let Some(volume) = Volume::ext4(16 * MEGABYTE, &["-N", "64"]) else { return };
    let before = entries(&volume.path());
    let settings = "set size 1\nset number 40\nset bias create 10\nset transactions 1000";
    let output = trimark_run(&volume.path(), settings, "full");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("failed in open: No space left on device"));
    assert_no_rates_in_full(&stdout(&output), "no inodes");
    assert_eq!(entries(&volume.path()), before);
}

#[test]
fn a_read_only_mount_is_refused() {
    let Some(mut volume) = Volume::ext4(16 * MEGABYTE, &[]) else { return };
    volume.make_read_only();
    let before = entries(&volume.path());
    let output = trimark_run(&volume.path(), "set number 5", "full");
    assert_eq!(output.status.code(), Some(3));
    let errors = stderr(&output);
    assert!(errors.contains("mounted read-only"), "{errors}");
    assert!(errors.contains(&*volume.path().to_string_lossy()), "{errors}");
    assert_eq!(stdout(&output), "");
    let postmark = AsPostmark::new();
    let classic = run_in(&volume.path(), postmark.path(), &[], "run\nquit\n");
    assert_eq!(classic.status.code(), Some(0));
    assert!(stderr(&classic).contains("read-only"));
    assert!(!stdout(&classic).contains("per second"));
    assert_eq!(entries(&volume.path()), before);
}
