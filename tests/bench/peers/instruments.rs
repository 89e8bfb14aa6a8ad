//! What a run costs as a whole with its instruments on, and what a second worker brings.

use std::time::Instant;

use trimark::runner::measurement::Phase;
use trimark::workload::config::{Config, EngineKind, Location};
use trimark::workload::policy::LatencyLevel;

use crate::contenders::play;
use crate::numbers::{median, sorted};
use crate::verdict;
use crate::volume::Volume;

/// Bound of what `set latency operations`, the default, may cost.
const OPERATIONS: f64 = 1.03;
/// What two workers have to bring where there are two processors.
const TWO_WORKERS: f64 = 1.7;

fn workloads(volume: &Volume) -> Vec<(&'static str, Config, tempfile::TempDir)> {
    let base = Config { engine: EngineKind::Sync, ..Config::default() };
    let settings = [
        (
            "as in 2011, scaled",
            Config {
                size_low: 500,
                size_high: 100_000,
                read_block: 4096,
                write_block: 4096,
                number: 2_000,
                transactions: 8_000,
                ..base.clone()
            },
        ),
        (
            "size 100 200",
            Config { size_low: 100, size_high: 200, number: 20_000, transactions: 80_000, ..base },
        ),
    ];
    settings
        .into_iter()
        .map(|(name, config)| {
            let place = volume.scratch();
            let locations = vec![Location { path: place.path().into(), weight: 1 }];
            (name, Config { locations, ..config }, place)
        })
        .collect()
}

/// Wall time of whole runs with each level of `set latency`, against `off`, in turn.
pub fn costs(volume: &Volume, pairs: usize) {
    println!("\nwhole runs on {} by `set latency`, median of {pairs} in turn", volume.name);
    println!(
        "{:<22}{:>10}{:>12}{:>22}{:>8}{:>10}{:>22}",
        "", "off s", "operations", "(least, most)", "bound", "on", "(least, most)"
    );
    for (name, config, _place) in workloads(volume) {
        let time = |latency: LatencyLevel| {
            let config = Config { latency, ..config.clone() };
            let begun = Instant::now();
            play(&config);
            begun.elapsed().as_secs_f64()
        };
        let levels = [LatencyLevel::Off, LatencyLevel::Operations, LatencyLevel::On];
        let mut times: Vec<[f64; 3]> = Vec::new();
        for round in 0..=pairs {
            let mut row = [0.0; 3];
            for turn in 0..3 {
                let which = (turn + round) % 3;
                row[which] = time(levels[which]);
            }
            if round > 0 {
                times.push(row); // the first warms up
            }
        }
        let ratios = |which: usize| sorted(times.iter().map(|row| row[which] / row[0]));
        let (operations, on) = (ratios(1), ratios(2));
        println!(
            "{name:<22}{:>10.3}{:>12.3}{:>22}{:>8}{:>10.3}{:>22}",
            median(&sorted(times.iter().map(|row| row[0]))),
            median(&operations),
            range(&operations),
            verdict(median(&operations) <= OPERATIONS, OPERATIONS),
            median(&on),
            range(&on),
        );
    }
}

/// Transactions per second of two workers against one, in turn.
pub fn scaling(volume: &Volume, pairs: usize) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "\ntwo workers against one on {}, transactions/s, median of {pairs} pairs; {processors} \
         processors",
        volume.name
    );
    for (name, config, _place) in workloads(volume) {
        let rate = |workers: u64| {
            let transactions = 4 * config.transactions; // seconds, not tenths
            let result = play(&Config { workers, transactions, ..config.clone() });
            let time = result.elapsed(Phase::Transactions).expect("they were played");
            result.transactions as f64 * 1e9 / time as f64
        };
        let mut ratios = Vec::new();
        for pair in 0..=pairs {
            let ratio = if pair % 2 == 0 {
                let two = rate(2);
                two / rate(1)
            } else {
                1.0 / (rate(1) / rate(2))
            };
            if pair > 0 {
                ratios.push(ratio);
            }
        }
        let ratios = sorted(ratios.into_iter());
        let middle = median(&ratios);
        println!(
            "{name:<22}{middle:>10.2}{:>22}{:>8}",
            range(&ratios),
            verdict(middle >= TWO_WORKERS || processors < 2, TWO_WORKERS)
        );
    }
}

fn range(sorted: &[f64]) -> String {
    format!("({:.3}, {:.3})", sorted[0], sorted[sorted.len() - 1])
}
