//! What the reader of a run's figures should know before believing them.

use super::measurement::{Phase, RunResult};
use super::transferred::Transferred;
use crate::units::{grouped, human_bytes, human_duration, seconds};
use crate::workload::policy::Cache;

/// Transactions shorter than this say little, nanoseconds.
const LONG_ENOUGH: u64 = 1_000_000_000;
/// A larger share of processor time than this, and processors limit the run.
const CPU_BOUND: f64 = 0.9;
/// Reads of which the device supplied less than this share came from the cache.
const FROM_CACHE: f64 = 0.5;
/// So many times more written by all than by this process, and somebody else writes, too.
const FOREIGN_WRITES: u64 = 2;
/// Less than this written by others is no matter, bytes.
const FEW: u64 = 16 << 20;

/// The warnings of a finished run.
pub fn of(result: &RunResult) -> Vec<String> {
    [
        skipped(result),
        too_short(result),
        stalled(result),
        served_by_cache(result),
        others_wrote(result),
        cpu_bound(result),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The warnings of transfers.
pub fn of_transfers(result: &RunResult) -> Vec<String> {
    [transfers_from_cache(result), transfers_too_short(result), others_wrote(result)]
        .into_iter()
        .flatten()
        .collect()
}

fn transfers_from_cache(result: &RunResult) -> Option<String> {
    let cached = |pass: &&Transferred| {
        let read = pass.device.map(|counts| counts.bytes_read);
        let share = read.map(|read| read as f64 / pass.bytes.max(1) as f64);
        !pass.pattern.writes() && pass.complete && share.is_some_and(|share| share < FROM_CACHE)
    };
    let count = result.transfers.iter().filter(cached).count();
    (count > 0).then(|| {
        format!(
            "{count} of the passes that read found most of the file in the page cache, not on the \
             device: `set direct true`, `set cache cold`, or a larger `set file-size`"
        )
    })
}

fn transfers_too_short(result: &RunResult) -> Option<String> {
    let complete = result.transfers.iter().filter(|pass| pass.complete);
    let shortest = complete.map(Transferred::elapsed_with_sync).min()?;
    (shortest < LONG_ENOUGH / 10).then(|| {
        format!(
            "the shortest pass took {} s, too short to mean much: raise `set file-size`",
            seconds(shortest)
        )
    })
}

fn skipped(result: &RunResult) -> Option<String> {
    let skipped = result.skipped;
    let total = skipped.creates + skipped.appends;
    if total == 0 {
        return None;
    }
    let share = 100.0 * total as f64 / result.transactions.max(1) as f64;
    Some(format!(
        "{} transactions ({share:.1} %) did nothing in one half, yet count as done: {} creates found \
         the file table full, {} appends met a file already at the largest size",
        grouped(total),
        grouped(skipped.creates),
        grouped(skipped.appends)
    ))
}

fn too_short(result: &RunResult) -> Option<String> {
    let elapsed = result.elapsed(Phase::Transactions)?;
    if !result.is_complete() || elapsed >= LONG_ENOUGH {
        return None;
    }
    let wanted = result.transactions as f64 * LONG_ENOUGH as f64 / elapsed.max(1) as f64;
    let advice = if result.config.duration_ns.is_some() {
        "a longer `set duration` would help".to_owned()
    } else {
        let each = wanted / result.config.workers as f64;
        format!("about `set transactions {}` would fill a second", rounded_up(each))
    };
    Some(format!("the transactions took {} s, too short to mean much: {advice}", seconds(elapsed)))
}

fn stalled(result: &RunResult) -> Option<String> {
    let stalls: Vec<_> = result.timelines.iter().flat_map(|timeline| &timeline.stalls).collect();
    let longest = stalls.iter().map(|stall| stall.length_ns).max()?;
    Some(format!(
        "there were {} times without progress, the longest of {}: the rates are means over fast and \
         stalled times",
        stalls.len(),
        human_duration(longest)
    ))
}

fn served_by_cache(result: &RunResult) -> Option<String> {
    let device = result.activity_in(Phase::Transactions)?.device?;
    let read = result.operations.bytes_read();
    let share = device.bytes_read as f64 / read.max(1) as f64;
    if read == 0 || share >= FROM_CACHE {
        return None;
    }
    let advice = match result.config.cache {
        Cache::Warm => "`set cache cold` empties it before the transactions",
        Cache::Cold => "most of what is read was written or read just before",
    };
    Some(format!(
        "{:.0} % of the bytes read came from the page cache, not from the device: {advice}",
        100.0 * (1.0 - share)
    ))
}

fn others_wrote(result: &RunResult) -> Option<String> {
    let total = result.activity_total?;
    let (all, own) = (total.device?.bytes_written, total.process.device_bytes_written);
    let others = all.saturating_sub(own);
    // The journal's part of a sync is written by the kernel, not by this process.
    (!result.config.sync.is_per_file() && all > FOREIGN_WRITES * own && others > FEW).then(|| {
        format!(
            "{} were written to the device during the run, of which this process caused {}: \
             something else writes there, too, or wrote just before",
            human_bytes(all),
            human_bytes(own)
        )
    })
}

fn cpu_bound(result: &RunResult) -> Option<String> {
    let process = result.activity_in(Phase::Transactions)?.process;
    let elapsed = result.elapsed(Phase::Transactions)?.max(1) * result.config.workers;
    let share = process.cpu_ns() as f64 / elapsed as f64;
    (share > CPU_BOUND && result.transactions > 0).then(|| {
        let own = process.user_ns as f64 / process.cpu_ns().max(1) as f64;
        format!(
            "the transactions were bound by the processor ({:.0} % busy; {:.0} % of that in this \
             program, the rest in the kernel): a faster device would not show",
            100.0 * share,
            100.0 * own
        )
    })
}

/// Two significant digits, upwards.
fn rounded_up(number: f64) -> u64 {
    let unit = 10f64.powf(number.max(1.0).log10().floor() - 1.0).max(1.0);
    ((number / unit).ceil() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn suggestions_are_round_numbers() {
        assert_eq!(rounded_up(1.0), 1);
        assert_eq!(rounded_up(123.4), 130);
        assert_eq!(rounded_up(98_765.0), 99_000);
    }
}
