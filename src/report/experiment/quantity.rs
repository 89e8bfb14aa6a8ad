//! Numbers with their units, for people.

use crate::units::grouped;

/// A value in a metric's unit, with four digits and a unit of its size.
#[must_use]
pub fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "s" => scaled(value, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]),
        "B/s" => scaled(value, &[(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]),
        "B" => {
            let (mebi, kibi) = (1024.0 * 1024.0, 1024.0);
            scaled(value, &[(mebi * kibi, "GiB"), (mebi, "MiB"), (kibi, "KiB"), (1.0, "B")])
        }
        "1/s" => format!("{}/s", four_digits(value)),
        _ => four_digits(value),
    }
}

/// In the largest unit of which there is one; in the smallest otherwise.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(size, _)| value.abs() >= *size);
    let (size, name) = fits.or(units.last()).copied().unwrap_or((1.0, ""));
    if value == 0.0 {
        return format!("0 {}", units.last().map_or("", |(_, name)| name));
    }
    format!("{} {name}", four_digits(value / size))
}

/// Four significant digits, thousands grouped.
#[must_use]
pub fn four_digits(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-6) {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", grouped(size.round() as u64));
    }
    let digits = match size {
        _ if size == 0.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 1.0 => 3,
        _ => (3 - size.log10().floor() as i64).clamp(3, 9) as usize,
    };
    format!("{value:.digits$}")
}

/// The same without what an axis has no need of: 20, not 20.00.
#[must_use]
pub fn round_number(value: f64) -> String {
    let text = four_digits(value);
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_size_for_people() {
        assert_eq!(quantity(4321.4, "1/s"), "4,321/s");
        assert_eq!(quantity(0.001_234_5, "s"), "1.234 ms");
        assert_eq!(quantity(12_345_678.0, "B/s"), "12.35 MB/s");
        assert_eq!(quantity(1536.0, "B"), "1.500 KiB");
        assert_eq!(quantity(0.0, "B"), "0 B");
        assert_eq!(quantity(0.25, "1"), "0.2500");
        assert_eq!(quantity(0.0, "1"), "0");
    }
}
