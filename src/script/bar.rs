//! A bar of progress on a terminal, drawn by a thread of its own, outside the timed path.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::runner::Progress;
use crate::runner::measurement::Phase;
use crate::runner::progress::ALL_TRANSFERRED;
use crate::workload::Config;
use crate::workload::transfer::WorkloadKind;

/// How often it is drawn.
const REDRAW: Duration = Duration::from_millis(200);

/// Shows the phase, and in the transactions how many are done, the rate and the time
/// left, on standard error.
pub struct BarProgress {
    bar: ProgressBar,
    done: Arc<AtomicU64>,
    watcher: Option<std::thread::JoinHandle<()>>,
    total: Option<u64>,
    duration: Option<Duration>,
}

impl BarProgress {
    /// A bar for a run, if standard error is a terminal.
    #[must_use]
    pub fn on_terminal(config: &Config) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let duration = config.duration_ns.map(Duration::from_nanos);
        let by_count = duration.is_none() || config.transactions_set;
        Some(Self {
            bar: ProgressBar::new_spinner(),
            done: Arc::default(),
            watcher: None,
            total: if config.workload == WorkloadKind::Transfers {
                Some(ALL_TRANSFERRED)
            } else {
                by_count.then(|| config.transactions * config.workers)
            },
            duration,
        })
    }

    fn counted(&mut self, template: &str) {
        let style = ProgressStyle::with_template(template);
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.done.store(0, Ordering::Relaxed);
        self.bar.reset();
        self.bar.set_length(self.total.unwrap_or(0));
        let (bar, done) = (self.bar.clone(), Arc::clone(&self.done));
        let (total, duration) = (self.total, self.duration);
        let begun = Instant::now();
        self.watcher = Some(std::thread::spawn(move || {
            while !bar.is_finished() {
                std::thread::sleep(REDRAW);
                let position = done.load(Ordering::Relaxed);
                if position == STOPPED {
                    return;
                }
                if let (None, Some(duration)) = (total, duration) {
                    // By time alone: as many as there will be at this rate.
                    let share = begun.elapsed().as_secs_f64() / duration.as_secs_f64();
                    bar.set_length((position as f64 / share.clamp(1e-6, 1.0)) as u64);
                }
                bar.set_position(position);
            }
        }));
    }

    fn stop_watching(&mut self) {
        if let Some(watcher) = self.watcher.take() {
            self.done.store(STOPPED, Ordering::Relaxed);
            // It draws nothing any more; a panic in it is nothing to the run.
            let _ = watcher.join();
        }
    }
}

/// Told to the watcher in place of a count: there is nothing left to watch.
const STOPPED: u64 = u64::MAX;

impl Progress for BarProgress {
    fn begin(&mut self, phase: Phase) {
        self.bar.set_prefix(phase.name());
        if phase == Phase::Transactions {
            self.counted("{prefix} [{bar:40}] {human_pos}/{human_len} {per_sec}, {eta} left");
        } else if phase == Phase::Transfers {
            self.counted("{prefix} [{bar:40}] {percent} %, {eta} left");
        } else {
            let style = ProgressStyle::with_template("{prefix} {spinner}");
            self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.bar.tick();
        }
    }

    fn tenth(&mut self) {}

    fn out_of_files(&mut self) {
        self.stop_watching();
    }

    fn end(&mut self, _: Phase) {
        self.stop_watching();
    }

    fn counter(&self) -> Option<Arc<AtomicU64>> {
        Some(Arc::clone(&self.done))
    }
}

impl Drop for BarProgress {
    fn drop(&mut self) {
        self.stop_watching();
        self.bar.finish_and_clear();
    }
}
