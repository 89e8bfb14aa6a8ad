//! The `full` report: exact times, rates, bytes and counts, where the run took place,
//! and what to know before believing it.

use std::io::{self, Write};

use super::instruments::instruments;
use crate::runner::measurement::{PhaseTime, RunResult, Status, Tally};
use crate::stats::metrics::metric;
use crate::units::{grouped, human_bytes, human_duration, human_rate, seconds};
use crate::workload::config::Bias;
use crate::workload::policy::{Choice, Content, SyncPolicy};
use crate::workload::sizes::Sizes;
use crate::workload::transfer::{Pattern, WorkloadKind};
use crate::workload::{Config, EngineKind, OperationKind};

/// Writes the report.
pub fn full(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}, run of {}", run.tool.name, run.tool.version, run.started)?;
    status(run, out)?;
    let transfers = run.config.workload == WorkloadKind::Transfers;
    if transfers {
        transfer_settings(run, out)?;
    } else {
        settings(run, out)?;
    }
    places(run, out)?;
    if let Some(host) = &run.host {
        super::place::host(host, out)?;
    }
    if transfers {
        super::transfers::transfers(run, out)?;
    } else {
        times(run, out)?;
        operations(run, out)?;
        data(run, out)?;
    }
    instruments(run, out)?;
    clean_up(run, out)?;
    for warning in &run.warnings {
        writeln!(out, "Warning: {warning}")?;
    }
    Ok(())
}

fn status(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    if run.config.workload == WorkloadKind::Transfers {
        let done = run.transfers.iter().filter(|pass| pass.complete).count();
        return match &run.status {
            Status::Complete | Status::OutOfFiles => Ok(()),
            Status::Failed { error } => writeln!(out, "FAILED after {done} passes: {error}"),
            Status::Interrupted { name, .. } => {
                writeln!(out, "INTERRUPTED by {name} after {done} passes")
            }
        };
    }
    let done = grouped(run.transactions);
    let wanted = grouped(run.config.transactions);
    match &run.status {
        Status::Complete => Ok(()),
        Status::OutOfFiles => writeln!(
            out,
            "INCOMPLETE: out of files after {done} of {wanted} transactions; increase the number of \
             files or decrease the number of transactions"
        ),
        Status::Failed { error } => writeln!(
            out,
            "FAILED in {} after {done} of {wanted} transactions: {error}",
            error.phase.name()
        ),
        Status::Interrupted { name, .. } => {
            writeln!(out, "INTERRUPTED by {name} after {done} of {wanted} transactions")
        }
    }
}

fn transfer_settings(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let config = &run.config;
    for file in &run.config_files {
        writeln!(out, "Settings   from '{}'", file.display())?;
    }
    let transfers = &config.transfers;
    let patterns: Vec<&str> =
        transfers.patterns.iter().map(|pattern| Pattern::name(*pattern)).collect();
    writeln!(
        out,
        "Workload   transfers: {}; {} under way at once, seed {}",
        patterns.join(", "),
        transfers.depth,
        config.seed
    )?;
    measuring(config, out)
}

fn settings(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let config = &run.config;
    for file in &run.config_files {
        writeln!(out, "Settings   from '{}'", file.display())?;
    }
    writeln!(
        out,
        "Workload   {} files of {}, {} transactions, seed {}",
        grouped(config.number),
        sizes(config),
        grouped(config.transactions),
        config.seed
    )?;
    let subdirectories = match config.effective_subdirectories() {
        0 => String::new(),
        count => format!(", {} subdirectories", grouped(count)),
    };
    writeln!(
        out,
        "           read {}, create {}, blocks of {} read and {} written, engine {}{subdirectories}",
        bias(config.bias_read),
        bias(config.bias_create),
        grouped(config.read_block),
        grouped(config.write_block),
        config.engine.name(),
    )?;
    measuring(config, out)
}

/// What differs from PostMark in how it was measured.
fn measuring(config: &Config, out: &mut dyn Write) -> io::Result<()> {
    let usual = Config::default();
    let time = |nanoseconds: Option<u64>| nanoseconds.map_or_else(|| "off".into(), human_duration);
    let mut choices = Vec::new();
    let mut note = |differs: bool, text: String| {
        if differs {
            choices.push(text);
        }
    };
    note(config.workers > 1, format!("{} workers, each with such a pool", config.workers));
    note(
        config.effective_generator() != usual.generator,
        format!("generator {}", config.effective_generator().name()),
    );
    note(config.duration_ns.is_some(), format!("duration {}", time(config.duration_ns)));
    note(config.warmup_ns.is_some(), format!("warm-up {}", time(config.warmup_ns)));
    note(config.sync != usual.sync, format!("sync {}", sync(config.sync)));
    note(config.cache != usual.cache, format!("cache {}", config.cache.name()));
    note(config.direct, "direct I/O".into());
    note(config.content != usual.content, format!("content {}", content(config.content)));
    note(config.verify, "reads verified".into());
    if choices.is_empty() {
        return Ok(());
    }
    writeln!(out, "           {}", choices.join(", "))
}

fn sync(policy: SyncPolicy) -> String {
    match policy {
        SyncPolicy::None => "none".into(),
        SyncPolicy::Phase => "after each phase".into(),
        SyncPolicy::Close => "of every file before close".into(),
        SyncPolicy::FsyncEvery(n) => format!("of every {n}th file before close"),
    }
}

fn content(content: Content) -> String {
    match content {
        Content::Postmark => "postmark".into(),
        Content::Random => "random".into(),
        Content::Zero => "zero".into(),
        Content::Compressible(percent) => format!("{percent} % compressible"),
    }
}

fn sizes(config: &Config) -> String {
    match &config.sizes {
        Sizes::Uniform => {}
        Sizes::Lognormal { median, sigma_thousandths } => {
            let sigma = *sigma_thousandths as f64 / 1000.0;
            return format!("log-normal sizes, median {} bytes, σ {sigma}", grouped(*median));
        }
        Sizes::Tree(directory) => return format!("sizes as below '{}'", directory.display()),
    }
    if config.size_low == config.size_high {
        format!("{} bytes", grouped(config.size_low))
    } else {
        format!("{} to {} bytes", grouped(config.size_low), grouped(config.size_high))
    }
}

fn bias(bias: Bias) -> String {
    bias.map_or_else(|| "off".into(), |bias| format!("{bias} of 10"))
}

fn places(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    if run.config.engine == EngineKind::Null {
        writeln!(out, "Location   none: the null engine touches no file")?;
    }
    for place in &run.places {
        super::place::place(place, out)?;
    }
    Ok(())
}

fn times(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{:<22}{:>14}", "Time", "seconds")?;
    for time in &run.phases {
        writeln!(out, "  {:<20}{:>14}{}", time.phase.name(), seconds(time.elapsed()), mark(time))?;
    }
    if let Some(total) = run.total() {
        writeln!(
            out,
            "  {:<20}{:>14}  (creation, transactions, deletion)",
            "total",
            seconds(total)
        )?;
    }
    let rate = value(run, "transactions_per_second");
    if let Some(rate) = rate {
        writeln!(out, "  {:<20}{:>14}", "transactions/s", human_rate(rate))?;
    }
    Ok(())
}

fn mark(time: &PhaseTime) -> &'static str {
    if time.complete { "" } else { "  (incomplete)" }
}

/// One line of the table of operations: kind, its tally, and the metric of its rate.
fn operations(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let counts = &run.operations;
    writeln!(out, "\n{:<22}{:>14}{:>14}{:>20}", "Operations", "count", "per second", "bytes")?;
    let mut line = |label: &str, tally: Tally, metric: &str| {
        let rate = value(run, metric).map_or_else(|| "-".into(), human_rate);
        let (count, bytes) = (grouped(tally.count), grouped(tally.bytes));
        writeln!(out, "  {label:<20}{count:>14}{rate:>14}{bytes:>20}")
    };
    line("created", counts.of(OperationKind::Create).total(), "created_per_second")?;
    line("  alone", counts.create.alone, "created_alone_per_second")?;
    line("  in transactions", counts.create.mixed, "created_mixed_per_second")?;
    line("read", counts.read.total(), "read_per_second")?;
    line("appended", counts.append.total(), "appended_per_second")?;
    line("deleted", counts.of(OperationKind::Delete).total(), "deleted_per_second")?;
    line("  alone", counts.delete.alone, "deleted_alone_per_second")?;
    line("  in transactions", counts.delete.mixed, "deleted_mixed_per_second")?;
    let skipped = run.skipped;
    writeln!(out, "  {:<20}{:>14}  (table full)", "creates skipped", grouped(skipped.creates))?;
    writeln!(out, "  {:<20}{:>14}  (file full)", "appends skipped", grouped(skipped.appends))
}

fn data(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{:<22}{:>20}{:>14}{:>16}", "Data", "bytes", "", "per second")?;
    let counts = &run.operations;
    let mixed_writes = counts.create.mixed.bytes + counts.append.mixed.bytes;
    for (label, bytes, metric) in [
        ("read", counts.bytes_read(), "bytes_read_per_second"),
        ("  in transactions", counts.bytes_read(), "transaction_bytes_read_per_second"),
        ("written", counts.bytes_written(), "bytes_written_per_second"),
        ("  in transactions", mixed_writes, "transaction_bytes_written_per_second"),
    ] {
        let rate = value(run, metric)
            .map_or_else(|| "-".into(), |rate| format!("{}/s", human_bytes(rate as u64)));
        let (exact, human) = (grouped(bytes), human_bytes(bytes));
        writeln!(out, "  {label:<20}{exact:>20}{human:>14}{rate:>16}")?;
    }
    Ok(())
}

fn clean_up(run: &RunResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(clean_up) = &run.clean_up else { return Ok(()) };
    writeln!(
        out,
        "\nCleaned up: {} files and {} subdirectories removed",
        grouped(clean_up.files),
        grouped(clean_up.directories)
    )?;
    for left in &clean_up.left {
        writeln!(out, "LEFT: '{}': {}", left.path.display(), left.reason)?;
    }
    Ok(())
}

fn value(run: &RunResult, name: &str) -> Option<f64> {
    metric(name).and_then(|metric| (metric.value)(run))
}
