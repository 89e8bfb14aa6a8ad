//! Faults that last, so that not everything can be removed: what is left is listed, and
//! `clean` can finish once the fault is gone.

use std::path::PathBuf;

use rustix::io::Errno;
use trimark::engine::Call;
use trimark::interrupt::Signals;
use trimark::runner::Refusal;
use trimark::runner::clean::{Cleaned, clean};
use trimark::runner::measurement::{RunResult, Status};
use trimark::script::{Dialect, Overrides, Session, Trouble};
use trimark::workload::{Assignment, Config, LocationChange};

use super::faulty::{Fault, FaultySystem, Lasting};
use super::rig::{Rig, assert_no_rates, patiently};

fn left(result: &RunResult) -> Vec<PathBuf> {
    let clean_up = result.clean_up.as_ref().expect("a failed run cleans up");
    clean_up.left.iter().map(|left| left.path.clone()).collect()
}

/// Demands that `clean` removes all that the run left, and is harmless after that.
fn assert_clean_finishes(rig: &Rig, context: &str) {
    let clean = || patiently(|| clean_unless_busy(rig));
    let cleaned = clean();
    assert_eq!(cleaned.clean_up.left, [], "{context}");
    assert_eq!(cleaned.directories, [rig.path()], "{context}");
    rig.assert_only_the_users_files(context);
    assert_eq!(clean(), Cleaned::default(), "{context}");
}

fn clean_unless_busy(rig: &Rig) -> Option<Cleaned> {
    match clean(rig.path()) {
        Err(Refusal::Busy(_)) => None,
        cleaned => Some(cleaned.expect("the directory can be cleaned")),
    }
}

#[test]
fn what_cannot_be_removed_is_listed_and_clean_finishes() {
    let mut removals = 0;
    for rig in Rig::all() {
        for at in 1.. {
            let system = FaultySystem::new(at, Fault::Error(Errno::IO), Lasting::SamePath);
            let result = rig.play(&system).expect("no panic");
            let Some(hit) = system.hit() else { break };
            let context = format!("{hit:?} {:?}", rig.config.engine);
            assert!(matches!(result.status, Status::Failed { .. }), "{context}");
            let mut expected = Vec::new();
            if matches!(hit.call, Call::Unlink | Call::RemoveDirectory) {
                expected.push(hit.path.clone());
            }
            if hit.call == Call::Unlink && rig.config.subdirectories > 0 {
                // A directory that is not empty cannot be removed either.
                expected.push(hit.path.parent().expect("a directory").to_owned());
            }
            assert_eq!(left(&result), expected, "{context}");
            if expected.is_empty() {
                rig.assert_only_the_users_files(&context);
                continue;
            }
            removals += 1;
            assert!(rig.has_manifest(), "{context}");
            rig.assert_users_files_are_untouched(&context);
            let trouble = Trouble::of_status(&result).expect_err("trouble").to_string();
            assert!(trouble.contains("`trimark clean`"), "{trouble}");
            assert_clean_finishes(&rig, &context);
        }
    }
    assert!(removals > 40, "{removals} removals failed");
}

#[test]
fn a_file_system_that_becomes_read_only_at_any_call_is_cleaned_later() {
    let mut with_remains = 0;
    for rig in Rig::all() {
        for at in 1.. {
            let system = FaultySystem::new(at, Fault::Error(Errno::ROFS), Lasting::Changes);
            let result = rig.play(&system).expect("no panic");
            let Some(hit) = system.hit() else { break };
            let context = format!("{hit:?} {:?}", rig.config.engine);
            assert_no_rates(&result, &context);
            rig.assert_users_files_are_untouched(&context);
            let left = left(&result);
            if left.is_empty() {
                rig.assert_only_the_users_files(&context);
                continue;
            }
            with_remains += 1;
            assert!(left.iter().all(|path| path.exists()), "{context}");
            assert!(rig.has_manifest(), "{context}");
            assert_clean_finishes(&rig, &context);
        }
    }
    assert!(with_remains > 300, "{with_remains}");
}

/// The output, errors and exit code of a session whose run fails at this call.
fn session(dialect: Dialect, report: &str, config: &Config, at: u64) -> (String, String, u8) {
    let system = FaultySystem::new(at, Fault::Error(Errno::NOSPC), Lasting::Once);
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let place = config.locations[0].clone();
    let place = Assignment::Location(LocationChange::Replace(place));
    let overrides = Overrides { assignments: vec![place], ..Overrides::default() };
    let mut session = Session::new(dialect, overrides, Signals::default(), &mut out, &mut errors)
        .with_system(&system);
    for line in ["set number 6", "set transactions 12", report, "run"] {
        session.line("test", 1, line);
    }
    let worst = session.worst();
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(out), text(errors), worst)
}

#[test]
fn a_session_says_what_failed_and_prints_no_classic_report() {
    let rig = Rig::new(trimark::workload::EngineKind::Buffered, 0);
    for dialect in [Dialect::Trimark, Dialect::PostMark] {
        for report in ["set report verbose", "set report terse"] {
            for at in 1..60 {
                let (out, errors, worst) = patiently(|| {
                    Some(session(dialect, report, &rig.config, at))
                        .filter(|(_, errors, _)| !errors.contains("in use by another run"))
                });
                assert!(errors.contains("the run failed: "), "{errors}");
                assert!(errors.contains("No space left on device"), "{errors}");
                let progress = "Creating files...Done\nPerforming transactions..........Done\n\
                                Deleting files...Done\n";
                let shown = out.trim_end();
                assert!(progress.starts_with(shown), "{out}");
                assert_eq!(worst, 1);
                rig.assert_only_the_users_files(&format!("call {at}"));
            }
        }
    }
}
