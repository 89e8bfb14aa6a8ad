//! The rules of verdicts on simulated experiments whose truth is known: thousands of them,
//! from recorded and from synthetic noise.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use trimark::experiment::schedule::Schedule;
use trimark::stats::analysis::{analyse, sequential_half_width};
use trimark::stats::comparison::{Comparison, Verdict};
use trimark::stats::design::{Design, FactorialDesign, Rules, Series};
use trimark::stats::metrics::{Better, Wording};

const METRIC: &str = "transactions_per_second";

fn rules() -> Rules {
    Rules { confidence: 0.95, margin: 0.03, least_blocks: 6, sequential: false, known_noise: None }
}

fn design(arms: usize) -> Design {
    let arms = (0..arms).map(|arm| format!("arm {arm}")).collect();
    Design { arms, base: 0, factorial: None }
}

fn series(values: &[Vec<f64>]) -> Series {
    Series {
        metric: METRIC.into(),
        better: Better::Higher,
        wording: Wording::Speed,
        values: values.iter().map(|row| row.iter().copied().map(Some).collect()).collect(),
    }
}

fn compared(values: &[Vec<f64>], design: &Design, rules: &Rules) -> Vec<Comparison> {
    analyse(&[series(values)], METRIC, design, rules).remove(0).comparisons
}

/// Where the level of each run comes from, in the order they are played: logarithms.
trait Noise {
    fn runs(&self, count: usize, source: &mut Source) -> Vec<f64>;
}

struct Source(Xoshiro256PlusPlus);

impl Source {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A recording of identical runs; an experiment is a stretch of it, from anywhere.
struct Recorded(Vec<f64>);

impl Recorded {
    fn all() -> Vec<(&'static str, Self)> {
        [
            ("mem", include_str!("../../fixtures/noise/aa_mem.csv")),
            ("fsync", include_str!("../../fixtures/noise/aa_fsync.csv")),
            ("fsync2", include_str!("../../fixtures/noise/aa_fsync2.csv")),
            ("bdi", include_str!("../../fixtures/noise/aa_bdi.csv")),
        ]
        .into_iter()
        .map(|(name, text)| {
            let seconds = text.lines().skip(1).filter_map(|line| line.split(',').nth(1));
            let rates = seconds.map(|text| -text.parse::<f64>().expect("seconds").ln());
            (name, Self(rates.collect()))
        })
        .collect()
    }
}

impl Noise for Recorded {
    fn runs(&self, count: usize, source: &mut Source) -> Vec<f64> {
        let start = (source.uniform() * self.0.len() as f64) as usize;
        (start..start + count).map(|place| self.0[place % self.0.len()]).collect()
    }
}

/// Noise with memory, a drift, and runs now and then that stall.
struct Synthetic {
    deviation: f64,
    memory: f64,
    drift: f64,
    stalls: f64,
}

impl Noise for Synthetic {
    fn runs(&self, count: usize, source: &mut Source) -> Vec<f64> {
        let mut level = 0.0;
        let fresh = self.deviation * (1.0 - self.memory * self.memory).sqrt();
        (0..count)
            .map(|place| {
                level = self.memory * level + fresh * source.normal();
                let stalled = source.uniform() < self.stalls;
                let stall = if stalled { -0.5 * source.uniform() } else { 0.0 };
                level + stall + self.drift * place as f64 / count as f64
            })
            .collect()
    }
}

/// Noise of one kind each, and all of them together.
fn synthetic() -> Vec<(&'static str, Synthetic)> {
    let plain = || Synthetic { deviation: 0.05, memory: 0.0, drift: 0.0, stalls: 0.0 };
    vec![
        ("plain", plain()),
        ("with memory", Synthetic { memory: 0.6, ..plain() }),
        ("with drift", Synthetic { drift: 0.5, ..plain() }),
        ("with stalls", Synthetic { stalls: 0.05, ..plain() }),
        ("with all", Synthetic { memory: 0.6, drift: 0.5, stalls: 0.05, ..plain() }),
    ]
}

/// The values of an experiment whose arms have these factors (logarithms).
fn experiment(
    noise: &dyn Noise,
    blocks: usize,
    factors: &[f64],
    source: &mut Source,
) -> Vec<Vec<f64>> {
    let schedule = Schedule::new(source.0.next_u64(), factors.len());
    let runs = noise.runs(blocks * factors.len(), source);
    (0..blocks)
        .map(|block| {
            let mut row = vec![0.0; factors.len()];
            for (place, arm) in schedule.order(block as u64 + 1).into_iter().enumerate() {
                row[arm] = (runs[block * factors.len() + place] + factors[arm]).exp();
            }
            row
        })
        .collect()
}

fn differs(comparison: &Comparison) -> bool {
    matches!(comparison.verdict, Verdict::Differs { .. })
}

/// At most so many of `trials` at `rate`, within four standard errors.
fn at_most(rate: f64, trials: usize) -> usize {
    let n = trials as f64;
    (rate * n + 4.0 * (rate * (1.0 - rate) * n).sqrt()).floor() as usize
}

#[test]
fn identical_arms_are_seldom_called_different_and_intervals_hold_the_truth() {
    const TRIALS: usize = 10_000;
    let noises: Vec<(&str, Box<dyn Noise>)> = Recorded::all()
        .into_iter()
        .map(|(name, noise)| (name, Box::new(noise) as Box<dyn Noise>))
        .chain(synthetic().into_iter().map(|(name, noise)| (name, Box::new(noise) as _)))
        .collect();
    let each = TRIALS / noises.len();
    let (mut false_claims, mut covered) = (0, 0);
    for (name, noise) in &noises {
        let mut source = Source::new(1);
        let (mut wrong, mut held) = (0, 0);
        for trial in 0..each {
            // What is true: nothing, or 5 %.
            let factor = if trial % 2 == 0 { 0.0 } else { 0.05 };
            let values = experiment(noise.as_ref(), 20, &[0.0, factor], &mut source);
            let comparison = compared(&values, &design(2), &rules()).remove(0);
            wrong += usize::from(factor == 0.0 && differs(&comparison));
            let effect = comparison.effect.expect("20 blocks");
            let truth = f64::exp_m1(factor);
            held += usize::from(effect.low <= truth && truth <= effect.high);
        }
        assert!(wrong <= at_most(0.05, each / 2), "{name}: {wrong} of {} false", each / 2);
        false_claims += wrong;
        covered += held;
    }
    let trials = each * noises.len();
    assert!(false_claims <= at_most(0.05, trials / 2), "{false_claims} of {} false", trials / 2);
    let coverage = covered as f64 / trials as f64;
    assert!(coverage >= 0.94, "intervals held the truth in {coverage}");
}

#[test]
fn real_effects_are_found_as_often_as_the_protocol_says() {
    // Blocks, effect, and the least and most of the recordings' powers as measured with a
    // paired t test alone; what the noise floor and signed ranks cost is allowed for.
    let table = [(10, 0.10, 0.54, 0.99), (20, 0.05, 0.33, 0.93), (40, 0.05, 0.59, 1.0)];
    for (blocks, effect, least, most) in table {
        let powers: Vec<f64> = Recorded::all()
            .iter()
            .map(|(_, noise)| {
                let mut source = Source::new(2);
                let found = (0..400)
                    .filter(|_| {
                        let factors = [0.0, f64::ln_1p(effect)];
                        let values = experiment(noise, blocks, &factors, &mut source);
                        differs(&compared(&values, &design(2), &rules())[0])
                    })
                    .count();
                found as f64 / 400.0
            })
            .collect();
        let lowest = powers.iter().copied().fold(1.0, f64::min);
        let highest = powers.iter().copied().fold(0.0, f64::max);
        assert!(lowest >= least - 0.15, "{blocks} blocks, {effect}: {powers:?}");
        assert!(highest >= most - 0.15, "{blocks} blocks, {effect}: {powers:?}");
    }
}

#[test]
fn two_per_cent_take_as_many_blocks_as_the_protocol_says() {
    let (_, noise) = Recorded::all().into_iter().nth(1).expect("fsync");
    let power = |blocks| {
        let mut source = Source::new(3);
        let found = |_: &usize| {
            let values = experiment(&noise, blocks, &[0.0, 0.02], &mut source);
            differs(&compared(&values, &design(2), &rules())[0])
        };
        (0..200).filter(found).count() as f64 / 200.0
    };
    assert!(power(20) < 0.5);
    assert!(power(300) > 0.6, "{}", power(300));
}

#[test]
fn about_so_many_more_blocks_do_settle_it() {
    // Effects that 10 blocks leave undecided; what is said is held against the number of
    // blocks at which half of such experiments are settled.
    for factor in [0.0, 0.02, 0.05] {
        let noise = Synthetic { deviation: 0.05, memory: 0.0, drift: 0.0, stalls: 0.0 };
        let mut source = Source::new(4);
        let mut ratios = Vec::new();
        for _ in 0..300 {
            let values = experiment(&noise, 400, &[0.0, factor], &mut source);
            let verdict =
                |blocks: usize| compared(&values[..blocks], &design(2), &rules()).remove(0).verdict;
            let Verdict::Undecided { more_blocks: Some(more) } = verdict(10) else { continue };
            let settled = (11..400)
                .step_by(3)
                .find(|blocks| !matches!(verdict(*blocks), Verdict::Undecided { .. }));
            let settled = settled.unwrap_or(400) as f64;
            ratios.push((10.0 + more as f64) / settled);
        }
        assert!(ratios.len() > 100, "{factor}: {} undecided", ratios.len());
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        assert!((0.5..=2.0).contains(&median), "effect {factor}: off by {median}");
    }
}

#[test]
fn several_arms_and_metrics_claim_no_more_than_one() {
    let noise = Synthetic { deviation: 0.05, memory: 0.5, drift: 0.3, stalls: 0.02 };
    let mut source = Source::new(5);
    let (mut in_question, mut elsewhere) = (0, 0);
    const TRIALS: usize = 600;
    for _ in 0..TRIALS {
        let all: Vec<Series> = (0..6)
            .map(|metric| Series {
                metric: if metric == 0 { METRIC.into() } else { format!("metric {metric}") },
                ..series(&experiment(&noise, 20, &[0.0; 4], &mut source))
            })
            .collect();
        let findings = analyse(&all, METRIC, &design(4), &rules());
        in_question += usize::from(findings[0].comparisons.iter().any(differs));
        let any = findings[1..].iter().flat_map(|finding| &finding.comparisons).any(differs);
        elsewhere += usize::from(any);
    }
    assert!(in_question <= at_most(0.05, TRIALS), "{in_question} of {TRIALS}");
    // Where nothing differs, each false discovery is a false experiment.
    assert!(elsewhere <= at_most(0.05, TRIALS), "{elsewhere} of {TRIALS}");
}

#[test]
fn a_factorial_tells_its_effects_apart() {
    let factorial =
        FactorialDesign { factors: ["discard".into(), "noatime".into()], cells: [0, 1, 2, 3] };
    let design = Design { factorial: Some(factorial), ..design(4) };
    let noise = Synthetic { deviation: 0.03, memory: 0.5, drift: 0.3, stalls: 0.0 };
    let (mut source, mut right) = (Source::new(6), 0);
    for _ in 0..100 {
        // 10 % slower with discards, nothing by noatime, and they add up.
        let slower = f64::ln(0.9);
        let values = experiment(&noise, 20, &[0.0, slower, 0.0, slower], &mut source);
        let comparisons = compared(&values, &design, &rules());
        let names: Vec<&str> = comparisons.iter().map(|c| c.contrast.as_str()).collect();
        assert_eq!(names[..3], ["discard", "noatime", "discard × noatime"]);
        let effect = comparisons[0].effect.expect("20 blocks");
        let found = differs(&comparisons[0]) && effect.low < -0.1 && -0.1 < effect.high;
        right += usize::from(found && !differs(&comparisons[1]) && !differs(&comparisons[2]));
    }
    assert!(right >= 85, "{right} of 100");
}

#[test]
fn looking_after_every_block_claims_no_more() {
    let rules = Rules { sequential: true, ..rules() };
    const TRIALS: usize = 400;
    for (name, noise) in synthetic() {
        let mut source = Source::new(7);
        let claims = (0..TRIALS)
            .filter(|_| {
                let values = experiment(&noise, 60, &[0.0, 0.0], &mut source);
                (6..=60).any(|blocks| differs(&compared(&values[..blocks], &design(2), &rules)[0]))
            })
            .count();
        assert!(claims <= at_most(0.05, TRIALS), "{name}: {claims} of {TRIALS}");
    }
}

#[test]
fn an_ordinary_interval_looked_at_after_every_block_would_claim_more() {
    // That the simulation can see what it is to see.
    let (_, noise) = synthetic().remove(0);
    let mut source = Source::new(8);
    let claims = (0..200)
        .filter(|_| {
            let values = experiment(&noise, 60, &[0.0, 0.0], &mut source);
            (6..=60).any(|blocks| differs(&compared(&values[..blocks], &design(2), &rules())[0]))
        })
        .count();
    assert!(claims > at_most(0.05, 200), "{claims} of 200");
}

#[test]
fn the_sequence_becomes_as_narrow_as_asked() {
    let (_, noise) = synthetic().remove(0);
    let values = experiment(&noise, 400, &[0.0, 0.03], &mut Source::new(9));
    let width =
        |blocks: usize| sequential_half_width(&series(&values[..blocks]), &design(2), &rules());
    assert!(width(400).expect("bounded") < 0.015);
    assert!(width(20).expect("bounded") > width(400).expect("bounded"));
}
