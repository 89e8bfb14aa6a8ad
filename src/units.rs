//! Sizes, counts and durations: reading what people write and printing it back.
//!
//! Owns the notation only; knows nothing of settings, files or reports.

use std::time::Duration;

use humansize::{BINARY, FormatSizeOptions, format_size};
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, tag_no_case},
    character::complete::digit1,
    combinator::{all_consuming, opt, recognize, value},
    sequence::{pair, preceded},
};

/// A size as read: its bytes, and whether it was written with a suffix or fraction
/// (`4k`), which PostMark reads as the bare leading number (4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The size in bytes.
    pub bytes: u64,
    /// True when more than plain decimal digits was written.
    pub suffixed: bool,
}

/// Why a word is not a number of the wanted kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The word does not have the form of a number.
    #[error("not a number")]
    NotANumber,
    /// The number does not fit 64 bits.
    #[error("too large for 64 bits")]
    TooLarge,
}

/// Reads a size: decimal digits, optionally a fraction, optionally one of the suffixes
/// `b`, `k`, `m`, `g`, `t` (powers of 1024, any case; `kb` and `KiB` mean the same).
///
/// # Errors
/// [`UnitError`] when the word is no size or exceeds 64 bits.
pub fn parse_size(word: &str) -> Result<Size, UnitError> {
    let (_, (digits, fraction, shift)) =
        all_consuming(size_parts).parse(word).map_err(|_| UnitError::NotANumber)?;
    if fraction.is_some() && shift.unwrap_or(0) == 0 {
        return Err(UnitError::NotANumber); // there is no half byte
    }
    let whole: u64 = digits.parse().map_err(|_| UnitError::TooLarge)?;
    let scale = 1u64 << shift.unwrap_or(0);
    let mut bytes = whole.checked_mul(scale).ok_or(UnitError::TooLarge)?;
    if let Some(fraction) = fraction {
        let part: f64 = format!("0.{fraction}").parse().map_err(|_| UnitError::NotANumber)?;
        bytes = bytes.checked_add((part * scale as f64) as u64).ok_or(UnitError::TooLarge)?;
    }
    Ok(Size { bytes, suffixed: fraction.is_some() || shift.is_some() })
}

type SizeParts<'a> = (&'a str, Option<&'a str>, Option<u32>);

fn size_parts(input: &str) -> IResult<&str, SizeParts<'_>> {
    (digit1, opt(preceded(tag("."), digit1)), opt(binary_suffix)).parse(input)
}

fn binary_suffix(input: &str) -> IResult<&str, u32> {
    let letter = alt((
        value(10, tag_no_case("k")),
        value(20, tag_no_case("m")),
        value(30, tag_no_case("g")),
        value(40, tag_no_case("t")),
    ));
    let unit = opt(alt((tag_no_case("ib"), tag_no_case("b"))));
    alt((pair(letter, unit).map(|(shift, _)| shift), value(0, tag_no_case("b")))).parse(input)
}

/// Reads a whole number without sign or suffix.
///
/// # Errors
/// [`UnitError`] when the word is no such number or exceeds 64 bits.
pub fn parse_count(word: &str) -> Result<u64, UnitError> {
    let whole: IResult<&str, &str> = all_consuming(recognize(digit1)).parse(word);
    whole.map_err(|_| UnitError::NotANumber)?.1.parse().map_err(|_| UnitError::TooLarge)
}

/// Reads a duration: a number, optionally with a fraction, and `ns`, `us`, `ms`, `s`, `m`
/// (or `min`) or `h`; seconds without one. The result is in nanoseconds.
///
/// # Errors
/// [`UnitError`] when the word is no duration or exceeds 64 bits.
pub fn parse_duration(word: &str) -> Result<u64, UnitError> {
    let unit = opt(alt((
        value(1, tag("ns")),
        value(1_000, tag("us")),
        value(1_000_000, tag("ms")),
        value(1_000_000_000, tag("s")),
        value(60_000_000_000, tag("min")),
        value(60_000_000_000, tag("m")),
        value(3_600_000_000_000u64, tag("h")),
    )));
    let parts = (digit1, opt(preceded(tag("."), digit1)), unit);
    let parsed: IResult<&str, (&str, Option<&str>, Option<u64>)> = all_consuming(parts).parse(word);
    let (digits, fraction, unit) = parsed.map_err(|_| UnitError::NotANumber)?.1;
    let unit = unit.unwrap_or(1_000_000_000);
    let whole: u64 = digits.parse().map_err(|_| UnitError::TooLarge)?;
    let part: f64 = format!("0.{}", fraction.unwrap_or("0")).parse().unwrap_or(0.0);
    let whole = whole.checked_mul(unit).ok_or(UnitError::TooLarge)?;
    whole.checked_add((part * unit as f64).round() as u64).ok_or(UnitError::TooLarge)
}

/// A duration with a unit that suits it: `1.24 ms`.
#[must_use]
pub fn human_duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", value / 1e6),
        _ => format!("{:.2} s", value / 1e9),
    }
}

/// The number a word begins with, read as C's `atoi` does in PostMark (`12abc` is 12).
#[must_use]
pub fn leading_number(word: &str) -> Option<u64> {
    let digits: IResult<&str, &str> = digit1(word);
    digits.ok()?.1.parse().ok()
}

/// Bytes for people, in binary units: `1.14 GiB`.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    let options = FormatSizeOptions::from(BINARY).decimal_places(2).space_after_value(true);
    format_size(bytes, options)
}

/// A whole number with thousands separated by commas: `20,163`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate with as many decimals as its size deserves: `28,733`, `12.35`, `0.01234`.
#[must_use]
pub fn human_rate(rate: f64) -> String {
    if rate >= 1000.0 {
        grouped(rate.round() as u64)
    } else if rate >= 10.0 || rate == 0.0 {
        format!("{rate:.2}")
    } else {
        format!("{rate:.4}")
    }
}

/// Nanoseconds as seconds with microsecond digits: `0.731204`.
#[must_use]
pub fn seconds(nanoseconds: u64) -> String {
    format!("{:.6}", Duration::from_nanos(nanoseconds).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_with_and_without_suffix() {
        for (word, bytes, suffixed) in [
            ("512", 512, false),
            ("4k", 4096, true),
            ("4K", 4096, true),
            ("4kb", 4096, true),
            ("4KiB", 4096, true),
            ("1.5m", 1_572_864, true),
            ("2g", 2 << 30, true),
            ("1T", 1 << 40, true),
            ("7b", 7, true),
        ] {
            assert_eq!(parse_size(word), Ok(Size { bytes, suffixed }), "{word}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for word in ["", "k", "-1", "1.5", "4kk", "4 k", "0x10", "1e3", "10,000", "٣"] {
            assert_eq!(parse_size(word), Err(UnitError::NotANumber), "{word}");
        }
        assert_eq!(parse_size("18446744073709551616"), Err(UnitError::TooLarge));
        assert_eq!(parse_size("16777216t"), Err(UnitError::TooLarge));
    }

    #[test]
    fn durations_are_read_and_printed() {
        for (word, nanoseconds) in [
            ("60", 60_000_000_000),
            ("60s", 60_000_000_000),
            ("1.5s", 1_500_000_000),
            ("250ms", 250_000_000),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(parse_duration(word), Ok(nanoseconds), "{word}");
        }
        for word in ["", "s", "-1s", "1 s", "1d", "1e3"] {
            assert_eq!(parse_duration(word), Err(UnitError::NotANumber), "{word}");
        }
        assert_eq!(human_duration(1_240_000), "1.24 ms");
        assert_eq!(human_duration(12), "12 ns");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_222_242_297), "1,222,242,297");
    }

    proptest! {
        #[test]
        fn any_plain_number_is_itself(n: u64) {
            prop_assert_eq!(parse_size(&n.to_string()), Ok(Size { bytes: n, suffixed: false }));
            prop_assert_eq!(parse_count(&n.to_string()), Ok(n));
            prop_assert_eq!(grouped(n).replace(',', ""), n.to_string());
        }

        #[test]
        fn any_word_is_read_or_refused(word in "\\PC*") {
            let _ = parse_size(&word);
            let _ = parse_count(&word);
            let _ = leading_number(&word);
        }
    }
}
