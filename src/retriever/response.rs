//! The answer of a retriever to one query, with the rankings of its stages.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::order;
use crate::run::Hit;

/// What a retriever answers to a query: its ranking and, where it is a pipeline, the rankings of its stages.
///
/// ```
/// use rankgate::Hit;
/// use rankgate::retriever::Response;
///
/// let candidates = vec![Hit::new("d1", 7.5), Hit::new("d2", 7.0)];
/// let reranked = vec![Hit::new("d2", 0.9), Hit::new("d1", 0.2)];
/// let response = Response::new(reranked).with_stage("candidates", candidates);
/// assert_eq!(response.hits[0].id, "d2");
/// assert_eq!(response.stages["candidates"][0].id, "d1");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// The documents, best first.
    pub hits: Vec<Hit>,
    /// The documents that each stage handed on, best first, by the names that the spec has under `stages`. They are kept
    /// whole, to at most 10,000 documents.
    pub stages: BTreeMap<String, Vec<Hit>>,
    /// How long stages took, by name, where the pipeline measures that: what latency gates on stages rest on.
    pub times: BTreeMap<String, Duration>,
    /// Numbers about the answer, such as its tokens or its cost: columns that gates read by their names.
    pub scores: BTreeMap<String, f64>,
    /// Whether the hits came without scores, or with ones that cannot be compared: theirs are made of their order.
    pub(crate) is_by_order: bool,
}

impl Response {
    /// A ranking without stages.
    pub fn new(hits: impl Into<Vec<Hit>>) -> Self {
        Self { hits: hits.into(), ..Self::default() }
    }

    /// A ranking whose scores are made of its order, unless it is empty.
    pub(crate) fn by_order(hits: Vec<Hit>) -> Self {
        Self { is_by_order: !hits.is_empty(), ..Self::new(hits) }
    }

    /// The same with the ranking of a stage; one of that name is replaced.
    #[must_use]
    pub fn with_stage(mut self, name: impl Into<String>, hits: impl Into<Vec<Hit>>) -> Self {
        self.stages.insert(name.into(), hits.into());
        self
    }

    /// The same with the time that a stage took.
    #[must_use]
    pub fn with_time(mut self, stage: impl Into<String>, time: Duration) -> Self {
        self.times.insert(stage.into(), time);
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

    /// The same with each of its rankings changed.
    ///
    /// # Errors
    /// The first that `change` returns; that of a stage names it.
    pub(crate) fn map<E: ToString>(
        self,
        change: impl Fn(Vec<Hit>) -> Result<Vec<Hit>, E>,
    ) -> Result<Self, String> {
        let of_stage = |(name, hits): (String, Vec<Hit>)| match change(hits) {
            Ok(hits) => Ok((name, hits)),
            Err(error) => Err(in_stage(&name, &error.to_string())),
        };
        Ok(Self {
            hits: change(self.hits).map_err(|error| error.to_string())?,
            stages: order::try_map(self.stages.into_iter().map(of_stage))?,
            times: self.times,
            scores: self.scores,
            is_by_order: self.is_by_order,
        })
    }
}

impl From<Vec<Hit>> for Response {
    fn from(hits: Vec<Hit>) -> Self {
        Self::new(hits)
    }
}

/// What is wrong with the ranking of a stage.
pub(super) fn in_stage(name: &str, what: &str) -> String {
    format!("stage {}: {what}", crate::error::Quoted(name))
}
