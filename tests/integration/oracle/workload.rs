//! Settings made up at random, the same ones every time.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Directories the locations are chosen from.
pub const DIRECTORIES: [&str; 4] = ["a", "b", "c", "d"];

/// The settings of one run.
#[derive(Debug, Clone)]
pub struct Settings {
    pub size: (u32, u32),
    pub number: u32,
    pub transactions: u32,
    pub seed: u32,
    /// None: the current directory.
    pub locations: Vec<(&'static str, u32)>,
    pub subdirectories: u32,
    pub blocks: (u32, u32),
    pub buffering: bool,
    pub biases: (i8, i8),
}

impl Settings {
    /// The commands that set all of it, whatever was set before.
    pub fn script(&self) -> String {
        let Self { size, number, transactions, seed, subdirectories, blocks, biases, .. } = self;
        format!(
            "set size {} {}\nset number {number}\nset transactions {transactions}\nset seed {seed}\n\
             {}set subdirectories {subdirectories}\nset read {}\nset write {}\nset buffering {}\n\
             set bias read {}\nset bias create {}\n",
            size.0,
            size.1,
            self.location_lines(),
            blocks.0,
            blocks.1,
            self.buffering,
            biases.0,
            biases.1,
        )
    }

    fn location_lines(&self) -> String {
        let mut lines = String::from("set location a\nset location -a\n");
        for (place, (directory, weight)) in self.locations.iter().enumerate() {
            let sign = if place == 0 { "" } else { "+" };
            lines += &format!("set location {sign}{directory} {weight}\n");
        }
        lines
    }
}

/// How large the runs may be.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub number: u32,
    pub transactions: u32,
    pub blocks: &'static [u32],
}

fn sizes() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        3 => (1u32..4000, 1u32..14_000).prop_map(|(low, span)| (low, low + span)),
        1 => (1u32..6000).prop_map(|size| (size, size)),
        1 => select(vec![(1, 2), (512, 512), (512, 1024), (4096, 8192), (4095, 4097), (8192, 8192)]),
    ]
}

fn bias() -> impl Strategy<Value = i8> {
    prop_oneof![3 => 0i8..=10, 1 => Just(-1), 1 => Just(0), 1 => Just(10), 2 => Just(5)]
}

fn locations() -> impl Strategy<Value = Vec<(&'static str, u32)>> {
    (subsequence(DIRECTORIES.to_vec(), 0..=4).prop_shuffle(), [1u32..6, 1..3, 1..9, 1..2])
        .prop_map(|(names, weights)| names.into_iter().zip(weights).collect())
}

fn settings(bounds: Bounds) -> impl Strategy<Value = Settings> {
    let seed = prop_oneof![1u32..1000, 1u32..=i32::MAX as u32];
    let subdirectories = prop_oneof![Just(1u32), 2u32..=12];
    let blocks = (select(bounds.blocks), select(bounds.blocks));
    let counts = (1..=bounds.number, 10..=bounds.transactions, seed);
    let places = (locations(), subdirectories);
    (sizes(), counts, places, blocks, any::<bool>(), (bias(), bias())).prop_map(
        |(size, counts, places, blocks, buffering, biases)| Settings {
            size,
            number: counts.0,
            transactions: counts.1,
            seed: counts.2,
            locations: places.0,
            subdirectories: places.1,
            blocks,
            buffering,
            biases,
        },
    )
}

/// So many settings, always the same.
pub fn generate(count: usize, bounds: Bounds) -> Vec<Settings> {
    let strategy = settings(bounds);
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("settings").current()).collect()
}
