//! Plays an experiment: blocks in their order, every run begun alike and saved at once.
//!
//! Owns the order of things and the reasons to stop. Prints nothing, and knows neither
//! file systems (the [`Stage`] does) nor statistics beyond asking whether it is enough.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::file::{ExperimentFile, FileError};
use super::hooks::{self, HookError, Moment};
use super::plan::{Arm, Blocks, Plan};
use super::record::{End, Entry, RunRecord, Start};
use super::schedule::Schedule;
use super::stage::{Ready, Stage, StageError};
use super::{analysis, same};
use crate::interrupt::{Interrupt, signal_name};
use crate::runner::Refusal;
use crate::runner::measurement::{RunResult, Status};
use crate::workload::{Config, Location};

/// No experiment that waits for a narrow interval goes on longer than this.
pub const MOST_BLOCKS: u64 = 1000;

/// Told how far an experiment is; for whoever wants to show it.
pub trait ExperimentProgress {
    /// A run begins.
    fn run_begins(&mut self, next: &Next<'_>);
    /// It is over.
    fn run_ends(&mut self);
}

/// The run that is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct Next<'a> {
    /// Its block; 0 warms up.
    pub block: u64,
    /// How many blocks there will be; none where that is not decided beforehand.
    pub blocks: Option<u64>,
    /// Its arm.
    pub arm: &'a str,
    /// Runs done, and about how many there will be.
    pub done: u64,
    /// The same, all of them, where that is known.
    pub of: Option<u64>,
    /// About how long the rest takes, where that can be told.
    pub left: Option<Duration>,
}

/// Why an experiment could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The place could not be made ready.
    #[error("arm '{arm}': {error}")]
    Stage {
        /// The arm.
        arm: String,
        /// Why.
        error: StageError,
    },
    /// Two arms turned out to be the same.
    #[error(
        "arms '{0}' and '{1}' are the same: {2}; change one of them, or use --aa to compare \
         an arm with itself"
    )]
    Same(String, String, String),
    /// A command of the user's failed.
    #[error(transparent)]
    Hook(#[from] HookError),
    /// A run was refused.
    #[error("arm '{arm}': {error}")]
    Refused {
        /// The arm.
        arm: String,
        /// Why.
        error: Refusal,
    },
    /// A run failed.
    #[error("block {block}, arm '{arm}': the run {how}")]
    Run {
        /// Its block.
        block: u64,
        /// Its arm.
        arm: String,
        /// What became of it.
        how: String,
    },
    /// A signal asked for a stop.
    #[error("interrupted by {}", signal_name(*.0))]
    Interrupted(i32),
    /// The experiment's file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Halt {
    /// The exit code: 1 a run failed, 2 bad input, 3 the machine cannot, 128 + n for
    /// signal n.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Stage { error, .. } if !error.bad_input => 3,
            Self::Stage { .. } | Self::Same(..) => 2,
            Self::Hook(_) | Self::Run { .. } | Self::File(_) => 1,
            Self::Refused { error, .. } => error.exit_code(),
            Self::Interrupted(signal) => 128 + *signal as u8,
        }
    }

    fn end(&self) -> End {
        match self {
            Self::Interrupted(signal) => End::Interrupted { signal: signal_name(*signal) },
            other => End::Failed { reason: other.to_string() },
        }
    }
}

/// What plays runs: the runner, or a test's model of one.
pub type PlayRun<'a> = dyn FnMut(&Config) -> Result<RunResult, Refusal> + 'a;

/// What an experiment is played with.
pub struct Player<'a> {
    /// What is to be done.
    pub plan: &'a Plan,
    /// Where the runs take place.
    pub stage: &'a mut dyn Stage,
    /// Plays one.
    pub run: &'a mut PlayRun<'a>,
    /// Takes each as it is done.
    pub file: &'a mut ExperimentFile,
    /// Stops it.
    pub interrupt: Interrupt,
    /// Is told how far it is.
    pub progress: &'a mut dyn ExperimentProgress,
}

/// How far an experiment came.
#[derive(Debug)]
pub struct Played {
    /// Every run, those of before included.
    pub runs: Vec<RunRecord>,
    /// Why it ended.
    pub end: End,
    /// What stopped it before its own end.
    pub halt: Option<Halt>,
}

impl Player<'_> {
    /// Plays what is not among `runs` yet. All that is done is in the file whatever
    /// happens.
    pub fn play(&mut self, runs: Vec<RunRecord>) -> Played {
        let mut course = Course::new(self.plan, runs);
        let result = self.blocks(&mut course);
        let (end, halt) = match result {
            Ok(end) => (end, None),
            Err(halt) => (halt.end(), Some(halt)),
        };
        let written = self.file.append(&Entry::End(end.clone()));
        let halt = halt.or(written.err().map(Halt::File));
        Played { runs: course.runs, end, halt }
    }

    fn blocks(&mut self, course: &mut Course) -> Result<End, Halt> {
        for block in 0.. {
            if let Some(end) = course.end_before(self.plan, block) {
                return Ok(end);
            }
            let begun = Instant::now();
            let mut played = false;
            for (place, arm) in course.schedule.order(block).into_iter().enumerate() {
                let place = place as u64 + 1;
                if block > 0 && course.has(block, place) {
                    continue;
                }
                played = true;
                let arm = &self.plan.arms[arm];
                self.progress.run_begins(&course.next(self.plan, block, &arm.name));
                let record = self.one(course, block, place, arm)?;
                self.progress.run_ends();
                course.add(record);
            }
            if played {
                course.times.push(begun.elapsed());
            }
        }
        unreachable!("blocks are counted without end")
    }

    fn one(
        &mut self,
        course: &mut Course,
        block: u64,
        place: u64,
        arm: &Arm,
    ) -> Result<RunRecord, Halt> {
        self.stopped()?;
        let ready = self.stage.make_ready(arm);
        // What it was stopped in is no failure of its own.
        self.stopped()?;
        let ready = ready.map_err(|error| Halt::Stage { arm: arm.name.clone(), error })?;
        course.check_same(self.plan, arm, &ready)?;
        let mut hooks = self.hooks(Moment::Before, arm, &ready)?;
        self.stopped()?;
        let location = Location { path: ready.directory.clone(), weight: 1 };
        let config = Config { locations: vec![location], iterations: 1, ..arm.config.clone() };
        let result = (self.run)(&config);
        let result = result.map_err(|error| Halt::Refused { arm: arm.name.clone(), error })?;
        self.stopped()?;
        hooks.extend(self.hooks(Moment::After, arm, &ready)?);
        let how = how_it_failed(&result);
        let record = RunRecord {
            block,
            place,
            arm: arm.name.clone(),
            image_bytes_after: self.stage.image_bytes(arm),
            start: Start { quiet: result.settled_before, ..ready.start },
            options_in_force: ready.options_in_force,
            unverified: ready.unverified,
            directory: ready.directory,
            hooks,
            result: Box::new(result),
        };
        self.file.append(&Entry::Run(Box::new(record.clone())))?;
        match how {
            Some(how) => Err(Halt::Run { block, arm: arm.name.clone(), how }),
            None => Ok(record),
        }
    }

    fn hooks(
        &self,
        moment: Moment,
        arm: &Arm,
        ready: &Ready,
    ) -> Result<Vec<super::record::HookRun>, Halt> {
        let obeyed = hooks::obey(moment, arm, &ready.directory);
        // A signal from the terminal ends the command, too: not its own failure.
        self.stopped()?;
        Ok(obeyed?)
    }

    fn stopped(&self) -> Result<(), Halt> {
        self.interrupt.pending().map_or(Ok(()), |signal| Err(Halt::Interrupted(signal)))
    }
}

fn how_it_failed(result: &RunResult) -> Option<String> {
    match &result.status {
        Status::Complete => None,
        Status::OutOfFiles => Some(format!(
            "was out of files after {} of {} transactions: give it more files, or fewer \
             transactions",
            result.transactions, result.config.transactions
        )),
        Status::Failed { error } => Some(format!("failed: {error}")),
        Status::Interrupted { name, .. } => Some(format!("was interrupted by {name}")),
    }
}

/// How far it is, and what was seen on the way.
struct Course {
    schedule: Schedule,
    runs: Vec<RunRecord>,
    /// What each arm really was.
    seen: BTreeMap<String, same::Really>,
    times: Vec<Duration>,
    begun: Instant,
}

impl Course {
    fn new(plan: &Plan, mut runs: Vec<RunRecord>) -> Self {
        runs.retain(|run| run.result.is_complete());
        let schedule = Schedule::new(plan.seed, plan.arms.len());
        Self { schedule, runs, seen: BTreeMap::new(), times: Vec::new(), begun: Instant::now() }
    }

    fn has(&self, block: u64, place: u64) -> bool {
        self.runs.iter().any(|run| (run.block, run.place) == (block, place))
    }

    fn add(&mut self, record: RunRecord) {
        // The warm-up of a resumed experiment takes the place of the earlier one.
        self.runs.retain(|run| (run.block, run.place) != (record.block, record.place));
        self.runs.push(record);
    }

    /// Whether to stop before a block, and why.
    fn end_before(&self, plan: &Plan, block: u64) -> Option<End> {
        let last = match plan.blocks {
            Blocks::Fixed { blocks } => blocks,
            Blocks::Until { .. } => MOST_BLOCKS,
        };
        let todo = (1..=last)
            .find(|block| (1..=plan.arms.len() as u64).any(|place| !self.has(*block, place)));
        if todo.is_none() {
            return Some(End::Blocks);
        }
        if block == 0 {
            return None;
        }
        if let Blocks::Until { half_width } = plan.blocks
            && analysis::is_narrow(plan, &self.runs, half_width)
        {
            return Some(End::NarrowEnough);
        }
        let limit = Duration::from_nanos(plan.time_limit_ns?);
        let block_time = self.block_time().unwrap_or_default();
        (self.begun.elapsed() + block_time > limit).then_some(End::Time)
    }

    /// The mean time of a block so far, without the first, which sets things up.
    fn block_time(&self) -> Option<Duration> {
        let times = if self.times.len() > 1 { &self.times[1..] } else { &self.times[..] };
        (!times.is_empty()).then(|| times.iter().sum::<Duration>() / times.len() as u32)
    }

    fn next<'a>(&self, plan: &Plan, block: u64, arm: &'a str) -> Next<'a> {
        let arms = plan.arms.len() as u64;
        let blocks = match plan.blocks {
            Blocks::Fixed { blocks } => Some(blocks),
            Blocks::Until { .. } => None,
        };
        let done = self.runs.iter().filter(|run| !run.is_warm_up()).count() as u64;
        let of = blocks.map(|blocks| blocks * arms);
        let by_count = of
            .zip(self.block_time())
            .map(|(of, time)| time.mul_f64(of.saturating_sub(done) as f64 / arms as f64));
        let by_time = plan
            .time_limit_ns
            .map(|limit| Duration::from_nanos(limit).saturating_sub(self.begun.elapsed()));
        let left = match (by_count, by_time) {
            (Some(count), Some(time)) => Some(count.min(time)),
            (count, time) => count.or(time),
        };
        Next { block, blocks, arm, done, of, left }
    }

    /// Two arms that are the same in force have nothing to say about their difference.
    fn check_same(&mut self, plan: &Plan, arm: &Arm, ready: &Ready) -> Result<(), Halt> {
        let really = same::Really::of(arm, ready);
        let twin = self.seen.iter().find(|(name, other)| **name != arm.name && **other == really);
        if let (Some((name, _)), false) = (twin, plan.against_itself) {
            let (one, two, what) = (name.clone(), arm.name.clone(), really.to_string());
            return Err(Halt::Same(one, two, what));
        }
        self.seen.insert(arm.name.clone(), really);
        Ok(())
    }
}
