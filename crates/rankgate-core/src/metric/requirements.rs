//! Inputs that a metric needs.

/// Inputs that a metric needs besides the grades of a ranking. A measurement supplies them, or fails before it asks any
/// retriever.
///
/// ```
/// use rankgate::metric::Metric;
///
/// let metric: Metric = "nDCG@10".parse()?;
/// assert!(metric.requirements().relevance && !metric.requirements().documents);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirements {
    /// A relevant document of the query: without one it says nothing of it.
    pub relevance: bool,
    /// The query, and the ids of its documents.
    pub documents: bool,
    /// Queries that no document answers: it is of these, and of no other.
    pub unanswerable: bool,
    /// Judgments by subtopic.
    pub subtopics: bool,
}

impl Requirements {
    /// Those of a metric that looks at the length of a ranking, and at no judgment.
    pub(super) const NONE: Self =
        Self { relevance: false, documents: false, unanswerable: false, subtopics: false };
    pub(super) const RELEVANCE: Self = Self { relevance: true, ..Self::NONE };
    pub(super) const SUBTOPICS: Self = Self { subtopics: true, ..Self::RELEVANCE };
    pub(super) const DOCUMENTS: Self = Self { documents: true, ..Self::NONE };
}
