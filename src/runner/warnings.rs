//! What the reader of a run's figures should know before believing them.

use super::measurement::{Phase, RunResult};
use crate::units::{grouped, seconds};

/// Transactions shorter than this say little, nanoseconds.
const LONG_ENOUGH: u64 = 1_000_000_000;

/// The warnings of a finished run.
pub fn of(result: &RunResult) -> Vec<String> {
    [skipped(result), too_short(result)].into_iter().flatten().collect()
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
    Some(format!(
        "the transactions took {} s, too short to mean much: about `set transactions {}` would fill \
         a second",
        seconds(elapsed),
        rounded_up(wanted)
    ))
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
