//! What becomes of `O_DIRECT`: refused, passed to the device, or taken and ignored.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::{Errno, ReadWriteFlags};
use serde::{Deserialize, Serialize};

/// Suits every sector and page in use; buffers are aligned to it, too.
const UNIT: usize = 64 * 1024;

/// What a file system makes of `O_DIRECT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectIo {
    /// Past the page cache: what was read is not in it.
    Honoured,
    /// Taken, but what was read is in the page cache.
    Ignored,
    /// Taken; whether it was honoured cannot be seen.
    Taken,
    /// Refused.
    Refused,
}

pub(super) fn tried(directory: &Path) -> io::Result<DirectIo> {
    let path = directory.join("direct");
    let mut options = File::options();
    options.read(true).write(true).create(true).custom_flags(OFlags::DIRECT.bits() as i32);
    let file = match options.open(&path) {
        Err(error) if refuses(&error) => return Ok(DirectIo::Refused),
        opened => opened?,
    };
    let mut memory = vec![b'd'; 2 * UNIT];
    let start = memory.as_ptr().align_offset(UNIT);
    let buffer = &mut memory[start..start + UNIT];
    match file.write_all_at(buffer, 0).and_then(|()| file.read_exact_at(buffer, 0)) {
        Err(error) if refuses(&error) => Ok(DirectIo::Refused),
        Err(error) => Err(error),
        Ok(()) => Ok(match in_page_cache(&File::open(&path)?) {
            Some(true) => DirectIo::Ignored,
            Some(false) => DirectIo::Honoured,
            None => DirectIo::Taken,
        }),
    }
}

fn refuses(error: &io::Error) -> bool {
    let number = Errno::from_io_error(error);
    number.is_some_and(|number| [Errno::INVAL, Errno::OPNOTSUPP].contains(&number))
}

/// Whether a file's beginning can be read without waiting for its device; none where the
/// file system does not tell.
fn in_page_cache(file: &File) -> Option<bool> {
    let mut byte = [0];
    let read =
        rustix::io::preadv2(file, &mut [IoSliceMut::new(&mut byte)], 0, ReadWriteFlags::NOWAIT);
    match read {
        Ok(read) => Some(read > 0),
        Err(Errno::AGAIN) => Some(false),
        Err(_) => None,
    }
}
