//! A loop device on a sparse image that has no name: whatever happens to this process,
//! the kernel takes both away when its descriptors are closed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use linux_raw_sys::loop_device as kernel;
use rustix::ioctl::{self, Ioctl, IoctlOutput, Opcode};

/// So many devices without discards are passed over before one without is taken.
const MOST_TRIES: usize = 16;

/// An image that cannot be made a device.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what}: {error}")]
pub struct LoopError {
    /// What failed, and where.
    pub what: String,
    /// Why.
    pub error: io::Error,
}

/// A block device made of an image.
#[derive(Debug)]
pub struct LoopDevice {
    path: PathBuf,
    /// The device frees itself when this and all mounts of it are closed.
    _device: File,
    image: File,
    direct: bool,
}

impl LoopDevice {
    /// On a sparse, nameless image of so many bytes in a directory.
    ///
    /// # Errors
    /// [`LoopError`] when the image or the device cannot be made.
    pub fn on_new_image(directory: &Path, bytes: u64) -> Result<Self, LoopError> {
        let failed = |what: String| move |error| LoopError { what, error };
        let image = nameless(directory)
            .and_then(|image| image.set_len(bytes).map(|()| image))
            .map_err(failed(format!("make an image in '{}'", directory.display())))?;
        let mut rejected = Vec::new();
        for _ in 0..MOST_TRIES {
            let image = image.try_clone().map_err(failed("share the image".into()))?;
            let made = Self::attach(image).map_err(failed("attach a loop device".into()))?;
            // A device keeps a limit of 0 that was set in an earlier life.
            if made.discards() {
                return Ok(made);
            }
            rejected.push(made);
        }
        rejected.pop().ok_or_else(|| LoopError {
            what: "attach a loop device".into(),
            error: io::Error::other("none was tried"),
        })
    }

    fn attach(image: File) -> io::Result<Self> {
        loop {
            let control = OpenOptions::new().read(true).write(true).open("/dev/loop-control")?;
            // SAFETY: the request takes nothing and returns a number.
            let number = unsafe { ioctl::ioctl(&control, FreeNumber) }?;
            let path = PathBuf::from(format!("/dev/loop{number}"));
            let device = OpenOptions::new().read(true).write(true).open(&path)?;
            let direct = match configure(&device, &image, true) {
                Ok(()) => true,
                // Not every file system under the image can do direct I/O.
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => {
                    match configure(&device, &image, false) {
                        Ok(()) => false,
                        Err(rustix::io::Errno::BUSY) => continue,
                        Err(error) => return Err(error.into()),
                    }
                }
                // Somebody else took it in the meantime.
                Err(rustix::io::Errno::BUSY) => continue,
                Err(error) => return Err(error.into()),
            };
            let direct = direct && is_direct(&path);
            return Ok(Self { path, _device: device, image, direct });
        }
    }

    /// Its node.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it bypasses the page cache of the image's file system. Where it does not,
    /// what it "writes to the device" may stay in memory.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Bytes the image takes where it is.
    ///
    /// # Errors
    /// The error of `fstat`.
    pub fn allocated(&self) -> io::Result<u64> {
        Ok(self.image.metadata()?.blocks() * 512)
    }

    /// Takes space for all of the image, as a drive is on which every block has been
    /// written.
    ///
    /// # Errors
    /// The error of `fallocate`, such as a full disk.
    pub fn allocate(&self) -> io::Result<()> {
        let bytes = self.image.metadata()?.len();
        let keep = rustix::fs::FallocateFlags::empty();
        Ok(rustix::fs::fallocate(&self.image, keep, 0, bytes)?)
    }

    fn discards(&self) -> bool {
        limit(&self.path, "discard_max_bytes").is_some_and(|bytes| bytes > 0)
    }
}

/// A limit of a device's queue.
fn limit(device: &Path, name: &str) -> Option<u64> {
    let device = device.file_name()?.to_string_lossy();
    let text = std::fs::read_to_string(format!("/sys/block/{device}/queue/{name}")).ok()?;
    text.trim().parse().ok()
}

fn is_direct(device: &Path) -> bool {
    let name = device.file_name().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(format!("/sys/block/{name}/loop/dio"));
    text.is_ok_and(|text| text.trim() == "1")
}

/// A file without a name: one made so, or, where the file system cannot, one whose name is
/// taken away at once.
fn nameless(directory: &Path) -> io::Result<File> {
    let unnamed = OpenOptions::new()
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::TMPFILE.bits() as i32)
        .open(directory);
    unnamed.or_else(|_| tempfile::tempfile_in(directory))
}

fn configure(device: &File, image: &File, direct: bool) -> rustix::io::Result<()> {
    // SAFETY: all fields of the structure are numbers, for which zero is a value.
    let mut config: kernel::loop_config = unsafe { std::mem::zeroed() };
    config.fd = image.as_raw_fd() as u32;
    config.info.lo_flags = kernel::LO_FLAGS_AUTOCLEAR as u32;
    if direct {
        config.info.lo_flags |= kernel::LO_FLAGS_DIRECT_IO as u32;
    }
    type Configure = ioctl::Setter<{ kernel::LOOP_CONFIGURE as Opcode }, kernel::loop_config>;
    // SAFETY: this is the structure that the request takes.
    unsafe { ioctl::ioctl(device, Configure::new(config)) }
}

/// The request for the number of a free loop device, which is its return value.
struct FreeNumber;

// SAFETY: the request takes no pointer and changes nothing of ours.
unsafe impl Ioctl for FreeNumber {
    type Output = i32;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        kernel::LOOP_CTL_GET_FREE as Opcode
    }

    fn as_ptr(&mut self) -> *mut core::ffi::c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(
        out: IoctlOutput,
        _: *mut core::ffi::c_void,
    ) -> rustix::io::Result<i32> {
        Ok(out)
    }
}
