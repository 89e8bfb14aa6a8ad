//! What a thread has for itself rather than with the other threads of the process.

use rustix::thread::{UnshareFlags, capabilities, set_capabilities, unshare_unsafe};

/// Takes the calling thread apart from the others in what every open and close touches, so
/// that threads at work at once do not wait for each other there: a table of descriptors
/// that several threads share is locked at every change, and each open file counts itself
/// in the credentials it was opened with. The thread gets a copy of the table and
/// credentials equal to those it has. Where the kernel refuses, they stay shared, which is
/// slower and otherwise the same.
///
/// # Safety
/// From here on, the thread must neither hand a descriptor it opens to another thread nor
/// use one that another thread opens.
pub unsafe fn stand_apart() {
    // SAFETY: what the call asks for is what is asked of our caller.
    let _ = unsafe { unshare_unsafe(UnshareFlags::FILES) };
    if let Ok(unchanged) = capabilities(None) {
        let _ = set_capabilities(None, unchanged);
    }
}
