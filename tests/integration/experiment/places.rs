//! Devices and mounts of the user's: refused when in use, put back as they were.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::command::{compare, text};
use crate::probe::images::{FileSystem, LoopDevice, Mounted, done, format_device};
use crate::support::{program, scratch, trimark};

/// Options of a workload that takes tenths of a second.
const SHORT: [&str; 6] =
    ["--set", "number 100", "--set", "transactions 100", "--set", "settle off"];

/// Options in force on a mount, as the kernel lists them.
fn options(point: &Path) -> String {
    done("findmnt", &["-n", "-o", "OPTIONS", "--mountpoint", &point.to_string_lossy()])
}

fn refused(place: &Path, arguments: &[&str]) -> String {
    let output = compare(place, arguments).output().expect("the program starts");
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {said}");
    said
}

const ARMS: [&str; 4] = ["--arm", "a=noatime", "--arm", "b=strictatime"];

fn on_device(place: &Path, node: &str, more: &[&str]) -> String {
    refused(place, &[&ARMS[..], &["--device", node], more, &SHORT].concat())
}

#[test]
fn a_device_is_mounted_where_nobody_sees_it_and_left_as_it_was() {
    let Some(device) = format_device("ext4", &[]) else { return };
    let place = scratch();
    let arguments = [&ARMS[..], &["--device", &device.node, "--blocks", "1"], &SHORT].concat();
    let output = compare(place.path(), &arguments).output().expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    assert!(!mounts.contains(&device.node), "{mounts}");
    let mounted = Mounted::new(&[&device.node]);
    let mut left: Vec<String> = std::fs::read_dir(mounted.path())
        .expect("its root")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["lost+found"]);
}

#[test]
fn devices_in_use_are_refused() {
    let Some(file_system) = FileSystem::make("ext4", &[], "noatime") else { return };
    let place = scratch();
    let said = on_device(place.path(), &file_system.device.node, &[]);
    let point = file_system.path().to_string_lossy().into_owned();
    assert!(said.contains("is mounted on") && said.contains(&point), "{said}");
    // By a link, too.
    let link = place.path().join("link");
    std::os::unix::fs::symlink(&file_system.device.node, &link).expect("a link");
    let link = link.to_string_lossy().into_owned();
    assert!(on_device(place.path(), &link, &[]).contains("is mounted on"));
    let yes = ["--mkfs", "ext4", "--yes-erase", &file_system.device.node];
    assert!(on_device(place.path(), &file_system.device.node, &yes).contains("is mounted on"));
    let here = place.path().to_string_lossy().into_owned();
    assert!(on_device(place.path(), &here, &[]).contains("no block device"));
    assert!(on_device(place.path(), "/dev/nothing-here", &[]).contains("No such file"));
}

#[test]
fn swap_and_read_only_devices_are_refused() {
    let Some(device) = format_device("ext4", &[]) else { return };
    let place = scratch();
    done("blockdev", &["--setro", &device.node]);
    assert!(on_device(place.path(), &device.node, &[]).contains("read-only"));
    done("blockdev", &["--setrw", &device.node]);
    done("mkswap", &["-q", &device.node]);
    let said = on_device(place.path(), &device.node, &[]);
    assert!(said.contains("no file system 'swap'"), "{said}");
    done("swapon", &[&device.node]);
    let said = on_device(place.path(), &device.node, &["--mkfs", "ext4"]);
    done("swapoff", &[&device.node]);
    assert!(said.contains("is swap space"), "{said}");
}

#[test]
fn a_disk_with_a_mounted_partition_is_refused() {
    let (Some(device), Some(sfdisk)) = (LoopDevice::attach(128), program("sfdisk")) else {
        return;
    };
    let mut table = Command::new(sfdisk)
        .args(["-q", &device.node])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("sfdisk");
    std::io::Write::write_all(&mut table.stdin.take().expect("its input"), b"2048,,L\n")
        .expect("a partition");
    assert!(table.wait().expect("its end").success());
    done("partx", &["-u", &device.node]);
    let part = format!("{}p1", device.node);
    done("mkfs.ext4", &["-q", "-F", &part]);
    let place = scratch();
    {
        let _mounted = Mounted::new(&[&part]);
        let yes = ["--mkfs", "ext4", "--yes-erase", &device.node];
        let said = on_device(place.path(), &device.node, &yes);
        assert!(said.contains(&part) && said.contains("is mounted on"), "{said}");
    }
    // Not mounted, it is a partition table that would be lost.
    let said = on_device(place.path(), &device.node, &["--mkfs", "ext4"]);
    assert!(said.contains("partition table") && said.contains("--yes-erase"), "{said}");
    done("partx", &["-d", &device.node]);
}

#[test]
fn nothing_is_erased_without_its_name() {
    let Some(device) = format_device("xfs", &[]) else { return };
    let place = scratch();
    let before = std::fs::read(&device.image).expect("the image");
    let said = on_device(place.path(), &device.node, &["--mkfs", "ext4"]);
    assert!(said.contains("it holds xfs") && said.contains("--yes-erase"), "{said}");
    let other = ["--mkfs", "ext4", "--yes-erase", "/dev/null"];
    assert!(on_device(place.path(), &device.node, &other).contains("/dev/null"));
    assert!(std::fs::read(&device.image).expect("the image") == before, "it was written to");
    let yes = ["--mkfs", "ext4", "--yes-erase", &device.node, "--blocks", "1"];
    let arguments = [&ARMS[..], &["--device", &device.node], &yes, &SHORT].concat();
    let output = compare(place.path(), &arguments).output().expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let kind = done("blkid", &["-p", "-o", "value", "-s", "TYPE", &device.node]);
    assert_eq!(kind, "ext4");
}

#[test]
fn an_option_that_a_device_cannot_honour_is_an_error() {
    let Some(device) = format_device("ext4", &[]) else { return };
    device.take_discards_away();
    let place = scratch();
    let arms = ["--arm", "off=nodiscard", "--arm", "on=discard", "--device", &device.node];
    let said = refused(place.path(), &[&arms[..], &SHORT].concat());
    assert!(said.contains("'discard' did not take"), "{said}");
}

#[test]
fn a_layer_that_blocks_trimming_is_named() {
    let Some(device) = format_device("ext4", &[]) else { return };
    device.take_discards_away();
    let place = scratch();
    let arms = ["--arm", "a=nodiscard", "--arm", "b=nodiscard,trim=before"];
    let said = refused(place.path(), &[&arms[..], &["--device", &device.node], &SHORT].concat());
    let layer = format!("{} (loop device) does not pass discards on", device.name());
    assert!(said.contains(&layer), "{said}");
}

#[test]
fn a_device_that_fails_under_a_run_ends_it_and_is_let_go() {
    let Some(device) = format_device("ext4", &[]) else { return };
    let place = scratch();
    let marker = place.path().join("second");
    // The first run is well; before the second the image is gone from under the device.
    let (marker, image) = (marker.display(), device.image.display());
    let hook = format!("if [ -e '{marker}' ]; then truncate -s 0 '{image}'; fi; touch '{marker}'");
    let more = ["--device", &device.node, "--before", &hook, "--save", "x.jsonl"];
    let synced = ["--set", "sync close"];
    let output = compare(place.path(), &[&ARMS[..], &more, &synced, &SHORT].concat())
        .output()
        .expect("the program starts");
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 3)), "{said}");
    assert!(said.contains("arm '") && said.contains("--resume"), "{said}");
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    assert!(!mounts.contains(&device.node), "{mounts}");
    let saved = trimark::experiment::file::read(&place.path().join("x.jsonl"));
    assert!(!saved.expect("readable").runs.is_empty());
}

#[test]
fn nodiscard_beats_what_tune2fs_set() {
    let Some(device) = format_device("ext4", &[]) else { return };
    done("tune2fs", &["-o", "discard", &device.node]);
    let place = scratch();
    // The default is discard here: the same as asking for it.
    let same = ["--arm", "as it is=", "--arm", "on=discard", "--device", &device.node];
    let said = refused(place.path(), &[&same[..], &SHORT].concat());
    assert!(said.contains("are the same"), "{said}");
    let arms = ["--arm", "as it is=", "--arm", "off=nodiscard", "--device", &device.node];
    let output = compare(place.path(), &[&arms[..], &["--blocks", "1"], &SHORT].concat())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_mount_is_put_back_as_it_was() {
    for before in ["noatime", "relatime,discard", "strictatime,nodiratime", "lazytime,nosuid"] {
        let Some(file_system) = FileSystem::make("ext4", &[], before) else { return };
        let place = scratch();
        let was = options(file_system.path());
        let point = file_system.path().to_string_lossy().into_owned();
        let arms = ["--arm", "a=noatime,discard", "--arm", "b=strictatime,nodiscard"];
        let on = ["--arm", "c=relatime,lazytime", "--mountpoint", &point, "--blocks", "1"];
        let output = compare(place.path(), &[&arms[..], &on, &SHORT].concat())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{before}: {}", text(&output.stderr));
        assert_eq!(options(file_system.path()), was, "after {before}");
        let failing = [&arms[..], &on, &["--before", "false"], &SHORT].concat();
        let output = compare(place.path(), &failing).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert_eq!(options(file_system.path()), was, "after a failure, {before}");
        let journals = std::fs::read_dir(place.path().join("state")).expect("journals").count();
        assert_eq!(journals, 0);
    }
}

#[test]
fn what_a_remount_does_not_honour_is_refused() {
    let place = scratch();
    let on = |point: &Path, arm: &str| {
        let point = point.to_string_lossy().into_owned();
        let arms = ["--arm", "a=noatime", "--arm", arm, "--mountpoint", &point];
        refused(place.path(), &[&arms[..], &SHORT].concat())
    };
    if let Some(xfs) = FileSystem::make("xfs", &[], "noatime") {
        let said = on(xfs.path(), "b=discard");
        assert!(said.contains("xfs does not change 'discard' by a remount"), "{said}");
    }
    if let Some(ext4) = FileSystem::make("ext4", &[], "noatime") {
        let said = on(ext4.path(), "b=commit=77");
        assert!(said.contains("could not be put back"), "{said}");
        assert!(options(ext4.path()).contains("noatime"));
    }
}

#[test]
fn a_killed_comparison_in_place_is_undone_by_clean() {
    let Some(file_system) = FileSystem::make("ext4", &[], "strictatime") else { return };
    let place = scratch();
    let was = options(file_system.path());
    let point = file_system.path().to_string_lossy().into_owned();
    let arms = ["--arm", "a=noatime,discard", "--arm", "b=noatime,lazytime"];
    let ready: PathBuf = place.path().join("ready");
    let hook = format!("touch '{}'; sleep 60", ready.display());
    let on = ["--mountpoint", &point, "--before", &hook];
    let mut child = compare(place.path(), &[&arms[..], &on, &SHORT].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    for _ in 0..1000 {
        if ready.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // Its command goes first, or it would be left behind.
    let group = format!("{}", child.id());
    let _ = Command::new("pkill").args(["-KILL", "-P", &group]).status();
    child.kill().expect("killed");
    let _ = child.wait();
    let clean = || {
        let output = Command::new(trimark())
            .args(["clean", &point])
            .env("TRIMARK_STATE_DIR", place.path().join("state"))
            .output()
            .expect("the program starts");
        text(&output.stdout)
    };
    let _ = clean();
    assert_eq!(options(file_system.path()), was);
    assert!(clean().contains("Nothing to clean"));
}
