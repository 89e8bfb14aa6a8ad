//! What the bytes of a file tell of who wrote it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::manifest::Manifest;

/// Whether a file's first bytes, as far as it has any, are what the run writes.
pub fn begins_with(file: &File, manifest: &Manifest, size: u64) -> io::Result<bool> {
    let beginning = manifest.beginning.as_bytes();
    let length = beginning.len().min(usize::try_from(size).unwrap_or(usize::MAX));
    let mut bytes = vec![0; length];
    match file.read_exact_at(&mut bytes, 0) {
        Ok(()) => Ok(is_written_by(&bytes, beginning, manifest.size_low)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether bytes are pieces that each begin as the source text does: the file as it was
/// made, of `first_piece` bytes at least, and what was appended to it.
fn is_written_by(bytes: &[u8], text: &[u8], first_piece: u64) -> bool {
    // How long the last piece, up to here, may be; as long as all if it is the first.
    let mut lengths = vec![0];
    for (place, &byte) in bytes.iter().enumerate() {
        let may_append = place as u64 >= first_piece || lengths.iter().any(|&last| last < place);
        lengths.retain(|&last| text.get(last) == Some(&byte));
        lengths.iter_mut().for_each(|last| *last += 1);
        if place > 0 && may_append && text.first() == Some(&byte) {
            lengths.push(1);
        }
        if lengths.is_empty() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_written_by;

    #[test]
    fn pieces_of_the_text_are_recognised() {
        let ours = |bytes: &str| is_written_by(bytes.as_bytes(), b"abcabd", 2);
        for bytes in ["", "a", "ab", "abc", "abcabd", "aba", "abab", "ababab", "abcaba", "abaaa"] {
            assert!(ours(bytes), "{bytes}");
        }
        for bytes in ["b", "aa", "aab", "abd", "abcb", "abcc", "abcabca b", "other"] {
            assert!(!ours(bytes), "{bytes}");
        }
    }
}
