//! Reports of one outcome: the same verdicts and figures in every format, a page that is
//! complete in itself.

use std::process::Command;

use serde_json::Value;
use trimark::experiment::analysis;
use trimark::experiment::file::ExperimentFile;
use trimark::experiment::outcome::Outcome;
use trimark::experiment::plan::Blocks;
use trimark::report::experiment::{OUTCOME_FORMATS, quantity};

use super::model::{Factors, Model, plan};
use crate::support::{program, scratch};

fn outcome(factors: Factors, blocks: u64, noise: f64) -> Outcome {
    let place = scratch();
    let plan = plan(factors, Blocks::Fixed { blocks }, 3);
    let mut file = ExperimentFile::create(&place.path().join("x"), &plan).expect("a file");
    let played = Model::new(factors, noise, 3).play(&plan, &mut file, vec![]);
    analysis::outcome(&plan, &played.runs, Some(played.end))
}

fn rendered(outcome: &Outcome, format: &str) -> String {
    let row = OUTCOME_FORMATS.iter().find(|row| row.name == format).expect("a format");
    let mut bytes = Vec::new();
    (row.render)(outcome, &mut bytes).expect("rendered");
    String::from_utf8(bytes).expect("UTF-8")
}

/// Without line ends and indentation, which only lay it out.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without the marks that keep Markdown from taking letters for markup.
fn plain(markdown: &str) -> String {
    markdown.replace('\\', "")
}

const FACTORS: Factors =
    &[("plain", 1.0), ("slower arm", 1.1), ("as before", 1.0), ("much faster", 0.7)];

#[test]
fn every_format_says_the_same() {
    let outcome = outcome(FACTORS, 12, 0.02);
    let document: Value = serde_json::from_str(&rendered(&outcome, "json")).expect("JSON");
    let text = flowing(&rendered(&outcome, "text"));
    let markdown = flowing(&plain(&rendered(&outcome, "markdown")));
    let html = rendered(&outcome, "html");
    let classic = rendered(&outcome, "classic");
    let mut rows = csv::Reader::from_reader(rendered(&outcome, "csv").into_bytes().as_slice())
        .into_records()
        .map(|row| row.expect("a row"))
        .filter(|row| &row[3] == "false")
        .collect::<Vec<_>>();

    let verdicts = document["verdicts"].as_array().expect("verdicts");
    assert!(verdicts.len() > 60);
    for verdict in verdicts {
        let sentence = verdict["sentence"].as_str().expect("a sentence");
        assert!(html.contains(sentence), "no {sentence:?} in the page");
        assert!(markdown.contains(sentence), "no {sentence:?} in the Markdown");
        if verdict["role"] == "headline" {
            assert!(text.contains(sentence), "no {sentence:?} in the text");
            assert!(classic.contains(sentence), "no {sentence:?} in the listing");
        }
    }
    let headline = outcome.headline().expect("a headline");
    for arm in &headline.arms {
        let median = quantity(arm.summary.expect("values").median, &headline.unit);
        for (name, report) in [("text", &text), ("markdown", &markdown), ("html", &html)] {
            assert!(report.contains(&median), "no median {median} in {name}");
        }
    }
    // Every value of the outcome is a row, and every row a value.
    for metric in &outcome.metrics {
        for arm in &metric.arms {
            for (block, value) in arm.blocks.iter().zip(&arm.values) {
                let found = rows.iter().position(|row| {
                    row[0] == block.to_string()
                        && row[2] == arm.arm
                        && row[5] == metric.metric
                        && row[8].parse() == Ok(*value)
                });
                let found = found.unwrap_or_else(|| panic!("{} of block {block}", metric.metric));
                rows.swap_remove(found);
            }
        }
    }
    assert_eq!(rows.len(), 0);
}

#[test]
fn json_keeps_to_its_schema_and_reads_back() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../fixtures/schema/trimark-experiment-1.json"))
            .expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    for blocks in [3, 8] {
        let outcome = outcome(FACTORS, blocks, 0.02);
        let document: Value = serde_json::from_str(&rendered(&outcome, "json")).expect("JSON");
        let violations: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(violations.is_empty(), "{violations:?}");
        let read: Outcome = serde_json::from_value(document["outcome"].clone()).expect("read");
        assert_eq!(read, outcome);
        let mut wrong = document.clone();
        wrong["outcome"]["metrics"][0]["comparisons"][0]["p"] = 2.into();
        assert!(!validator.is_valid(&wrong));
    }
}

#[test]
fn whatever_there_is_can_be_shown() {
    let mut unfinished = outcome(FACTORS, 2, 0.0);
    unfinished.end = None;
    let mut bare = outcome(&[("a", 1.0), ("b", 1.0)], 6, 0.0);
    for run in &mut bare.runs {
        run.result.latencies = None;
        run.result.timelines.clear();
    }
    let plan = bare.plan.clone();
    let nothing = analysis::outcome(&plan, &[], None);
    for outcome in [&unfinished, &bare, &nothing] {
        for row in OUTCOME_FORMATS.iter().filter(|row| !row.name.starts_with("svg-")) {
            let shown = rendered(outcome, row.name);
            assert!(!shown.contains("NaN") && !shown.contains("inf %"), "{}: {shown}", row.name);
        }
    }
    assert!(rendered(&nothing, "text").contains("there is no verdict"));
    assert!(rendered(&unfinished, "text").contains("2 of 2 blocks, 8 runs, not ended"));
}

#[test]
fn plots_are_files_of_their_own() {
    let outcome = outcome(FACTORS, 6, 0.02);
    for row in OUTCOME_FORMATS.iter().filter(|row| row.name.starts_with("svg-")) {
        let mut bytes = Vec::new();
        // The model's runs are over before an interval of the timeline is, and have neither
        // transfers nor states.
        if (row.render)(&outcome, &mut bytes).is_err() {
            let none = ["timelines", "speeds", "times", "positions", "recovery"];
            assert!(none.contains(&&row.name[4..]), "{}", row.name);
            continue;
        }
        let svg = String::from_utf8(bytes).expect("UTF-8");
        assert!(svg.starts_with("<svg") && svg.contains("</svg>"), "{}", row.name);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}: {svg}", row.name);
        assert_eq!(svg.matches("xmlns").count(), 1, "{}", row.name);
    }
}

#[test]
fn names_cannot_break_out_of_a_report() {
    let mut outcome = outcome(&[("a", 1.0), ("b", 1.0)], 6, 0.0);
    let evil = "<script>alert(1)</script>|`x`";
    outcome.warnings.push(evil.into());
    let html = rendered(&outcome, "html");
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;"));
    assert!(!rendered(&outcome, "markdown").contains("`x`"));
}

#[test]
fn a_browser_shows_the_page_and_fetches_nothing() {
    let Some(chromium) = program("chromium") else { return };
    let outcome = outcome(FACTORS, 8, 0.02);
    let place = scratch();
    let page = place.path().join("page.html");
    let html = rendered(&outcome, "html");
    for address in ["http:", "https:", "src=", "<script", "@import", "url("] {
        let named = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!named.contains(address), "{address} in the page");
    }
    std::fs::write(&page, &html).expect("written");
    let network = place.path().join("network.json");
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(["--enable-logging=stderr", "--v=0", "--disable-background-networking"])
        .arg(format!("--user-data-dir={}", place.path().join("profile").display()))
        .arg(format!("--log-net-log={}", network.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium starts");
    let (shown, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let complaints: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let log = std::fs::read_to_string(&network).unwrap_or_default();
    let own = log.lines().filter(|line| line.contains("http") && line.contains("page.html"));
    assert_eq!(own.count(), 0);
    assert!(shown.matches("<svg").count() >= 3, "{} plots", shown.matches("<svg").count());
    let document: Value = serde_json::from_str(&rendered(&outcome, "json")).expect("JSON");
    for verdict in document["verdicts"].as_array().expect("verdicts") {
        let sentence = verdict["sentence"].as_str().expect("a sentence");
        assert!(shown.contains(sentence), "the browser does not show {sentence:?}");
    }
}
