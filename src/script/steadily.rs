//! Rounds of a run until a number of it is steady.

use crate::runner::measurement::{Round, RunResult};
use crate::stats::metrics::metric;
use crate::stats::steady::{Limits, plateau};
use crate::workload::policy::SteadyRule;

/// Plays rounds until the last of them are steady, their number is reached, or one is not
/// complete; each is told by `each` when it knows how steady it is. At least one round.
///
/// # Errors
/// The error of `play` or `each`, the rounds before it lost.
pub fn rounds<E>(
    rule: &SteadyRule,
    play: &mut dyn FnMut() -> Result<RunResult, E>,
    each: &mut dyn FnMut(&RunResult) -> Result<(), E>,
) -> Result<Vec<RunResult>, E> {
    let limits = Limits {
        window: rule.window as usize,
        range: rule.range_percent as f64 / 100.0,
        slope: rule.slope_percent as f64 / 100.0,
    };
    let mut values = Vec::new();
    let mut runs = Vec::new();
    for number in 1..=rule.rounds.max(1) {
        let mut result = play()?;
        let value = metric(&rule.metric).and_then(|row| (row.value)(&result));
        // A round that does not have it is followed by a new beginning.
        match value {
            Some(value) => values.push(value),
            None => values.clear(),
        }
        let steady = plateau(&values, &limits).map(|found| crate::runner::measurement::Plateau {
            first_round: number + 1 - rule.window,
            ..found
        });
        let is_over = steady.is_some() || !result.is_complete();
        if number == rule.rounds && !is_over {
            result.warnings.push(format!(
                "no steady state of {} in {} rounds: this is the last of them",
                rule.metric, rule.rounds
            ));
        }
        let of = rule.rounds;
        result.round = Some(Round { number, of, metric: rule.metric.clone(), value, steady });
        each(&result)?;
        runs.push(result);
        if is_over {
            break;
        }
    }
    Ok(runs)
}
