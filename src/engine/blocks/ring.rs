//! Several blocks at once in the kernel's own queue: io_uring.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use io_uring::{IoUring, opcode, types};
use rustix::io::Errno;

use super::{Block, BlockEngine, BlockError, Course, Data, nothing_moved, sync_if_due, tell};
use crate::engine::{Cause, Kernel};
use crate::workload::content::AlignedBuffer;

/// The file's place among those the ring knows.
const FILE: types::Fixed = types::Fixed(0);

/// A ring and a buffer for each block that may be under way.
pub struct Ring {
    ring: IoUring,
    buffers: Vec<AlignedBuffer>,
}

/// A block under way, and how much of it is done.
#[derive(Clone, Copy)]
struct UnderWay<'a> {
    block: Block<'a>,
    done: usize,
}

impl Ring {
    /// # Errors
    /// That of the kernel, which may have no rings, or allow none.
    pub fn new(depth: usize, longest: usize) -> io::Result<Self> {
        let entries = depth as u32;
        // Completions are taken when they are waited for, and by this thread alone; older
        // kernels, which do not know these, interrupt it for each.
        let quiet = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
        let ring = quiet.or_else(|_| IoUring::new(entries))?;
        let buffers = (0..depth).map(|_| AlignedBuffer::new(longest)).collect();
        Ok(Self { ring, buffers })
    }
}

impl BlockEngine for Ring {
    fn play<'a>(
        &mut self,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) -> Result<(), BlockError> {
        let failed = |error: io::Error| BlockError {
            call: crate::engine::Call::Ring,
            offset: 0,
            cause: Cause::Errno(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        };
        self.ring.submitter().register_files(&[file.as_raw_fd()]).map_err(failed)?;
        let mut playing = Playing {
            ring: &mut self.ring,
            buffers: &mut self.buffers,
            under_way: Vec::new(),
            free: Vec::new(),
            error: None,
        };
        let played = playing.play(file, course);
        let unregistered = self.ring.submitter().unregister_files().map_err(failed);
        played.and(unregistered)
    }

    fn name(&self) -> &'static str {
        "io_uring"
    }
}

/// One course being played.
struct Playing<'r, 'a> {
    ring: &'r mut IoUring,
    buffers: &'r mut [AlignedBuffer],
    /// By slot.
    under_way: Vec<Option<UnderWay<'a>>>,
    /// Slots with nothing under way.
    free: Vec<usize>,
    error: Option<BlockError>,
}

impl<'a> Playing<'_, 'a> {
    fn play(
        &mut self,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) -> Result<(), BlockError> {
        let depth = self.buffers.len();
        self.under_way = vec![None; depth];
        self.free = (0..depth).rev().collect();
        let mut completed = Vec::with_capacity(depth);
        loop {
            while self.error.is_none()
                && let Some(&slot) = self.free.last()
                && let Some(block) = course.next(slot)
            {
                self.free.pop();
                self.submit(slot, UnderWay { block, done: 0 });
            }
            if self.free.len() == depth {
                return self.error.map_or(Ok(()), Err);
            }
            match self.ring.submit_and_wait(1) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The blocks under way use the buffers: they must not be given back before.
                Err(error) => panic!("io_uring no longer takes or returns anything: {error}"),
            }
            completed.clear();
            completed.extend(
                self.ring.completion().map(|entry| (entry.user_data() as usize, entry.result())),
            );
            for &(slot, result) in &completed {
                self.complete(slot, result, file, course);
            }
        }
    }

    fn submit(&mut self, slot: usize, under_way: UnderWay<'a>) {
        let UnderWay { block, done } = under_way;
        self.under_way[slot] = Some(under_way);
        let offset = block.offset + done as u64;
        let rest = (block.data.length() - done) as u32;
        let entry = match block.data {
            Data::Read(length) => {
                let buffer = &mut self.buffers[slot].bytes_mut()[done..length];
                opcode::Read::new(FILE, buffer.as_mut_ptr(), rest).offset(offset).build()
            }
            Data::Write(bytes) => {
                opcode::Write::new(FILE, bytes[done..].as_ptr(), rest).offset(offset).build()
            }
        };
        let entry = entry.user_data(slot as u64);
        // SAFETY: the buffer of a slot is not touched, and the bytes written outlive the
        // course, until the slot's completion was seen; `play` does not return before.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        assert!(pushed.is_ok(), "the queue holds an entry for each slot");
    }

    fn complete(
        &mut self,
        slot: usize,
        result: i32,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) {
        let Some(UnderWay { block, done }) = self.under_way[slot].take() else { return };
        let rest = block.data.length() - done;
        let told = match result {
            count if count >= 0 && count as usize == rest => {
                tell(course, slot, &block, self.buffers[slot].bytes())
                    .and_then(|()| sync_if_due(&Kernel, file, course, block.offset))
            }
            0 => Err(nothing_moved(&block, done)),
            count if count > 0 => {
                return self.submit(slot, UnderWay { block, done: done + count as usize });
            }
            error => match Errno::from_raw_os_error(-error) {
                Errno::INTR | Errno::AGAIN => return self.submit(slot, UnderWay { block, done }),
                errno => Err(BlockError {
                    call: block.data.call(),
                    offset: block.offset + done as u64,
                    cause: Cause::Errno(errno),
                }),
            },
        };
        self.free.push(slot);
        if let Err(error) = told {
            self.error.get_or_insert(error);
        }
    }
}
