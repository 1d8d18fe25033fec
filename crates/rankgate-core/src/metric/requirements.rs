//! What a metric has to be given.

use std::borrow::Cow;

/// What a metric has to be given besides the grades of a ranking. Whoever scores supplies it, or refuses before any
/// retriever is asked.
///
/// ```
/// use rankgate::metric::Metric;
///
/// let metric: Metric = "nDCG@10".parse()?;
/// assert!(metric.requirements().relevance && !metric.requirements().documents);
///
/// let keys = ["category"];
/// let own = Metric::custom_of_documents("Categories@5", 0.0..=5.0, keys, |asked| asked.documents().len().min(5) as f64)?;
/// assert_eq!(own.requirements().metadata, keys);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirements<'a> {
    /// A relevant document of the query: without one it says nothing of it.
    pub relevance: bool,
    /// The query, and the ids of its documents.
    pub documents: bool,
    /// Of each document what the collection says under these keys of its metadata.
    pub metadata: &'a [Cow<'static, str>],
    /// Answers, and what was judged of their claims.
    pub answers: bool,
}
