//! An input: a file, or bytes with a name.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::input::ahead::ReadAhead;
use crate::input::compression::GZIP;
use crate::input::foreign::{BEGINNING, TWICE, foreign};
use crate::input::{MAX_TEXT, RunRows, open};
use crate::{Error, Result};

/// What an error begins with, and that of a compressed file.
const READING: &str = "cannot read";
const DECOMPRESSING: &str = "cannot decompress";

/// An input: a file, or bytes or a stream with a name that messages call it by. A path is one, in any form
/// it has.
///
/// It may be compressed with gzip. The limits of the module `collection` are those of what it unpacks to.
///
/// ```
/// use rankgate::{Qrels, Source};
///
/// // What somebody posts, say.
/// let body: &[u8] = b"q1 0 d1 2\nq1 0 d2 two\n";
/// let error = Qrels::read(Source::stream("the request", body)).unwrap_err();
/// assert!(error.to_string().starts_with("the request:2: grade `two` is not a whole number"));
/// ```
pub struct Source<'a> {
    path: PathBuf,
    content: Content<'a>,
}

/// Compressed bytes, read as what they hold.
type Decoder<R> = MultiGzDecoder<BufReader<io::Chain<io::Cursor<Vec<u8>>, R>>>;

enum Content<'a> {
    OfFile,
    Bytes(&'a [u8]),
    /// Nothing once it has been opened.
    Stream(RefCell<Option<Box<dyn Read + Send + 'a>>>),
    Rows(RunRows),
}

impl<P: AsRef<Path>> From<P> for Source<'_> {
    fn from(path: P) -> Self {
        Self { path: path.as_ref().to_owned(), content: Content::OfFile }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.path).finish()
    }
}

impl<'a> Source<'a> {
    /// Bytes that are in memory; messages call them by `name`, whose ending may say what they hold.
    pub fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self { path: name.into(), content: Content::Bytes(bytes) }
    }

    /// Anything that bytes can be read from, such as the body of a request. It is read once and to its end.
    pub fn stream(name: &str, stream: impl Read + Send + 'a) -> Self {
        Self { path: name.into(), content: Content::Stream(RefCell::new(Some(Box::new(stream)))) }
    }

    fn decompressed(&self) -> Result<Input<'a>> {
        match &self.content {
            Content::Bytes(bytes) => self.input(*bytes, |plain| Ok(Box::new(plain))),
            Content::Stream(stream) => {
                let again = || Error::in_file(&self.path, "it is a stream, which can be read once");
                let stream = stream.take().ok_or_else(again)?;
                self.input(stream, |plain| Ok(Box::new(plain)))
            }
            Content::Rows(_) => Err(Error::in_file(&self.path, "its rows are no text")),
            Content::OfFile => {
                let failed = |error| Error::io("cannot open", &self.path, error);
                let file = open(&self.path).map_err(failed)?;
                // To decompress takes as long as what is done with it afterwards.
                self.input(file, |plain| Ok(Box::new(ReadAhead::new(plain)?)))
            }
        }
    }

    /// What `raw` holds, by way of `read` if it is compressed.
    fn input<R: Read + Send + 'a>(
        &self,
        mut raw: R,
        read: impl FnOnce(Decoder<R>) -> io::Result<Box<dyn Read + Send + 'a>>,
    ) -> Result<Input<'a>> {
        let failed = |action| move |error| Error::io(action, &self.path, error);
        let mut head = Vec::new();
        raw.by_ref().take(GZIP.len() as u64).read_to_end(&mut head).map_err(failed(READING))?;
        let (rest, action, head): (Box<dyn Read + Send + 'a>, _, _) = match head == GZIP {
            true => {
                let plain = MultiGzDecoder::new(BufReader::new(io::Cursor::new(head).chain(raw)));
                (read(plain).map_err(failed(DECOMPRESSING))?, DECOMPRESSING, Vec::new())
            }
            false => (Box::new(raw), READING, head),
        };
        Ok(Input { path: self.path.clone(), head, at: 0, rest, action })
    }
}

#[doc(hidden)]
impl<'a> Source<'a> {
    /// A run of rows that are in memory; messages call it by its path.
    pub fn rows(path: &Path, rows: RunRows) -> Self {
        Self { path: path.to_owned(), content: Content::Rows(rows) }
    }

    /// The rows, if it is a run of such.
    pub fn run_rows(&self) -> Option<&RunRows> {
        match &self.content {
            Content::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether opening it a second time gives the same bytes, which a pipe does not.
    pub fn can_be_read_again(&self) -> bool {
        match self.content {
            Content::OfFile => self.path.metadata().is_ok_and(|metadata| metadata.is_file()),
            Content::Bytes(_) | Content::Rows(_) => true,
            Content::Stream(_) => false,
        }
    }

    /// The length of a regular file that stands on the disk as it is read; `input` is what was opened.
    pub fn plain_length(&self, input: &Input<'_>) -> Option<u64> {
        let Content::OfFile = self.content else { return None };
        let metadata = self.path.metadata().ok().filter(|_| !input.compressed())?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Opens it; compression is recognised by the first bytes, not by a name, and anything but text is refused.
    pub fn open(&self) -> Result<Input<'a>> {
        let mut input = self.decompressed()?;
        let compressed = input.compressed();
        let head = input.peek(BEGINNING)?;
        let twice = (compressed && head.starts_with(&GZIP)).then_some(TWICE);
        match twice.or_else(|| foreign(head)) {
            Some(said) => Err(Error::in_file(&self.path, said)),
            None => Ok(input),
        }
    }

    /// The whole text, without a byte-order mark.
    pub fn text(&self) -> Result<String> {
        self.open()?.text()
    }
}

/// An opened source: decompressed bytes, of which the first can be looked at in advance.
pub struct Input<'a> {
    path: PathBuf,
    head: Vec<u8>,
    at: usize,
    rest: Box<dyn Read + Send + 'a>,
    action: &'static str,
}

impl Input<'_> {
    fn compressed(&self) -> bool {
        self.action == DECOMPRESSING
    }

    fn error(&self, error: io::Error) -> Error {
        Error::io(self.action, &self.path, error)
    }
}

impl Input<'_> {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The first bytes, at most `count` of them, without taking them out. Not after a read.
    pub fn peek(&mut self, count: usize) -> Result<&[u8]> {
        let missing = count.saturating_sub(self.head.len());
        let read = self.rest.by_ref().take(missing as u64).read_to_end(&mut self.head);
        read.map_err(|error| self.error(error))?;
        Ok(&self.head[..count.min(self.head.len())])
    }

    /// The first character that is not white space, looked at in advance, with what follows it.
    pub fn peek_text(&mut self) -> Result<&[u8]> {
        const FAR_ENOUGH: usize = 4096;
        let head = self.peek(FAR_ENOUGH)?;
        Ok(head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start())
    }

    /// Appends up to `count` bytes to `buffer` and says how many; fewer only at the end.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, count: usize) -> Result<usize> {
        let head = &self.head[self.at..];
        let head = &head[..count.min(head.len())];
        buffer.extend_from_slice(head);
        let from_head = head.len();
        self.at += from_head;
        let read = self.rest.by_ref().take((count - from_head) as u64).read_to_end(buffer);
        Ok(from_head + read.map_err(|error| self.error(error))?)
    }

    /// The whole text, without a byte-order mark.
    pub fn text(mut self) -> Result<String> {
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
    fn a_stream_is_read_once() {
        let stream = Source::stream("once", &b"text"[..]);
        assert_eq!(stream.text().unwrap(), "text");
        assert_eq!(stream.text().unwrap_err().to_string(), "once: it is a stream, which can be read once");
    }

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
        let missing = Source::from("no/such.run").text().unwrap_err();
        assert_eq!(missing.to_string(), "cannot open no/such.run");
        let truncated = Source::bytes("a.gz", &[0x1f, 0x8b, 8, 0]).text().unwrap_err();
        assert_eq!(truncated.to_string(), "cannot decompress a.gz");
    }
}
