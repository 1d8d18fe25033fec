//! The text of a YAML file, and places in it.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub use crate::error::Span;
use crate::input::foreign;
use crate::{Error, Result};

/// A file's text under the name that messages give it.
pub struct Source {
    name: String,
    text: String,
    /// The byte-order mark that stood before the text, if there was one.
    mark: &'static str,
    /// The byte at which each line starts.
    lines: Vec<u32>,
}

/// What some editors put at the beginning of a file.
const MARK: &str = "\u{feff}";

impl Source {
    /// The largest file that is read. A spec is written by people; what is larger is a data file
    /// given by mistake.
    pub const MAX_BYTES: u64 = 10 * 1000 * 1000;

    /// Reads a file; messages name it by its path.
    pub fn read(path: &Path) -> Result<Arc<Self>> {
        let io = |e| Error::io("cannot read", path, e);
        let file = crate::input::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.take(Self::MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if let Some(said) = foreign(&bytes) {
            return Err(Error::in_file(path, said));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let line =
                e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Error::in_file(path, format!("line {} is not UTF-8", line + 1))
        })?;
        Self::new(path.display().to_string(), text)
    }

    /// A text that is in memory; messages name it `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Result<Arc<Self>> {
        let (name, mut text) = (name.into(), text.into());
        if text.len() as u64 > Self::MAX_BYTES {
            let limit = Self::MAX_BYTES / 1_000_000;
            return Err(Error::in_file(
                Path::new(&name),
                format!(
                    "larger than {limit} MB, which no spec is; queries and documents belong in files of their own"
                ),
            ));
        }
        let mark = if text.starts_with(MARK) { MARK } else { "" };
        text.drain(..mark.len());
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Ok(Arc::new(Self { name, text, mark, lines }))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes as they were read, in parts.
    pub fn bytes(&self) -> [&[u8]; 2] {
        [self.mark.as_bytes(), self.text.as_bytes()]
    }

    /// The line of a byte, from 0.
    fn line_index(&self, byte: u32) -> usize {
        self.lines.partition_point(|start| *start <= byte) - 1
    }

    /// Line and column of the start of a span, both from 1; columns count characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let line = self.line_index(span.start);
        let before = self.text.get(self.lines[line] as usize..span.start as usize).unwrap_or_default();
        (line + 1, before.chars().count() + 1)
    }

    /// The bytes of the line on which a span starts, without the line break.
    pub(super) fn line_of(&self, span: Span) -> Span {
        let line = self.line_index(span.start);
        let start = self.lines[line];
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len() as u32);
        let text = self.text[start as usize..end as usize].trim_end_matches(['\n', '\r']);
        Span { start, end: start + text.len() as u32 }
    }

    /// The nearest place that is in the text and between two characters.
    pub fn clamp(&self, byte: usize) -> u32 {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte as u32
    }
}

/// Without the text, which may be long.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_1() {
        let source = Source::new("x", "\u{feff}ä: 1\r\nb: é!\n").unwrap();
        let at = |text: &str| {
            let start = source.text().find(text).unwrap() as u32;
            source.position(Span { start, end: start + 1 })
        };
        assert_eq!((at("ä"), at("1"), at("b"), at("!")), ((1, 1), (1, 4), (2, 1), (2, 5)));
        let end = source.text().len() as u32;
        assert_eq!(source.position(Span { start: end, end }), (3, 1));
    }

    #[test]
    fn a_line_is_without_its_break() {
        let source = Source::new("x", "one\r\ntwo\n").unwrap();
        assert_eq!(source.line_of(Span { start: 1, end: 2 }), Span { start: 0, end: 3 });
        assert_eq!(source.line_of(Span { start: 6, end: 9 }), Span { start: 5, end: 8 });
        assert_eq!(source.line_of(Span { start: 9, end: 9 }), Span { start: 9, end: 9 });
    }

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        let huge = Source::new("x.yaml", "a".repeat(10_000_001)).unwrap_err().to_string();
        assert!(huge.starts_with("x.yaml: larger than 10 MB"), "{huge}");
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"a: 1\nb: \xff\n").unwrap();
        let broken = Source::read(file.path()).unwrap_err().to_string();
        assert!(broken.ends_with(": line 2 is not UTF-8"), "{broken}");
        std::fs::write(file.path(), b"\xff\xfea\0:\0 \x001\0").unwrap();
        let wide = Source::read(file.path()).unwrap_err().to_string();
        assert!(wide.contains(": it is text in UTF-16: save it as UTF-8"), "{wide}");
    }
}
