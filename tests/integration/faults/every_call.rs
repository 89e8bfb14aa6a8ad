//! One fault, at call 1, 2, 3 … until none is left.

use rustix::io::Errno;
use trimark::runner::measurement::{CleanUp, RunResult, Status};
use trimark::workload::EngineKind;

use super::faulty::{Fault, FaultySystem, Hit, Lasting};
use super::rig::{Rig, assert_no_rates};

/// Errors that end a run.
const ERRORS: [Errno; 8] = [
    Errno::NOSPC,
    Errno::IO,
    Errno::ACCESS,
    Errno::ROFS,
    Errno::MFILE,
    Errno::NOENT,
    Errno::DQUOT,
    Errno::NOMEM,
];

/// Plays the run with the fault at each call in turn, until there is no such call.
/// Returns how many there were.
fn at_every_call(
    rig: &Rig,
    fault: Fault,
    lasting: Lasting,
    mut check: impl FnMut(&FaultySystem, &Hit, RunResult, &str),
) -> u64 {
    for at in 1.. {
        let system = FaultySystem::new(at, fault, lasting);
        let result = rig.play(&system).expect("no panic");
        let engine = rig.config.engine.name();
        let Some(hit) = system.hit() else { return at - 1 };
        let context = format!(
            "{fault:?} at call {at}, {:?} of {}, {engine}, {} subdirectories",
            hit.call,
            hit.path.display(),
            rig.config.subdirectories
        );
        check(&system, &hit, result, &context);
        rig.assert_only_the_users_files(&context);
    }
    unreachable!("a run has an end");
}

/// Calls of a run without faults; demands that it touches only what it made.
fn undisturbed(rig: &Rig) -> (FaultySystem, RunResult) {
    let system = FaultySystem::sound();
    let result = rig.play(&system).expect("no panic");
    assert_eq!(result.status, Status::Complete);
    rig.assert_only_the_users_files("no fault");
    assert!(system.calls() > 100, "a run of {} calls tests little", system.calls());
    (system, result)
}

fn assert_failed_as_injected(
    system: &FaultySystem,
    hit: &Hit,
    result: &RunResult,
    errno: Option<Errno>,
    context: &str,
) {
    let Status::Failed { error } = &result.status else { panic!("{:?} {context}", result.status) };
    assert_eq!(error.call, hit.call.name(), "{context}");
    assert_eq!(error.path, hit.path, "{context}");
    assert_eq!(error.errno, errno.map(Errno::raw_os_error), "{context}");
    assert!(!error.message.is_empty(), "{context}");
    let shown = error.to_string();
    assert!(shown.contains(&*hit.path.to_string_lossy()), "{shown} {context}");
    let CleanUp { left, .. } = result.clean_up.as_ref().expect("a failed run cleans up");
    assert_eq!(left, &[], "{context}");
    let (read, written) = system.bytes_moved();
    assert_eq!(result.operations.bytes_written(), written, "{context}");
    assert_eq!(result.operations.bytes_read(), read, "{context}");
    assert_no_rates(result, context);
}

#[test]
fn an_error_at_any_call_ends_the_run_names_it_and_leaves_nothing() {
    for rig in Rig::all() {
        let (sound, _) = undisturbed(&rig);
        for errno in ERRORS {
            let fault = Fault::Error(errno);
            let calls =
                at_every_call(&rig, fault, Lasting::Once, |system, hit, result, context| {
                    assert_failed_as_injected(system, hit, &result, Some(errno), context);
                });
            assert_eq!(calls, sound.calls());
        }
    }
}

#[test]
fn signals_and_short_counts_are_survived_with_the_same_result() {
    let faults = [Fault::Error(Errno::INTR), Fault::Half, Fault::OneByte];
    for rig in Rig::all() {
        let (sound, expected) = undisturbed(&rig);
        for fault in faults {
            let mut effects = 0;
            at_every_call(&rig, fault, Lasting::Once, |system, hit, result, context| {
                assert_same(system, &result, &sound, &expected, context);
                effects += u32::from(hit.took_effect);
            });
            assert!(effects > 15, "{fault:?} happened {effects} times");
        }
    }
}

#[test]
fn a_storm_of_signals_and_short_counts_is_survived_too() {
    for rig in Rig::all() {
        let (sound, expected) = undisturbed(&rig);
        for fault in [Fault::Error(Errno::INTR), Fault::Half, Fault::OneByte] {
            let system = FaultySystem::new(1, fault, Lasting::EverySecond);
            let result = rig.play(&system).expect("no panic");
            let context = format!("{fault:?} {:?}", rig.config.engine);
            assert_same(&system, &result, &sound, &expected, &context);
            assert!(system.calls() > sound.calls(), "{context}");
            rig.assert_only_the_users_files(&context);
        }
    }
}

/// Demands the result of the undisturbed run, and the same files with the same bytes.
fn assert_same(
    system: &FaultySystem,
    result: &RunResult,
    sound: &FaultySystem,
    expected: &RunResult,
    context: &str,
) {
    assert_eq!(result.status, Status::Complete, "{context}");
    assert_eq!(result.operations, expected.operations, "{context}");
    assert_eq!(result.transactions, expected.transactions, "{context}");
    assert_eq!(result.skipped, expected.skipped, "{context}");
    assert_eq!(result.classic_sums, expected.classic_sums, "{context}");
    assert_eq!(result.clean_up, None, "{context}");
    assert_eq!(system.removed(), sound.removed(), "{context}");
    assert_eq!(system.bytes_moved(), sound.bytes_moved(), "{context}");
}

#[test]
fn a_transfer_of_nothing_is_an_error_not_an_endless_loop() {
    for rig in Rig::all() {
        let (_, expected) = undisturbed(&rig);
        let mut effects = 0;
        at_every_call(&rig, Fault::NoByte, Lasting::Once, |system, hit, result, context| {
            if hit.took_effect {
                assert_failed_as_injected(system, hit, &result, None, context);
                effects += 1;
            } else {
                assert_eq!(result.operations, expected.operations, "{context}");
            }
        });
        assert!(effects > 15);
    }
}

#[test]
fn a_stop_at_any_call_leaves_nothing() {
    for rig in Rig::all() {
        let (sound, expected) = undisturbed(&rig);
        let mut complete = 0;
        at_every_call(&rig, Fault::Stop, Lasting::Once, |system, _, result, context| {
            let (read, written) = system.bytes_moved();
            assert_eq!(result.operations.bytes_read(), read, "{context}");
            assert_eq!(result.operations.bytes_written(), written, "{context}");
            match &result.status {
                Status::Interrupted { signal: 15, name } => assert_eq!(name, "SIGTERM"),
                Status::Complete => {
                    assert_eq!(result.operations, expected.operations, "{context}");
                    complete += 1;
                }
                other => panic!("{other:?} {context}"),
            }
        });
        // Too late only once the last file is being removed, or the subdirectories.
        assert_eq!(complete, 1 + rig.config.subdirectories, "{}", sound.calls());
    }
}

/// A transaction is drawn as a whole: its first half may fail when its second half, not
/// yet played, was to make a file of a name the user has.
#[test]
fn a_users_file_ahead_of_the_fault_is_untouched() {
    let next = "7";
    for engine in [EngineKind::Sync, EngineKind::Buffered] {
        for fault in [Fault::Error(Errno::IO), Fault::Stop] {
            let rig = Rig::new(engine, 0).with_users_file(next);
            let mut before_it = 0;
            for at in 1.. {
                let system = FaultySystem::new(at, fault, Lasting::Once);
                let result = rig.play(&system).expect("no panic");
                let hit = system.hit().expect("the run comes to the user's file");
                if hit.path.ends_with(next) {
                    break;
                }
                let context = format!("{fault:?} at call {at}, {hit:?}");
                assert_ne!(result.status, Status::Complete, "{context}");
                rig.assert_only_the_users_files(&context);
                before_it += 1;
            }
            assert!(before_it > 20, "{before_it}");
        }
    }
}
