//! The report as wrappers pick it apart.

use super::printed;

/// A run short enough to take less than a second anywhere.
const SHORT_RUN: &str = "set number 40\nset transactions 50\nrun\n";

/// What follows each place of `before`, as far as it consists of digits and dots.
fn figures_after<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let figure = |rest: &'a str| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        &rest[..end]
    };
    text.match_indices(before).map(|(at, _)| figure(&text[at + before.len()..])).collect()
}

/// Whether a line has the form of a pattern, in which `#` stands for a whole number and
/// `@` for a number of bytes with its unit.
fn matches(pattern: &str, line: &str) -> bool {
    let Some(next) = pattern.chars().next() else { return line.is_empty() };
    let rest = &pattern[next.len_utf8()..];
    let number = |kinds: fn(&char) -> bool| line.chars().take_while(kinds).count();
    match next {
        '#' => {
            let length = number(char::is_ascii_digit);
            length > 0 && matches(rest, &line[length..])
        }
        '@' => {
            let length = number(|c| c.is_ascii_digit() || *c == '.');
            let parsed = line[..length].parse::<f64>();
            let units = [" bytes", " kilobytes", " megabytes"];
            let unit = units.iter().find_map(|unit| line[length..].strip_prefix(unit));
            parsed.is_ok() && unit.is_some_and(|after| matches(rest, after))
        }
        _ => line.strip_prefix(next).is_some_and(|line| matches(rest, line)),
    }
}

/// The report of a run on standard input, line by line, with `pm>` taken out.
const LINES: [&str; 21] = [
    "PostMark v1.51 : 8/14/01",
    "Creating files...Done",
    "Performing transactions..........Done",
    "Deleting files...Done",
    "Time:",
    "\t# seconds total",
    "\t# seconds of transactions (# per second)",
    "",
    "Files:",
    "\t# created (# per second)",
    "\t\tCreation alone: # files (# per second)",
    "\t\tMixed with transactions: # files (# per second)",
    "\t# read (# per second)",
    "\t# appended (# per second)",
    "\t# deleted (# per second)",
    "\t\tDeletion alone: # files (# per second)",
    "\t\tMixed with transactions: # files (# per second)",
    "",
    "Data:",
    "\t@ read (@ per second)",
    "\t@ written (@ per second)",
];

#[test]
fn the_21_lines_stand_where_they_are_looked_for() {
    let text = printed(&format!("set location .\n{SHORT_RUN}")).replace("pm>", "");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), LINES.len(), "{text}");
    for (number, (pattern, line)) in LINES.iter().zip(&lines).enumerate() {
        assert!(matches(pattern, line), "line {}: {line:?} is not {pattern:?}", number + 1);
    }
}

#[test]
fn patterns_can_fail() {
    assert!(matches("\t# read (@ per second)", "\t12 read (0.50 kilobytes per second)"));
    for line in
        ["\t read (1 bytes per second)", "\t1 read (1 per second)", "\t1 read (1 bytes)", ""]
    {
        assert!(!matches("\t# read (@ per second)", line), "{line}");
    }
}

#[test]
fn the_banner_comes_first() {
    for script in ["", "quit\n", SHORT_RUN] {
        assert!(printed(script).starts_with("PostMark v1.51 : 8/14/01\npm>"));
    }
}

#[test]
fn dots_are_as_many_as_postmarks() {
    for (transactions, dots) in
        [(10, 10), (11, 11), (15, 15), (19, 19), (20, 10), (99, 11), (105, 11)]
    {
        let text = printed(&format!("set number 300\nset transactions {transactions}\nrun\n"));
        let line = format!("\nPerforming transactions{}Done\n", ".".repeat(dots));
        assert!(text.contains(&line), "{transactions}: {text}");
    }
}

#[test]
fn subdirectories_have_their_lines() {
    let text = printed(&format!("set subdirectories 3\n{SHORT_RUN}"));
    assert!(text.contains("pm>Creating subdirectories...Done\nCreating files...Done\n"), "{text}");
    let end = "\nDeleting files...Done\nDeleting subdirectories...Done\nTime:\n";
    assert!(text.contains(end), "{text}");
}

#[test]
fn the_fifth_word_of_the_last_line_of_transactions_is_the_rate() {
    let text = printed(&format!("{SHORT_RUN}set transactions 70\nrun\n"));
    let line = text.lines().rfind(|line| line.contains("seconds of transactions"));
    let words = line.expect("such a line").replace(['(', ')', '\t'], " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    assert_eq!(words, ["1", "seconds", "of", "transactions", "70", "per", "second"]);
}

/// A run under a second is one of one second: so many transactions, such a rate.
#[test]
fn fifty_transactions_are_50_per_second() {
    let text = printed(SHORT_RUN);
    assert!(text.contains("\t1 seconds total\n"), "{text}");
    assert!(text.contains("\t1 seconds of transactions (50 per second)\n"), "{text}");
}

#[test]
fn patterns_find_their_figures() {
    let text = printed("set size 20000 60000\nset number 60\nset transactions 100\nrun\n");
    let only = |before: &str| {
        let figures = figures_after(&text, before);
        assert_eq!(figures.len(), 1, "{before}: {text}");
        figures[0].parse::<f64>().expect("a number")
    };
    assert_eq!(only("seconds of transactions ("), 100.0);
    assert!(only("megabytes read (") > 1.0);
    assert!(only("megabytes written (") > 2.0);
    assert!(only("created (") >= 60.0);
    assert!(only("deleted (") >= 60.0);
    // `read (` stands in two lines; the first is that of the files.
    let read = figures_after(&text, " read (")[0].parse::<f64>().expect("a number");
    assert_eq!(read + only("appended ("), 100.0);
}

#[test]
fn the_parts_follow_creation_and_deletion() {
    let text = printed(SHORT_RUN);
    let rate = |text: &str, name: &str| {
        let (_, after) = text.split_once(name).expect("the line");
        let line = after.lines().next().expect("a line");
        figures_after(line, "(")[0].parse::<u64>().expect("a whole number")
    };
    let (creation, deletion) = text.split_once(" deleted (").expect("deletions");
    assert_eq!(rate(creation, "Creation alone:"), 40);
    let created = rate(creation, "Mixed with transactions");
    let deleted = rate(deletion, "Mixed with transactions");
    assert_eq!(created + deleted, 50, "{text}");
    assert_eq!(rate(deletion, "Deletion alone:"), 40 + created - deleted);
}

#[test]
fn terse_is_one_line_of_13_figures() {
    let text = printed(&format!("set report terse\n{SHORT_RUN}"));
    let line = text.lines().find(|line| line.starts_with("1 1 ")).expect("the line");
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words.len(), 13, "{line}");
    assert_eq!(&words[..5], ["1", "1", "50.00", words[3], "40.00"], "{line}");
    for word in &words[2..] {
        let (_, decimals) = word.split_once('.').expect("decimals");
        assert_eq!(decimals.len(), 2, "{line}");
    }
}

/// What a run with one file of this size writes and, with no bias at all, does not read.
fn data_lines(size: u64) -> String {
    let text = printed(&format!(
        "set size {size}\nset number 1\nset transactions 10\nset bias read -1\nset bias create -1\n\
         run\n"
    ));
    text.split_once("Data:\n").expect("a report").1.to_owned()
}

#[test]
fn bytes_are_noted_as_postmark_does() {
    for (size, written) in [
        (1, "0.00 kilobytes"),
        (512, "0.50 kilobytes"),
        (1023, "1.00 kilobytes"),
        (1024, "1.00 kilobytes"),
        (1_048_576, "1024.00 kilobytes"),
        (1_048_577, "1.00 megabytes"),
        (1_572_864, "1.50 megabytes"),
    ] {
        let expected = format!(
            "\t0.000000 bytes read (0.000000 bytes per second)\n\
             \t{written} written ({written} per second)\npm>"
        );
        assert_eq!(data_lines(size), expected, "{size}");
    }
}
