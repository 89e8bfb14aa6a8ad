//! What every report of an outcome says, in words and figures: made once, so that they
//! cannot differ.

use super::quantity::quantity;
use crate::experiment::outcome::{MetricOutcome, Outcome};
use crate::experiment::plan::{Arm, Blocks, VolumePlan};
use crate::experiment::record::End;
use crate::stats::comparison::{Comparison, Role, Scale, Verdict};
use crate::stats::metrics::Better;
use crate::units::{grouped, human_bytes, human_duration};
use crate::workload::transfer::WorkloadKind;

/// A verdict with its subject.
pub(super) struct Line {
    /// `discard against nodiscard`
    pub subject: String,
    /// The sentence.
    pub sentence: String,
    /// The noise floor, where it is known.
    pub floor: Option<String>,
    /// What it rests on.
    pub notes: Vec<String>,
    /// True where a difference is claimed.
    pub differs: bool,
}

/// `discard against nodiscard`, or `noatime (effect)`.
pub(super) fn subject(comparison: &Comparison) -> String {
    match comparison.base.as_str() {
        base if base.starts_with("without ") => {
            format!("{} (with against without)", comparison.contrast)
        }
        "adding up" => format!("{} (beyond adding up)", comparison.contrast),
        base => format!("{} against {base}", comparison.contrast),
    }
}

/// The verdicts of a metric.
pub(super) fn lines(metric: &MetricOutcome) -> Vec<Line> {
    let line = |comparison: &Comparison| Line {
        subject: subject(comparison),
        sentence: comparison.sentence(&metric.unit),
        floor: comparison.floor_figure(&metric.unit),
        notes: comparison.notes.clone(),
        differs: matches!(comparison.verdict, Verdict::Differs { .. }),
    };
    metric.comparisons.iter().map(line).collect()
}

/// A table of words.
pub(super) struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&name| name.to_owned()).collect()
}

/// Each arm's values in a metric.
pub(super) fn arms(metric: &MetricOutcome) -> Table {
    let row = |arm: &crate::experiment::outcome::ArmValues| {
        let figure = |value: f64| quantity(value, &metric.unit);
        let mut row = vec![arm.arm.clone(), arm.values.len().to_string()];
        match &arm.summary {
            None => row.extend(std::iter::repeat_n("–".to_owned(), 5)),
            Some(summary) => row.extend([
                figure(summary.median),
                figure(summary.mean),
                summary
                    .variation()
                    .map_or_else(|| "–".into(), |share| format!("{:.1} %", 100.0 * share)),
                figure(summary.least),
                figure(summary.most),
            ]),
        }
        row
    };
    Table {
        head: names(&["arm", "runs", "median", "mean", "variation", "least", "most"]),
        rows: metric.arms.iter().map(row).collect(),
    }
}

/// How much of the base's an arm has in the headline metric, as shares of 1.
pub(super) struct Share {
    /// The arm.
    pub arm: String,
    /// Its place among the arms.
    pub place: usize,
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// `47.3 % (46.1 … 48.6 %)`
    pub fn figure(&self) -> String {
        let [estimate, low, high] = [self.estimate, self.low, self.high].map(|share| 100.0 * share);
        if low < high {
            format!("{estimate:.1} % ({low:.1} … {high:.1} %)")
        } else {
            format!("{estimate:.1} %")
        }
    }
}

/// Each arm as a share of the base, which is the first; none where no arm brings its
/// drive to a state, or the headline metric is no rate.
pub(super) fn shares_of_base(outcome: &Outcome) -> Vec<Share> {
    let arms = &outcome.plan.arms;
    let metric = outcome.headline().filter(|metric| metric.better == Better::Higher);
    let conditioned = arms.iter().any(|arm| arm.trim_before || !arm.conditions.is_empty());
    let Some(metric) = metric.filter(|_| conditioned) else { return Vec::new() };
    let base = &outcome.plan.base;
    let of_arm = |(place, arm): (usize, &Arm)| {
        if arm.name == *base {
            return Some(Share { arm: base.clone(), place, estimate: 1.0, low: 1.0, high: 1.0 });
        }
        let mut found = metric.comparisons.iter();
        let against = found.find(|c| c.contrast == arm.name && c.base == *base)?;
        let effect = against.effect.filter(|_| against.scale == Scale::Ratio)?;
        Some(Share {
            arm: arm.name.clone(),
            place,
            estimate: 1.0 + effect.estimate,
            low: 1.0 + effect.low,
            high: 1.0 + effect.high,
        })
    };
    arms.iter().enumerate().filter_map(of_arm).collect()
}

/// Every comparison of the metrics that were not the question.
pub(super) fn secondary(outcome: &Outcome) -> Table {
    let mut rows = Vec::new();
    for metric in outcome.metrics.iter().filter(|metric| metric.role == Role::Secondary) {
        for comparison in &metric.comparisons {
            rows.push(vec![
                metric.metric.clone(),
                subject(comparison),
                comparison.effect_figure(&metric.unit).unwrap_or_else(|| "–".into()),
                comparison.sentence(&metric.unit),
            ]);
        }
    }
    Table { head: names(&["metric", "of", "effect", "verdict"]), rows }
}

/// What was in force, arm by arm.
pub(super) fn in_force(outcome: &Outcome) -> Table {
    let row = |arm: &Arm| {
        let run = outcome.runs.iter().find(|run| run.arm == arm.name);
        let options = run.map_or_else(|| "–".into(), |run| run.options_in_force.join(", "));
        vec![arm.name.clone(), asked(arm), options]
    };
    Table {
        head: names(&["arm", "asked for", "in force, read back"]),
        rows: outcome.plan.arms.iter().map(row).collect(),
    }
}

/// What an arm was to be.
#[must_use]
pub fn asked(arm: &Arm) -> String {
    let mut parts = arm.mount_options.clone();
    parts.extend(arm.conditions.iter().map(|step| format!("condition='{step}'")));
    let own = [
        arm.trim_before.then(|| "trim=before".to_owned()),
        arm.file_system.as_ref().map(|name| format!("fs={name}")),
        (!arm.mkfs.is_empty()).then(|| format!("mkfs={}", arm.mkfs.join(" "))),
        arm.scheduler.as_ref().map(|name| format!("scheduler={name}")),
        arm.directory.as_ref().map(|path| format!("dir={}", path.display())),
        arm.file.as_ref().map(|path| format!("file={}", path.display())),
    ];
    parts.extend(own.into_iter().flatten());
    parts.extend(arm.settings.iter().map(|setting| format!("set {setting}")));
    parts.extend(arm.before.iter().map(|command| format!("before={command}")));
    parts.extend(arm.after.iter().map(|command| format!("after={command}")));
    if parts.is_empty() { "as it is".into() } else { parts.join(", ") }
}

/// How far it is: blocks, runs and why it ended.
pub(super) fn progress(outcome: &Outcome) -> String {
    let planned = match outcome.plan.blocks {
        Blocks::Fixed { blocks } => format!(" of {blocks}"),
        Blocks::Until { half_width } => {
            format!(" (until ±{} %)", super::quantity::four_digits(100.0 * half_width))
        }
    };
    let end = match &outcome.end {
        None => "not ended, or killed".to_owned(),
        Some(End::Blocks) => "complete".into(),
        Some(End::NarrowEnough) => "ended as the interval was narrow enough".into(),
        Some(End::Time) => "ended as the time was up".into(),
        Some(End::Interrupted { signal }) => format!("interrupted by {signal}"),
        Some(End::Failed { reason }) => format!("failed: {reason}"),
    };
    let runs = outcome.runs.iter().filter(|run| !run.is_warm_up()).count();
    format!("{}{planned} blocks, {} runs, {end}", outcome.complete_blocks, grouped(runs as u64))
}

/// Where it took place.
pub(super) fn place(outcome: &Outcome) -> String {
    let place = outcome.runs.iter().find_map(|run| run.result.places.first());
    let device = place.and_then(|place| place.device.as_ref()).map(|device| {
        let titles: Vec<String> = device.layers.iter().map(|layer| layer.title()).collect();
        titles.join(" on ")
    });
    let on = |text: String| device.map_or(text.clone(), |device| format!("{text}: {device}"));
    match &outcome.plan.volume {
        VolumePlan::Scratch { bytes, file_system } => {
            on(format!("a scratch {file_system} of {}", human_bytes(*bytes)))
        }
        VolumePlan::Device { device: node, .. } => on(node.display().to_string()),
        VolumePlan::Mountpoint { directory } => {
            on(format!("'{}', remounted for each arm", directory.display()))
        }
        VolumePlan::Directories { directory } => on(format!("'{}'", directory.display())),
        VolumePlan::Files => "saved results".into(),
    }
}

/// The machine, in a line.
pub(super) fn machine(outcome: &Outcome) -> String {
    let host = &outcome.plan.host;
    let cpu = host.cpu_model.as_deref().unwrap_or(&host.architecture);
    format!(
        "Linux {}, {} × {cpu}, {} of memory",
        host.kernel,
        host.cpus,
        human_bytes(host.memory_bytes)
    )
}

/// How every run began, in a line.
pub(super) fn start(outcome: &Outcome) -> Option<String> {
    let run = outcome.runs.iter().find(|run| !run.is_warm_up()).or(outcome.runs.first())?;
    Some(run.start.steps.join(", "))
}

/// The workload in a line.
pub(super) fn workload(outcome: &Outcome) -> String {
    let config = &outcome.plan.arms.first().map_or(&outcome.plan.config, |arm| &arm.config);
    if config.workload == WorkloadKind::Transfers {
        return transfers(config);
    }
    let stop = match config.duration_ns {
        Some(time) if !config.transactions_set => {
            format!("transactions for {}", human_duration(time))
        }
        _ => format!("{} transactions", grouped(config.transactions)),
    };
    format!(
        "{} files of {} to {} bytes, {stop}, sync {}",
        grouped(config.number),
        grouped(config.size_low),
        grouped(config.size_high),
        sync_name(config)
    )
}

fn transfers(config: &crate::workload::Config) -> String {
    let of = &config.transfers;
    let patterns: Vec<&str> = of.patterns.iter().map(|pattern| pattern.name()).collect();
    let records: Vec<String> = of.records.iter().map(|record| human_bytes(*record)).collect();
    format!(
        "one file of {}: {} in records of {}, depth {}, {}, sync {}",
        of.file_size,
        patterns.join(", "),
        records.join(", "),
        of.depth,
        if config.direct { "past the page cache" } else { "through the page cache" },
        sync_name(config)
    )
}

fn sync_name(config: &crate::workload::Config) -> String {
    use crate::workload::policy::SyncPolicy;
    match config.sync {
        SyncPolicy::None => "none".into(),
        SyncPolicy::Phase => "after each phase".into(),
        SyncPolicy::Close => "of each file".into(),
        SyncPolicy::FsyncEvery(n) => format!("of every {n}th file"),
    }
}

/// The command that repeats it, order of runs included.
pub(super) fn repeat(outcome: &Outcome) -> String {
    let mut words = Vec::new();
    let mut given = outcome.plan.command.iter();
    while let Some(word) = given.next() {
        match word.as_str() {
            // A file that is there by now.
            "--save" => drop(given.next()),
            word if word.starts_with("--save=") => {}
            word => words.push(quoted(word)),
        }
    }
    if let Some(first) = words.first_mut() {
        *first = "trimark".into();
    }
    let has_seed = outcome.plan.command.iter().any(|word| word.starts_with("--seed"));
    if !has_seed {
        words.push(format!("--seed {}", outcome.plan.seed));
    }
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./,:%+@".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What an arm compared with itself shows of the machine.
pub(super) fn noise(outcome: &Outcome) -> Option<String> {
    let deviation = outcome.noise?;
    Some(format!(
        "two identical runs differ by {:.1} % here (standard deviation); --noise with this \
         experiment's file takes the noise floor of others from it",
        100.0 * deviation.exp_m1()
    ))
}

/// What to say where a metric that was the question has no values.
pub(super) fn no_headline(outcome: &Outcome) -> String {
    format!("no run has {} yet: there is no verdict", outcome.plan.metric)
}
