//! What is to be read: a file, or bytes with a name.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::input::ahead::ReadAhead;
use crate::input::foreign::{BEGINNING, foreign};
use crate::input::gzip::{Gunzip, MAGIC};
use crate::input::{Lines, MAX_TEXT, open};
use crate::{Error, Result, threads};

/// What an error begins with, and that of a compressed file.
const READING: &str = "cannot read";
const DECOMPRESSING: &str = "cannot decompress";

/// A file, or bytes with a name that errors call them by.
pub(crate) struct Source<'a> {
    path: PathBuf,
    bytes: Option<&'a [u8]>,
}

impl Source<'static> {
    pub(crate) fn file(path: &Path) -> Self {
        Self { path: path.to_owned(), bytes: None }
    }
}

impl<'a> Source<'a> {
    pub(crate) fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self { path: name.into(), bytes: Some(bytes) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether opening it a second time gives the same bytes, which a pipe does not.
    pub(crate) fn can_be_read_again(&self) -> bool {
        self.bytes.is_some() || self.path.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// The length of a regular file that stands on the disk as it is read; `input` is what was opened.
    pub(crate) fn plain_length(&self, input: &Input<'_>) -> Option<u64> {
        let metadata = self.path.metadata().ok().filter(|_| self.bytes.is_none() && !input.compressed())?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Opens it; gzip is recognised by its first two bytes, not by a name, and what is no text is refused.
    pub(crate) fn open(&self) -> Result<Input<'a>> {
        let mut input = self.decompressed()?;
        match foreign(input.peek(BEGINNING)?) {
            Some(said) => Err(Error::in_file(&self.path, said)),
            None => Ok(input),
        }
    }

    fn decompressed(&self) -> Result<Input<'a>> {
        match self.bytes {
            Some(bytes) => self.input(bytes, |compressed| Ok(Box::new(Gunzip::new(compressed)))),
            None => {
                let failed = |error| Error::io("cannot open", &self.path, error);
                threads::start()?;
                let file = open(&self.path).map_err(failed)?;
                // To decompress takes as long as what is done with it afterwards.
                self.input(file, |compressed| Ok(Box::new(ReadAhead::new(Gunzip::new(compressed))?)))
            }
        }
    }

    /// What `raw` holds, by way of `gunzip` if it is compressed.
    fn input<R: Read + Send + 'a>(
        &self,
        mut raw: R,
        gunzip: impl FnOnce(io::Chain<io::Cursor<Vec<u8>>, R>) -> io::Result<Box<dyn Read + Send + 'a>>,
    ) -> Result<Input<'a>> {
        let failed = |action| move |error| Error::io(action, &self.path, error);
        let mut head = Vec::new();
        raw.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head).map_err(failed(READING))?;
        let (rest, action, head): (Box<dyn Read + Send + 'a>, _, _) = if head == MAGIC {
            let compressed = io::Cursor::new(head).chain(raw);
            (gunzip(compressed).map_err(failed(DECOMPRESSING))?, DECOMPRESSING, Vec::new())
        } else {
            (Box::new(raw), READING, head)
        };
        Ok(Input { path: self.path.clone(), head, at: 0, rest, action })
    }

    /// The whole text, without a byte-order mark.
    pub(crate) fn text(&self) -> Result<String> {
        self.open()?.text()
    }

    /// The numbered lines.
    pub(crate) fn lines(&self) -> Result<Lines<'a>> {
        Ok(Lines::new(self.open()?))
    }
}

/// An opened source: decompressed bytes, of which the first can be looked at in advance.
pub(crate) struct Input<'a> {
    path: PathBuf,
    head: Vec<u8>,
    at: usize,
    rest: Box<dyn Read + Send + 'a>,
    action: &'static str,
}

impl Input<'_> {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn compressed(&self) -> bool {
        self.action == DECOMPRESSING
    }

    /// The first bytes, at most `count` of them, without taking them out. Not after a read.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8]> {
        let missing = count.saturating_sub(self.head.len());
        let read = self.rest.by_ref().take(missing as u64).read_to_end(&mut self.head);
        read.map_err(|error| self.error(error))?;
        Ok(&self.head[..count.min(self.head.len())])
    }

    /// The first character that is not white space, looked at in advance, with what follows it.
    pub(crate) fn peek_text(&mut self) -> Result<&[u8]> {
        const FAR_ENOUGH: usize = 4096;
        let head = self.peek(FAR_ENOUGH)?;
        Ok(head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start())
    }

    /// Appends up to `count` bytes to `buffer` and says how many; fewer only at the end.
    pub(crate) fn fill(&mut self, buffer: &mut Vec<u8>, count: usize) -> Result<usize> {
        let head = &self.head[self.at..];
        let head = &head[..count.min(head.len())];
        buffer.extend_from_slice(head);
        let from_head = head.len();
        self.at += from_head;
        let read = self.rest.by_ref().take((count - from_head) as u64).read_to_end(buffer);
        Ok(from_head + read.map_err(|error| self.error(error))?)
    }

    /// The whole text, without a byte-order mark.
    pub(crate) fn text(mut self) -> Result<String> {
        let mut bytes = Vec::new();
        self.fill(&mut bytes, MAX_TEXT as usize)?;
        if self.fill(&mut Vec::new(), 1)? > 0 {
            return Err(Error::in_file(
                &self.path,
                format!("larger than {} MiB, which is too much for one JSON text", MAX_TEXT >> 20),
            ));
        }
        if bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(.."\u{feff}".len());
        }
        String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
            Error::at_line(&self.path, line, &quotable(&error.as_bytes()[start..]), INVALID_UTF8)
        })
    }

    fn error(&self, error: io::Error) -> Error {
        Error::io(self.action, &self.path, error)
    }
}

pub(super) const INVALID_UTF8: &str = "invalid UTF-8 (save it as UTF-8)";

/// The beginning of bytes that are no text, for an error message.
pub(super) fn quotable(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned()
}

#[cfg(test)]
impl Input<'static> {
    /// An input of any reader, for tests of what no file can do.
    pub(super) fn endless(reader: Box<dyn Read + Send>) -> Self {
        Self { path: "endless".into(), head: Vec::new(), at: 0, rest: reader, action: READING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_no_byte_order_mark_and_names_the_line_of_invalid_utf8() {
        assert_eq!(Source::bytes("a.json", "\u{feff}{}".as_bytes()).text().unwrap(), "{}");
        let error = Source::bytes("a.json", b"{\n\"a\xff\": 1}\n}").text().unwrap_err();
        assert_eq!(error.to_string(), "a.json:2: invalid UTF-8 (save it as UTF-8): `\"a\u{fffd}\": 1}`");
    }

    #[test]
    fn looking_ahead_takes_nothing_away() {
        let source = Source::bytes("a", b" \t{\"x\"");
        let mut input = source.open().unwrap();
        assert_eq!(input.peek_text().unwrap(), b"{\"x\"");
        assert_eq!(input.text().unwrap(), " \t{\"x\"");
    }

    #[test]
    fn what_cannot_be_opened_or_decompressed_is_an_error_that_names_the_file() {
        let missing = Source::file(Path::new("no/such.run")).text().unwrap_err();
        assert_eq!(missing.to_string(), "cannot open no/such.run");
        let truncated = Source::bytes("a.gz", &[0x1f, 0x8b, 8, 0]).text().unwrap_err();
        assert_eq!(truncated.to_string(), "cannot decompress a.gz");
    }
}
