//! What is written into files.

use super::generator::Generator;

/// From this high bound on PostMark cannot run (it crashes), so there is no stream of
/// its to reproduce and the source text repeats instead of filling memory.
pub const POSTMARK_SIZE_LIMIT: u64 = 1 << 30;
/// Length of the repeated source text beyond that limit, bytes.
const PERIOD: u64 = 64 << 20;
/// Draws after which it is asked whether to stop: some hundredths of a second.
const BETWEEN_STOPS: usize = 4 << 20;
/// Copies from and to memory run at full speed from a page boundary only.
const PAGE: usize = 4096;

/// PostMark's source text: printable characters `32 + R(95)`, the same for every file,
/// each file beginning at its first byte. Held page-aligned.
pub struct SourceText {
    memory: AlignedBuffer,
    /// Offsets wrap at this length.
    period: u64,
}

impl SourceText {
    /// Draws the text for files of up to `size_high` bytes, as PostMark does: always
    /// `2 × size_high` draws, of which only the first half is ever written.
    /// From 1 GiB on (impossible there) it draws 64 MiB, which repeat.
    ///
    /// `write_block` bytes are available from every offset.
    pub fn draw(generator: &mut impl Generator, size_high: u64, write_block: u64) -> Self {
        Self::draw_unless(generator, size_high, write_block, &|| false)
            .expect("it is never told to stop")
    }

    /// The same, but `stop` is asked now and then, as large texts take seconds; `None` if
    /// it says so.
    pub fn draw_unless(
        generator: &mut impl Generator,
        size_high: u64,
        write_block: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let repeats = size_high >= POSTMARK_SIZE_LIMIT;
        let period = if repeats { PERIOD } else { size_high };
        let length = if repeats { period + write_block } else { period };
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
        for index in period as usize..bytes.len() {
            bytes[index] = bytes[index - period as usize];
        }
        if !repeats {
            for drawn in 0..size_high {
                if drawn.is_multiple_of(BETWEEN_STOPS as u64) && stop() {
                    return None;
                }
                generator.draw();
            }
        }
        Some(Self { memory, period })
    }

    /// The `length` bytes (at most a write block) of every file from `offset` on.
    #[inline]
    #[must_use]
    pub fn at(&self, offset: u64, length: usize) -> &[u8] {
        let start = if offset < self.period { offset } else { offset % self.period };
        &self.memory.bytes()[start as usize..start as usize + length]
    }

    /// The first bytes of every file, at most `length`.
    #[must_use]
    pub fn beginning(&self, length: usize) -> &[u8] {
        let bytes = self.memory.bytes();
        &bytes[..length.min(bytes.len())]
    }
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

    #[test]
    fn draws_twice_the_high_bound() {
        let mut generator = Mt19937::new(42);
        let mut counted = generator.clone();
        let text = SourceText::draw(&mut generator, 1000, 512);
        for _ in 0..2000 {
            counted.draw();
        }
        assert_eq!(generator.draw(), counted.draw());
        assert_eq!(text.at(0, 6), b"LeZebJ");
        assert_eq!(text.at(994, 6).len(), 6);
    }

    #[test]
    fn huge_files_repeat_the_text() {
        let mut generator = Mt19937::new(42);
        let text = SourceText::draw(&mut generator, POSTMARK_SIZE_LIMIT, 4096);
        assert_eq!(text.at(PERIOD, 100), text.at(0, 100));
        assert_eq!(text.at(PERIOD - 10, 4096)[10..], text.at(0, 4086)[..]);
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
