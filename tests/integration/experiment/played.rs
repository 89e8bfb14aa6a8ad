//! What comes out of experiments on the model, whose truth is known.

use trimark::experiment::analysis;
use trimark::experiment::file::ExperimentFile;
use trimark::experiment::outcome::Outcome;
use trimark::experiment::plan::Blocks;
use trimark::experiment::record::End;
use trimark::stats::comparison::{Direction, Verdict};

use super::model::{Factors, Model, plan};
use crate::support::scratch;

fn outcome(factors: Factors, noise: f64, blocks: Blocks, seed: u64) -> Outcome {
    let place = scratch();
    let plan = plan(factors, blocks, seed);
    let mut file = ExperimentFile::create(&place.path().join("x"), &plan).expect("a file");
    let played = Model::new(factors, noise, seed).play(&plan, &mut file, vec![]);
    assert!(played.halt.is_none(), "{:?}", played.halt);
    analysis::outcome(&plan, &played.runs, Some(played.end))
}

fn headline(outcome: &Outcome) -> &[trimark::stats::comparison::Comparison] {
    &outcome.headline().expect("a headline").comparisons
}

#[test]
fn a_slower_arm_is_found_and_its_size_is_right() {
    let outcome = outcome(&[("a", 1.0), ("b", 1.1)], 0.02, Blocks::Fixed { blocks: 20 }, 5);
    let [comparison] = headline(&outcome) else { panic!("one comparison") };
    assert_eq!(comparison.verdict, Verdict::Differs { direction: Direction::Slower });
    let effect = comparison.effect.expect("an interval");
    // A time 1.1 times as long is a rate of 1/1.1.
    assert!(effect.low < 1.0 / 1.1 - 1.0 && 1.0 / 1.1 - 1.0 < effect.high, "{effect:?}");
}

#[test]
fn identical_arms_come_out_as_no_difference_whatever_the_drift() {
    // Over the experiment the model becomes 40 % slower.
    let outcome = outcome(&[("a", 1.0), ("b", 1.0)], 0.01, Blocks::Fixed { blocks: 20 }, 9);
    let [comparison] = headline(&outcome) else { panic!("one comparison") };
    assert_eq!(comparison.verdict, Verdict::NoDifference { margin: 0.03 });
}

#[test]
fn it_goes_on_until_the_interval_is_narrow_and_no_longer() {
    let outcome = outcome(&[("a", 1.0), ("b", 1.2)], 0.02, Blocks::Until { half_width: 0.02 }, 2);
    assert_eq!(outcome.end, Some(End::NarrowEnough));
    let [comparison] = headline(&outcome) else { panic!("one comparison") };
    let effect = comparison.effect.expect("an interval");
    assert!(effect.high - effect.low < 0.045, "{effect:?}");
    assert!((6..60).contains(&outcome.complete_blocks), "{} blocks", outcome.complete_blocks);
    assert_eq!(comparison.verdict, Verdict::Differs { direction: Direction::Slower });
}

#[test]
fn time_that_is_up_ends_it_before_a_block() {
    let place = scratch();
    let factors = &[("a", 1.0), ("b", 1.0)];
    let mut plan = plan(factors, Blocks::Fixed { blocks: 1_000_000 }, 1);
    plan.time_limit_ns = Some(300_000_000);
    let mut file = ExperimentFile::create(&place.path().join("x"), &plan).expect("a file");
    let played = Model::new(factors, 0.0, 1).play(&plan, &mut file, vec![]);
    assert_eq!(played.end, End::Time);
    let last = played.runs.iter().map(|run| run.block).max().expect("runs");
    assert_eq!(played.runs.iter().filter(|run| run.block == last).count(), 2, "half a block");
}

#[test]
fn too_few_blocks_give_no_verdict() {
    let outcome = outcome(&[("a", 1.0), ("b", 2.0)], 0.0, Blocks::Fixed { blocks: 5 }, 1);
    let [comparison] = headline(&outcome) else { panic!("one comparison") };
    assert_eq!(comparison.verdict, Verdict::TooFewBlocks { needed: 6 });
}

#[test]
fn the_warm_up_counts_for_nothing() {
    let outcome = outcome(&[("a", 1.0), ("b", 1.0)], 0.0, Blocks::Fixed { blocks: 6 }, 1);
    assert_eq!(outcome.runs.len(), 14);
    let values = outcome.headline().expect("a headline").arms[0].values.len();
    assert_eq!((values, outcome.complete_blocks), (6, 6));
}
