//! One contrast, judged: estimate, interval, verdict.

use super::comparison::{Comparison, Direction, Interval, Method, Scale, Verdict};
use super::contrast::Contrast;
use super::design::Rules;
use super::metrics::{Better, Wording};
use super::{estimate, shape};

/// Nobody waits for more blocks than this.
const MOST_BLOCKS: u64 = 100_000;

/// What a contrast is judged by.
pub(super) struct Standard<'a> {
    pub rules: &'a Rules,
    /// Confidence level, after correction.
    pub level: f64,
    /// The noise floor on the contrast's scale.
    pub floor: Option<f64>,
    /// The base's mean, where differences are compared.
    pub base_mean: f64,
    pub better: Better,
    pub wording: Wording,
}

/// The p of the method that decides: signed ranks, which outliers do not move. Where they
/// are as uneven as so many blocks allow, Student's t says how much further it goes: what
/// it adds to the errors of signed ranks is below their own smallest p.
pub(super) fn decisive_p(contrast: &Contrast) -> Option<f64> {
    let by_rank = estimate::signed_rank_p(&contrast.differences)?;
    if !is_unanimous(&contrast.differences) {
        return Some(by_rank);
    }
    Some(estimate::student_p(&contrast.differences).map_or(by_rank, |p| p.min(by_rank)))
}

/// True when all blocks differ the same way, and none of them far out of line: either by
/// their scatter, or because all are of one size.
fn is_unanimous(differences: &[f64]) -> bool {
    let up = differences.iter().all(|difference| *difference > 0.0);
    let down = differences.iter().all(|difference| *difference < 0.0);
    let sizes = differences.iter().map(|difference| difference.abs());
    let least = sizes.clone().fold(f64::INFINITY, f64::min);
    let one_size = least >= sizes.fold(0.0, f64::max) / 2.0;
    (up || down) && (one_size || shape::outliers(differences).is_empty())
}

/// Judges a contrast.
pub(super) fn judge(contrast: &Contrast, standard: &Standard<'_>) -> Comparison {
    let (rules, level) = (standard.rules, standard.level);
    let differences = &contrast.differences;
    let student = estimate::student(differences, level);
    let rank = estimate::signed_rank(differences, level);
    let mut notes = Vec::new();
    let (effect, method) = if rules.sequential {
        (estimate::sequence(differences, level), Method::ConfidenceSequence)
    } else {
        choose(contrast, standard, student, rank, &mut notes)
    };
    let blocks = differences.len() as u64;
    let verdict = if blocks < rules.least_blocks {
        Verdict::TooFewBlocks { needed: rules.least_blocks }
    } else {
        let tost = one_sided(differences, standard, method);
        verdict(effect, tost, blocks, method, standard, contrast.scale, &mut notes)
    };
    let shown =
        |interval: Option<Interval>| interval.map(|interval| show(interval, contrast.scale));
    Comparison {
        contrast: contrast.name.clone(),
        base: contrast.base.clone(),
        blocks,
        scale: contrast.scale,
        differences: differences.clone(),
        effect: shown(effect),
        level,
        method,
        student: shown(student),
        rank: shown(rank),
        p: decisive_p(contrast),
        p_adjusted: None,
        floor: standard.floor.map(|floor| show_one(floor, contrast.scale)),
        verdict,
        notes,
    }
}

/// Student's interval where it and the signed ranks say the same; theirs otherwise.
fn choose(
    contrast: &Contrast,
    standard: &Standard<'_>,
    student: Option<Interval>,
    rank: Option<Interval>,
    notes: &mut Vec<String>,
) -> (Option<Interval>, Method) {
    let Some(by_rank) = rank else {
        let unanimous = is_unanimous(&contrast.differences);
        if !unanimous && student.is_some_and(|interval| excludes_zero(&interval)) {
            notes.push(format!(
                "{} blocks are too few for signed ranks at this level: Student's interval is shown, \
                 and no difference claimed",
                contrast.differences.len()
            ));
        }
        return (student, Method::PairedT);
    };
    let outliers = shape::outliers(&contrast.differences);
    if !outliers.is_empty() {
        notes.push(format!(
            "outliers beyond 5 median deviations in {} of {} blocks: the verdict is by signed ranks",
            outliers.len(),
            contrast.differences.len()
        ));
        return (rank, Method::SignedRank);
    }
    let agree = student.is_some_and(|interval| {
        excludes_zero(&interval) == excludes_zero(&by_rank)
            && is_within(&interval, standard, contrast.scale)
                == is_within(&by_rank, standard, contrast.scale)
    });
    if agree {
        return (student, Method::PairedT);
    }
    notes.push("Student's t and signed ranks disagree: the verdict is by signed ranks".into());
    (rank, Method::SignedRank)
}

fn excludes_zero(interval: &Interval) -> bool {
    interval.low > 0.0 || interval.high < 0.0
}

/// The interval that lies within the margin when two one-sided tests say so.
fn one_sided(differences: &[f64], standard: &Standard<'_>, method: Method) -> Option<Interval> {
    let level = 1.0 - 2.0 * (1.0 - standard.level);
    match method {
        Method::PairedT => estimate::student(differences, level),
        Method::SignedRank => estimate::signed_rank(differences, level),
        Method::ConfidenceSequence => estimate::sequence(differences, standard.level),
    }
}

/// The margin's limits on a contrast's scale; none where a share of nothing is asked for.
fn margin(standard: &Standard<'_>, scale: Scale) -> Option<(f64, f64)> {
    let share = standard.rules.margin;
    match scale {
        Scale::Ratio => Some(((1.0 - share).ln(), (1.0 + share).ln())),
        Scale::Difference => {
            let limit = share * standard.base_mean.abs();
            (limit > 0.0).then_some((-limit, limit))
        }
    }
}

fn is_within(interval: &Interval, standard: &Standard<'_>, scale: Scale) -> bool {
    // Nothing at all on either side is no difference, too.
    let nothing = interval.low == 0.0 && interval.high == 0.0;
    nothing
        || margin(standard, scale).is_some_and(|(low, high)| {
            let floor = standard.floor.unwrap_or(0.0);
            low < interval.low && interval.high < high && floor <= high
        })
}

fn verdict(
    effect: Option<Interval>,
    tost: Option<Interval>,
    blocks: u64,
    method: Method,
    standard: &Standard<'_>,
    scale: Scale,
    notes: &mut Vec<String>,
) -> Verdict {
    let undecided = |effect: Option<Interval>| Verdict::Undecided {
        more_blocks: effect
            .and_then(|effect| more_blocks(&effect, blocks, method, standard, scale)),
    };
    let Some(interval) = effect else { return undecided(None) };
    let floor = standard.floor.unwrap_or(0.0);
    let claimed = !notes.iter().any(|note| note.contains("no difference claimed"));
    if excludes_zero(&interval) && claimed {
        if interval.estimate.abs() >= floor {
            return Verdict::Differs { direction: direction(interval.estimate, standard) };
        }
        notes.push("the effect is below the noise floor".into());
    }
    if tost.is_some_and(|tost| is_within(&tost, standard, scale)) {
        return Verdict::NoDifference { margin: standard.rules.margin };
    }
    undecided(effect)
}

fn direction(effect: f64, standard: &Standard<'_>) -> Direction {
    let up = effect > 0.0;
    match (standard.wording, (standard.better == Better::Higher) == up) {
        (Wording::Speed, true) => Direction::Faster,
        (Wording::Speed, false) => Direction::Slower,
        (Wording::Amount, _) if up => Direction::More,
        (Wording::Amount, _) => Direction::Fewer,
    }
}

/// How many blocks more, if the effect and the scatter stay what they seem, until the
/// interval excludes no difference or lies within the margin.
fn more_blocks(
    effect: &Interval,
    blocks: u64,
    method: Method,
    standard: &Standard<'_>,
    scale: Scale,
) -> Option<u64> {
    let factor = |count: u64, level: f64| match method {
        Method::ConfidenceSequence => estimate::sequence_factor(count as f64, level),
        Method::PairedT | Method::SignedRank => Some(estimate::student_factor(count as f64, level)),
    };
    let two_sided = standard.level;
    let one_sided = match method {
        Method::ConfidenceSequence => two_sided,
        _ => 1.0 - 2.0 * (1.0 - two_sided),
    };
    let deviation = (effect.high - effect.low) / 2.0 / factor(blocks, two_sided)?;
    let floor_factor =
        standard.floor.unwrap_or(0.0) / estimate::student_factor(blocks as f64, two_sided);
    let size = effect.estimate.abs();
    let settles = |count: u64| {
        let Some(wide) = factor(count, two_sided) else { return false };
        let floor = floor_factor * estimate::student_factor(count as f64, two_sided);
        let differs = wide * deviation < size && floor <= size;
        let within = margin(standard, scale).is_some_and(|(low, high)| {
            let narrow = factor(count, one_sided).unwrap_or(f64::INFINITY) * deviation;
            low < effect.estimate - narrow && effect.estimate + narrow < high && floor <= high
        });
        differs || within
    };
    // What settles it with some blocks settles it with more: halve the steps.
    let (mut few, mut enough) = (blocks, blocks + 1);
    while !settles(enough) {
        few = enough;
        enough = enough.checked_mul(2).filter(|count| *count <= 2 * MOST_BLOCKS)?;
    }
    while enough - few > 1 {
        let middle = few + (enough - few) / 2;
        *(if settles(middle) { &mut enough } else { &mut few }) = middle;
    }
    Some(enough - blocks).filter(|more| *more <= MOST_BLOCKS)
}

/// From logarithms of ratios to shares.
fn show(interval: Interval, scale: Scale) -> Interval {
    let Interval { estimate, low, high } = interval;
    let one = |value| show_one(value, scale);
    Interval { estimate: one(estimate), low: one(low), high: one(high) }
}

fn show_one(value: f64, scale: Scale) -> f64 {
    match scale {
        Scale::Ratio => value.exp_m1(),
        Scale::Difference => value,
    }
}
