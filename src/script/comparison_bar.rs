//! The progress of a comparison on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::experiment::play::{ExperimentProgress, Next};
use crate::units::human_duration;

/// Shows block and arm, how many runs are done, and the time left, on standard error.
pub(super) struct ComparisonBar {
    bar: ProgressBar,
}

impl ComparisonBar {
    /// A bar, drawn only if standard error is a terminal. It is redrawn between runs, not
    /// while one is timed.
    pub(super) fn on_terminal() -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("[{bar:30}] {pos}/{len} runs, {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar }
    }
}

impl ExperimentProgress for ComparisonBar {
    fn run_begins(&mut self, next: &Next<'_>) {
        let block = match (next.block, next.blocks) {
            (0, _) => "warm-up".to_owned(),
            (block, Some(blocks)) => format!("block {block} of {blocks}"),
            (block, None) => format!("block {block}"),
        };
        let left = next.left.map_or_else(String::new, |left| {
            let whole = Duration::from_secs(left.as_secs());
            format!(", about {} left", human_duration(whole.as_nanos() as u64))
        });
        self.bar.set_length(next.of.unwrap_or(next.done + 1));
        self.bar.set_position(next.done);
        self.bar.set_message(format!("{block}: {}{left}", next.arm));
    }

    fn run_ends(&mut self) {
        self.bar.inc(1);
    }
}

impl Drop for ComparisonBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
