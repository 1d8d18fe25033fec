//! Decompression that a small file cannot turn into an exhausted memory.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

/// How a file is compressed that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard, of one or more frames.
    #[cfg(feature = "zstd")]
    Zstd,
}

/// As many bytes as it takes to recognise any of them.
pub(super) const MAGIC: u64 = 4;

/// The first bytes of every gzip file. No text in UTF-8 begins with them.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of every frame of zstd; no text in UTF-8 begins with them either.
pub(super) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// What a frame begins with that holds no data, after a byte from 0x50 to 0x5f: pzstd writes one at the beginning.
#[cfg(feature = "zstd")]
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// A file may expand to this many times its size. Runs and corpora expand 3 to 20 times; gzip can do 1032 times, and
/// zstd more.
const MAX_RATIO: u64 = 200;
/// Up to this size any expansion is fine.
const ALWAYS_FINE: u64 = 256 << 20;

/// How the names of compressed files end.
pub const ENDINGS: [&str; 2] = [".gz", ".zst"];

/// A file's name without the ending of its compression, in any case.
pub fn uncompressed(name: &str) -> &str {
    let ends = |ending: &&'static str| {
        let start = name.len().checked_sub(ending.len())?;
        name.get(start..)?.eq_ignore_ascii_case(ending).then_some(&name[..start])
    };
    ENDINGS.iter().find_map(ends).unwrap_or(name)
}

impl Compression {
    /// That of a file that begins like this.
    pub(super) fn recognise(head: &[u8]) -> Option<Self> {
        if head.starts_with(&GZIP) {
            return Some(Self::Gzip);
        }
        #[cfg(feature = "zstd")]
        if head.starts_with(&ZSTD) || matches!(head, [0x50..=0x5f, rest @ ..] if rest.starts_with(&SKIPPABLE))
        {
            return Some(Self::Zstd);
        }
        None
    }

    /// The decompressed bytes.
    pub(super) fn reader<'a>(
        self,
        compressed: impl Read + Send + 'a,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        self.with_limit(compressed, ALWAYS_FINE)
    }

    fn with_limit<'a>(
        self,
        compressed: impl Read + Send + 'a,
        always_fine: u64,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        let consumed = Arc::new(AtomicU64::new(0));
        let counted = BufReader::new(Counted { inner: compressed, consumed: Arc::clone(&consumed) });
        let decoder: Box<dyn Read + Send + 'a> = match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(counted)),
            #[cfg(feature = "zstd")]
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(counted)?),
        };
        Ok(Box::new(Bounded { decoder, consumed, produced: 0, always_fine }))
    }
}

/// What a decoder makes, as long as it is not out of all proportion.
struct Bounded<'a> {
    decoder: Box<dyn Read + Send + 'a>,
    consumed: Arc<AtomicU64>,
    produced: u64,
    always_fine: u64,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.produced += count as u64;
        let consumed = self.consumed.load(Ordering::Relaxed);
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
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// A form of compression, with what makes it.
    type Case = (Compression, fn(&[u8]) -> Vec<u8>);

    fn cases() -> Vec<Case> {
        vec![
            (Compression::Gzip, gzip),
            #[cfg(feature = "zstd")]
            (Compression::Zstd, |bytes| zstd::encode_all(bytes, 3).unwrap()),
        ]
    }

    #[test]
    fn members_are_read_one_after_the_other() {
        for (kind, compress) in cases() {
            let file = [compress(b"alpha\n"), compress(b""), compress(b"beta\n")].concat();
            assert_eq!(Compression::recognise(&file), Some(kind));
            let mut text = String::new();
            kind.reader(file.as_slice()).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "alpha\nbeta\n");
        }
    }

    #[test]
    fn a_bomb_is_refused_and_an_ordinary_file_of_the_same_size_is_not() {
        let limit = 1 << 16;
        let text: String = (0..1 << 18).map(|number| format!("{number}\n")).collect();
        assert!(text.len() > 1 << 20);
        for (kind, compress) in cases() {
            let read = |bytes: &[u8]| {
                let mut found = Vec::new();
                kind.with_limit(bytes, limit).unwrap().read_to_end(&mut found).map(|_| found)
            };
            let error = read(&compress(&vec![b'x'; 1 << 22])).unwrap_err();
            assert_eq!(error.to_string(), "it expands to more than 200 times its size");
            assert!(read(&compress(text.as_bytes())).unwrap() == text.as_bytes(), "{kind:?}");
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_an_error_and_not_an_end() {
        let text: String = (0..1 << 14).map(|number| format!("{number}\n")).collect();
        for (kind, compress) in cases() {
            let whole = compress(text.as_bytes());
            for length in (1..whole.len()).step_by(whole.len() / 50) {
                let read =
                    kind.reader(&whole[..length]).and_then(|mut reader| reader.read_to_end(&mut Vec::new()));
                assert!(read.is_err(), "{kind:?}, cut at {length} of {}", whole.len());
            }
        }
    }

    #[test]
    fn the_ending_of_a_compressed_file_is_taken_off_its_name() {
        for (name, expected) in
            [("a.json.gz", "a.json"), ("a.RUN.ZST", "a.RUN"), ("a.run", "a.run"), ("é", "é"), (".gz", "")]
        {
            assert_eq!(uncompressed(name), expected);
        }
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn frames_without_data_are_passed_over() {
        let mut file = vec![0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 9, 9, 9, 9];
        file.extend(zstd::encode_all(&b"alpha\n"[..], 3).unwrap());
        assert_eq!(Compression::recognise(&file), Some(Compression::Zstd));
        let mut text = String::new();
        Compression::Zstd.reader(file.as_slice()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "alpha\n");
    }
}
