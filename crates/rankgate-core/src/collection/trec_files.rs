//! A collection in the formats of TREC: a file each of topics, judgments and documents.

use std::path::Path;

use crate::Result;
use crate::collection::line_format::LineFormat;
use crate::collection::parts::Parts;
use crate::collection::{Corpus, beir, trec};
use crate::input::{Lines, Source};

/// Reads topics, judgments and, where there is one, a corpus.
pub(super) fn read(queries: &Source<'_>, qrels: &Source<'_>, corpus: Option<&Path>) -> Result<Parts> {
    let mut input = queries.open()?;
    let topics = LineFormat::detect(&mut input)?.queries(input)?;
    let mut input = qrels.open()?;
    // Three columns between tabs are BEIR's, and none of TREC's.
    let read = if beir::begins(input.peek_text()?) { beir::read_qrels } else { trec::read_qrels };
    let mut parts = Parts::judged(queries.path(), topics, qrels.path(), read(Lines::new(input))?)?;
    parts.corpus = corpus.map(Corpus::open).transpose()?;
    parts.add_corpus = "add `corpus:` to the collection's `trec:`".into();
    Ok(parts)
}
