//! Judgments in any format, by what their file holds, and written.

use std::path::Path;

use crate::Result;
use crate::collection::{Qrels, beir, json, judged_lines, trec};
use crate::input::{Lines, Source};
use crate::output::Output;

/// A line of query, document and grade.
pub(super) type QrelsLine = fn(&str, &str, i32) -> Result<String>;

impl Qrels {
    /// Reads judgments in the format of TREC, of BEIR or in JSON, told apart by what the file
    /// holds: a JSON object of objects of grades by query and document id, lines of three columns
    /// between tabs, or else `query iteration document grade` lines. Their second column says nothing, unless a query has
    /// several there: then they are its subtopics, each with grades of its own.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed; the message names file, line and text.
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        let mut input = from.into().open()?;
        let head = input.peek_text()?;
        let by_line = if judged_lines::begins(head) {
            judged_lines::read_qrels
        } else if json::begins(head) {
            return json::read_qrels(input);
        } else if beir::begins(head) {
            beir::read_qrels
        } else {
            trec::read_qrels
        };
        by_line(Lines::new(input))
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

    /// Reads judgments in the format of TREC, whatever the file begins with.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_trec<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        trec::read_qrels(from.into().lines()?)
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

    /// Writes a line for each judgment, ordered by query and document id.
    pub(super) fn write(&self, line: QrelsLine, output: &mut Output<'_>) -> Result<()> {
        for (query, judgments) in self.iter() {
            for (document, grade) in judgments.iter() {
                output.line(format_args!("{}", line(query, document, grade)?))?;
            }
        }
        Ok(())
    }
}
