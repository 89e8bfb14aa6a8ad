//! Properties of errors: the bound is named, and the caret stands where it should.

use std::ops::RangeInclusive;

use proptest::prelude::*;
use trimark::script::Dialect::{PostMark, Trimark};
use trimark::script::grammar::parse_line;
use trimark::units::grouped;
use trimark::workload::Config;

use unicode_width::UnicodeWidthChar;

use super::reading::near_line;

/// An error as printed, taken apart.
struct Printed {
    column: usize,
    line: String,
    /// Where the carets begin, characters from 0, and how many there are.
    caret: usize,
    carets: usize,
    whole: String,
}

fn printed(line: &str) -> Option<Printed> {
    let whole = parse_line(line, Trimark).err()?.show("file", 7, line).to_string();
    let mut lines = whole.split('\n');
    let head = lines.next().expect("a first line").strip_prefix("file:7:").expect("its place");
    let column = head.split(':').next().and_then(|c| c.parse().ok()).expect("a column");
    let shown = lines.next().and_then(|l| l.strip_prefix("    ")).expect("the line itself");
    let mark = lines.next().and_then(|l| l.strip_prefix("    ")).expect("the mark");
    let columns = mark.chars().take_while(|c| *c == ' ').count();
    let marked = mark.chars().skip(columns).take_while(|c| *c == '^').count();
    let caret = characters(shown, columns);
    let carets = characters(shown, columns + marked) - caret;
    Some(Printed { column, line: shown.to_owned(), caret, carets, whole })
}

/// How many characters of a line fill so many columns of a terminal; behind its end each
/// column counts as one.
fn characters(line: &str, columns: usize) -> usize {
    let mut left = columns;
    let mut count = 0;
    for c in line.chars() {
        if left == 0 {
            return count;
        }
        left = left.checked_sub(c.width().expect("printable")).expect("no half character");
        count += 1;
    }
    count + left
}

/// A setting with a number: what stands before the value, its bounds, and how its least
/// and its largest are named.
fn bounded() -> Vec<(&'static str, RangeInclusive<i128>, String)> {
    let row = |before, bounds: RangeInclusive<u64>| {
        let named = format!("from {} to {}", grouped(*bounds.start()), grouped(*bounds.end()));
        (before, i128::from(*bounds.start())..=i128::from(*bounds.end()), named)
    };
    let bias = || (-1..=10, "0 to 10, or -1".to_owned());
    vec![
        row("set size", Config::SIZE),
        row("set size 500", 0..=*Config::SIZE.end()),
        row("set number", Config::NUMBER),
        row("set seed", Config::SEED),
        row("set transactions", Config::TRANSACTIONS),
        row("set subdirectories", Config::SUBDIRECTORIES),
        row("set read", Config::BLOCK),
        row("set write", Config::BLOCK),
        ("set bias read", bias().0, bias().1),
        ("set bias create", bias().0, bias().1),
    ]
}

fn out_of_bounds() -> impl Strategy<Value = (&'static str, i128, String)> {
    prop::sample::select(bounded()).prop_flat_map(|(before, bounds, named)| {
        let (least, most) = (*bounds.start(), *bounds.end());
        let value = prop_oneof![
            Just(least - 1),
            Just(most + 1),
            i128::from(i64::MIN)..least,
            most + 1..most * 3 + 10,
            i128::from(u64::MAX)..i128::MAX,
        ];
        (Just(before), value, Just(named))
    })
}

proptest! {
    #[test]
    fn a_value_out_of_bounds_is_marked_and_its_bounds_are_named(
        (before, value, named) in out_of_bounds(),
        start in "[ \t\u{3000}]{0,4}",
        gap in "[ \t]{1,4}",
        after in "([ \t]+(#.{0,20})?)?",
    ) {
        let value = value.to_string();
        let line = format!("{start}{before}{gap}{value}{after}");
        let printed = printed(&line).expect("an error");
        prop_assert!(printed.whole.contains(&named), "{}", printed.whole);
        let marked: String = printed.line.chars().skip(printed.caret).take(printed.carets).collect();
        prop_assert_eq!(marked, value, "{}", printed.whole);
        prop_assert!(printed.whole.contains("usage: set "));
    }

    #[test]
    fn a_weight_out_of_bounds_is_marked_under_a_path_of_any_letters(
        path in "[a-zäß目🦀]{1,12}",
        weight in 1_000_001..i128::MAX,
    ) {
        let printed = printed(&format!("set location {path} {weight}")).expect("an error");
        prop_assert!(printed.whole.contains("from 1 to 1,000,000"), "{}", printed.whole);
        prop_assert_eq!(printed.caret, 14 + path.chars().count());
        prop_assert_eq!(printed.carets, weight.to_string().len());
    }

    #[test]
    fn every_value_within_bounds_is_taken(
        (before, bounds, _) in prop::sample::select(bounded()),
        place in 0.0..=1.0f64,
    ) {
        let (least, most) = (*bounds.start(), *bounds.end());
        for value in [least, most, least + ((most - least) as f64 * place) as i128] {
            let line = format!("{before} {value}");
            prop_assert!(parse_line(&line, Trimark).is_ok(), "{}", line);
            prop_assert!(parse_line(&line, PostMark).is_ok(), "{}", line);
        }
    }

    #[test]
    fn the_caret_is_inside_or_just_behind_the_line_shown(line in near_line()) {
        let Some(printed) = printed(&line) else { return Ok(()) };
        let width = printed.line.chars().count();
        prop_assert!(printed.carets >= 1, "{}", printed.whole);
        prop_assert_eq!(printed.column, printed.caret + 1);
        let inside = printed.caret + printed.carets <= width;
        let behind = printed.caret <= width && printed.carets == 1;
        prop_assert!(inside || behind, "{}", printed.whole);
        prop_assert!(!printed.line.chars().any(char::is_control), "{:?}", printed.whole);
    }
}

#[test]
fn what_is_missing_is_marked_behind_the_line() {
    for line in ["set number", "\tset bias read", "load   ", "set report\r\n", "set location # x"] {
        let printed = printed(line).expect(line);
        let width = printed.line.split('#').next().unwrap_or_default().trim_end().chars().count();
        assert!(printed.caret >= width && printed.carets == 1, "{}", printed.whole);
        assert!(printed.whole.contains("a value is missing"), "{}", printed.whole);
    }
}

#[test]
fn a_line_of_ten_thousand_characters_is_marked_at_its_end() {
    let line = format!("set number {}12x # comment", " ".repeat(10_000));
    let printed = printed(&line).expect("an error");
    assert_eq!((printed.caret, printed.carets), (10_011, 3));
}
