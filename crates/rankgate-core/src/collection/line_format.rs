//! Formats with a query or a document a line: JSON, or an id, a tab and a text.

use std::collections::HashMap;

use crate::Result;
use crate::collection::record::Record;
use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::input::{HashIds, Input, Json, Line, Lines, uncompressed};

/// How a line says what it says.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineFormat {
    Json,
    Tab,
}

impl LineFormat {
    /// That of a file by its name, or else by how it begins.
    pub(super) fn detect(input: &mut Input<'_>) -> Result<Self> {
        let name = input.path().file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match uncompressed(&name).rsplit('.').next().unwrap_or_default() {
            "jsonl" | "ndjson" | "json" => Ok(Self::Json),
            "tsv" => Ok(Self::Tab),
            _ => Self::of_text(input),
        }
    }

    /// That of a file by how it begins.
    pub(super) fn of_text(input: &mut Input<'_>) -> Result<Self> {
        Ok(if input.peek_text()?.starts_with(b"{") { Self::Json } else { Self::Tab })
    }

    /// The next line that says something.
    pub(super) fn next<'l>(self, lines: &'l mut Lines<'_>) -> Result<Option<Line<'l>>> {
        match self {
            Self::Json => lines.next(),
            Self::Tab => lines.next_data(),
        }
    }

    /// All queries, in the order of the lines.
    pub(super) fn queries(self, input: Input<'_>) -> Result<Vec<Query>> {
        let mut lines = Lines::new(input);
        let mut queries = Vec::new();
        let (mut first_lines, mut ids) = (HashMap::new(), HashIds::default());
        while let Some(line) = self.next(&mut lines)? {
            ids.see(line)?;
            let query = match self {
                Self::Json => record(line)?.beir_query()?,
                Self::Tab => id_and_text(line).map(|(id, text)| Query::new(id, text))?,
            };
            if let Some(first) = first_lines.insert(query.id.clone(), line.number) {
                return Err(
                    line.error(format!("query id {} again (first in line {first})", Quoted(&query.id)))
                );
            }
            queries.push(query);
        }
        Ok(queries)
    }

    pub(super) fn document(self, line: Line<'_>) -> Result<Document> {
        match self {
            Self::Json => record(line)?.document(None),
            Self::Tab => id_and_text(line).map(|(id, text)| Document::new(id, text)),
        }
    }

    /// A document whose text may be missing, and is empty then: a chunk that says its place.
    pub(super) fn chunk(self, line: Line<'_>) -> Result<Document> {
        match self {
            Self::Json => record(line)?.chunk(),
            Self::Tab => self.document(line),
        }
    }
}

fn record<'a>(line: Line<'a>) -> Result<Record<'a>> {
    Record::parse(Json::of_line(line), line.text)
}

/// Splits `id<TAB>text`; the text may hold further tabs.
fn id_and_text<'a>(line: Line<'a>) -> Result<(&'a str, &'a str)> {
    match line.text.split_once('\t') {
        Some(("", _)) => Err(line.error("the id is empty")),
        Some(columns) => Ok(columns),
        None => Err(line.error("expected an id, a tab and a text")),
    }
}
