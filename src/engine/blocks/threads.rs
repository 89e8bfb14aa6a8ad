//! Several blocks at once, a thread for each: where the kernel has no queue to give.

use std::sync::{Mutex, PoisonError};

use rustix::fd::BorrowedFd;

use super::{BlockEngine, BlockError, Course, move_block, sync_if_due, tell};
use crate::engine::System;
use crate::workload::content::AlignedBuffer;

/// `pread` and `pwrite` of several threads
pub struct Threads<'s> {
    system: &'s dyn System,
    buffers: Vec<AlignedBuffer>,
}

impl<'s> Threads<'s> {
    pub fn new(system: &'s dyn System, depth: usize, longest: usize) -> Self {
        let buffers = (0..depth).map(|_| AlignedBuffer::new(longest)).collect();
        Self { system, buffers }
    }
}

/// What the threads share.
struct Shared<'c, 'a> {
    course: &'c mut dyn Course<'a>,
    failed: Option<BlockError>,
}

impl BlockEngine for Threads<'_> {
    fn play<'a>(
        &mut self,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) -> Result<(), BlockError> {
        let system = self.system;
        let shared = Mutex::new(Shared { course, failed: None });
        std::thread::scope(|scope| {
            for (slot, buffer) in self.buffers.iter_mut().enumerate() {
                let shared = &shared;
                scope.spawn(move || one_thread(system, file, shared, slot, buffer));
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.failed.map_or(Ok(()), Err)
    }

    fn name(&self) -> &'static str {
        "threads"
    }
}

fn one_thread(
    system: &dyn System,
    file: BorrowedFd<'_>,
    shared: &Mutex<Shared<'_, '_>>,
    slot: usize,
    buffer: &mut AlignedBuffer,
) {
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let block = {
            let mut shared = locked();
            if shared.failed.is_some() {
                return;
            }
            let Some(block) = shared.course.next(slot) else { return };
            block
        };
        let moved = move_block(system, file, &block, buffer.bytes_mut());
        let mut shared = locked();
        let told = moved
            .and_then(|()| tell(shared.course, slot, &block, buffer.bytes()))
            .and_then(|()| sync_if_due(system, file, shared.course, block.offset));
        if let Err(error) = told {
            shared.failed.get_or_insert(error);
            return;
        }
    }
}
