//! What a file that cannot be read is, and what to do about it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::input::compression::GZIP;

/// The message on a compressed file that holds another one.
pub(super) const TWICE: &str = "it is compressed twice: decompress it once";

/// Files that are recognised by how they begin.
const BEGINNINGS: [(&[u8], &str); 7] = [
    (&GZIP, "it is compressed with gzip: decompress it (`gunzip`)"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "it is compressed with zstd: decompress it (`zstd -d`), or use gzip"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "it is compressed with xz: decompress it (`xz -d`), or use gzip"),
    (
        b"PK\x03\x04",
        "it is a zip archive, as .xlsx files are too: unpack it, or save the sheet as text between tabs",
    ),
    (
        b"PAR1\x15",
        "it is a Parquet file, which only the judgments, runs and scores of `rankgate eval`, `compare`, `explain`, `power` \
         and `fuse` may be: save its rows as text, in columns or as JSON",
    ),
    (&[0xff, 0xfe], UTF_16),
    (&[0xfe, 0xff], UTF_16),
];

/// Where it can be decompressed, the message is for a spec, which is never compressed.
const UTF_16: &str = "it is text in UTF-16: save it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)";

/// As many bytes as it takes to recognise any of them.
pub(super) const BEGINNING: usize = 8;

/// What a file is that begins like this, if it is no text.
pub fn foreign(beginning: &[u8]) -> Option<&'static str> {
    let found = BEGINNINGS.iter().find(|(with, _)| beginning.starts_with(with)).map(|(_, said)| *said);
    // The fourth byte is the size of bzip2's blocks.
    found.or_else(|| {
        let pairs = beginning.get(..8)?.chunks(2);
        let zero = |at: usize| pairs.clone().all(|pair| pair[at] == 0 && pair[1 - at] != 0);
        (zero(0) || zero(1)).then_some(UTF_16)
    })
}

/// The message on a line that a merge left.
pub(super) const CONFLICT: &str = "a merge left its conflict here";

/// Whether a line is one of those that a merge leaves around what it could not decide.
pub(super) fn is_conflict(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark))
}

/// Whether a merge has left a file undecided; of one that cannot be read that is not known.
pub fn holds_conflict(path: &Path) -> bool {
    // A pipe would be waited for.
    if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return false;
    }
    let Ok(file) = fs::File::open(path) else { return false };
    let (mut begins, mut ends) = (false, false);
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        begins |= line.starts_with(b"<<<<<<<");
        ends |= line.starts_with(b">>>>>>>");
    }
    begins && ends
}

/// What a line seems to be part of that has not the columns it should have.
pub(super) fn suspected(line: &str, columns: usize) -> Option<&'static str> {
    let line = line.trim_start();
    if is_conflict(line) {
        Some(CONFLICT)
    } else if line.starts_with('<') {
        Some("this looks like HTML or XML, such as a server's error page")
    } else if line.starts_with(['{', '[']) {
        Some("this looks like JSON, which is read as one object of objects: `{\"q1\": {\"d7\": 2}}`")
    } else if columns == 1 && line.contains([',', ';']) {
        Some("this looks like comma-separated values: put blanks or tabs between the columns")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Source;

    #[test]
    fn files_of_another_kind_are_named_and_it_is_said_what_to_do() {
        let utf_16 = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
            let text = "q1 Q0 d1 1 2.5 t\n".encode_utf16().flat_map(bytes);
            mark.iter().copied().chain(text).collect::<Vec<u8>>()
        };
        let cases: Vec<(Vec<u8>, &str)> = vec![
            (b"\x28\xb5\x2f\xfd\x04\x00".to_vec(), "compressed with zstd"),
            (b"\xfd7zXZ\x00\x00".to_vec(), "compressed with xz"),
            (b"PK\x03\x04\x14".to_vec(), "a zip archive"),
            (b"PAR1\x15".to_vec(), "a Parquet file"),
            (utf_16(&[0xff, 0xfe], u16::to_le_bytes), "text in UTF-16"),
            (utf_16(&[0xfe, 0xff], u16::to_be_bytes), "text in UTF-16"),
            (utf_16(&[], u16::to_le_bytes), "text in UTF-16"),
            (utf_16(&[], u16::to_be_bytes), "text in UTF-16"),
        ];
        for (bytes, said) in cases {
            let error = Source::bytes("a.run", &bytes).lines().err().map(|error| error.to_string());
            assert!(
                error.as_ref().is_some_and(|e| e.starts_with(&format!("a.run: it is {said}"))),
                "{error:?}"
            );
        }
        for text in ["PAR11 Q0 d1 1 2 t\n", "PK Q0 d1 1 2 t\n", "q", "", "\u{feff}q1 Q0 d1 1 2 t\n"] {
            assert!(Source::bytes("a.run", text.as_bytes()).lines().is_ok(), "{text}");
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_compressed_twice_is_told() {
        let twice = gzip(&gzip(b"q1 Q0 d1 1 2 t\n"));
        let error = Source::bytes("a.gz", &twice).text().unwrap_err().to_string();
        assert_eq!(error, "a.gz: it is compressed twice: decompress it once");
    }
}
