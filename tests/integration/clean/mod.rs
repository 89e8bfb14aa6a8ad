//! Runs that are stopped: by signals, by SIGKILL, by a reader that goes away. What they
//! made is removed, by themselves or by `clean`, and nothing else is.

mod decoys;
mod in_use;
mod interrupted;
mod killed;
mod running;
