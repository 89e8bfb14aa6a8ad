//! Transfers of one large file: what is moved, measured and verified.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;
use trimark::engine::{Call, Kernel};
use trimark::interrupt::Interrupt;
use trimark::runner::clock::MonotonicClock;
use trimark::runner::measurement::{RunResult, Status};
use trimark::runner::{NoProgress, Refusal, Runner};
use trimark::workload::Config;
use trimark::workload::transfer::Pattern;

use super::image::Image;
use super::watched::Watched;
use super::{config, play, report_of};
use crate::faults::faulty::{Fault, FaultySystem, Lasting};
use crate::support::{entries, run_in, scratch_in_memory, stderr, stdout, system_caches, trimark};

const SMALL: [&str; 4] = ["workload transfers", "records 4k 16k", "file-size 1m", "content random"];

fn on(system: &dyn trimark::engine::System, settings: &[&str]) -> RunResult {
    let directory = scratch_in_memory();
    let config = config(directory.path(), settings);
    let clock = MonotonicClock::start();
    let progress = &mut NoProgress;
    let mut runner = Runner { system, clock: &clock, interrupt: Interrupt::default(), progress };
    let result = runner.run(&config, &[]).expect("it begins");
    assert_eq!(entries(directory.path()), Vec::<String>::new());
    result
}

#[test]
fn all_that_is_counted_agrees_by_every_engine_and_depth() {
    let watched = Watched::new();
    for (system, depth) in [
        (&Kernel as &dyn trimark::engine::System, "depth 1"),
        (&Kernel, "depth 7"),
        (&watched, "depth 5"),
    ] {
        let result = on(system, &[&SMALL[..], &[depth, "verify on"]].concat());
        assert!(result.is_complete(), "{depth}: {:?}", result.status);
        assert_eq!(result.transfers.len(), 12);
        for pass in &result.transfers {
            let name = format!("{depth} {:?} {}", pass.pattern, pass.record);
            assert_eq!(pass.bytes, 1 << 20, "{name}");
            assert_eq!(pass.operations * pass.record, pass.bytes, "{name}");
            assert_eq!(pass.latency.count(), pass.operations, "{name}");
            let over_time = &pass.timeline.intervals;
            assert_eq!(over_time.iter().map(|i| i.bytes).sum::<u64>(), pass.bytes, "{name}");
            let parts = &pass.positions.parts;
            assert_eq!(parts.iter().map(|part| part.bytes).sum::<u64>(), pass.bytes, "{name}");
            assert!(parts.len() as u64 * pass.positions.part_bytes >= pass.file_bytes, "{name}");
            assert!(parts.iter().all(|part| part.bytes == pass.positions.part_bytes), "{name}");
            let reached = pass.depth_reached().expect("some time");
            assert!(reached > 0.0 && reached <= pass.depth as f64 + 0.01, "{name}: {reached}");
            let rate = pass.rate().expect("some time");
            let bytes = rate * pass.elapsed_with_sync() as f64 / 1e9;
            assert!((bytes - pass.bytes as f64).abs() < 1.0, "{name}");
        }
    }
}

#[test]
fn a_queue_is_really_used() {
    let deep = on(&Kernel, &[&SMALL[..], &["depth 16", "patterns random-read"]].concat());
    let [pass, _] = deep.transfers.as_slice() else { panic!("{:?}", deep.transfers.len()) };
    assert_eq!((pass.played_by.as_str(), pass.depth), ("io_uring", 16));
    assert!(pass.depth_reached().expect("some time") > 2.0, "{:?}", pass.depth_reached());
    let threads = on(&Watched::new(), &[&SMALL[..], &["depth 4"]].concat());
    assert!(threads.transfers.iter().all(|pass| pass.played_by == "threads"));
}

#[test]
fn a_flipped_byte_is_found_with_its_place() {
    let system = Watched::reading(|number, bytes| {
        if number == 9 {
            bytes[77] ^= 4;
        }
    });
    let settings = ["workload transfers", "records 4k", "file-size 64k", "verify on"];
    let result = play(&[&settings[..], &["patterns write read"]].concat(), &system);
    let Status::Failed { error } = &result.status else { panic!("{:?}", result.status) };
    // The ninth record read begins at 8 × 4 KiB.
    assert!(error.message.contains(&format!("offset {}", 8 * 4096 + 77)), "{error}");
    assert!(error.operation.starts_with("read"), "{error}");
    let [written, read] = result.transfers.as_slice() else { panic!("two passes") };
    assert!(written.complete && !read.complete);
    assert_eq!(read.operations, 9);
}

#[test]
fn a_second_writing_is_told_from_the_first() {
    // A write that never happens leaves what was written before.
    let directory = scratch_in_memory();
    for content in ["content random", "content postmark"] {
        let settings = ["workload transfers", "records 4k", "file-size 64k", "verify on", content];
        let lost = LostWrite { at: 20, seen: AtomicU64::default() };
        let config =
            config(directory.path(), &[&settings[..], &["patterns write rewrite read"]].concat());
        let clock = MonotonicClock::start();
        let progress = &mut NoProgress;
        let mut runner =
            Runner { system: &lost, clock: &clock, interrupt: Interrupt::default(), progress };
        let result = runner.run(&config, &[]).expect("it begins");
        let Status::Failed { error } = &result.status else { panic!("{:?}", result.status) };
        assert!(error.message.contains("differs at offset 12288"), "{content}: {error}");
    }
}

/// The kernel's calls, of which one write is lost.
struct LostWrite {
    at: u64,
    seen: AtomicU64,
}

impl trimark::engine::System for LostWrite {
    fn open(
        &self,
        directory: rustix::fd::BorrowedFd<'_>,
        name: &std::ffi::CStr,
        flags: rustix::fs::OFlags,
        mode: rustix::fs::Mode,
    ) -> rustix::io::Result<rustix::fd::OwnedFd> {
        Kernel.open(directory, name, flags, mode)
    }
    fn read(
        &self,
        file: rustix::fd::BorrowedFd<'_>,
        buffer: &mut [u8],
    ) -> rustix::io::Result<usize> {
        Kernel.read(file, buffer)
    }
    fn write(&self, file: rustix::fd::BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<usize> {
        Kernel.write(file, bytes)
    }
    fn read_at(
        &self,
        file: rustix::fd::BorrowedFd<'_>,
        buffer: &mut [u8],
        offset: u64,
    ) -> rustix::io::Result<usize> {
        Kernel.read_at(file, buffer, offset)
    }
    fn write_at(
        &self,
        file: rustix::fd::BorrowedFd<'_>,
        bytes: &[u8],
        offset: u64,
    ) -> rustix::io::Result<usize> {
        if self.seen.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            return Ok(bytes.len());
        }
        Kernel.write_at(file, bytes, offset)
    }
    fn truncate(&self, file: rustix::fd::BorrowedFd<'_>, size: u64) -> rustix::io::Result<()> {
        Kernel.truncate(file, size)
    }
    fn sync(&self, file: rustix::fd::BorrowedFd<'_>) -> rustix::io::Result<()> {
        Kernel.sync(file)
    }
    fn close(&self, file: rustix::fd::OwnedFd) -> rustix::io::Result<()> {
        Kernel.close(file)
    }
    fn seek_end(&self, file: rustix::fd::BorrowedFd<'_>) -> rustix::io::Result<u64> {
        Kernel.seek_end(file)
    }
    fn block_size(&self, file: rustix::fd::BorrowedFd<'_>) -> rustix::io::Result<u64> {
        Kernel.block_size(file)
    }
    fn unlink(
        &self,
        directory: rustix::fd::BorrowedFd<'_>,
        name: &std::ffi::CStr,
    ) -> rustix::io::Result<()> {
        Kernel.unlink(directory, name)
    }
    fn make_directory(
        &self,
        directory: rustix::fd::BorrowedFd<'_>,
        name: &std::ffi::CStr,
    ) -> rustix::io::Result<()> {
        Kernel.make_directory(directory, name)
    }
    fn remove_directory(
        &self,
        directory: rustix::fd::BorrowedFd<'_>,
        name: &std::ffi::CStr,
    ) -> rustix::io::Result<()> {
        Kernel.remove_directory(directory, name)
    }
}

#[test]
fn a_fault_at_any_call_is_told_and_leaves_nothing() {
    let settings = ["workload transfers", "records 4k", "file-size 16k", "sync close"];
    for fault in [Fault::Error(Errno::IO), Fault::Half, Fault::NoByte, Fault::Stop] {
        for at in 1.. {
            let directory = scratch_in_memory();
            let system = FaultySystem::new(at, fault, Lasting::Once);
            let config = config(directory.path(), &settings);
            let clock = MonotonicClock::start();
            let interrupt = system.interrupt.clone();
            let progress = &mut NoProgress;
            let mut runner = Runner { system: &system, clock: &clock, interrupt, progress };
            let result = runner.run(&config, &[]).expect("it begins");
            let Some(hit) = system.hit() else { break };
            let failed = matches!(result.status, Status::Failed { .. });
            match fault {
                Fault::Error(_) => {
                    assert!(failed, "call {at} {:?}: {:?}", hit.call, result.status);
                    // A file whose name could not be taken away is the only thing left.
                    let left = usize::from(hit.call == Call::Unlink);
                    assert_eq!(entries(directory.path()).len(), left, "{:?}", hit.call);
                }
                Fault::Half => assert!(result.is_complete(), "{:?}", result.status),
                Fault::NoByte => assert_eq!(failed, hit.took_effect, "{:?}", result.status),
                _ => assert!(!failed, "{:?}", result.status),
            }
            let passes = &result.transfers;
            assert!(passes.iter().rev().skip(1).all(|pass| pass.complete), "only the last");
        }
    }
}

#[test]
fn direct_transfers_reach_the_device_byte_for_byte() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let settings = ["workload transfers", "records 4k 64k", "file-size 32m", "direct true"];
    for depth in ["depth 1", "depth 8"] {
        let result = report_of(&image.pool(), &[&settings[..], &[depth]].concat()).complete();
        let slack = 1 << 20; // the journal, access times
        for pass in &result.transfers {
            let device = pass.device.expect("a device that counts");
            let (moved, other) = if pass.pattern.writes() {
                (device.bytes_written, device.bytes_read)
            } else {
                (device.bytes_read, device.bytes_written)
            };
            let name = format!("{depth} {:?} {}", pass.pattern, pass.record);
            assert!((pass.bytes..pass.bytes + slack).contains(&moved), "{name}: {moved}");
            assert!(other < slack, "{name}: {other}");
        }
        assert_eq!(result.warnings.iter().filter(|w| w.contains("page cache")).count(), 0);
    }
}

#[test]
fn a_cold_cache_makes_reads_reach_the_device_and_a_warm_one_is_told() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let settings =
        ["workload transfers", "records 64k", "file-size 32m", "patterns read random-read"];
    let cold = report_of(&image.pool(), &[&settings[..], &["cache cold"]].concat()).complete();
    for pass in &cold.transfers {
        let read = pass.device.expect("a device").bytes_read;
        assert!(read >= pass.bytes * 9 / 10, "{:?}: {read}", pass.pattern);
    }
    let warm = report_of(&image.pool(), &settings).complete();
    assert!(warm.warnings.iter().any(|warning| warning.contains("page cache")));
}

#[test]
fn all_the_free_space_can_be_asked_for_and_comes_back() {
    let Some(image) = Image::mounted("defaults") else { return };
    let free = || rustix::fs::statvfs(image.pool()).expect("it").f_bavail;
    let before = free();
    let settings = ["workload transfers", "records 64k", "patterns write", "file-size 95%"];
    let result = report_of(&image.pool(), &settings).complete();
    assert!(result.transfers[0].bytes > 100 << 20, "{}", result.transfers[0].bytes);
    assert_eq!(free(), before);
    let settings = ["workload transfers", "records 64k", "patterns write", "file-size 10g"];
    let arguments = settings.map(|setting| ["--set", setting]).concat();
    let output = run_in(&image.pool(), trimark(), &[&["run"], &arguments[..]].concat(), "");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("set file-size"), "{}", stderr(&output));
    assert_eq!(free(), before);
}

#[test]
fn what_does_not_go_together_is_refused_with_what_would() {
    let directory = scratch_in_memory();
    for (settings, mend) in [
        (&["direct true", "records 512"][..], "multiples of 4096"),
        (&["workers 2"], "set depth"),
        (&["engine null"], "engine sync"),
        (&["records 1g", "depth 2"], "1 GiB"),
        (&["file-size 4k", "records 1m"], "file-size"),
    ] {
        let settings = [&["workload transfers"], settings].concat();
        let said = refusal(&config(directory.path(), &settings));
        assert!(said.contains(mend), "{settings:?}: {said}");
    }
    let mut two = config(directory.path(), &["workload transfers"]);
    two.locations.extend(two.locations.clone());
    assert!(refusal(&two).contains("one directory"));
}

fn refusal(config: &Config) -> String {
    let clock = MonotonicClock::start();
    let progress = &mut NoProgress;
    let mut runner =
        Runner { system: &Kernel, clock: &clock, interrupt: Interrupt::default(), progress };
    match runner.run(config, &[]) {
        Err(refusal @ Refusal::Settings(_)) => refusal.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{:?} begins", config.transfers),
    }
}

#[test]
fn reports_show_transfers_and_classic_ones_say_that_they_cannot() {
    let directory = scratch_in_memory();
    let settings = SMALL.map(|setting| ["--set", setting]).concat();
    let full = run_in(directory.path(), trimark(), &[&["run"], &settings[..]].concat(), "");
    assert!(full.status.success(), "{}", stderr(&full));
    for pattern in Pattern::ALL {
        let begins = format!(" {} ", pattern.name());
        let text = stdout(&full);
        let rows = text.lines().filter(|line| line.starts_with(&begins));
        assert_eq!(rows.count(), 2, "{}", pattern.name());
    }
    assert!(!stderr(&full).contains("PostMark reads it"), "{}", stderr(&full));
    let classic = [&["run", "--report", "verbose"], &settings[..]].concat();
    let classic = run_in(directory.path(), trimark(), &classic, "");
    assert_eq!(classic.status.code(), Some(2));
    assert!(stderr(&classic).contains("report full"), "{}", stderr(&classic));
}
