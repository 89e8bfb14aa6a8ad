//! Misspelt commands: one slip of the finger away, the right one is suggested.

use proptest::prelude::*;
use trimark::script::Dialect::Trimark;
use trimark::script::command::COMMANDS;
use trimark::script::grammar::parse_line;

/// Every name a command has, with a value that would do.
fn names() -> Vec<(String, &'static str)> {
    let value = |usage: &str| match usage {
        "" | "[FILE]" | "[PREFIX]" => "",
        "true|false" => " true",
        "FORMAT…" => " full",
        "ENGINE" => " sync",
        _ => " 7",
    };
    let rows = COMMANDS.iter().map(|row| (row.name(), value(row.usage)));
    let aliases = COMMANDS.iter().flat_map(|row| row.aliases).map(|alias| (*alias).to_owned());
    rows.chain(aliases.filter(|alias| alias.len() > 1).map(|alias| (alias, ""))).collect()
}

/// One letter left out, added, exchanged for another or with its neighbour.
fn misspelt(name: &str, slip: u8, place: usize, letter: char) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let place = place % letters.len();
    if letters[place] == ' ' {
        return None;
    }
    match slip {
        0 => drop(letters.remove(place)),
        1 => letters.insert(place, letter),
        2 => letters[place] = letter,
        _ if letters.get(place + 1).is_none_or(|next| *next == ' ') => return None,
        _ => letters.swap(place, place + 1),
    }
    Some(letters.into_iter().collect())
}

fn suggestion(line: &str) -> Option<String> {
    let error = parse_line(line, Trimark).err().filter(|error| error.is_unknown())?;
    let shown = error.show("file", 1, line).to_string();
    let (_, rest) = shown.split_once("did you mean `").unwrap_or(("", "nothing`"));
    rest.split('`').next().map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn one_slip_away_the_right_command_is_suggested(
        (name, value) in prop::sample::select(names()),
        slip in 0u8..4,
        place: usize,
        letter in proptest::char::range('a', 'z'),
        with_value: bool,
    ) {
        let Some(typed) = misspelt(&name, slip, place, letter) else { return Ok(()) };
        let line = format!("{typed}{}", if with_value { value } else { "" });
        // What is a command all the same (or its plural) needs no suggestion.
        let Some(suggested) = suggestion(&line) else { return Ok(()) };
        // Another command may be as near.
        let distance = strsim::damerau_levenshtein(&typed, &suggested);
        prop_assert!(suggested == name || distance <= 1, "`{}`: suggested `{}`", line, suggested);
    }
}

#[test]
fn slips_seen_in_published_scripts() {
    for (line, meant) in [
        ("set transaction 200000", "set transactions"),
        ("set nubmer 100", "set number"),
        ("set subdirectorys 10", "set subdirectories"),
        ("set biasread 5", "set bias read"),
        ("exot", "exit"),
        ("rum", "run"),
    ] {
        assert_eq!(suggestion(line).as_deref(), Some(meant), "{line}");
    }
}

#[test]
fn a_misspelt_value_is_suggested() {
    for (line, meant) in [
        ("set buffering flase", "false"),
        ("set report vebrose", "verbose"),
        ("set report full jsno", "json"),
        ("set engine bufered", "buffered"),
    ] {
        let error = parse_line(line, Trimark).expect_err(line).show("file", 1, line).to_string();
        assert!(error.contains(&format!("did you mean `{meant}`?")), "{error}");
    }
}

#[test]
fn nothing_is_suggested_for_what_is_like_nothing() {
    assert_eq!(suggestion("frobnicate 7").as_deref(), Some("nothing"));
}
