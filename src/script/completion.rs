//! Completion of commands, settings, values and paths at the prompt.

use std::path::Path;

use super::command::{COMMANDS, Values};

/// What could stand in place of the last word of `line` (the text before the cursor), and
/// where in the line that word begins.
#[must_use]
pub fn complete(line: &str) -> (usize, Vec<String>) {
    let start = line.rfind(char::is_whitespace).map_or(0, |place| place + 1);
    let typed = &line[start..];
    let before: Vec<String> = line[..start].split_whitespace().map(str::to_lowercase).collect();
    let mut candidates = next_words(&before, &typed.to_lowercase());
    if let Some(row) = COMMANDS
        .iter()
        .filter(|row| !row.words.is_empty() && before.len() >= row.words.len())
        .filter(|row| row.words.iter().zip(&before).all(|(word, typed)| word == typed))
        .max_by_key(|row| row.words.len())
    {
        match row.values {
            Values::Free => {}
            Values::Words(words) => candidates.extend(
                words().into_iter().filter(|word| word.starts_with(typed)).map(str::to_owned),
            ),
            Values::Path => candidates.extend(paths(typed)),
        }
    }
    candidates.sort();
    candidates.dedup();
    (start, candidates)
}

/// Words that continue a command after the words `before`.
fn next_words(before: &[String], typed: &str) -> Vec<String> {
    COMMANDS
        .iter()
        .filter(|row| row.words.len() > before.len())
        .filter(|row| row.words.iter().zip(before).all(|(word, typed)| word == typed))
        .map(|row| row.words[before.len()])
        .filter(|word| word.starts_with(typed))
        .map(|word| format!("{word} "))
        .collect()
}

/// Files and directories that begin so; directories end in a slash.
fn paths(typed: &str) -> Vec<String> {
    let sign = if typed.starts_with(['+', '-']) { &typed[..1] } else { "" };
    let typed = &typed[sign.len()..];
    let (directory, name) = typed
        .rsplit_once('/')
        .map_or(("", typed), |(_, name)| (&typed[..typed.len() - name.len()], name));
    let place = if directory.is_empty() { "." } else { directory };
    let Ok(entries) = std::fs::read_dir(Path::new(place)) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let entry_name = entry.file_name().into_string().ok()?;
            let hidden = entry_name.starts_with('.') && !name.starts_with('.');
            let slash = if entry.path().is_dir() { "/" } else { "" };
            let path = format!("{directory}{entry_name}{slash}");
            let quote = if path.contains(char::is_whitespace) { "\"" } else { "" };
            (entry_name.starts_with(name) && !hidden).then(|| format!("{sign}{quote}{path}{quote}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_settings_and_values_are_completed() {
        assert_eq!(complete("sh"), (0, vec!["show ".to_owned()]));
        assert_eq!(complete("set tr"), (4, vec!["transactions ".to_owned()]));
        assert_eq!(complete("set bias "), (9, vec!["create ".to_owned(), "read ".to_owned()]));
        assert_eq!(complete("set buffering f"), (14, vec!["false".to_owned()]));
        assert_eq!(complete("set report full j"), (16, vec!["json".to_owned()]));
        assert_eq!(complete("set number 1"), (11, vec![]));
    }

    #[test]
    fn paths_are_completed() {
        let (start, found) = complete("set location +/pro");
        assert_eq!(start, 13);
        assert!(found.contains(&"+/proc/".to_owned()));
    }
}
