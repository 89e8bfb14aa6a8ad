//! What files really hold, read while the run is held after creation.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

use trimark::engine::Call;
use trimark::runner::clock::MonotonicClock;

use super::play_in;
use super::watched::Watched;
use crate::support::{entries, scratch_in_memory};

type Files = BTreeMap<String, Vec<u8>>;

const PAGE: usize = 4096;

/// Every file of the pool, by name.
fn read_pool(directory: &Path) -> Files {
    let paths = entries(directory).into_iter().filter(|name| !name.ends_with(".trimark-run"));
    let files = paths.filter(|name| directory.join(name).is_file());
    files.map(|name| (name.clone(), std::fs::read(directory.join(name)).expect("a file"))).collect()
}

/// The pool as it is when the first file is about to be read or deleted.
fn pool_of(settings: &[&str]) -> Files {
    let directory = scratch_in_memory();
    let path = directory.path().to_owned();
    let pool = Mutex::new(None);
    // All workers have made their files when the first transaction begins.
    let system = Watched::calling(|call, _| {
        if matches!(call, Call::Read | Call::Unlink) {
            pool.lock().expect("no panic").get_or_insert_with(|| read_pool(&path));
        }
    });
    let whole = ["bias read 10", "bias create -1", "transactions 1", "read 64k"];
    let settings = [settings, &whole].concat();
    let result = play_in(directory, &settings, &system, &MonotonicClock::start());
    assert!(result.is_complete());
    drop(system);
    let pool = pool.into_inner().expect("no panic").expect("the pool was read");
    assert_eq!(pool.len() as u64, result.operations.create.alone.count);
    let bytes: usize = pool.values().map(Vec::len).sum();
    assert_eq!(bytes as u64, result.operations.create.alone.bytes);
    pool
}

/// Shannon's entropy of single bytes, bits each.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let share = |count: u32| f64::from(count) / bytes.len() as f64;
    counts.iter().filter(|&&n| n > 0).map(|&n| -share(n) * share(n).log2()).sum()
}

/// The share of 8-byte words that occurred before: what a compressor or a drive that
/// finds duplicates would save.
fn repeated(bytes: &[u8]) -> f64 {
    let mut seen = HashSet::new();
    let words = bytes.chunks_exact(8);
    let count = words.len();
    words.filter(|word| !seen.insert(*word)).count() as f64 / count as f64
}

#[test]
fn random_files_differ_and_cannot_be_compressed() {
    for workers in ["workers 1", "workers 3"] {
        let pool = pool_of(&["content random", "number 300", "size 4k 12k", workers]);
        let beginnings: HashSet<&[u8]> = pool.values().map(|file| &file[..512]).collect();
        assert_eq!(beginnings.len(), pool.len(), "{workers}: each file begins differently");
        for (name, file) in &pool {
            assert!(entropy(file) > 7.9, "{name}: {}", entropy(file));
            assert!(repeated(file) < 0.001, "{name}: {}", repeated(file));
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_files() {
    let settings = ["content random", "number 20", "size 4k 12k"];
    let once = pool_of(&settings);
    assert_eq!(pool_of(&settings), once);
    let other = pool_of(&["content random", "number 20", "size 4k 12k", "seed 7"]);
    assert!(once.iter().all(|(name, file)| other[name] != *file));
}

#[test]
fn zero_files_are_zero() {
    let pool = pool_of(&["content zero", "number 50", "size 1 20k"]);
    assert!(pool.values().flatten().all(|&byte| byte == 0));
}

#[test]
fn compressible_files_are_so_by_that_much() {
    for percent in [0, 25, 60, 100] {
        let content = format!("content compressible {percent}");
        let pool = pool_of(&[&content, "number 40", "size 16k 64k"]);
        for (name, file) in &pool {
            let zeros = file.iter().filter(|&&byte| byte == 0).count();
            let share = 100.0 * zeros as f64 / file.len() as f64;
            // One random byte in 256 is a zero, too; the last page may be cut off.
            let slack = 100.0 * PAGE as f64 / file.len() as f64 * 0.5 + 2.0;
            assert!((share - f64::from(percent)).abs() < slack, "{percent}: {name}: {share}");
        }
        let all: Vec<u8> = pool.values().flatten().copied().collect();
        let packed: Vec<u8> = all.iter().copied().filter(|&byte| byte != 0).collect();
        let share = 100.0 * (1.0 - packed.len() as f64 / all.len() as f64);
        assert!((share - f64::from(percent)).abs() < 3.0, "{percent}: {share} in the mean");
        assert!(packed.is_empty() || entropy(&packed) > 7.9);
    }
}

#[test]
fn postmarks_files_are_its_text() {
    let pool = pool_of(&["number 50", "size 100 5k"]);
    for file in pool.values() {
        assert!(file.starts_with(b"LeZebJ"), "its generator's first letters");
        assert!(file.iter().all(|byte| (32..127).contains(byte)));
    }
}

#[test]
fn every_worker_has_a_text_of_its_own() {
    let pool = pool_of(&["number 10", "size 1000", "workers 2"]);
    let of = |worker: &str| pool[&format!("{worker}/1")].clone();
    assert_ne!(of("w0"), of("w1"));
}
