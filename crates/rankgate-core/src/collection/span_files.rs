//! A collection of queries, documents and judged spans of these: a file each.

use std::path::Path;

use crate::Result;
use crate::collection::line_format::LineFormat;
use crate::collection::parts::Parts;
use crate::collection::{Collection, Query};
use crate::collection::{Corpus, passages};
use crate::input::Source;

pub(super) fn read(queries: &Source<'_>, documents: &Path, spans: &Source<'_>) -> Result<Parts> {
    let mut input = queries.open()?;
    let texts = LineFormat::detect(&mut input)?.queries(input)?;
    let corpus = Corpus::open(documents)?;
    let (passages, qrels) = passages::read(spans, &corpus)?;
    let mut parts = Parts::judged(queries.path(), texts, spans.path(), qrels)?;
    (parts.corpus, parts.passages) = (Some(corpus), Some(passages));
    Ok(parts)
}

impl Collection {
    /// Judged spans of documents, without texts of the queries: what a run needs to be scored.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed, a span of no document, a quote that is in its document never or several
    /// times.
    ///
    /// ```
    /// use rankgate::{Collection, Evaluation, Hit, Run, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let pages = folder.path().join("pages.jsonl");
    /// std::fs::write(&pages, r#"{"_id": "refunds", "text": "Refunds take five days."}"#)?;
    /// let spans = r#"{"query": "q1", "document": "refunds", "quote": "five days"}"#;
    /// let collection = Collection::spans(Source::bytes("spans.jsonl", spans.as_bytes()), &pages)?;
    /// let run = Run::from_rankings([("q1", vec![Hit::passage("refunds", 13..18, 1.0)])])?;
    /// assert_eq!(Evaluation::of_run(&collection, run)?.value("R@1")?, 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spans<'a>(spans: impl Into<Source<'a>>, documents: impl AsRef<Path>) -> Result<Self> {
        let corpus = Corpus::open(documents)?;
        let (passages, qrels) = passages::read(&spans.into(), &corpus)?;
        let queries = qrels.queries().map(|id| Query::new(id, "")).collect();
        Self::from_parts(Parts {
            queries,
            qrels,
            corpus: Some(corpus),
            passages: Some(passages),
            ..Parts::default()
        })
    }
}
