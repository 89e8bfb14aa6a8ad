//! The memory of the file table: one number of fixed width per slot.
//!
//! Where the run's largest file number, size and directory fit into 64 bits together, as
//! they nearly always do, a slot is one 64-bit word; else it is 14 bytes. Memory is
//! touched only as slots come into use.

use std::collections::TryReserveError;

use super::operation::{FileId, PooledFile};

/// Largest file size a slot can hold: 48 bits.
pub const MAX_SIZE: u64 = (1 << 48) - 1;
/// Largest running number a slot can hold: 40 bits.
pub const MAX_FILE_NUMBER: u64 = (1 << 40) - 1;
/// Most directories a slot can tell apart: 24 bits.
pub const MAX_DIRECTORIES: u64 = 1 << 24;

const SIZE_BYTES: usize = 6;
const NUMBER_BYTES: usize = 5;
const DIRECTORY_BYTES: usize = 3;
const NUMBER_END: usize = SIZE_BYTES + NUMBER_BYTES;
const WIDE_BYTES: usize = NUMBER_END + DIRECTORY_BYTES;

/// The largest values that the slots of a run must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Running number of a file.
    pub number: u64,
    /// Size of a file, bytes.
    pub size: u64,
    /// Directories; each has an index below this.
    pub directories: u64,
}

/// A growing list of slots.
pub enum Slots {
    /// Words of 64 bits: the number in the lowest bits, then the size, then the directory.
    Narrow {
        /// The slots.
        words: Vec<u64>,
        /// Bits of the number.
        number_bits: u32,
        /// Bits of the size.
        size_bits: u32,
    },
    /// Records of 14 bytes.
    Wide(Vec<WideSlot>),
}

impl Slots {
    /// Room for `count` slots, none in use yet.
    ///
    /// # Errors
    /// [`TryReserveError`] when the address space cannot be had.
    pub fn with_capacity(count: usize, limits: Limits) -> Result<Self, TryReserveError> {
        let bits = |largest: u64| u64::BITS - largest.leading_zeros();
        let (number_bits, size_bits) = (bits(limits.number), bits(limits.size));
        if number_bits + size_bits + bits(limits.directories.saturating_sub(1)) <= u64::BITS {
            let mut words = Vec::new();
            words.try_reserve_exact(count)?;
            Ok(Self::Narrow { words, number_bits, size_bits })
        } else {
            let mut slots = Vec::new();
            slots.try_reserve_exact(count)?;
            Ok(Self::Wide(slots))
        }
    }

    /// How many slots have been in use.
    #[must_use]
    pub fn used(&self) -> usize {
        match self {
            Self::Narrow { words, .. } => words.len(),
            Self::Wide(slots) => slots.len(),
        }
    }

    /// The file in a slot.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: usize) -> PooledFile {
        match self {
            Self::Narrow { words, number_bits, size_bits } => {
                let low = |word: u64, bits: u32| word & !(u64::MAX << bits);
                let word = words[slot];
                let rest = word >> number_bits;
                let id = FileId {
                    number: low(word, *number_bits),
                    directory: (rest >> size_bits) as u32,
                };
                PooledFile { id, size: low(rest, *size_bits) }
            }
            Self::Wide(slots) => slots[slot].unpack(),
        }
    }

    /// Puts a file into a slot: one that has been in use, or the next.
    #[inline]
    pub fn set(&mut self, slot: usize, file: PooledFile) {
        match self {
            Self::Narrow { words, number_bits, size_bits } => {
                let upper = (u64::from(file.id.directory) << *size_bits) | file.size;
                put(words, slot, (upper << *number_bits) | file.id.number);
            }
            Self::Wide(slots) => put(slots, slot, WideSlot::pack(file)),
        }
    }

    /// The memory all slots take when all have been in use, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow { words, .. } => words.capacity() * size_of::<u64>(),
            Self::Wide(slots) => slots.capacity() * WIDE_BYTES,
        }
    }

    /// Has the memory of a slot brought near, for a use soon after.
    #[inline]
    pub fn prefetch(&self, slot: usize) {
        // Computed without a branch on what is in use: mispredicted, it would cost more
        // than the prefetch gains.
        let address: *const i8 = match self {
            Self::Narrow { words, .. } => words.as_ptr().wrapping_add(slot).cast(),
            Self::Wide(slots) => slots.as_ptr().wrapping_add(slot).cast(),
        };
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch neither faults nor reads anything into the program.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = address;
    }
}

/// Slots come into use in rising order, so a list grows by at most one.
#[inline]
fn put<T>(list: &mut Vec<T>, index: usize, value: T) {
    if index == list.len() {
        list.push(value);
    } else {
        list[index] = value;
    }
}

/// A slot for any values within the limits of the language.
#[derive(Clone, Copy)]
pub struct WideSlot([u8; WIDE_BYTES]);

impl WideSlot {
    fn pack(file: PooledFile) -> Self {
        let mut bytes = [0; WIDE_BYTES];
        bytes[..SIZE_BYTES].copy_from_slice(&file.size.to_le_bytes()[..SIZE_BYTES]);
        bytes[SIZE_BYTES..NUMBER_END]
            .copy_from_slice(&file.id.number.to_le_bytes()[..NUMBER_BYTES]);
        bytes[NUMBER_END..].copy_from_slice(&file.id.directory.to_le_bytes()[..DIRECTORY_BYTES]);
        Self(bytes)
    }

    fn unpack(self) -> PooledFile {
        let mut size = [0; 8];
        let mut number = [0; 8];
        let mut directory = [0; 4];
        size[..SIZE_BYTES].copy_from_slice(&self.0[..SIZE_BYTES]);
        number[..NUMBER_BYTES].copy_from_slice(&self.0[SIZE_BYTES..NUMBER_END]);
        directory[..DIRECTORY_BYTES].copy_from_slice(&self.0[NUMBER_END..]);
        PooledFile {
            id: FileId {
                number: u64::from_le_bytes(number),
                directory: u32::from_le_bytes(directory),
            },
            size: u64::from_le_bytes(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(limits: Limits, file: PooledFile) -> (PooledFile, bool) {
        let mut slots = Slots::with_capacity(1, limits).expect("one slot");
        slots.set(0, file);
        (slots.get(0), matches!(slots, Slots::Narrow { .. }))
    }

    #[test]
    fn slots_hold_the_largest_values() {
        let limits =
            Limits { number: MAX_FILE_NUMBER, size: MAX_SIZE, directories: MAX_DIRECTORIES };
        let id = FileId { number: limits.number, directory: MAX_DIRECTORIES as u32 - 1 };
        let largest = PooledFile { id, size: limits.size };
        assert_eq!(round_trip(limits, largest), (largest, false));
    }

    #[test]
    fn usual_runs_take_eight_bytes() {
        let limits = Limits { number: 1 << 31, size: 16 << 20, directories: 100 };
        let id = FileId { number: 1 << 31, directory: 99 };
        let largest = PooledFile { id, size: 16 << 20 };
        assert_eq!(round_trip(limits, largest), (largest, true));
    }

    proptest! {
        #[test]
        fn what_is_put_in_comes_out(
            number in 0..=MAX_FILE_NUMBER, size in 0..=MAX_SIZE, directory in 0..MAX_DIRECTORIES,
            shift in 0u32..40,
        ) {
            let (number, size, directory) = (number >> shift, size >> shift, directory >> (shift / 2));
            let limits = Limits { number, size, directories: directory + 1 };
            let file = PooledFile { id: FileId { number, directory: directory as u32 }, size };
            prop_assert_eq!(round_trip(limits, file).0, file);
        }
    }
}
