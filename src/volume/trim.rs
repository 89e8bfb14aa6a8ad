//! Telling a device which blocks a file system does not use: FITRIM.

use std::fs::File;
use std::io;

use linux_raw_sys::general::fstrim_range;
use linux_raw_sys::ioctl::FITRIM;
use rustix::io::Errno;
use rustix::ioctl::{self, Opcode};

use super::device::Device;
use super::mount::Mount;

/// Free space that was not discarded.
#[derive(Debug, thiserror::Error)]
pub enum TrimError {
    /// Something on the way to the device cannot discard.
    #[error("cannot trim: {0}")]
    Unsupported(String),
    /// Another error of the kernel.
    #[error("cannot trim: {0}")]
    Io(io::Error),
}

/// Discards all free space of the file system that an open directory is on; the bytes
/// the file system says it discarded. (ext4 leaves out what it has discarded since it was
/// mounted: 0 does not mean that it cannot.)
///
/// # Errors
/// [`TrimError`]
pub fn free_space(directory: &File) -> Result<u64, TrimError> {
    let mut range = fstrim_range { start: 0, len: u64::MAX, minlen: 0 };
    type Trim<'a> = ioctl::Updater<'a, { FITRIM as Opcode }, fstrim_range>;
    // SAFETY: this is the structure that the request reads and writes.
    match unsafe { ioctl::ioctl(directory, Trim::new(&mut range)) } {
        Ok(()) => Ok(range.len),
        Err(Errno::OPNOTSUPP | Errno::NOTTY) => Err(TrimError::Unsupported(blocked(directory))),
        Err(Errno::PERM) => Err(TrimError::Unsupported("it takes root".into())),
        Err(error) => Err(TrimError::Io(error.into())),
    }
}

/// Which layer is in the way.
fn blocked(directory: &File) -> String {
    let mount = Mount::of(directory);
    let file_system = mount.as_ref().map_or("this file system", |mount| &mount.file_system);
    match Device::under(directory, mount.as_ref()) {
        None => format!("{file_system} is on no block device"),
        Some(device) => match device.discards_blocked_by() {
            Some(layer) => format!("{} does not pass discards on", layer.title()),
            None => format!("{file_system} does not support it"),
        },
    }
}
