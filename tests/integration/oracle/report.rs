//! Comparing what two programs print, apart from the times they took.

/// Beyond this number 32-bit floats are further apart than a half: what is multiplied back
/// from a rate is then not exact.
const WHOLE_NUMBERS: f64 = (1 << 23) as f64;
/// What two roundings to 32-bit floats can do at most, relative.
pub const ROUNDINGS: f64 = 2.5e-7;

/// Panics with the first line that differs.
///
/// Where every run took the one second that PostMark counts at least, all is compared;
/// otherwise everything but the seconds and the rates.
pub fn assert_same(context: &str, real: &str, ours: &str) {
    let timeless = !(in_one_second(real) && in_one_second(ours));
    let (real, ours): (Vec<_>, Vec<_>) = (real.split('\n').collect(), ours.split('\n').collect());
    for (number, (expected, got)) in real.iter().zip(&ours).enumerate() {
        let same = if timeless { same_but_times(expected, got) } else { expected == got };
        let line = number + 1;
        assert!(same, "line {line}: '{got}' instead of '{expected}' in the output of:\n{context}");
    }
    assert_eq!(real.len(), ours.len(), "lines of the output of:\n{context}");
}

fn same_but_times(expected: &str, got: &str) -> bool {
    match (terse_figures(expected), terse_figures(got)) {
        (Some(expected), Some(got)) => terse_counts(&expected)
            .into_iter()
            .zip(terse_counts(&got))
            .all(|(expected, got)| same_count(expected, got)),
        _ => without_times(expected) == without_times(got),
    }
}

fn same_count(expected: f64, got: f64) -> bool {
    let allowed = if expected > WHOLE_NUMBERS { ROUNDINGS * expected } else { 0.0 };
    (expected - got).abs() <= allowed
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
    match line.split_once(" (") {
        Some((count, rate)) if rate.ends_with(" per second)") => count.to_owned(),
        _ => line.to_owned(),
    }
}

/// The counts behind the rates, without those of the phases whose time is not printed.
fn terse_counts(figures: &[f64]) -> [f64; 9] {
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
    times.map(|(index, seconds)| (figures[index] * seconds).round())
}

#[test]
fn times_are_left_out_and_nothing_else() {
    for (line, kept) in [
        ("\t12 seconds total", "(seconds)"),
        ("\t764 created (382 per second)", "\t764 created"),
        ("\t1.36 megabytes read (698.62 kilobytes per second)", "\t1.36 megabytes read"),
        ("pm>Creating files...Done", "pm>Creating files...Done"),
        ("Note (not a rate)", "Note (not a rate)"),
    ] {
        assert_eq!(without_times(line), kept);
    }
    let line = "2 1 50.00 382.00 500.00 9.00 25.00 25.00 382.00 528.00 7.00 1.50 2.00";
    let counts = [50.0, 764.0, 9.0, 25.0, 25.0, 764.0, 7.0, 3.0, 4.0];
    assert_eq!(terse_counts(&terse_figures(line).expect("figures")), counts);
    assert!(in_one_second("pm>Time:\n\t1 seconds total\n"));
    assert!(!in_one_second("pm>Time:\n\t2 seconds total\n"));
}

#[test]
fn counts_that_floats_cannot_hold_are_the_same_but_for_their_roundings() {
    let line = |read: &str| format!("1 1 50 1 1 9 25 25 1 1 7 {read} 2");
    let same = |one: &str, other: &str| same_but_times(&line(one), &line(other));
    assert!(same("51525416.00", "51525414.00"));
    assert!(!same("51525416.00", "51525314.00"));
    assert!(!same("1525416.00", "1525414.00"));
}
