//! `trimark trim` on file systems of the tests' own.

use std::path::Path;

use crate::probe::images::{FileSystem, format_device};
use crate::support::{entries, root, run_in, scratch, stderr, stdout, trimark};

fn trim(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let place = directory.to_string_lossy().into_owned();
    let output = run_in(Path::new("/"), trimark(), &[&["trim", &place], arguments].concat(), "");
    (output.status.code(), stdout(&output), stderr(&output))
}

/// The exact number of bytes of a line.
fn bytes(out: &str, line: &str) -> u64 {
    let found = out.lines().find(|text| text.starts_with(line)).unwrap_or_else(|| panic!("{out}"));
    let (_, rest) = found.split_once('(').expect("an exact number");
    let digits = rest.split(" bytes").next().expect("bytes").replace(',', "");
    digits.parse().expect("a number")
}

#[test]
fn what_is_trimmed_is_said_by_file_system_and_device_alike() {
    for kind in ["ext4", "xfs", "btrfs"] {
        let Some(system) = FileSystem::make(kind, &[], "defaults") else { continue };
        let (code, out, errors) = trim(system.path(), &["--check"]);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{kind}: {out}");
        let (said, counted) = (bytes(&out, "trimmed"), bytes(&out, "on the device"));
        // ext4 says what it discarded. xfs says how much it looked through, and leaves out
        // what is busy; btrfs rounds: what arrives can then be less, never more.
        match kind {
            "ext4" => assert_eq!(said, counted, "{out}"),
            _ => assert!(counted > 16 << 20 && counted <= said, "{kind}: {out}"),
        }
        assert!(said > 16 << 20, "{kind}: {out}");
        assert!(out.contains("DISCARDS ARRIVE"), "{kind}: {out}");
        assert!(!entries(system.path()).iter().any(|name| name.contains("trimark")));
    }
}

#[test]
fn nothing_left_to_trim_is_not_called_unsupported() {
    let Some(system) = FileSystem::make("ext4", &[], "defaults") else { return };
    assert_eq!(trim(system.path(), &[]).0, Some(0));
    let (code, out, _) = trim(system.path(), &[]);
    assert_eq!((code, bytes(&out, "trimmed")), (Some(0), 0), "{out}");
    assert!(out.contains("not \"unsupported\"") && out.contains("since it was mounted"), "{out}");
}

#[test]
fn a_part_can_be_trimmed_and_short_extents_left_out() {
    let Some(system) = FileSystem::make("xfs", &[], "defaults") else { return };
    let (code, out, errors) = trim(system.path(), &["--length", "64m"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(bytes(&out, "trimmed") <= 64 << 20, "{out}");
    assert!(bytes(&out, "trimmed") > 0, "{out}");
    let whole = bytes(&trim(system.path(), &[]).1, "trimmed");
    let rest = bytes(&trim(system.path(), &["--offset", "64m"]).1, "trimmed");
    assert!(rest < whole, "{rest} of {whole}");
}

#[test]
fn a_device_that_cannot_is_named_with_exit_code_3() {
    let Some(device) = format_device("ext4", &[]) else { return };
    device.take_discards_away();
    let mounted = crate::probe::images::Mounted::new(&[&device.node]);
    let (code, _, errors) = trim(mounted.path(), &[]);
    assert_eq!(code, Some(3), "{errors}");
    assert!(errors.contains(device.name()), "{errors}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_trimmed() {
    let place = scratch();
    for (arguments, words) in [
        (&["--length", "0"][..], "length"),
        (&["--length", "many"], "many"),
        (&["--offset=-1"], "offset"),
    ] {
        let (code, out, errors) = trim(place.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
    let file = place.path().join("file");
    std::fs::write(&file, "mine").expect("a file");
    for path in [Path::new("/dev/null"), &file, Path::new("/nowhere at all")] {
        let (code, _, errors) = trim(path, &[]);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains(&*path.to_string_lossy()), "{errors}");
    }
    if root()
        && let Some(device) = format_device("ext4", &[])
    {
        let (code, _, errors) = trim(Path::new(&device.node), &[]);
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains("is a device"), "{errors}");
    }
}
