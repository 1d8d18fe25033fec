//! Formats with a query or a document a line.

use std::collections::HashMap;

use crate::Result;
use crate::collection::{Document, Query, beir, trec};
use crate::error::Quoted;
use crate::input::{Input, Line, Lines, uncompressed};

/// How a line says what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineFormat {
    /// What the names of such files end in.
    pub(super) extensions: &'static [&'static str],
    /// Whether a file that begins like this is in it.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Whether comments may stand before the first line.
    pub(super) has_comments: bool,
    pub(super) query: fn(Line<'_>) -> Result<Query>,
    pub(super) document: fn(Line<'_>) -> Result<Document>,
}

impl LineFormat {
    /// In the order in which they are tried; the last one takes what is left.
    const ALL: [Self; 2] = [beir::LINES, trec::LINES];

    /// That of a file by its name, or else by how it begins.
    pub(super) fn detect(input: &mut Input<'_>) -> Result<Self> {
        let name = input.path().file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let extension = uncompressed(&name).rsplit('.').next().unwrap_or_default();
        match Self::ALL.into_iter().find(|format| format.extensions.contains(&extension)) {
            Some(format) => Ok(format),
            None => Self::of_text(input),
        }
    }

    /// That of a file by how it begins.
    pub(super) fn of_text(input: &mut Input<'_>) -> Result<Self> {
        let ([.., last], head) = (Self::ALL, input.peek_text()?);
        Ok(Self::ALL.into_iter().find(|format| (format.begins)(head)).unwrap_or(last))
    }

    /// The next line that says something.
    pub(super) fn next<'l>(&self, lines: &'l mut Lines<'_>) -> Result<Option<Line<'l>>> {
        if self.has_comments { lines.next_data() } else { lines.next() }
    }

    /// All queries, in the order of the lines.
    pub(super) fn queries(&self, input: Input<'_>) -> Result<Vec<Query>> {
        let mut lines = Lines::new(input);
        let mut queries = Vec::new();
        let mut first_lines = HashMap::new();
        while let Some(line) = self.next(&mut lines)? {
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
