//! Comparing what two programs print, apart from the times they took.

/// Panics with the first line that differs.
///
/// Where every run took the one second that PostMark counts at least, all is compared;
/// otherwise everything but the seconds and the rates.
pub fn assert_same(context: &str, real: &str, ours: &str) {
    let timeless = !(in_one_second(real) && in_one_second(ours));
    let line = |line: &str| if timeless { without_times(line) } else { line.to_owned() };
    let real: Vec<String> = real.split('\n').map(line).collect();
    let ours: Vec<String> = ours.split('\n').map(line).collect();
    for (number, (expected, got)) in real.iter().zip(&ours).enumerate() {
        assert_eq!(got, expected, "line {} of the output of:\n{context}", number + 1);
    }
    assert_eq!(real.len(), ours.len(), "lines of the output of:\n{context}");
}

/// The figures of a terse report, if the line is one.
pub fn terse_figures(line: &str) -> Option<Vec<f64>> {
    let line = line.rsplit("pm>").next().unwrap_or(line);
    let figures: Option<Vec<f64>> = line.split(' ').map(|figure| figure.parse().ok()).collect();
    figures.filter(|figures| figures.len() == 13)
}

/// True when no run took longer than PostMark's shortest time.
pub fn in_one_second(text: &str) -> bool {
    text.lines().all(|line| {
        let longer = line.contains(" seconds ") && !line.starts_with("\t1 seconds ");
        !longer && terse_figures(line).is_none_or(|figures| figures[0] == 1.0)
    })
}

fn without_times(line: &str) -> String {
    if line.contains(" seconds ") {
        return "(seconds)".to_owned();
    }
    if let Some(figures) = terse_figures(line) {
        return terse_counts(&figures);
    }
    match line.split_once(" (") {
        Some((count, rate)) if rate.ends_with(" per second)") => count.to_owned(),
        _ => line.to_owned(),
    }
}

/// The counts behind the rates, without those of the phases whose time is not printed.
fn terse_counts(figures: &[f64]) -> String {
    let (total, transactions) = (figures[0], figures[1]);
    let times = [
        (2, transactions),
        (3, total),
        (5, transactions),
        (6, transactions),
        (7, transactions),
        (8, total),
        (10, transactions),
        (11, total),
        (12, total),
    ];
    let counts = times.map(|(index, seconds)| format!("{:.0}", figures[index] * seconds));
    counts.join(" ")
}

#[test]
fn times_are_left_out_and_nothing_else() {
    for (line, kept) in [
        ("\t12 seconds total", "(seconds)"),
        ("\t764 created (382 per second)", "\t764 created"),
        ("\t1.36 megabytes read (698.62 kilobytes per second)", "\t1.36 megabytes read"),
        ("pm>Creating files...Done", "pm>Creating files...Done"),
        ("Note (not a rate)", "Note (not a rate)"),
        (
            "2 1 50.00 382.00 500.00 9.00 25.00 25.00 382.00 528.00 7.00 1.50 2.00",
            "50 764 9 25 25 764 7 3 4",
        ),
    ] {
        assert_eq!(without_times(line), kept);
    }
    assert!(in_one_second("pm>Time:\n\t1 seconds total\n"));
    assert!(!in_one_second("pm>Time:\n\t2 seconds total\n"));
}
