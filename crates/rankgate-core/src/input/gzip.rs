//! Decompression that a small file cannot turn into an exhausted memory.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The first two bytes of every gzip file. No text in UTF-8 begins with them.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A file may expand to this many times its size. Runs and corpora expand 3 to 20 times, the most
/// that the format can do is 1032 times.
const MAX_RATIO: u64 = 200;

/// Up to this size any expansion is fine.
const ALWAYS_FINE: u64 = 256 << 20;

/// The decompressed bytes of a gzip file of one or more members.
pub(super) struct Gunzip<R: Read> {
    decoder: MultiGzDecoder<BufReader<Counted<R>>>,
    produced: u64,
    always_fine: u64,
}

impl<R: Read> Gunzip<R> {
    pub(super) fn new(compressed: R) -> Self {
        Self::with_limit(compressed, ALWAYS_FINE)
    }

    fn with_limit(compressed: R, always_fine: u64) -> Self {
        let counted = Counted { inner: compressed, consumed: 0 };
        Self { decoder: MultiGzDecoder::new(BufReader::new(counted)), produced: 0, always_fine }
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.produced += count as u64;
        let consumed = self.decoder.get_ref().get_ref().consumed;
        if self.produced > self.always_fine && self.produced / MAX_RATIO > consumed {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it expands to more than {MAX_RATIO} times its size"),
            ));
        }
        Ok(count)
    }
}

/// Counts the bytes that were read through it.
struct Counted<R> {
    inner: R,
    consumed: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.consumed += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_are_read_one_after_the_other() {
        let file = [gzip(b"alpha\n"), gzip(b""), gzip(b"beta\n")].concat();
        let mut text = String::new();
        Gunzip::new(file.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "alpha\nbeta\n");
    }

    #[test]
    fn a_bomb_is_refused_and_an_ordinary_file_of_the_same_size_is_not() {
        let limit = 1 << 16;
        let bomb = gzip(&vec![b'x'; 1 << 22]);
        let error = Gunzip::with_limit(bomb.as_slice(), limit).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "it expands to more than 200 times its size");

        let text: String = (0..1 << 18).map(|number| format!("{number}\n")).collect();
        let file = gzip(text.as_bytes());
        let mut found = String::new();
        Gunzip::with_limit(file.as_slice(), limit).read_to_string(&mut found).unwrap();
        assert!(found == text && text.len() > 1 << 20);
    }
}
