//! Formats with a query or a document a line.

use std::collections::HashMap;

use crate::Result;
use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::input::{HashIds, Input, Line, Lines};

/// How a line says what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineFormat {
    /// What the names of such files end in.
    pub(super) extensions: &'static [&'static str],
    /// Whether a file that begins like this is in it.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Whether a line may be a comment.
    pub(super) has_comments: bool,
    pub(super) query: fn(Line<'_>) -> Result<Query>,
    pub(super) document: fn(Line<'_>) -> Result<Document>,
    /// A document whose text may be missing, and is empty then: a chunk that says its place.
    pub(super) chunk: fn(Line<'_>) -> Result<Document>,
}

impl LineFormat {
    /// The next line that says something.
    pub(super) fn next<'l>(&self, lines: &'l mut Lines<'_>) -> Result<Option<Line<'l>>> {
        if self.has_comments { lines.next_data() } else { lines.next() }
    }

    /// All queries, in the order of the lines.
    pub(super) fn queries(&self, input: Input<'_>) -> Result<Vec<Query>> {
        let mut lines = Lines::new(input);
        let mut queries = Vec::new();
        let (mut first_lines, mut ids) = (HashMap::new(), HashIds::default());
        while let Some(line) = self.next(&mut lines)? {
            ids.see(line)?;
            let query = (self.query)(line)?;
            if let Some(first) = first_lines.insert(query.id.clone(), line.number) {
                return Err(
                    line.error(format!("query id {} again (first in line {first})", Quoted(&query.id)))
                );
            }
            queries.push(query);
        }
        Ok(queries)
    }
}
