//! The answer of a retriever to one query.

use std::collections::BTreeMap;

use crate::run::Hit;

/// What a retriever answers to a query: its ranking, and numbers about the answer.
///
/// ```
/// use rankgate::Hit;
/// use rankgate::retriever::Response;
///
/// let response = Response::new([Hit::new("d2", 0.9), Hit::new("d1", 0.2)]);
/// assert_eq!(response.hits[0].id, "d2");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// The documents, best first.
    pub hits: Vec<Hit>,
    /// Numbers about the answer, such as its tokens or its cost: columns that gates read by their names.
    pub scores: BTreeMap<String, f64>,
}

impl Response {
    /// A ranking.
    pub fn new(hits: impl Into<Vec<Hit>>) -> Self {
        Self { hits: hits.into(), ..Self::default() }
    }

    /// The same with a number about the answer, such as its tokens or its cost; one of that name is replaced.
    ///
    /// ```
    /// use rankgate::Hit;
    /// use rankgate::retriever::Response;
    ///
    /// let response = Response::new([Hit::new("d1", 0.9)]).with_score("tokens", 812.0).with_score("cost", 0.0021);
    /// assert_eq!(response.scores["tokens"], 812.0);
    /// ```
    #[must_use]
    pub fn with_score(mut self, name: impl Into<String>, value: f64) -> Self {
        self.scores.insert(name.into(), value);
        self
    }
}

impl From<Vec<Hit>> for Response {
    fn from(hits: Vec<Hit>) -> Self {
        Self::new(hits)
    }
}
