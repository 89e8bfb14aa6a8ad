//! One run being played: phase after phase, by one worker or several at once, and the way
//! out of each.

use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::Ordering;

use super::clock::{Clock, Moment};
use super::failure::{self, Stop};
use super::measurement::{
    Activity, CleanUp, Leftover, Phase, PhaseActivity, PhaseTime, RunResult, Status,
};
use super::pool::Pool;
use super::progress::Progress;
use super::recorder::Recorder;
use super::worker::{Limit, Shared, Worker};
use crate::volume::activity::ProcessCounts;
use crate::volume::cache::{self, Dropped};
use crate::volume::device::{Device, DeviceCounts};
use crate::volume::quiet::{self, Waited};
use crate::volume::thread;
use crate::workload::Config;
use crate::workload::config::MAX_TRANSACTIONS;
use crate::workload::policy::{Cache, Settle, SyncPolicy};

/// A run in progress.
pub struct Play<'a, 'p> {
    shared: Shared<'a>,
    progress: &'p mut dyn Progress,
    config: &'a Config,
    /// The locations themselves; with one worker its pool is here, too.
    workers: Vec<Worker<'a>>,
    /// With several workers, what holds their pools.
    base: Option<Pool>,
    phases: Vec<PhaseTime>,
    activity: Vec<PhaseActivity>,
    /// Devices under the locations, each once.
    devices: Vec<Device>,
    at_start: Activity,
    warnings: Vec<String>,
}

impl<'a, 'p> Play<'a, 'p> {
    pub fn new(
        config: &'a Config,
        shared: Shared<'a>,
        progress: &'p mut dyn Progress,
        workers: Vec<Worker<'a>>,
        base: Option<Pool>,
        devices: Vec<Device>,
    ) -> Self {
        Self {
            shared,
            progress,
            config,
            workers,
            base,
            phases: Vec::with_capacity(8),
            activity: Vec::with_capacity(8),
            devices,
            at_start: Activity::default(),
            warnings: Vec::new(),
        }
    }

    /// Plays all phases and fills in what was measured.
    pub fn play(mut self, result: &mut RunResult) {
        result.settled_before = self.settle();
        self.at_start = self.counts();
        let outcome = self.phases();
        let out_of_files = self.workers.iter().any(|worker| worker.out_of_files);
        match outcome {
            Ok(()) => {
                if out_of_files {
                    result.status = Status::OutOfFiles;
                }
                result.clean_up = self.close();
            }
            Err(stop) => {
                result.status = stop.into();
                result.clean_up = Some(self.clean_up());
            }
        }
        if self.shared.interrupt.pending().is_none() {
            result.settled_after = self.settle();
        }
        result.activity_total = self.config.measures().then(|| self.counts().since(&self.at_start));
        self.fill(result);
    }

    fn fill(&mut self, result: &mut RunResult) {
        let mut recorder = Recorder::new(self.config.interval_ns);
        for worker in &mut self.workers {
            recorder.merge(std::mem::take(&mut worker.recorder));
        }
        let origin = self.phases.first().map_or(Moment(0), |first| first.start.second_begun());
        result.phases = relative_to(origin, &self.phases);
        result.activity = std::mem::take(&mut self.activity);
        result.warnings.append(&mut self.warnings);
        recorder.fill(result, origin);
    }

    fn phases(&mut self) -> Result<(), Stop> {
        let config = self.config;
        if config.effective_subdirectories() > 0 {
            self.phase(Phase::Subdirectories, Self::make_subdirectories)?;
        }
        self.together(Phase::Creation, |worker, _| worker.creation(config.number))?;
        self.sync(Phase::CreationSync)?;
        if config.cache == Cache::Cold {
            self.phase(Phase::CacheDrop, Self::drop_caches)?;
        }
        if let Some(warmup) = config.warmup_ns {
            let limit = Limit { transactions: MAX_TRANSACTIONS, duration: Some(warmup) };
            self.shared.warming_up.store(true, Ordering::Relaxed);
            let outcome = self.together(Phase::WarmUp, move |worker, _| {
                worker.transactions(Phase::WarmUp, limit, |_| {})
            });
            self.shared.warming_up.store(false, Ordering::Relaxed);
            outcome?;
        }
        self.transactions()?;
        self.sync(Phase::TransactionSync)?;
        self.together(Phase::Deletion, |worker, _| worker.deletion())?;
        self.sync(Phase::DeletionSync)?;
        if config.effective_subdirectories() > 0 {
            self.phase(Phase::SubdirectoryRemoval, Self::remove_subdirectories)?;
        }
        Ok(())
    }

    fn transactions(&mut self) -> Result<(), Stop> {
        let (transactions, duration) = (self.config.transaction_limit(), self.config.duration_ns);
        let limit = Limit { transactions, duration };
        let tenth = (limit.transactions / 10).max(1);
        self.together(Phase::Transactions, move |worker, progress| {
            // As PostMark: after the first, and after every further tenth.
            let mut until_tenth = 1;
            let mut progress = progress;
            worker.transactions(Phase::Transactions, limit, |_| {
                until_tenth -= 1;
                if until_tenth == 0 {
                    until_tenth = tenth;
                    if let Some(progress) = progress.as_deref_mut() {
                        progress.tenth();
                    }
                }
            })
        })
    }

    /// A phase of the run itself.
    fn phase(
        &mut self,
        phase: Phase,
        body: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.progress.begin(phase);
        let before = self.counts();
        let start = self.shared.clock.now();
        let outcome = body(self);
        let end = self.shared.clock.now();
        self.finish(PhaseTime { phase, start, end, complete: outcome.is_ok() }, &before);
        outcome
    }

    /// A phase that all workers play at once, from a common start to the end of the last.
    fn together<B>(&mut self, phase: Phase, body: B) -> Result<(), Stop>
    where
        B: Fn(&mut Worker<'a>, Option<&mut dyn Progress>) -> Result<(), Stop> + Sync,
    {
        self.progress.begin(phase);
        let before = self.counts();
        let clock = self.shared.clock;
        let timeline_start = |worker: &mut Worker<'_>, start| worker.recorder.begin(start);
        let (start, end, outcome) = match self.workers.as_mut_slice() {
            [worker] => {
                let start = clock.now();
                timeline_start(worker, start);
                let outcome = body(worker, Some(&mut *self.progress));
                (start, clock.now(), outcome)
            }
            workers => {
                let origin = clock.now();
                workers.iter_mut().for_each(|worker| timeline_start(worker, origin));
                in_parallel(workers, clock, &body)
            }
        };
        let empty = self.workers.iter().any(|worker| worker.out_of_files);
        let cut_short = phase == Phase::Transactions && empty;
        let complete = outcome.is_ok() && !cut_short;
        if cut_short && outcome.is_ok() {
            self.progress.out_of_files();
        }
        self.finish(PhaseTime { phase, start, end, complete }, &before);
        outcome
    }

    fn finish(&mut self, time: PhaseTime, before: &Activity) {
        if self.config.measures() {
            let Activity { device, process } = self.counts().since(before);
            self.activity.push(PhaseActivity { phase: time.phase, device, process });
        }
        self.phases.push(time);
        if time.complete {
            self.progress.end(time.phase);
        }
    }

    fn counts(&self) -> Activity {
        if !self.config.measures() {
            return Activity::default();
        }
        let device = self.devices.iter().filter_map(Device::counts).reduce(DeviceCounts::plus);
        Activity { device, process: ProcessCounts::now() }
    }

    fn settle(&self) -> Option<Waited> {
        let stop = || self.shared.interrupt.pending().is_some();
        if self.config.settle != Settle::Off {
            // What is still to be written or discarded is not put off until somebody else's
            // turn. Where it fails there is nothing to wait for, and a run says so itself.
            for (_, directory) in self.pool().directories() {
                let _ = cache::sync_file_system(directory);
            }
        }
        match self.config.settle {
            Settle::Off => None,
            Settle::Auto => Some(quiet::until_quiet(&self.devices, stop)),
            Settle::For(nanoseconds) => Some(quiet::for_time(nanoseconds, stop)),
        }
    }

    fn sync(&mut self, phase: Phase) -> Result<(), Stop> {
        if self.config.sync != SyncPolicy::Phase {
            return Ok(());
        }
        self.phase(phase, |play| {
            for (path, directory) in play.pool().directories() {
                cache::sync_file_system(directory).map_err(|error| {
                    failure::of_call(phase, "sync file system", "syncfs", path.into(), &error)
                })?;
            }
            Ok(())
        })
    }

    fn drop_caches(&mut self) -> Result<(), Stop> {
        let directories = self.pool().directories();
        let drop_files = || {
            self.workers.iter().try_for_each(|worker| {
                worker.files().try_for_each(|file| worker.pool.drop_from_cache(file))
            })
        };
        let dropped = cache::empty(&directories, drop_files).map_err(|error| {
            failure::of_call(Phase::CacheDrop, "empty caches", "fadvise", PathBuf::new(), &error)
        })?;
        if dropped == Dropped::Files {
            self.warnings.push(
                "the page cache was emptied file by file, without names and inodes: the system's \
                 needs root"
                    .into(),
            );
        }
        Ok(())
    }

    /// The pool at the locations themselves.
    fn pool(&self) -> &Pool {
        self.base.as_ref().unwrap_or_else(|| &self.workers[0].pool)
    }

    fn make_subdirectories(&mut self) -> Result<(), Stop> {
        let (system, interrupt) = (self.shared.system, self.shared.interrupt.clone());
        for worker in &mut self.workers {
            let stopped = || interrupt.pending().is_some();
            worker.pool.make_subdirectories(system, stopped).map_err(|error| match error {
                None => Stop::Interrupted(interrupt.pending().unwrap_or_default()),
                Some((path, errno)) => failure::of_directory(Phase::Subdirectories, path, errno),
            })?;
        }
        Ok(())
    }

    fn remove_subdirectories(&mut self) -> Result<(), Stop> {
        for worker in &mut self.workers {
            worker.pool.remove_subdirectories(self.shared.system).map_err(|(path, errno)| {
                failure::of_directory(Phase::SubdirectoryRemoval, path, errno)
            })?;
        }
        Ok(())
    }

    /// The run came to its end: its manifests, and the workers' directories, go.
    fn close(&mut self) -> Option<CleanUp> {
        let mut left = Vec::new();
        for worker in &mut self.workers {
            worker.is_clean();
            left.extend(worker.pool.remove_manifests());
        }
        self.close_base(&mut left);
        (!left.is_empty()).then(|| CleanUp { left, ..CleanUp::default() })
    }

    fn clean_up(&mut self) -> CleanUp {
        let mut done = CleanUp::default();
        for worker in &mut self.workers {
            done.add(worker.clean_up());
        }
        self.close_base(&mut done.left);
        done
    }

    /// With several workers, removes their directories, and the manifests if nothing is
    /// left of the run.
    fn close_base(&mut self, left: &mut Vec<Leftover>) {
        if let Some(base) = &mut self.base {
            left.extend(base.remove_worker_directories(self.shared.system));
            if left.is_empty() {
                left.extend(base.remove_manifests());
            }
        }
    }
}

/// Plays a phase on a thread for each worker. They start when all are ready; the times
/// are those of the first to start and the last to end, by the workers' own reading of the
/// common clock.
fn in_parallel<'a, B>(
    workers: &mut [Worker<'a>],
    clock: &dyn Clock,
    body: &B,
) -> (Moment, Moment, Result<(), Stop>)
where
    B: Fn(&mut Worker<'a>, Option<&mut dyn Progress>) -> Result<(), Stop> + Sync,
{
    let barrier = Barrier::new(workers.len());
    let results: Vec<(Moment, Moment, Result<(), Stop>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                let barrier = &barrier;
                scope.spawn(move || {
                    // SAFETY: a worker closes each file within the operation that opened
                    // it; the directories were open before and stay so to the end.
                    unsafe { thread::stand_apart() };
                    barrier.wait();
                    let start = clock.now();
                    let outcome = body(worker, None);
                    (start, clock.now(), outcome)
                })
            })
            .collect();
        let join = |started: std::thread::ScopedJoinHandle<'_, _>| {
            started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let start = results.iter().map(|(start, ..)| *start).min().unwrap_or(Moment(0));
    let end = results.iter().map(|(_, end, _)| *end).max().unwrap_or(start);
    // The reason of the one that stopped first of its own accord, not of those it took along.
    let stops = results.into_iter().filter_map(|(.., outcome)| outcome.err());
    let worst = stops.min_by_key(|stop| matches!(stop, Stop::Abandoned));
    (start, end, worst.map_or(Ok(()), Err))
}

/// The times counted from a moment: the whole second in which the run began makes small
/// numbers, still at the same places within their seconds.
fn relative_to(origin: Moment, phases: &[PhaseTime]) -> Vec<PhaseTime> {
    let relative = |moment: Moment| Moment(moment.since(origin));
    let moved = |time: &PhaseTime| PhaseTime {
        start: relative(time.start),
        end: relative(time.end),
        ..*time
    };
    phases.iter().map(moved).collect()
}
