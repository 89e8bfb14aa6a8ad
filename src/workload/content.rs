//! What is written into files.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::generator::Generator;
use super::policy::Content;

/// From this high bound on PostMark cannot run (it crashes), so there is no stream of
/// its to reproduce and the source text repeats instead of filling memory.
pub const POSTMARK_SIZE_LIMIT: u64 = 1 << 30;
/// Length of the repeated source text beyond that limit, bytes.
const PERIOD: u64 = 64 << 20;
/// Draws after which it is asked whether to stop: some hundredths of a second.
const BETWEEN_STOPS: usize = 4 << 20;
/// Bytes from which contents other than PostMark's are cut.
const POOL: u64 = 16 << 20;
/// Files begin at multiples of this in that pool: what direct I/O asks of memory.
const ALIGNMENT: u64 = 512;
/// Copies from and to memory run at full speed from a page boundary only.
const PAGE: usize = 4096;

/// What every file holds, by its key and the offset in it. Made before a run, held
/// page-aligned; no byte of it is computed while files are written.
pub struct FileContent {
    memory: AlignedBuffer,
    /// Offsets wrap at this length.
    period: u64,
    /// False for PostMark's text, with which every file and every append begins alike.
    per_file: bool,
}

/// Where a file differs from what must be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// Offset in the file of the first wrong byte.
    pub offset: u64,
    /// What must be there.
    pub expected: u8,
    /// What is.
    pub found: u8,
}

impl FileContent {
    /// Draws the text for files of up to `size_high` bytes, as PostMark does: always
    /// `2 × size_high` draws, of which only the first half is ever written.
    /// From 1 GiB on (impossible there) it draws 64 MiB, which repeat. The draws are made
    /// for other contents, too, so that the operations do not depend on the content.
    ///
    /// `block` bytes are available from every offset within a file. `stop` is asked now and
    /// then, as large texts take seconds; none if it says so.
    pub fn draw(
        generator: &mut impl Generator,
        size_high: u64,
        block: u64,
        content: Content,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let repeats = size_high >= POSTMARK_SIZE_LIMIT;
        let period = if repeats { PERIOD } else { size_high };
        if content != Content::Postmark {
            skip(generator, if repeats { period } else { 2 * size_high }, stop)?;
            return Some(Self::per_file(content, seed, block));
        }
        let length = if repeats { period + block } else { period };
        let mut memory = AlignedBuffer::new(length as usize);
        let bytes = memory.bytes_mut();
        for part in bytes[..period as usize].chunks_mut(BETWEEN_STOPS) {
            if stop() {
                return None;
            }
            for byte in part {
                *byte = 32 + generator.below(95) as u8;
            }
        }
        repeat(bytes, period as usize);
        if !repeats {
            skip(generator, size_high, stop)?;
        }
        Some(Self { memory, period, per_file: false })
    }

    /// What one large file holds: `block` bytes are available from every offset. PostMark's
    /// text repeats here; it is drawn anew for this.
    #[must_use]
    pub fn of_blocks(content: Content, seed: u64, block: u64) -> Self {
        if content != Content::Postmark {
            return Self::per_file(content, seed, block);
        }
        let mut memory = AlignedBuffer::new((POOL + block) as usize);
        let mut generator = super::generator::Mt19937::new(seed as u32);
        let bytes = memory.bytes_mut();
        bytes[..POOL as usize].fill_with(|| 32 + generator.below(95) as u8);
        repeat(bytes, POOL as usize);
        // Whoever writes a file again wants to tell the second writing from the first.
        Self { memory, period: POOL, per_file: true }
    }

    fn per_file(content: Content, seed: u64, block: u64) -> Self {
        let mut memory = AlignedBuffer::new((POOL + block) as usize);
        let bytes = memory.bytes_mut();
        let zeros_per_page = match content {
            Content::Zero => PAGE,
            Content::Compressible(percent) => PAGE * usize::from(percent) / 100,
            Content::Random | Content::Postmark => 0,
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for page in bytes[..POOL as usize].chunks_mut(PAGE) {
            random.fill_bytes(&mut page[zeros_per_page..]);
        }
        repeat(bytes, POOL as usize);
        Self { memory, period: POOL, per_file: true }
    }

    /// The `length` bytes (at most a block) of the file of that key from `offset` on.
    #[inline]
    #[must_use]
    pub fn at(&self, key: u64, offset: u64, length: usize) -> &[u8] {
        let offset = if self.per_file { offset + start_of(key) } else { offset };
        let start = if offset < self.period { offset } else { offset % self.period };
        &self.memory.bytes()[start as usize..start as usize + length]
    }

    /// Where in the content an append to a file of `size` bytes begins.
    #[inline]
    #[must_use]
    pub fn append_from(&self, size: u64) -> u64 {
        if self.per_file { size } else { 0 }
    }

    /// The first bytes of every file, at most `length`; none if files differ.
    #[must_use]
    pub fn beginning(&self, length: usize) -> &[u8] {
        let bytes = self.memory.bytes();
        if self.per_file { &[] } else { &bytes[..length.min(bytes.len())] }
    }

    /// Compares `found`, read at `offset` of a file that was written in pieces of these
    /// sizes, with what must be there.
    #[must_use]
    pub fn check(&self, key: u64, pieces: &[u64], offset: u64, found: &[u8]) -> Option<Mismatch> {
        let end = offset + found.len() as u64;
        let mut piece_start = 0;
        for &piece in pieces {
            let (from, to) = (piece_start.max(offset), (piece_start + piece).min(end));
            if from < to {
                let within = from - if self.per_file { 0 } else { piece_start };
                let expected = self.at(key, within, (to - from) as usize);
                let found = &found[(from - offset) as usize..(to - offset) as usize];
                if expected != found {
                    let place = expected.iter().zip(found).position(|(a, b)| a != b)?;
                    let offset = from + place as u64;
                    return Some(Mismatch {
                        offset,
                        expected: expected[place],
                        found: found[place],
                    });
                }
            }
            piece_start += piece;
        }
        None
    }
}

/// Draws what nobody uses; none when told to stop.
fn skip(generator: &mut impl Generator, draws: u64, stop: &dyn Fn() -> bool) -> Option<()> {
    for drawn in 0..draws {
        if drawn.is_multiple_of(BETWEEN_STOPS as u64) && stop() {
            return None;
        }
        generator.draw();
    }
    Some(())
}

/// Fills what follows the first `period` bytes with these again.
fn repeat(bytes: &mut [u8], period: usize) {
    for index in period..bytes.len() {
        bytes[index] = bytes[index - period];
    }
}

/// Where the file of that key begins in the pool of bytes: anywhere, but on a boundary
/// that keeps transfers aligned.
fn start_of(key: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15; // Fibonacci hashing: 2⁶⁴ by the golden ratio
    const PLACES: u64 = POOL / ALIGNMENT;
    // The highest bits: only they depend on all of the key.
    (key.wrapping_mul(GOLDEN) >> (u64::BITS - PLACES.ilog2())) * ALIGNMENT
}

/// Zeroed memory that begins at a page boundary.
pub struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    /// A buffer of `length` zero bytes.
    #[must_use]
    pub fn new(length: usize) -> Self {
        let memory = vec![0; length + PAGE];
        let start = memory.as_ptr().align_offset(PAGE);
        Self { memory, start, length }
    }

    /// The bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes, to change.
    #[inline]
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::generator::Mt19937;

    fn draw(
        generator: &mut Mt19937,
        size_high: u64,
        block: u64,
        content: Content,
        seed: u64,
    ) -> FileContent {
        FileContent::draw(generator, size_high, block, content, seed, &|| false)
            .expect("not stopped")
    }

    fn postmark(generator: &mut Mt19937, size_high: u64, block: u64) -> FileContent {
        draw(generator, size_high, block, Content::Postmark, 1)
    }

    #[test]
    fn the_operations_do_not_depend_on_the_content() {
        let after = |content| {
            let mut generator = Mt19937::new(42);
            let _ = draw(&mut generator, 1000, 512, content, 1);
            generator.draw()
        };
        assert_eq!(after(Content::Random), after(Content::Postmark));
    }

    #[test]
    fn contents_are_what_they_are_called() {
        let of = |content| draw(&mut Mt19937::new(1), 8192, 8192, content, 7);
        assert!(of(Content::Zero).at(5, 0, 8192).iter().all(|&byte| byte == 0));
        let random = of(Content::Random);
        assert_ne!(random.at(1, 0, 4096), random.at(2, 0, 4096));
        assert_ne!(random.at(1, 0, 4096), random.at(1, 4096, 4096));
        let half = of(Content::Compressible(50));
        let zeros = half.at(3, 0, 8192).iter().filter(|&&byte| byte == 0).count();
        assert!((4096..4200).contains(&zeros), "{zeros}");
    }

    #[test]
    fn a_wrong_byte_is_found_wherever_it_is() {
        for content in [Content::Postmark, Content::Random] {
            let content = draw(&mut Mt19937::new(1), 5000, 5000, content, 7);
            let pieces = [1000, 500, 2000];
            let mut file = Vec::new();
            for piece in pieces {
                let from = content.append_from(file.len() as u64);
                file.extend_from_slice(content.at(9, from, piece as usize));
            }
            assert_eq!(content.check(9, &pieces, 0, &file), None);
            assert_eq!(content.check(9, &pieces, 700, &file[700..1700]), None);
            for wrong in [0, 999, 1000, 1499, 1500, 3499] {
                let mut bad = file.clone();
                bad[wrong] ^= 1;
                let found = content.check(9, &pieces, 0, &bad).expect("a mismatch");
                assert_eq!((found.offset, found.found), (wrong as u64, bad[wrong]));
                assert_eq!(found.expected, file[wrong]);
            }
        }
    }

    #[test]
    fn draws_twice_the_high_bound() {
        let mut generator = Mt19937::new(42);
        let mut counted = generator.clone();
        let text = postmark(&mut generator, 1000, 512);
        for _ in 0..2000 {
            counted.draw();
        }
        assert_eq!(generator.draw(), counted.draw());
        assert_eq!(text.at(1, 0, 6), b"LeZebJ");
        assert_eq!(text.at(1, 994, 6).len(), 6);
    }

    #[test]
    fn huge_files_repeat_the_text() {
        let mut generator = Mt19937::new(42);
        let text = postmark(&mut generator, POSTMARK_SIZE_LIMIT, 4096);
        assert_eq!(text.at(1, PERIOD, 100), text.at(1, 0, 100));
        assert_eq!(text.at(1, PERIOD - 10, 4096)[10..], text.at(1, 0, 4086)[..]);
    }

    #[test]
    fn buffers_begin_at_a_page() {
        for length in [0, 1, 4096, 100_000] {
            let buffer = AlignedBuffer::new(length);
            assert_eq!(buffer.bytes().len(), length);
            assert_eq!(buffer.bytes().as_ptr().align_offset(PAGE), 0);
        }
    }
}
