//! Writing run files in the format of TREC.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use crate::error::Quoted;
use crate::output::{Output, replace_file};
use crate::run::ids::is_misread_at_the_beginning;
use crate::run::{Run, encode_id};
use crate::{Error, Result};

/// Writes runs in the format of TREC, ordered by query id and rank.
///
/// The rank column counts from 1 in the run's order; scores are written so that they are read back
/// exactly. A reader that orders by score gets the same run only where the run is in that order.
///
/// ```
/// # fn main() -> rankgate::Result<()> {
/// use rankgate::run::RunWriter;
/// use rankgate::{Hit, Run};
///
/// let run = Run::from_rankings([("q1", vec![Hit::new("d7", 2.5), Hit::new("my file", 1.0)])])?;
/// let mut text = Vec::new();
/// RunWriter::new("mine").percent_encoded_ids(true).comment("depth 10").write_to(&run, &mut text)?;
/// assert_eq!(text, b"# depth 10\nq1 Q0 d7 1 2.5 mine\nq1 Q0 my%20file 2 1.0 mine\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RunWriter {
    tag: String,
    encoded_ids: bool,
    comments: Vec<String>,
}

impl RunWriter {
    /// A writer that puts `tag` into the last column and leaves ids as they are.
    pub fn new(tag: impl Into<String>) -> Self {
        Self { tag: tag.into(), encoded_ids: false, comments: Vec::new() }
    }

    /// Whether ids are percent-encoded, see [`encode_id`]; other tools read them as they stand.
    #[must_use]
    pub fn percent_encoded_ids(mut self, encoded: bool) -> Self {
        self.encoded_ids = encoded;
        self
    }

    /// Adds a comment line at the head of the file.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comments.push(comment.into());
        self
    }

    /// Replaces a file, as a whole or not at all; a path that ends in `.gz` is compressed.
    ///
    /// # Errors
    ///
    /// A file that cannot be written; a tag, a comment or, unless encoded, an id that the format
    /// cannot hold: empty, or with white space or a line break in it.
    pub fn write(&self, run: &Run, path: impl AsRef<Path>) -> Result<()> {
        replace_file(path.as_ref(), |output| self.lines(run, output))
    }

    /// Writes to anything that takes bytes.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn write_to(&self, run: &Run, mut writer: impl Write) -> Result<()> {
        self.lines(run, &mut Output::new(Path::new("the run"), &mut writer))
    }

    fn lines(&self, run: &Run, output: &mut Output<'_>) -> Result<()> {
        if self.tag.is_empty() || self.tag.contains(|c: char| c.is_ascii_whitespace()) {
            return Err(Error::invalid(format!("{} cannot be the tag of a run", Quoted(&self.tag))));
        }
        for comment in &self.comments {
            if comment.contains(['\n', '\r']) {
                return Err(Error::invalid(format!("a comment has a line break: {}", Quoted(comment))));
            }
            output.line(format_args!("# {comment}"))?;
        }
        for (query, hits) in run.iter() {
            let query = self.column(query)?;
            if !self.encoded_ids && is_misread_at_the_beginning(&query) {
                return Err(unwritable(&query));
            }
            for (index, hit) in hits.iter().enumerate() {
                let (document, rank, score) = (self.column(&hit.id)?, index + 1, hit.score);
                output.line(format_args!("{query} Q0 {document} {rank} {score:?} {}", self.tag))?;
            }
        }
        Ok(())
    }

    fn column<'a>(&self, id: &'a str) -> Result<Cow<'a, str>> {
        match self.encoded_ids {
            true => Ok(encode_id(id)),
            false if id.contains(|c: char| c.is_ascii_whitespace() || c == '\0') => Err(unwritable(id)),
            false => Ok(Cow::Borrowed(id)),
        }
    }
}

fn unwritable(id: &str) -> Error {
    Error::invalid(format!("the id {} does not fit into a column unless it is percent-encoded", Quoted(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Hit;

    fn written(writer: &RunWriter, query: &str, hits: &[(&str, f64)]) -> Result<String> {
        let hits = hits.iter().map(|(id, score)| Hit::new(*id, *score)).collect();
        let run = Run::from_rankings([(query, hits)])?;
        let mut text = Vec::new();
        writer.write_to(&run, &mut text)?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn scores_are_written_in_full() {
        let hits = [("a", f64::INFINITY), ("b", 1e300), ("c", 0.1 + 0.2), ("d", -0.0)];
        let text = written(&RunWriter::new("t"), "q", &hits).unwrap();
        let scores: Vec<_> = text.lines().map(|line| line.split(' ').nth(4).unwrap()).collect();
        assert_eq!(scores, ["inf", "1e300", "0.30000000000000004", "-0.0"]);
    }

    #[test]
    fn what_the_format_cannot_hold_is_an_error() {
        let plain = RunWriter::new("t");
        for (query, document) in
            [("q 1", "d"), ("q", "d\t1"), ("#", "d"), ("\u{feff}q", "d"), ("{\"q\"", "d")]
        {
            assert!(written(&plain, query, &[(document, 1.0)]).is_err(), "{query:?} {document:?}");
            let encoded = plain.clone().percent_encoded_ids(true);
            assert!(written(&encoded, query, &[(document, 1.0)]).is_ok(), "{query:?} {document:?}");
        }
        for writer in [RunWriter::new(""), RunWriter::new("a b"), plain.comment("a\nb")] {
            assert!(written(&writer, "q", &[("d", 1.0)]).is_err());
        }
    }
}
