//! Published reports, byte for byte, from their scripts and phase times.

use std::path::Path;

use trimark::interrupt::Signals;
use trimark::runner::clock::{Moment, ScriptedClock};
use trimark::script::{Dialect, Flow, Overrides, Session, prompt};
use trimark::workload::{Assignment, EngineKind};

/// What PostMark prints first; not part of a session.
const BANNER: &str = "PostMark v1.51 : 8/14/01\n";

/// The report of a script with these whole-second times: start, start and end of the
/// transactions, end. No file is touched.
fn replay(script: &str, times: [u64; 4], subdirectories: bool) -> String {
    let [start, begin, end, last] = times;
    // Each phase reads the clock at its start and at its end.
    let mut seconds = vec![start, begin, begin, end, end, last];
    if subdirectories {
        seconds.splice(0..0, [start, start]);
        seconds.extend([last, last]);
    }
    let clock = ScriptedClock::new(seconds.into_iter().map(|s| Moment(s * 1_000_000_000)));
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let null = Assignment::Engine(EngineKind::Null);
    let overrides = Overrides { assignments: vec![null], ..Overrides::default() };
    let mut session =
        Session::new(Dialect::PostMark, overrides, Signals::default(), &mut out, &mut errors)
            .with_clock(&clock);
    session.say(BANNER);
    prompt::stream(&mut session, &mut script.as_bytes()).expect("a string can be read");
    String::from_utf8(out).expect("ASCII")
}

#[test]
fn golden_reports_come_out_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden");
    let times = std::fs::read_to_string(folder.join("TIMES")).expect("TIMES");
    let mut checked = 0;
    for line in times.lines().filter(|line| !line.starts_with('#')) {
        let (name, times) = line.split_once(" times=").expect("NAME times=…");
        let times: Vec<u64> = times.split(',').map(|t| t.parse().expect("seconds")).collect();
        let read = |extension| {
            std::fs::read_to_string(folder.join(format!("{name}.{extension}"))).expect("a file")
        };
        let script = read("pm");
        let subdirectories = script.contains("subdirectories");
        let printed = replay(&script, times.try_into().expect("four times"), subdirectories);
        assert_eq!(printed, read("out"), "{name}");
        checked += 1;
    }
    assert_eq!(checked, 5);
}

#[test]
fn quit_ends_a_session() {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut session = Session::new(
        Dialect::PostMark,
        Overrides::default(),
        Signals::default(),
        &mut out,
        &mut errors,
    );
    assert_eq!(session.line("test", 1, "quit"), Flow::Quit);
}
