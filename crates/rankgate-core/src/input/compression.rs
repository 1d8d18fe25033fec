//! Compression with gzip.

/// What a file compressed with gzip begins with; no text in UTF-8 begins so.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What the name of a compressed file ends in.
pub const ENDING: &str = ".gz";

/// A file's name without the ending of its compression, in any case.
pub fn uncompressed(name: &str) -> &str {
    let start = name.len().saturating_sub(ENDING.len());
    name.get(start..).filter(|end| end.eq_ignore_ascii_case(ENDING)).map_or(name, |_| &name[..start])
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;

    use super::*;
    use crate::input::Source;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_are_read_one_after_the_other() {
        let file = [gzip(b"alpha\n"), gzip(b""), gzip(b"beta\n")].concat();
        assert_eq!(Source::bytes("a", &file).text().unwrap(), "alpha\nbeta\n");
    }

    #[test]
    fn what_is_cut_off_or_changed_is_an_error_and_not_an_end() {
        let text: String = (0..1 << 14).map(|number| format!("{number}\n")).collect();
        let whole = gzip(text.as_bytes());
        for length in (2..whole.len()).step_by(whole.len() / 50) {
            assert!(
                Source::bytes("a", &whole[..length]).text().is_err(),
                "cut at {length} of {}",
                whole.len()
            );
        }
    }

    #[test]
    fn the_ending_of_a_compressed_file_is_taken_off_its_name() {
        for (name, expected) in
            [("a.json.gz", "a.json"), ("a.RUN.GZ", "a.RUN"), ("a.run", "a.run"), ("é", "é"), (".gz", "")]
        {
            assert_eq!(uncompressed(name), expected);
        }
    }
}
