//! A view of the mounts that belongs to this process.

use std::io;

use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Takes the calling thread, and all it starts, into a mount namespace of its own: mounts
/// made from now on are seen by nobody else and end with the process, however it ends.
///
/// To be called before other threads are started, which would stay outside.
///
/// # Errors
/// The system's; without root it is not permitted.
pub fn private() -> io::Result<()> {
    // SAFETY: descriptors stay shared; only the view of mounts becomes this thread's own.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    // Else new mounts would be passed on to the namespace this one was copied from.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    Ok(())
}
