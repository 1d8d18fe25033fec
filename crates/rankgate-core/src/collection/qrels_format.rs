//! What a format of judgments is.

use crate::Result;
use crate::collection::Qrels;
use crate::input::{Input, is_comment};
use crate::output::Output;

/// A format of judgments.
#[derive(Clone, Copy)]
pub(super) struct QrelsFormat {
    /// Whether judgments that begin like this are in it.
    pub(super) begins: fn(&[u8]) -> bool,
    pub(super) read: fn(Input<'_>) -> Result<Qrels>,
}

/// A line of query, document and grade.
pub(super) type QrelsLine = fn(&str, &str, i32) -> Result<String>;

/// The first line that is no comment, of some text.
pub(super) fn first_line(head: &[u8]) -> &[u8] {
    let is_data = |line: &&[u8]| !std::str::from_utf8(line).is_ok_and(is_comment);
    head.split(|byte| *byte == b'\n').find(is_data).unwrap_or_default()
}

impl Qrels {
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
