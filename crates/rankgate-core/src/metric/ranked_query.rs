//! A query with its documents, for the metrics that look at more than grades.

/// One query with its documents, best first, and what a metric of [documents](super::Requirements::documents) needs to know of
/// them.
#[derive(Clone, Debug)]
pub struct RankedQuery<'a> {
    documents: Vec<&'a str>,
    unanswerable: bool,
}

impl<'a> RankedQuery<'a> {
    /// A query by the ids of its documents, best first.
    pub fn new(documents: impl IntoIterator<Item = &'a str>) -> Self {
        Self { documents: documents.into_iter().collect(), unanswerable: false }
    }

    /// The same of a query that has no answer.
    #[must_use]
    pub fn as_unanswerable(self) -> Self {
        Self { unanswerable: true, ..self }
    }

    pub(super) fn documents(&self) -> &[&'a str] {
        &self.documents
    }

    pub(super) fn is_unanswerable(&self) -> bool {
        self.unanswerable
    }
}
