//! A collection of queries, documents and judged spans of these: a file each.

use std::path::Path;

use crate::Result;
use crate::collection::collection::Parts;
use crate::collection::line_format::LineFormat;
use crate::collection::{Corpus, evidence};
use crate::input::Source;

pub(super) fn read(
    queries: &Source<'_>,
    documents: &Path,
    spans: &Source<'_>,
    overlap: f64,
) -> Result<Parts> {
    let mut input = queries.open()?;
    let texts = LineFormat::detect(&mut input)?.queries(input)?;
    let corpus = Corpus::open(documents)?;
    let (evidence, qrels) = evidence::read(spans, &corpus, overlap)?;
    let mut parts = Parts::judged(queries.path(), texts, spans.path(), qrels)?;
    (parts.corpus, parts.evidence) = (Some(corpus), Some(evidence));
    Ok(parts)
}
