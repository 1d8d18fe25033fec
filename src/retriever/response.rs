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
    /// The documents, by falling score; equal scores in the order of the list.
    pub hits: Vec<Hit>,
    /// Numbers about the answer, such as its tokens or its cost: columns that gates read by their names.
    pub scores: BTreeMap<String, f64>,
    /// Whether scores rose along the list that was returned.
    pub(crate) rose: bool,
}

impl Response {
    /// A ranking.
    pub fn new(hits: impl Into<Vec<Hit>>) -> Self {
        Self { hits: hits.into(), ..Self::default() }
    }

    /// The same by falling score. Equal scores stay in the order of the list.
    pub(crate) fn ranked(mut self) -> Self {
        if !self.hits.is_sorted_by(|one, next| one.score >= next.score) {
            self.rose = true;
            // -0.0 is 0.0.
            self.hits.sort_by(|one, next| (next.score + 0.0).total_cmp(&(one.score + 0.0)));
        }
        self
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
