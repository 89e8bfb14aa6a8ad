//! PostMark's byte sums, which are 32-bit floats and lose count, must be lost the same
//! way: wrappers compare them with results published long ago.
//!
//! It adds once per operation, not per block: beyond 2^25 a block of 49 bytes would add 48.

use super::report::{ROUNDINGS, in_one_second, terse_figures};
use super::{Pair, Played, report};
use crate::support::{run_in, scratch, stderr, stdout, trimark};

/// Settings whose sums pass 2^24 soon, from where on a 32-bit float skips whole numbers.
const RUNS: [&str; 3] = [
    "set size 900 1000\nset number 1000\nset transactions 60000\nset bias read 9\nset read 49\nset \
     write 49\n",
    "set size 1 3000\nset number 1000\nset transactions 50000\nset read 4096\nset write 4096\n",
    "set size 3001 20000\nset number 400\nset transactions 20000\nset buffering false\nset read \
     65536\nset write 65536\n",
];

/// The exact sums and PostMark's, read and written.
fn sums_as_json(settings: &str) -> [(f64, f64); 2] {
    let directory = scratch();
    let arguments = ["run", "--set", "engine null", "--report", "json", "script.pm"];
    std::fs::write(directory.path().join("script.pm"), settings).expect("a script");
    let output = run_in(directory.path(), trimark(), &arguments, "");
    let run: serde_json::Value =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let bytes = |kind: &str| {
        let tally = &run["operations"][kind];
        let part = |part: &str| tally[part]["bytes"].as_f64().expect("bytes");
        part("alone") + part("mixed")
    };
    let classic = |sum: &str| run["classic_sums"][sum].as_f64().expect("a sum");
    let written = bytes("create") + bytes("append");
    [(bytes("read"), classic("read")), (written, classic("written"))]
}

/// The bytes read and written according to a terse report.
fn terse_sums(played: &Played) -> [f64; 2] {
    let figures = played.out.lines().find_map(terse_figures).expect("a terse report");
    [figures[11] * figures[0], figures[12] * figures[0]]
}

fn assert_sums(settings: &str, real: &Played, ours: &Played) {
    // A rate is rounded to a 32-bit float as well, unless the time was one second.
    let exact = in_one_second(&real.out) && in_one_second(&ours.out);
    let tolerance = if exact { 0.0 } else { ROUNDINGS };
    for (real, ours) in terse_sums(real).into_iter().zip(terse_sums(ours)) {
        assert!((real - ours).abs() <= tolerance * real, "{ours}, not {real}, in {settings}");
        assert!(real > f64::from(1 << 24), "{real}: too little to lose count");
    }
}

#[test]
fn byte_sums_lose_count_as_postmarks() {
    let Some(pair) = Pair::in_memory() else { return };
    for settings in RUNS {
        let script = format!("{settings}set report verbose\nrun\nset report terse\nrun\nquit\n");
        let (real, ours) = (pair.real(&[], &script), pair.ours(&[], &script));
        report::assert_same(settings, &real.out, &ours.out);
        assert_sums(settings, &real, &ours);
        for ((exact, classic), real) in sums_as_json(settings).into_iter().zip(terse_sums(&real)) {
            assert!(
                (classic - real).abs() <= ROUNDINGS * real,
                "{classic}, not {real}, in {settings}"
            );
            assert_ne!(exact, classic, "no count was lost, so nothing is tested: {settings}");
        }
    }
}
