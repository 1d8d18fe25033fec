//! Judgments in any format, by what their file holds.

use std::path::Path;

use crate::Result;
use crate::collection::qrels_format::QrelsFormat;
use crate::collection::{Qrels, beir, json, judged_lines, trec};
use crate::input::Source;

impl QrelsFormat {
    /// In the order in which they are tried; the last one takes the rest.
    const ALL: [Self; 4] = [judged_lines::QRELS, json::QRELS, beir::QRELS, trec::QRELS];

    /// That of judgments that begin like this.
    pub(super) fn detect(head: &[u8]) -> Self {
        let [.., last] = Self::ALL;
        Self::ALL.into_iter().find(|format| (format.begins)(head)).unwrap_or(last)
    }
}

impl Qrels {
    /// Reads judgments in the format of TREC, of BEIR or in JSON, told apart by what the file
    /// holds: a JSON object of objects of grades by query and document id, lines of three columns
    /// between tabs, or else lines as [`read_trec`](Self::read_trec) reads them.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed; the message names file, line and text.
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        let mut input = from.into().open()?;
        let format = QrelsFormat::detect(input.peek_text()?);
        (format.read)(input)
    }

    /// Reads judgments that are in memory, in any format that [`read`](Self::read) knows; errors
    /// call them by `name`.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// let qrels = rankgate::Qrels::parse("mine.qrels", b"q1 0 d1 2\nq1 0 d2 0\n")?;
    /// assert_eq!(qrels.grade("q1", "d1"), Some(2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::read(Source::bytes(name, bytes))
    }

    /// Reads judgments in the format of TREC: `query iteration document grade`, columns between
    /// white space, plain or gzipped. The second column says nothing, unless a query has several there: then they are its
    /// subtopics, each with grades of its own.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; a line with more or fewer columns; a grade that is not a whole
    /// number; a document that is judged twice for a query, or for a subtopic of it.
    pub fn read_trec<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        (trec::QRELS.read)(from.into().open()?)
    }

    /// Writes judgments in the format of TREC, ordered by query and document id; a path that ends
    /// in `.gz` is compressed.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, or an id with white space in it.
    pub fn write_trec(&self, path: impl AsRef<Path>) -> Result<()> {
        trec::write_qrels(self, path.as_ref())
    }
}
