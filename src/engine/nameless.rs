//! A large file that loses its name as soon as it is made, so that nothing is left of it
//! however the program ends.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, Mode, OFlags};
use rustix::io::Errno;

use super::system::retry;
use super::{Call, System};

/// What the name begins with that it has for a moment; a number follows.
pub const LARGE_FILE_PREFIX: &str = "trimark-transfer-";

/// A file without a name.
pub struct LargeFile<'a> {
    system: &'a dyn System,
    file: OwnedFd,
    /// What it was called, for messages.
    pub path: PathBuf,
}

/// A call on it that failed.
#[derive(Debug, Clone, Copy)]
pub struct CallError {
    /// The call.
    pub call: Call,
    /// Why.
    pub errno: Errno,
}

fn failed(call: Call) -> impl FnOnce(Errno) -> CallError {
    move |errno| CallError { call, errno }
}

impl<'a> LargeFile<'a> {
    /// A new, empty one in a directory.
    ///
    /// # Errors
    /// [`CallError`]; nothing is left then but for a file whose name could not be taken
    /// away.
    pub fn create(
        system: &'a dyn System,
        path: &Path,
        directory: &File,
        direct: bool,
    ) -> Result<Self, CallError> {
        let name = format!("{LARGE_FILE_PREFIX}{}", std::process::id());
        let c_name = CString::new(name.as_str()).unwrap_or_default();
        let mut flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        flags.set(OFlags::DIRECT, direct);
        let opened =
            retry(|| system.open(directory.as_fd(), &c_name, flags, Mode::from_raw_mode(0o600)));
        let unlink = || retry(|| system.unlink(directory.as_fd(), &c_name));
        let file = match opened {
            Ok(file) => file,
            Err(errno) => {
                // Some file systems make the file before they refuse to bypass the cache.
                if errno == Errno::INVAL {
                    let _ = unlink();
                }
                return Err(failed(Call::Open)(errno));
            }
        };
        unlink().map_err(failed(Call::Unlink))?;
        Ok(Self { system, file, path: path.join(name) })
    }

    /// The descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Gives all its space back.
    ///
    /// # Errors
    /// [`CallError`]
    pub fn empty(&self) -> Result<(), CallError> {
        retry(|| self.system.truncate(self.file.as_fd(), 0)).map_err(failed(Call::Truncate))
    }

    /// `fsync`
    ///
    /// # Errors
    /// [`CallError`]
    pub fn sync(&self) -> Result<(), CallError> {
        retry(|| self.system.sync(self.file.as_fd())).map_err(failed(Call::Sync))
    }

    /// Drops its clean pages from the cache.
    ///
    /// # Errors
    /// The error of `posix_fadvise`.
    pub fn drop_from_cache(&self) -> std::io::Result<()> {
        Ok(rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed)?)
    }

    /// Closes it; that may be the first sign of lost data.
    ///
    /// # Errors
    /// [`CallError`]
    pub fn close(self) -> Result<(), CallError> {
        match self.system.close(self.file) {
            Ok(()) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(failed(Call::Close)(errno)),
        }
    }
}
