//! Inputs that a metric needs.

use std::borrow::Cow;

/// Inputs that a metric needs besides the grades of a ranking. A measurement supplies them, or fails before it asks any
/// retriever.
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
    /// The metadata of each document under these keys.
    pub metadata: &'a [Cow<'static, str>],
    /// The true nearest neighbours of the query.
    pub neighbours: bool,
    /// Judged spans of documents, and where the retrieved passages lie.
    pub passages: bool,
    /// The attribute of this name, and the metadata that its conditions name.
    pub attribute: Option<&'a str>,
    /// Queries that no document answers: it is of these, and of no other.
    pub unanswerable: bool,
    /// Judgments by subtopic.
    pub subtopics: bool,
}
