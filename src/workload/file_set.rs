//! The file table: `2N` slots, which are in use, and PostMark's two searches.
//!
//! Holds no names: a name follows from a file's number and directory. A pool of `N` files
//! costs `2 × 8 + ⅓` bytes per file, at most `2 × 14 + ⅓`.

use std::collections::TryReserveError;

use super::operation::PooledFile;
use super::slots::{Limits, Slots};

/// A table up to this size, bytes, is at hand without further ado.
const INNER_CACHE: usize = 512 << 10;

/// PostMark's file table with its cursor.
pub struct FileSet {
    free: FreeSlots,
    slots: Slots,
    slot_count: usize,
    cursor: usize,
    live: usize,
}

impl FileSet {
    /// A table of `2 × number` free slots, for files within these limits.
    ///
    /// # Errors
    /// [`TryReserveError`] when the address space for it cannot be had.
    pub fn new(number: u64, limits: Limits) -> Result<Self, TryReserveError> {
        let slot_count = usize::try_from(number.saturating_mul(2)).unwrap_or(usize::MAX);
        Ok(Self {
            free: FreeSlots::new(slot_count)?,
            slots: Slots::with_capacity(slot_count, limits)?,
            slot_count,
            cursor: 0,
            live: 0,
        })
    }

    /// How many slots there are, free or not.
    #[must_use]
    pub fn slot_count(&self) -> u64 {
        self.slot_count as u64
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.live as u64
    }

    /// True when no file is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The slot PostMark gives the next file: the one at the cursor if it is free, else
    /// the lowest free one; the cursor then stands behind it. `None` when all are taken.
    pub fn take_slot(&mut self) -> Option<usize> {
        let slot = if self.cursor < self.slot_count && self.free.is_free(self.cursor) {
            self.cursor
        } else {
            self.free.lowest()?
        };
        self.cursor = slot + 1;
        Some(slot)
    }

    /// Puts a file into a slot that [`take_slot`](Self::take_slot) returned.
    pub fn insert(&mut self, slot: usize, file: PooledFile) {
        debug_assert!(self.free.is_free(slot));
        self.slots.set(slot, file);
        self.free.take(slot);
        self.live += 1;
    }

    /// True when the slot holds a file.
    #[inline]
    #[must_use]
    pub fn in_use(&self, slot: usize) -> bool {
        !self.free.is_free(slot)
    }

    /// True when the table is too large for the processor's inner caches, so that
    /// [`prefetch`](Self::prefetch) pays.
    #[must_use]
    pub fn wants_prefetch(&self) -> bool {
        self.slots.bytes() > INNER_CACHE
    }

    /// Has the memory of a slot brought near, for a use soon after.
    #[inline]
    pub fn prefetch(&self, slot: usize) {
        self.slots.prefetch(slot);
    }

    /// The file in a slot that is in use.
    #[must_use]
    pub fn file(&self, slot: usize) -> PooledFile {
        self.slots.get(slot)
    }

    /// Notes the new size of the file in a slot.
    pub fn resize(&mut self, slot: usize, size: u64) {
        let file = self.file(slot);
        self.slots.set(slot, PooledFile { size, ..file });
    }

    /// Frees a slot and returns the file that was in it.
    pub fn remove(&mut self, slot: usize) -> PooledFile {
        let file = self.file(slot);
        self.free.release(slot);
        self.live -= 1;
        file
    }

    /// The first slot in use at or after `from`.
    #[must_use]
    pub fn next_in_use(&self, from: usize) -> Option<usize> {
        (from..self.slots.used()).find(|&slot| self.in_use(slot))
    }
}

/// A tree of bitmaps over the slots: a set bit at the bottom is a free slot, a set bit
/// above it a word below with a free slot in it. The lowest free slot is found in one
/// step per level (four levels for 10 million files).
struct FreeSlots {
    levels: Vec<Vec<u64>>,
}

impl FreeSlots {
    fn new(slot_count: usize) -> Result<Self, TryReserveError> {
        let mut levels = Vec::new();
        let mut bits = slot_count;
        loop {
            let mut words = Vec::new();
            words.try_reserve_exact(bits.div_ceil(64))?;
            words.resize(bits / 64, u64::MAX);
            if !bits.is_multiple_of(64) {
                words.push((1 << (bits % 64)) - 1);
            }
            bits = words.len();
            levels.push(words);
            if bits <= 1 {
                return Ok(Self { levels });
            }
        }
    }

    #[inline]
    fn is_free(&self, slot: usize) -> bool {
        self.levels[0][slot / 64] >> (slot % 64) & 1 == 1
    }

    fn lowest(&self) -> Option<usize> {
        let mut position = 0;
        for level in self.levels.iter().rev() {
            let word = *level.get(position)?;
            if word == 0 {
                return None;
            }
            position = position * 64 + word.trailing_zeros() as usize;
        }
        Some(position)
    }

    fn take(&mut self, slot: usize) {
        let mut position = slot;
        for level in &mut self.levels {
            let word = &mut level[position / 64];
            *word &= !(1 << (position % 64));
            if *word != 0 {
                return;
            }
            position /= 64;
        }
    }

    fn release(&mut self, slot: usize) {
        let mut position = slot;
        for level in &mut self.levels {
            let word = &mut level[position / 64];
            let had_free = *word != 0;
            *word |= 1 << (position % 64);
            if had_free {
                return;
            }
            position /= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::FileId;
    use proptest::prelude::*;

    fn file(number: u64) -> PooledFile {
        PooledFile { id: FileId { number, directory: (number % 7) as u32 }, size: number * 3 }
    }

    fn table(number: u64) -> FileSet {
        let limits = Limits { number: 10_000, size: 30_000, directories: 7 };
        FileSet::new(number, limits).expect("a small table")
    }

    #[test]
    fn full_table_has_no_slot() {
        let mut set = table(2);
        for number in 1..=4 {
            let slot = set.take_slot().expect("still free");
            set.insert(slot, file(number));
        }
        assert_eq!(set.take_slot(), None);
        set.remove(2);
        assert_eq!(set.take_slot(), Some(2));
    }

    /// The table as PostMark has it: a linear search.
    struct Plain {
        used: Vec<Option<PooledFile>>,
        cursor: usize,
    }

    impl Plain {
        fn take_slot(&mut self) -> Option<usize> {
            let at_cursor = self.used.get(self.cursor).is_some_and(Option::is_none);
            let slot =
                if at_cursor { self.cursor } else { self.used.iter().position(Option::is_none)? };
            self.cursor = slot + 1;
            Some(slot)
        }
    }

    proptest! {
        #[test]
        fn chooses_as_a_linear_search_does(
            number in 1u64..300,
            choices in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 0..2000),
        ) {
            let mut set = table(number);
            let mut plain = Plain { used: vec![None; 2 * number as usize], cursor: 0 };
            for (count, (create, which)) in choices.into_iter().enumerate() {
                if create {
                    let slot = set.take_slot();
                    prop_assert_eq!(slot, plain.take_slot());
                    if let Some(slot) = slot {
                        set.insert(slot, file(count as u64));
                        plain.used[slot] = Some(file(count as u64));
                    }
                } else {
                    let slot = which.index(plain.used.len());
                    prop_assert_eq!(set.in_use(slot), plain.used[slot].is_some());
                    if let Some(expected) = plain.used[slot].take() {
                        prop_assert_eq!(set.remove(slot), expected);
                    }
                }
                prop_assert_eq!(set.len() as usize, plain.used.iter().flatten().count());
            }
            let left: Vec<_> = std::iter::successors(set.next_in_use(0), |&s| set.next_in_use(s + 1))
                .map(|slot| set.file(slot)).collect();
            prop_assert_eq!(left, plain.used.into_iter().flatten().collect::<Vec<_>>());
        }
    }
}
