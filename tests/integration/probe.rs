//! `trimark probe` on file systems that the tests make themselves.

pub mod images;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use trimark::volume::device::LayerKind;
use trimark::volume::probe::{AccessTime, DirectIo, DiscardMode, Probe, Tested};

use crate::support::{
    entries, program, run_in, scratch, scratch_in_memory, stderr, stdout, trimark,
};
use images::{FileSystem, LoopDevice, Mounted, done, format_device};

fn run_probe(directory: &Path, arguments: &[&str]) -> Output {
    let directory = directory.to_string_lossy();
    run_in(Path::new("/"), trimark(), &[&["probe", &*directory], arguments].concat(), "")
}

/// Probes a directory and checks that nothing is left in it.
fn probe(directory: &Path) -> Probe {
    let before = entries(directory);
    let output = run_probe(directory, &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    assert_eq!(entries(directory), before);
    serde_json::from_str(&stdout(&output)).expect("a document")
}

fn untested<T>(tested: &Tested<T>) -> &str {
    match tested {
        Tested::Found(_) => panic!("it was tested"),
        Tested::Untested(reason) => reason,
    }
}

fn reached(probe: &Probe) -> bool {
    probe.discards.observed.found().expect("discards were tried").reached
}

/// The type of file system, and that it is mounted here.
fn file_system<'a>(probe: &'a Probe, at: &Path) -> &'a str {
    let mount = probe.place.mount.as_ref().expect("a mount");
    assert_eq!(mount.mount_point, at);
    &mount.file_system
}

/// The device is that loop device on that image.
fn assert_on(probe: &Probe, device: &LoopDevice) {
    let layers = &probe.place.device.as_ref().expect("a device").layers;
    assert_eq!((layers[0].name.as_str(), layers[0].kind), (device.name(), LayerKind::Loop));
    assert_eq!(layers[0].backing_file.as_deref(), Some(device.image.as_path()));
    assert_eq!(layers[0].size, device.image.metadata().expect("the image").len());
}

#[test]
fn a_tmpfs_has_no_device() {
    if !crate::support::root() {
        return;
    }
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=32m", "none"]);
    let found = probe(mounted.path());
    assert_eq!(file_system(&found, mounted.path()), "tmpfs");
    assert_eq!(found.place.device, None);
    assert_eq!(found.discards.device_discards, None);
    assert_eq!(untested(&found.discards.observed), "there is no device under it");
    assert_eq!(found.access_times.agrees, Some(true));
    assert_ne!(found.direct_io, Tested::Found(DirectIo::Honoured));
}

#[test]
fn ext4_without_discard_is_described_and_not_waited_for() {
    let Some(made) = FileSystem::make("ext4", &[], "nodiscard") else { return };
    let found = probe(made.path());
    assert_eq!(file_system(&found, made.path()), "ext4");
    assert_on(&found, &made.device);
    assert_eq!(found.discards.in_force, Some(DiscardMode::Off));
    assert_eq!(found.discards.device_discards, Some(true));
    assert_eq!(untested(&found.discards.observed), "discard is not in force");
    assert_eq!(found.direct_io, Tested::Found(DirectIo::Honoured));
    assert_eq!(found.birth_times, Tested::Found(true));
}

#[test]
fn discards_of_ext4_reach_the_device_by_mount_option() {
    let Some(made) = FileSystem::make("ext4", &[], "discard") else { return };
    let found = probe(made.path());
    assert_eq!(found.discards.in_force, Some(DiscardMode::Sync));
    assert!(!found.discards.unlisted);
    assert!(reached(&found));
}

#[test]
fn discards_of_ext4_reach_the_device_by_tune2fs() {
    let Some(tune2fs) = program("tune2fs") else { return };
    for kind in ["ext4", "ext3"] {
        let Some(device) = format_device(kind, &[]) else { return };
        done(&tune2fs, &["-o", "discard", &device.node]);
        let mounted = Mounted::new(&[&device.node]);
        let found = probe(mounted.path());
        assert_eq!(file_system(&found, mounted.path()), kind);
        let listed = &found.place.mount.as_ref().expect("a mount").options;
        assert!(!listed.iter().any(|option| option == "discard"), "{listed:?}");
        assert_eq!(found.discards.in_force, Some(DiscardMode::Sync));
        assert!(found.discards.unlisted);
        assert!(reached(&found));
        drop(mounted);
    }
}

#[test]
fn xfs_discards_only_when_told() {
    let Some(device) = format_device("xfs", &[]) else { return };
    let mounted = Mounted::new(&[&device.node]);
    let found = probe(mounted.path());
    assert_eq!(file_system(&found, mounted.path()), "xfs");
    assert_on(&found, &device);
    assert_eq!(found.discards.in_force, Some(DiscardMode::Off));
    assert_eq!(found.direct_io, Tested::Found(DirectIo::Honoured));
    drop(mounted);
    let mounted = Mounted::new(&["-o", "discard", &device.node]);
    let found = probe(mounted.path());
    assert_eq!(found.discards.in_force, Some(DiscardMode::Sync));
    assert!(reached(&found));
    drop(mounted);
}

#[test]
fn btrfs_discards_in_the_background_by_itself() {
    let Some(made) = FileSystem::make("btrfs", &[], "defaults") else { return };
    let found = probe(made.path());
    assert_eq!(file_system(&found, made.path()), "btrfs");
    assert_on(&found, &made.device);
    assert_eq!(found.discards.in_force, Some(DiscardMode::Async));
    let reach = found.discards.observed.found().expect("discards were tried");
    assert!(reach.reached || reach.is_queued(), "{reach:?}");
    assert_eq!(found.access_times.agrees, Some(true));
}

#[test]
fn btrfs_discards_at_once_when_told() {
    let Some(made) = FileSystem::make("btrfs", &[], "discard=sync") else { return };
    let found = probe(made.path());
    assert_eq!(found.discards.in_force, Some(DiscardMode::Sync));
    assert!(reached(&found));
}

#[test]
fn a_device_that_cannot_discard_is_named() {
    for (kind, shown) in [("ext4", DiscardMode::Off), ("btrfs", DiscardMode::Async)] {
        let Some(device) = format_device(kind, &[]) else { return };
        device.take_discards_away();
        let option = if kind == "btrfs" { "discard=async" } else { "discard" };
        let mounted = Mounted::new(&["-o", option, &device.node]);
        let found = probe(mounted.path());
        let text = stdout(&run_probe(mounted.path(), &[]));
        drop(mounted);
        // What the mount says does not matter: ext4 drops the option, btrfs shows it.
        assert_eq!(found.discards.in_force, Some(shown), "{kind}");
        assert_eq!(found.discards.device_discards, Some(false));
        let layer = format!("{} (loop device)", device.name());
        assert_eq!(found.discards.blocked_by.as_deref(), Some(layer.as_str()));
        untested(&found.discards.observed);
        assert!(text.contains(&format!("the device cannot: {layer} blocks them")), "{text}");
    }
}

#[test]
fn an_overlay_is_on_the_device_of_its_upper_directory() {
    let Some(made) = FileSystem::make("ext4", &[], "discard") else { return };
    let [lower, upper, work] = ["lower", "upper", "work"].map(|name| made.path().join(name));
    for directory in [&lower, &upper, &work] {
        std::fs::create_dir(directory).expect("a directory");
    }
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        lower.display(),
        upper.display(),
        work.display()
    );
    let mounted = Mounted::new(&["-t", "overlay", "-o", &options, "none"]);
    let found = probe(mounted.path());
    assert_eq!(file_system(&found, mounted.path()), "overlay");
    assert_on(&found, &made.device);
    let decided_by = found.discards.decided_by.as_ref().expect("another mount");
    assert_eq!((decided_by.file_system.as_str(), &*decided_by.mount_point), ("ext4", made.path()));
    assert_eq!(found.discards.in_force, Some(DiscardMode::Sync));
    assert!(reached(&found));
    assert_eq!(found.access_times.agrees, Some(true));
    drop(mounted);
}

#[test]
fn a_bind_mount_has_access_times_of_its_own() {
    let Some(made) = FileSystem::make("ext4", &[], "relatime") else { return };
    let inner = made.path().join("inner");
    std::fs::create_dir(&inner).expect("a directory");
    let bound = Mounted::new(&["--bind", &inner.to_string_lossy()]);
    done("mount", &["-o", "remount,bind,noatime", &bound.path().to_string_lossy()]);
    let found = probe(bound.path());
    assert_eq!(file_system(&found, bound.path()), "ext4");
    assert_on(&found, &made.device);
    assert_eq!(found.access_times.observed, Tested::Found(AccessTime::Noatime));
    assert_eq!(found.access_times.agrees, Some(true));
    let origin = probe(&inner);
    assert_eq!(file_system(&origin, made.path()), "ext4");
    assert_eq!(origin.access_times.observed, Tested::Found(AccessTime::Relatime));
    drop(bound);
}

#[test]
fn a_partition_stands_on_its_device() {
    let (Some(sfdisk), Some(partx)) = (program("sfdisk"), program("partx")) else { return };
    let (Some(mkfs), Some(device)) = (program("mkfs.ext4"), LoopDevice::attach(64)) else { return };
    let image = device.image.to_string_lossy();
    let partitioned = run_in(Path::new("/"), sfdisk, &["-q", &image], "2048,,L\n");
    assert!(partitioned.status.success(), "{}", stderr(&partitioned));
    // `losetup -P` finds none where the kernel cannot read tables of partitions.
    done(partx, &["-u", &device.node]);
    let node = format!("{}p1", device.node);
    done(mkfs, &["-q", &node]);
    let mounted = Mounted::new(&["-o", "discard", &node]);
    let found = probe(mounted.path());
    let layers = &found.place.device.as_ref().expect("a device").layers;
    let name = format!("{}p1", device.name());
    assert_eq!((&layers[0].name, layers[0].kind), (&name, LayerKind::Partition));
    assert_eq!((layers[1].name.as_str(), layers[1].kind), (device.name(), LayerKind::Loop));
    assert_eq!(layers[1].backing_file.as_ref(), Some(&device.image));
    assert_eq!(layers[0].size, layers[1].size - (1 << 20));
    assert!(reached(&found));
    drop(mounted);
}

#[test]
fn access_times_are_told_apart_by_what_happens() {
    let Some(device) = format_device("ext4", &[]) else { return };
    for (options, wanted, lazytime) in [
        ("noatime", AccessTime::Noatime, false),
        ("relatime", AccessTime::Relatime, false),
        ("strictatime", AccessTime::Strictatime, false),
        ("lazytime,relatime", AccessTime::Relatime, true),
        ("lazytime,strictatime", AccessTime::Strictatime, true),
    ] {
        let mounted = Mounted::new(&["-o", options, &device.node]);
        let found = probe(mounted.path()).access_times;
        assert_eq!(found.observed, Tested::Found(wanted), "{options}");
        assert_eq!((found.in_force, found.agrees), (Some(wanted), Some(true)), "{options}");
        assert_eq!(found.lazytime, lazytime, "{options}");
    }
}

#[test]
fn small_inodes_have_no_room_for_birth_times() {
    let Some(made) = FileSystem::make("ext4", &["-I", "128"], "defaults") else { return };
    assert_eq!(probe(made.path()).birth_times, Tested::Found(false));
}

#[test]
fn what_cannot_be_tried_read_only_is_said() {
    let Some(made) = FileSystem::make("ext4", &[], "ro") else { return };
    let found = probe(made.path());
    let reason = "the file system is mounted read-only";
    assert_eq!(untested(&found.access_times.observed), reason);
    assert_eq!(untested(&found.direct_io), reason);
    assert_eq!(found.access_times.in_force, Some(AccessTime::Relatime));
    assert_on(&found, &made.device);
    let output = run_probe(made.path(), &[]);
    assert!(stdout(&output).contains(&format!("not tested: {reason}")), "{}", stdout(&output));
}

#[test]
fn where_nothing_can_be_made_that_is_said() {
    let output = run_probe(Path::new("/proc"), &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("observed not tested") || text.contains("not tested: no sub"), "{text}");
    assert!(text.contains("Machine    Linux "), "{text}");
}

#[test]
fn what_is_no_directory_is_bad_input() {
    let scratch = scratch();
    let file = scratch.path().join("file");
    std::fs::write(&file, "").expect("a file");
    for path in [&file, &scratch.path().join("missing")] {
        let output = run_probe(path, &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(&*path.to_string_lossy()), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_signal_ends_it_and_nothing_is_left() {
    let scratch = scratch();
    let mut child = Command::new(trimark())
        .args(["probe", &scratch.path().to_string_lossy()])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begun = Instant::now();
    while entries(scratch.path()).is_empty() && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // It now watches access times for at least two ticks of the clock.
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("it runs");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(143));
    assert_eq!(entries(scratch.path()), Vec::<String>::new());
}

#[test]
fn a_full_report_names_machine_and_devices() {
    let Some(made) = FileSystem::make("ext4", &[], "defaults") else { return };
    let script = "set number 10\nset transactions 10\nset report full\nrun\n";
    let location = made.path().to_string_lossy();
    let arguments = ["--location", &*location, "--no-rc"];
    let output = run_in(Path::new("/"), trimark(), &arguments, script);
    let text = stdout(&output);
    let device = format!("device {} (loop device), 64 MiB, ", made.device.name());
    assert!(text.contains(&device), "{text}");
    assert!(text.contains(&format!("file '{}'", made.device.image.display())), "{text}");
    assert!(text.contains("\nMachine    Linux "), "{text}");
}

#[test]
fn a_directory_in_memory_is_probed_without_rights() {
    let scratch = scratch_in_memory();
    let found = probe(scratch.path());
    assert!(found.access_times.observed.found().is_some());
    assert!(found.birth_times.found().is_some());
    assert!(found.host.cpus > 0 && found.host.memory_bytes > 0);
}
