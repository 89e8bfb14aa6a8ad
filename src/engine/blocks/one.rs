//! One block after the other, a call for each.

use rustix::fd::BorrowedFd;

use super::{BlockEngine, BlockError, Course, move_block, sync_if_due, tell};
use crate::engine::System;
use crate::workload::content::AlignedBuffer;

/// `pread` and `pwrite`
pub struct OneByOne<'s> {
    system: &'s dyn System,
    buffer: AlignedBuffer,
}

impl<'s> OneByOne<'s> {
    pub fn new(system: &'s dyn System, longest: usize) -> Self {
        Self { system, buffer: AlignedBuffer::new(longest) }
    }
}

impl BlockEngine for OneByOne<'_> {
    fn play<'a>(
        &mut self,
        file: BorrowedFd<'_>,
        course: &mut dyn Course<'a>,
    ) -> Result<(), BlockError> {
        while let Some(block) = course.next(0) {
            move_block(self.system, file, &block, self.buffer.bytes_mut())?;
            tell(course, 0, &block, self.buffer.bytes())?;
            sync_if_due(self.system, file, course, block.offset)?;
        }
        Ok(())
    }

    fn name(&self) -> &'static str {
        "one after the other"
    }
}
