//! The words of verdicts, the same in every report.

use super::comparison::{Comparison, Direction, Interval, Scale, Verdict};

impl Direction {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::More => "more",
            Self::Fewer => "fewer",
        }
    }
}

impl Comparison {
    /// The verdict in a sentence, without its subject. `unit` is the metric's.
    #[must_use]
    pub fn sentence(&self, unit: &str) -> String {
        match (self.verdict, self.effect) {
            (Verdict::Differs { direction }, Some(effect)) => {
                let (least, most) = (effect.low.abs(), effect.high.abs());
                let (least, most) = (least.min(most), least.max(most));
                let digits = digits(self.scale, &[effect.estimate, least, most]);
                let figure = |value| figure(self.scale, value, digits);
                format!(
                    "{} by {}{} ({} % interval {} to {})",
                    direction.word(),
                    figure(effect.estimate.abs()),
                    self.unit(unit),
                    level(self.level),
                    figure(least),
                    figure(most)
                )
            }
            (Verdict::NoDifference { margin }, _) => {
                format!("no difference larger than {} %", trimmed(100.0 * margin))
            }
            (Verdict::TooFewBlocks { needed }, _) => {
                format!("no verdict from fewer than {needed} blocks (there are {})", self.blocks)
            }
            (Verdict::Undecided { more_blocks }, Some(effect)) => {
                format!("undecided: between {}{}", self.range(&effect, unit), more(more_blocks))
            }
            (Verdict::Undecided { .. } | Verdict::Differs { .. }, None) => {
                "undecided: so far it could be anything".into()
            }
        }
    }

    /// The effect's interval with signs: `−2.1 and +6.3 %`.
    fn range(&self, effect: &Interval, unit: &str) -> String {
        let digits = digits(self.scale, &[effect.low, effect.high]);
        let signed = |value: f64| signed(figure(self.scale, value.abs(), digits), value);
        format!("{} and {}{}", signed(effect.low), signed(effect.high), self.unit(unit))
    }

    /// The effect alone, with its sign: `−7.2 %`; none where there is no interval.
    #[must_use]
    pub fn effect_figure(&self, unit: &str) -> Option<String> {
        let effect = self.effect?;
        let digits = digits(self.scale, &[effect.estimate, effect.low, effect.high]);
        let figure = figure(self.scale, effect.estimate.abs(), digits);
        Some(format!("{}{}", signed(figure, effect.estimate), self.unit(unit)))
    }

    /// The interval alone: `−9.8 to −4.5`; none where there is none.
    #[must_use]
    pub fn interval_figure(&self) -> Option<String> {
        let effect = self.effect?;
        let digits = digits(self.scale, &[effect.estimate, effect.low, effect.high]);
        let one = |value: f64| signed(figure(self.scale, value.abs(), digits), value);
        Some(format!("{} to {}", one(effect.low), one(effect.high)))
    }

    /// The noise floor: `2.1 %`; none where it is not known.
    #[must_use]
    pub fn floor_figure(&self, unit: &str) -> Option<String> {
        let floor = self.floor?;
        let figure = figure(self.scale, floor, digits(self.scale, &[floor]));
        Some(format!("{figure}{}", self.unit(unit)))
    }

    fn unit(&self, unit: &str) -> String {
        match (self.scale, unit) {
            (Scale::Ratio, _) => " %".into(),
            (Scale::Difference, "1" | "") => String::new(),
            (Scale::Difference, unit) => format!(" {unit}"),
        }
    }
}

fn more(blocks: Option<u64>) -> String {
    match blocks {
        None => String::new(),
        Some(1) => "; about 1 more block would settle it".into(),
        Some(blocks) => format!("; about {blocks} more blocks would settle it"),
    }
}

/// A confidence level in per cent: `95`, `97.5`, `98.33`.
#[must_use]
pub fn level(level: f64) -> String {
    trimmed((level * 1e4).round() / 100.0)
}

/// A number with up to two digits behind the point, and no zeros at its end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Digits behind the point so that two of the largest figure show; at least one.
fn digits(scale: Scale, values: &[f64]) -> usize {
    let factor = if scale == Scale::Ratio { 100.0 } else { 1.0 };
    let largest = values.iter().fold(0.0, |most: f64, value| most.max((factor * value).abs()));
    if largest <= 0.0 || !largest.is_finite() {
        return 1;
    }
    (1 - largest.log10().floor() as i64).clamp(1, 9) as usize
}

fn figure(scale: Scale, value: f64, digits: usize) -> String {
    let factor = if scale == Scale::Ratio { 100.0 } else { 1.0 };
    format!("{:.digits$}", factor * value)
}

/// With a real sign, and none where all digits are 0.
fn signed(figure: String, value: f64) -> String {
    let is_zero = figure.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = match value {
        _ if is_zero => "",
        value if value < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{figure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::comparison::Method;

    fn comparison(verdict: Verdict, scale: Scale, figures: [f64; 3]) -> Comparison {
        let [estimate, low, high] = figures;
        Comparison {
            contrast: "b".into(),
            base: "a".into(),
            blocks: 20,
            scale,
            differences: vec![],
            effect: Some(Interval { estimate, low, high }),
            level: 0.95,
            method: Method::PairedT,
            student: None,
            rank: None,
            p: None,
            p_adjusted: None,
            floor: None,
            verdict,
            notes: vec![],
        }
    }

    #[test]
    fn the_words_are_exactly_these() {
        let faster = Verdict::Differs { direction: Direction::Faster };
        let says = |verdict, figures| comparison(verdict, Scale::Ratio, figures).sentence("1/s");
        assert_eq!(
            says(faster, [0.072, 0.041, 0.104]),
            "faster by 7.2 % (95 % interval 4.1 to 10.4)"
        );
        let slower = Verdict::Differs { direction: Direction::Slower };
        assert_eq!(
            says(slower, [-0.072, -0.104, -0.041]),
            "slower by 7.2 % (95 % interval 4.1 to 10.4)"
        );
        assert_eq!(
            says(slower, [-0.0072, -0.0094, -0.0041]),
            "slower by 0.72 % (95 % interval 0.41 to 0.94)"
        );
        assert_eq!(
            says(Verdict::NoDifference { margin: 0.03 }, [0.0, 0.0, 0.0]),
            "no difference larger than 3 %"
        );
        assert_eq!(
            says(Verdict::Undecided { more_blocks: Some(30) }, [0.02, -0.021, 0.063]),
            "undecided: between −2.1 and +6.3 %; about 30 more blocks would settle it"
        );
        assert_eq!(
            says(Verdict::Undecided { more_blocks: None }, [0.0, -0.021, 0.0]),
            "undecided: between −2.1 and 0.0 %"
        );
        assert_eq!(
            says(Verdict::TooFewBlocks { needed: 6 }, [0.0; 3]),
            "no verdict from fewer than 6 blocks (there are 20)"
        );
    }

    #[test]
    fn differences_have_their_unit() {
        let more = Verdict::Differs { direction: Direction::More };
        let mut shown = comparison(more, Scale::Difference, [12.3, 10.1, 14.5]);
        assert_eq!(shown.sentence("B"), "more by 12.3 B (95 % interval 10.1 to 14.5)");
        assert_eq!(shown.sentence("1"), "more by 12.3 (95 % interval 10.1 to 14.5)");
        shown.level = 1.0 - 0.05 / 3.0;
        assert_eq!(shown.sentence("1"), "more by 12.3 (98.33 % interval 10.1 to 14.5)");
        assert_eq!(shown.interval_figure().as_deref(), Some("+10.1 to +14.5"));
    }
}
