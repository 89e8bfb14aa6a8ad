//! Faults at every point of a run: what fails is named, what was made is removed, what is
//! the user's stays, and nothing that was not measured is reported.

mod every_call;
pub mod faulty;
mod full_disk;
mod late_stop;
mod panics;
mod persistent;
mod refused;
mod rig;
mod volume;
