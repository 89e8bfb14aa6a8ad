//! Whether a file system keeps the time of a file's creation.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, StatxFlags};

pub(super) fn kept(directory: &Path) -> io::Result<bool> {
    let file = File::create_new(directory.join("birth"))?;
    let stat = rustix::fs::statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME)?;
    Ok(StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME))
}
