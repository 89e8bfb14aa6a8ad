//! A model of a drive whose arms differ as told, so that what must come out is known.

use std::collections::BTreeMap;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use trimark::experiment::file::ExperimentFile;
use trimark::experiment::plan::{Arm, Blocks, Plan, VolumePlan};
use trimark::experiment::play::{ExperimentProgress, Next, Played, Player};
use trimark::experiment::record::{RunRecord, Start};
use trimark::experiment::request::{About, Request, RequestError};
use trimark::experiment::stage::{Ready, Stage, StageError};
use trimark::interrupt::Interrupt;
use trimark::runner::clock::{Moment, MonotonicClock};
use trimark::runner::measurement::{Phase, RunResult};
use trimark::runner::{NoProgress, Runner};
use trimark::workload::{Config, EngineKind};

/// Arms, each with how much longer its transactions take than they should.
pub type Factors = &'static [(&'static str, f64)];

/// A plan of an experiment with these arms on the model.
pub fn plan(factors: Factors, blocks: Blocks, seed: u64) -> Plan {
    let arms = factors.iter().map(|(name, _)| Arm {
        name: (*name).into(),
        directory: Some((*name).into()),
        ..Arm::default()
    });
    let request = Request { arms: arms.collect(), seed: Some(seed), ..Request::default() };
    let config =
        Config { engine: EngineKind::Null, number: 50, transactions: 100, ..Config::default() };
    let about = About {
        config: &config,
        config_files: &[],
        command: vec!["trimark".into(), "compare".into()],
        default_arm_set: None,
    };
    let plan = request.plan::<RequestError>(&about, &|_| Ok(config.clone()));
    let mut plan = plan.expect("a plan");
    plan.volume = VolumePlan::Directories { directory: ".".into() };
    plan.blocks = blocks;
    plan
}

/// Plays on the model: transactions take a second, times the arm's factor, a drift, and
/// noise of so much (standard deviation of the logarithm).
pub struct Model {
    factors: BTreeMap<&'static str, f64>,
    noise: f64,
    source: Xoshiro256PlusPlus,
    played: u32,
    /// Interrupts itself after so many runs.
    pub stop_after: Option<u32>,
}

impl Model {
    pub fn new(factors: Factors, noise: f64, seed: u64) -> Self {
        Self {
            factors: factors.iter().copied().collect(),
            noise,
            source: Xoshiro256PlusPlus::seed_from_u64(seed),
            played: 0,
            stop_after: None,
        }
    }

    /// Plays what is not in the file yet.
    pub fn play(&mut self, plan: &Plan, file: &mut ExperimentFile, runs: Vec<RunRecord>) -> Played {
        let interrupt = Interrupt::default();
        let stop = interrupt.clone();
        let mut run = |config: &Config| {
            let result = self.run(config);
            if self.stop_after == Some(self.played) {
                stop.raise(2);
            }
            Ok(result)
        };
        let (stage, progress) = (&mut Directories, &mut Silent);
        Player { plan, stage, run: &mut run, file, interrupt, progress }.play(runs)
    }

    fn run(&mut self, config: &Config) -> RunResult {
        self.played += 1;
        let clock = MonotonicClock::start();
        let mut runner = Runner {
            system: &trimark::engine::Kernel,
            clock: &clock,
            interrupt: Interrupt::default(),
            progress: &mut NoProgress,
        };
        let mut result = runner.run(config, &[]).expect("nothing to refuse");
        let arm = config.locations[0].path.to_string_lossy().into_owned();
        // Slower from run to run, as a drive that fills: blocks must cancel it.
        let drift = 1.0 + 0.01 * f64::from(self.played);
        let seconds = self.factors[arm.as_str()] * drift * (self.noise * self.normal()).exp();
        for time in &mut result.phases {
            if time.phase == Phase::Transactions {
                time.end = Moment(time.start.0 + (seconds * 1e9) as u64);
            }
        }
        result
    }

    /// About normally distributed: twelve uniform numbers less their mean.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.source.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0
    }
}

/// Every arm has a directory of its name, which nothing touches.
struct Directories;

impl Stage for Directories {
    fn make_ready(&mut self, arm: &Arm) -> Result<Ready, StageError> {
        Ok(Ready {
            directory: arm.directory.clone().unwrap_or_default(),
            start: Start::default(),
            options_in_force: vec![],
            identity: arm.directory.as_deref().unwrap_or(Path::new("")).display().to_string(),
            unverified: vec![],
        })
    }

    fn image_bytes(&self, _: &Arm) -> Option<u64> {
        None
    }
}

/// Shows nothing.
pub struct Silent;

impl ExperimentProgress for Silent {
    fn run_begins(&mut self, _: &Next<'_>) {}
    fn run_ends(&mut self) {}
}
