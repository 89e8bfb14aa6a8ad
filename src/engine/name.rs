//! File names, made without allocating: `17` or `s3/17`.

use std::ffi::CStr;

/// Longest name: `s` + 10 digits + `/` + 20 digits + the final zero byte.
const CAPACITY: usize = 33;

/// Memory for one name.
#[derive(Debug)]
pub struct NameBuffer {
    bytes: [u8; CAPACITY],
}

impl Default for NameBuffer {
    fn default() -> Self {
        Self { bytes: [0; CAPACITY] }
    }
}

impl NameBuffer {
    /// The name of file `number`, below a subdirectory if one is given.
    #[inline]
    pub fn file(&mut self, subdirectory: Option<u32>, number: u64) -> &CStr {
        let mut length = 0;
        if let Some(index) = subdirectory {
            length = self.append_subdirectory(index);
            self.bytes[length] = b'/';
            length += 1;
        }
        length = self.append(length, itoa::Buffer::new().format(number));
        self.finish(length)
    }

    /// The name of a subdirectory: `s3`.
    pub fn subdirectory(&mut self, index: u32) -> &CStr {
        let length = self.append_subdirectory(index);
        self.finish(length)
    }

    fn append_subdirectory(&mut self, index: u32) -> usize {
        self.bytes[0] = b's';
        self.append(1, itoa::Buffer::new().format(index))
    }

    fn append(&mut self, at: usize, digits: &str) -> usize {
        let end = at + digits.len();
        self.bytes[at..end].copy_from_slice(digits.as_bytes());
        end
    }

    fn finish(&mut self, length: usize) -> &CStr {
        self.bytes[length] = 0;
        CStr::from_bytes_with_nul(&self.bytes[..=length])
            .expect("digits, `s` and `/` hold no zero byte")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_postmarks() {
        let mut buffer = NameBuffer::default();
        assert_eq!(buffer.file(None, 1), c"1");
        assert_eq!(buffer.file(Some(12), 345), c"s12/345");
        assert_eq!(buffer.file(Some(u32::MAX), u64::MAX), c"s4294967295/18446744073709551615");
        assert_eq!(buffer.subdirectory(0), c"s0");
    }
}
