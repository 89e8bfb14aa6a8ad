//! The published schema of results: every kind of result keeps to it, wrong documents are
//! found by it, and documents, old ones too, read back as they were written.

use std::path::Path;

use serde_json::{Value, json};
use trimark::interrupt::Interrupt;
use trimark::report::Format;
use trimark::runner::clock::MonotonicClock;
use trimark::runner::measurement::{Phase, RunResult, Status};
use trimark::runner::{Progress, Runner};
use trimark::workload::policy::{Cache, Content, LatencyLevel, Settle, SyncPolicy};
use trimark::workload::sizes::Sizes;
use trimark::workload::transfer::{FileSize, Transfers, WorkloadKind};
use trimark::workload::{Config, EngineKind, Location};

use crate::support::system_caches;
use crate::support::{root, scratch, scratch_in_memory};

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schema/trimark-run-1.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}

pub fn violations(document: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    let show =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator.iter_errors(document).map(show).collect()
}

/// A small run in a directory, stopped by a signal if one is asked for.
fn run(place: &Path, config: &Config, stop: bool) -> RunResult {
    struct Stopper(Interrupt, bool);
    impl Progress for Stopper {
        fn begin(&mut self, phase: Phase) {
            if self.1 && phase == Phase::Transactions {
                self.0.raise(15);
            }
        }
        fn tenth(&mut self) {}
        fn out_of_files(&mut self) {}
        fn end(&mut self, _: Phase) {}
    }
    let clock = MonotonicClock::start();
    let interrupt = Interrupt::default();
    let mut runner = Runner {
        system: &trimark::engine::Kernel,
        clock: &clock,
        interrupt: interrupt.clone(),
        progress: &mut Stopper(interrupt, stop),
    };
    let locations = vec![Location { path: place.into(), weight: 1 }];
    let config = Config { locations, ..config.clone() };
    runner.run(&config, &["a script.pm".into()]).expect("nothing to refuse")
}

fn document(result: &RunResult) -> Value {
    let mut bytes = Vec::new();
    (Format::Json.row().render)(result, &mut bytes).expect("written");
    serde_json::from_slice(&bytes).expect("one document")
}

/// Checks a result against the schema, and that its document reads back as it was.
fn keeps_to_it(name: &str, result: &RunResult) -> Value {
    let document = document(result);
    assert_eq!(violations(&document), Vec::<String>::new(), "{name}: {document:#}");
    let back: RunResult = serde_json::from_value(document.clone()).expect(name);
    assert_eq!(&back, result, "{name}");
    document
}

fn small() -> Config {
    Config { number: 50, transactions: 100, size_low: 100, size_high: 9000, ..Config::default() }
}

/// A run to its end with these settings.
fn complete(name: &str, change: impl FnOnce(&mut Config)) -> Value {
    let place = scratch_in_memory();
    let mut config = small();
    change(&mut config);
    let result = run(place.path(), &config, false);
    assert!(result.is_complete(), "{name}: {:?}", result.status);
    keeps_to_it(name, &result)
}

#[test]
fn complete_runs_with_every_setting() {
    complete("defaults", |_| {});
    complete("engine sync", |config| config.engine = EngineKind::Sync);
    complete("subdirectories", |config| config.subdirectories = 3);
    complete("several workers", |config| config.workers = 3);
    complete("fsync", |config| config.sync = SyncPolicy::Close);
    complete("some fsync", |config| config.sync = SyncPolicy::FsyncEvery(7));
    complete("settle", |config| config.settle = Settle::For(1_000_000));
    complete("verify", |config| config.verify = true);
    complete("zeros", |config| config.content = Content::Zero);
    complete("random, verified", |config| {
        (config.content, config.verify) = (Content::Random, true);
    });
    complete("compressible", |config| config.content = Content::Compressible(40));
    complete("transfers", |config| {
        config.workload = WorkloadKind::Transfers;
        config.transfers.file_size = FileSize::Bytes(2 << 20);
        (config.sync, config.verify) = (SyncPolicy::Close, true);
    });
    complete("transfers at once", |config| {
        config.workload = WorkloadKind::Transfers;
        config.transfers =
            Transfers { file_size: FileSize::Bytes(2 << 20), depth: 8, ..Transfers::default() };
    });
    complete("log-normal sizes", |config| {
        config.sizes = Sizes::Lognormal { median: 2000, sigma_thousandths: 1500 };
    });
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus");
    complete("sizes of a tree", |config| config.sizes = Sizes::Tree(tree.into()));
    let fan_out = complete("fan-out", |config| config.fan_out = Some(tree.into()));
    assert!(fan_out["config"]["subdirectories"].as_u64().expect("a number") > 0);
    let halves = complete("one half only", |config| config.bias_create = None);
    assert_eq!(halves["config"]["bias_create"], Value::Null);
}

#[test]
fn what_was_not_measured_is_left_out() {
    let operations = complete("operations", |config| config.latency = LatencyLevel::Operations);
    assert_eq!(operations["latencies"]["calls"], json!([]));
    assert!(operations["latencies"]["operations"].as_array().is_some_and(|all| all.len() == 4));
    let calls = complete("calls", |config| config.latency = LatencyLevel::On);
    assert!(calls["latencies"]["calls"].as_array().is_some_and(|all| all.len() > 4));
    let off = complete("off", |config| config.latency = LatencyLevel::Off);
    assert_eq!(off.get("latencies"), None);
    assert_eq!(off["timelines"], json!([]));
    let nowhere = complete("null", |config| config.engine = EngineKind::Null);
    assert_eq!(nowhere["places"], json!([]));
}

#[test]
fn runs_by_time_and_with_syncs() {
    let timed = complete("by time", |config| {
        (config.duration_ns, config.warmup_ns) = (Some(30_000_000), Some(10_000_000));
        config.bias_create = None; // a pool of chance size might run out
    });
    assert!(timed["operations"]["read"]["warm_up"]["count"].as_u64() > Some(0));
    let synced = complete("sync phase", |config| config.sync = SyncPolicy::Phase);
    assert!(synced["phases"].to_string().contains("deletion_sync"));
}

#[test]
fn cold_caches_on_a_device() {
    if !root() {
        return;
    }
    let _caches = system_caches();
    let place = scratch();
    let result = run(place.path(), &Config { cache: Cache::Cold, ..small() }, false);
    let document = keeps_to_it("cold", &result);
    assert!(document["phases"].to_string().contains("cache_drop"));
}

#[test]
fn runs_that_did_not_come_to_their_end() {
    let place = scratch_in_memory();
    let emptied = run(place.path(), &Config { bias_create: Some(0), ..small() }, false);
    assert_eq!(emptied.status, Status::OutOfFiles);
    keeps_to_it("out of files", &emptied);

    let stopped = run(place.path(), &small(), true);
    assert!(matches!(stopped.status, Status::Interrupted { signal: 15, .. }));
    assert!(keeps_to_it("interrupted", &stopped)["clean_up"]["files"].as_u64() > Some(0));

    // A name that the run may need, and comes to.
    std::fs::write(place.path().join("60"), "mine").expect("written");
    let failed = run(place.path(), &Config { bias_create: Some(10), ..small() }, false);
    assert!(matches!(failed.status, Status::Failed { .. }), "{:?}", failed.status);
    let document = keeps_to_it("failed", &failed);
    assert_eq!(document["metrics"], json!({}));
    assert_eq!(document["status"]["error"]["errno"], 17);
}

/// Makes a document wrong.
type Spoil = fn(&mut Value);

/// The schema is worth something only if it finds what is wrong.
#[test]
fn documents_that_are_wrong_are_found() {
    let right = complete("right", |_| {});
    let wrong: [(&str, Spoil); 8] = [
        ("a null", |all| all["places"][0]["free_inodes"] = Value::Null),
        ("a negative count", |all| all["transactions"] = json!(-1)),
        ("a fraction of a count", |all| all["operations"]["read"]["mixed"]["count"] = json!(0.5)),
        ("an unknown field", |all| all["surprise"] = json!(1)),
        ("an unknown phase", |all| all["phases"][0]["phase"] = json!("lunch")),
        ("an unknown outcome", |all| all["status"] = json!({ "outcome": "fine" })),
        ("a failure without error", |all| all["status"] = json!({ "outcome": "failed" })),
        ("a metric without unit", |all| all["metrics"]["total_seconds"] = json!({ "value": 1.0 })),
    ];
    for (name, spoil) in wrong {
        let mut document = right.clone();
        spoil(&mut document);
        assert_ne!(violations(&document), Vec::<String>::new(), "{name}");
    }
    for required in schema()["required"].as_array().expect("a list") {
        let mut document = right.clone();
        document.as_object_mut().expect("fields").remove(required.as_str().expect("a name"));
        assert_ne!(violations(&document), Vec::<String>::new(), "without {required}");
    }
}

/// Whoever reads the schema finds every field explained.
#[test]
fn every_field_is_described() {
    fn walk(path: &str, schema: &Value, missing: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                let explained = ["description", "$ref", "const"];
                let tagged = schema["required"].as_array().is_some_and(|all| all.len() == 1);
                if !tagged && !explained.iter().any(|key| property.get(key).is_some()) {
                    missing.push(format!("{path}.{name}"));
                }
            }
        }
        if let Some(fields) = schema.as_object() {
            fields.iter().for_each(|(key, below)| walk(&format!("{path}/{key}"), below, missing));
        }
        if let Some(items) = schema.as_array() {
            items.iter().for_each(|below| walk(path, below, missing));
        }
    }
    let mut missing = Vec::new();
    walk("", &schema(), &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

/// A document of the first program that wrote version 1.
const OLDEST: &str = r#"{
    "format": "trimark-run", "version": 1,
    "tool": { "name": "trimark", "version": "0.1.0" },
    "started": "2026-01-01T00:00:00Z",
    "config_files": [],
    "config": {
        "size_low": 500, "size_high": 10000, "number": 500, "seed": 42, "transactions": 500,
        "locations": [], "subdirectories": 0, "read_block": 512, "write_block": 512,
        "engine": "buffered", "bias_read": 5, "bias_create": null
    },
    "places": [{
        "path": ".", "resolved": "/mnt/test", "free_bytes": 1000000,
        "mount": {
            "mount_point": "/mnt", "file_system": "tmpfs", "source": "tmpfs", "options": ["rw"],
            "unlisted_options": []
        }
    }],
    "status": { "outcome": "complete" },
    "phases": [{ "phase": "creation", "start": 5, "end": 9, "complete": true }],
    "transactions": 500,
    "operations": {
        "create": { "alone": { "count": 500, "bytes": 9 }, "mixed": { "count": 0, "bytes": 0 } },
        "read": { "alone": { "count": 0, "bytes": 0 }, "mixed": { "count": 1, "bytes": 2 } },
        "append": { "alone": { "count": 0, "bytes": 0 }, "mixed": { "count": 3, "bytes": 4 } },
        "delete": { "alone": { "count": 500, "bytes": 0 }, "mixed": { "count": 0, "bytes": 0 } }
    },
    "skipped": { "creates": 0, "appends": 0 },
    "classic_sums": { "read": 2.0, "written": 13.0 },
    "warnings": [],
    "metrics": { "creation_seconds": { "value": 4e-9, "unit": "s" } }
}"#;

#[test]
fn an_older_document_still_reads() {
    let document: Value = serde_json::from_str(OLDEST).expect("JSON");
    assert_eq!(violations(&document), Vec::<String>::new());
    let result: RunResult = serde_json::from_value(document).expect("a result");
    assert_eq!((result.transactions, result.total()), (500, Some(4)));
    assert_eq!((result.config.bias_create, result.config.workers), (None, 1));
    assert_eq!((result.latencies.as_ref(), result.timelines.len()), (None, 0));
    keeps_to_it("saved again", &result);
}
