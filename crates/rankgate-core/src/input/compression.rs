//! Decompression.

use std::io::{self, BufReader, Read};

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
        let compressed = BufReader::new(compressed);
        Ok(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(compressed)),
            #[cfg(feature = "zstd")]
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(compressed)?),
        })
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
