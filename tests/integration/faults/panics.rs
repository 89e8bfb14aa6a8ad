//! A panic below the runner leaves nothing either.

use super::faulty::{Fault, FaultySystem, Lasting};
use super::rig::Rig;

#[test]
fn a_panic_at_any_call_leaves_nothing() {
    for rig in Rig::all() {
        let mut panics = 0;
        for at in 1.. {
            let system = FaultySystem::new(at, Fault::Panic, Lasting::Once);
            let result = rig.play(&system);
            let Some(hit) = system.hit() else { break };
            let context = format!("panic at call {at}, {:?} of {}", hit.call, hit.path.display());
            assert!(result.is_none(), "{context}");
            rig.assert_only_the_users_files(&context);
            panics += 1;
        }
        assert!(panics > 100);
    }
}
