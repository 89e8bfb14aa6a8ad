//! A signal that comes too late to stop a run still ends the script it is in.

use trimark::interrupt::Signals;
use trimark::script::{Dialect, Flow, Overrides, Session};

use super::faulty::{Fault, FaultySystem, Lasting};
use super::rig::{Rig, patiently};

/// What a refused run says; see [`patiently`].
const BUSY: &str = "in use by another run";

/// Plays a session of one run that is told to stop at this call: what follows, the exit
/// code and the errors; none when there is no such call.
fn session(rig: &Rig, dialect: Dialect, at: u64) -> Option<(Flow, u8, String)> {
    let signals = Signals::default();
    let mut system = FaultySystem::new(at, Fault::Stop, Lasting::Once);
    system.interrupt = signals.interrupt();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut session = Session::new(dialect, Overrides::default(), signals, &mut out, &mut errors)
        .with_system(&system);
    let location = format!("set location {}", rig.path().display());
    let subdirectories = format!("set subdirectories {}", rig.config.subdirectories);
    for line in [&location, "set number 6", "set transactions 12", &subdirectories] {
        session.line("test", 1, line);
    }
    let flow = session.line("test", 5, "run");
    let worst = session.worst();
    let errors = String::from_utf8(errors).expect("text");
    let is_refused = errors.contains(BUSY);
    (is_refused || system.hit().is_some()).then_some((flow, worst, errors))
}

#[test]
fn a_stop_at_any_call_ends_the_script() {
    for dialect in [Dialect::Trimark, Dialect::PostMark] {
        let rig = Rig::new(trimark::workload::EngineKind::Buffered, 3);
        let mut stops = 0;
        for at in 1.. {
            let played = patiently(|| match session(&rig, dialect, at) {
                Some((.., errors)) if errors.contains(BUSY) => None,
                played => Some(played),
            });
            let Some((flow, worst, errors)) = played else { break };
            assert_eq!(flow, Flow::Quit, "call {at} {errors}");
            assert_eq!(worst, 128 + 15, "call {at} {errors}");
            assert!(errors.contains("interrupted by SIGTERM"), "call {at} {errors}");
            rig.assert_only_the_users_files(&format!("call {at}"));
            stops += 1;
        }
        assert!(stops > 50, "{stops}");
    }
}
