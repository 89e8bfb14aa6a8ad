//! What reached the device, on an ext4 of the test's own.

use trimark::runner::measurement::{Phase, RunResult};
use trimark::volume::device::DeviceCounts;
use trimark::workload::OperationKind;

use super::image::Image;
use super::watched::Watched;
use super::{config, count, report_of};
use crate::support::system_caches;
use crate::support::{entries, scratch_in_memory};

const MIB: u64 = 1 << 20;
const FROM_CACHE: &str = "came from the page cache";

fn device_in(result: &RunResult, phase: Phase) -> DeviceCounts {
    result.activity_in(phase).and_then(|activity| activity.device).expect("a device that counts")
}

fn device_in_all(result: &RunResult) -> DeviceCounts {
    result.activity_total.and_then(|total| total.device).expect("a device that counts")
}

fn is_warned(result: &RunResult) -> bool {
    result.warnings.iter().any(|warning| warning.contains(FROM_CACHE))
}

/// A run that reads every file of its pool many times, and makes or deletes none.
fn reads(image: &Image, more: &[&str]) -> RunResult {
    let settings = ["number 150", "size 16k 64k", "transactions 3000", "read 4k", "write 4k"];
    let biases = ["bias read 10", "bias create -1", "engine sync"];
    let all = [&settings[..], &biases, more].concat();
    let result = report_of(&image.pool(), &all).complete();
    assert_eq!(entries(&image.pool()), Vec::<String>::new());
    result
}

#[test]
fn cold_caches_make_reads_reach_the_device() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let result = reads(&image, &["cache cold"]);
    let pool = result.operations.create.alone.bytes;
    let read = device_in(&result, Phase::Transactions).bytes_read;
    // 3000 reads of 150 files leave out none, and read each from the device once.
    assert!(read as f64 >= 0.9 * pool as f64, "{read} of {pool}");
    assert!(read < 2 * pool, "{read} of {pool}: later reads are the cache's");
    assert!(result.phases.iter().any(|time| time.phase == Phase::CacheDrop));
    assert!(result.total().is_some_and(|total| {
        total + result.elapsed(Phase::CacheDrop).unwrap_or(0)
            <= result.phases.iter().map(|time| time.elapsed()).sum()
    }));
}

#[test]
fn warm_caches_keep_reads_from_the_device_and_warn() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let result = reads(&image, &["cache warm"]);
    let read = device_in(&result, Phase::Transactions).bytes_read;
    assert!(read < result.operations.create.alone.bytes / 20, "{read}");
    assert!(is_warned(&result), "{:?}", result.warnings);
}

#[test]
fn direct_reads_and_writes_all_reach_the_device() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let more = ["size 32k", "direct true", "transactions 500", "number 50"];
    let result = reads(&image, &more);
    let of = |phase| device_in(&result, phase);
    assert_eq!(result.operations.bytes_read(), 500 * 32 * 1024);
    let slack = MIB; // names, inodes, the journal
    let read = of(Phase::Transactions).bytes_read;
    let asked = result.operations.bytes_read();
    assert!((asked..asked + slack).contains(&read), "{read} of {asked}");
    let written = of(Phase::Creation).bytes_written;
    assert!(written >= result.operations.bytes_written(), "{written}");
    assert!(!is_warned(&result), "{:?}", result.warnings);
}

#[test]
fn direct_opens_bypass_the_cache_with_every_content() {
    let Some(image) = Image::mounted("defaults") else { return };
    for content in ["content postmark", "content random", "content compressible 30"] {
        let settings = ["direct true", "size 64k", "read 8k", "write 16k", "engine sync"];
        let more = ["number 20", "transactions 100", "verify on", "workers 2", content];
        let config = config(&image.pool(), &[&settings[..], &more].concat());
        let system = Watched::new();
        let result = trimark::runner::Runner {
            system: &system,
            clock: &trimark::runner::clock::MonotonicClock::start(),
            interrupt: Default::default(),
            progress: &mut trimark::runner::NoProgress,
        }
        .run(&config, &[])
        .expect("the run begins");
        assert!(result.is_complete(), "{content}: {:?}", result.status);
        assert!(system.direct_opens() > 100);
        assert_eq!(system.direct_opens(), system.count(trimark::engine::Call::Open));
        assert_eq!(result.skipped.appends, 100 * 2 - count(&result, OperationKind::Read));
    }
}

#[test]
fn what_is_synced_was_written_to_the_device_and_its_file() {
    let Some(image) = Image::mounted("defaults") else { return };
    let before = image.taken();
    let settings = ["number 400", "size 8k 64k", "transactions 200", "sync phase"];
    let result = report_of(&image.pool(), &settings).complete();
    let grown = image.taken() - before;
    let created = result.operations.create.alone.bytes;
    let [creation, sync] = [Phase::Creation, Phase::CreationSync].map(|p| device_in(&result, p));
    let written = creation.bytes_written + sync.bytes_written;
    assert!(written >= created, "{written} of {created}");
    assert!(written < created * 3 / 2 + 4 * MIB, "{written} of {created}");
    // Blocks freed and used again are written twice but taken once.
    let total = device_in_all(&result);
    assert!(total.bytes_written >= written);
    let ever = result.operations.bytes_written() * 3 / 2 + 4 * MIB;
    assert!((created * 9 / 10..=ever).contains(&grown), "{grown} of {created}");
    assert!(grown <= total.bytes_written + 4 * MIB, "{grown}, {total:?}");
    assert!(total.flushes > 0);
}

#[test]
fn phases_add_up_to_the_whole_run() {
    let _caches = system_caches();
    let Some(image) = Image::mounted("defaults") else { return };
    let settings = ["number 200", "size 8k 64k", "transactions 200", "sync phase", "settle auto"];
    let result = report_of(&image.pool(), &settings).complete();
    let phases: Vec<DeviceCounts> = result.activity.iter().filter_map(|a| a.device).collect();
    assert_eq!(phases.len(), result.phases.len());
    let sum = phases.into_iter().reduce(DeviceCounts::plus).expect("phases");
    let total = device_in_all(&result);
    for (part, whole) in [
        (sum.bytes_written, total.bytes_written),
        (sum.bytes_read, total.bytes_read),
        (sum.writes, total.writes),
    ] {
        assert!(part <= whole && part * 10 >= whole * 9, "{sum:?} {total:?}");
    }
    // What is written back before the waiting is no phase's, and flushed, too,
    // and the file system flushes when it likes.
    assert!(0 < sum.flushes && sum.flushes <= total.flushes, "{sum:?} {total:?}");
    for waited in [result.settled_before, result.settled_after] {
        let waited = waited.expect("it was waited");
        assert!(!waited.quiet || waited.waited_ns >= 300_000_000, "{waited:?}");
    }
}

/// A run that deletes all it made, and waits until the discards of it are done.
fn deletes(image: &Image) -> (RunResult, DeviceCounts) {
    let settings = ["number 200", "size 16k 64k", "transactions 50", "sync phase", "settle auto"];
    let result = report_of(&image.pool(), &settings).complete();
    let total = device_in_all(&result);
    (result, total)
}

#[test]
fn discards_are_counted_where_they_are_made() {
    let Some(image) = Image::mounted("discard") else { return };
    let before = image.taken();
    let (result, total) = deletes(&image);
    let mount = result.places[0].mount.as_ref().expect("a mount");
    assert!(mount.has("discard"), "{mount:?}");
    let deleted = result.operations.create.total().bytes;
    assert!(total.discards > 0, "{total:?}");
    assert!(total.bytes_discarded as f64 >= 0.9 * deleted as f64, "{total:?}, {deleted}");
    let grown = image.taken().saturating_sub(before);
    assert!(grown < deleted / 2, "{grown}: discarded blocks are holes in the file");
}

#[test]
fn without_the_option_nothing_is_discarded() {
    let Some(image) = Image::mounted("nodiscard") else { return };
    let (_, total) = deletes(&image);
    assert_eq!((total.discards, total.bytes_discarded), (0, 0));
}

#[test]
fn direct_io_that_cannot_be_is_refused_in_a_sentence() {
    let aligned = ["direct true", "engine sync", "read 4k", "write 4k", "size 64k"];
    for (wrong, told) in [
        ("engine buffered", "`set direct true` needs `set engine sync`"),
        ("read 512", "`set direct true` needs block sizes that are multiples of 4096"),
        ("write 6000", "`set direct true` needs block sizes that are multiples of 4096"),
        ("size 4k 64k", "`set direct true` needs files of one size that is a multiple of 4096"),
        ("size 5000", "`set direct true` needs files of one size that is a multiple of 4096"),
    ] {
        let directory = scratch_in_memory();
        let report = report_of(directory.path(), &[&aligned[..], &[wrong]].concat());
        assert_eq!(report.code, Some(2), "{wrong}: {}", report.errors);
        assert!(report.errors.contains(told), "{wrong}: {}", report.errors);
        assert_eq!(report.out, "");
        assert_eq!(entries(directory.path()), Vec::<String>::new());
    }
}
