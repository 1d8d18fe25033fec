//! The answer of a retriever to one query, with the rankings of its stages.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use crate::metric::Usage;
use crate::order;
use crate::run::{Hit, score_by_order};

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
    /// What the answer consumed, where the pipeline says it: what metrics such as `Usage(cost)` are of.
    pub usage: Usage,
    /// Whether the hits came without scores, or with ones that cannot be compared: theirs are made of their order.
    pub(crate) is_by_order: bool,
}

impl Response {
    /// A ranking without stages.
    pub fn new(hits: impl Into<Vec<Hit>>) -> Self {
        Self { hits: hits.into(), ..Self::default() }
    }

    /// The ranking of several searches for one query, as an agent makes them: what they returned in the order in which it arrived.
    /// A document that a later search returns again keeps its first place; `usage` counts searches and repeats. Scores of
    /// different searches cannot be compared, so that the order makes them.
    ///
    /// ```
    /// use rankgate::Hit;
    /// use rankgate::retriever::Response;
    ///
    /// let hit = |id: &str| Hit::new(id, 0.5);
    /// let response = Response::from_calls([vec![hit("d1"), hit("d2")], vec![hit("d2"), hit("d3")]]);
    /// let ids: Vec<&str> = response.hits.iter().map(|hit| hit.id.as_str()).collect();
    /// assert_eq!(ids, ["d1", "d2", "d3"]);
    /// assert_eq!((response.usage.calls, response.usage.repeats), (Some(2), Some(1)));
    /// ```
    pub fn from_calls(calls: impl IntoIterator<Item = Vec<Hit>>) -> Self {
        let (mut hits, mut usage) = (Vec::new(), Usage::default().with_calls(0));
        let (mut known, mut repeats) = (HashSet::new(), 0);
        for call in calls {
            usage.calls = usage.calls.map(|calls| calls + 1);
            let mut of_call = HashSet::new();
            for hit in call {
                // Twice in one search is no ranking, whatever earlier ones returned: it is found where rankings are checked.
                let is_twice = !of_call.insert(hit.id.clone());
                match is_twice || !known.contains(&hit.id) {
                    true => hits.push(hit),
                    false => repeats += 1,
                }
            }
            known.extend(of_call);
        }
        for (place, hit) in hits.iter_mut().enumerate() {
            // What is no number stays, to be found as well.
            hit.score = if hit.score.is_nan() { hit.score } else { score_by_order(place) };
        }
        usage.repeats = Some(repeats);
        Self { is_by_order: !hits.is_empty(), hits, usage, ..Self::default() }
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

    /// The same with what it consumed. What `usage` leaves open stays as it is.
    ///
    /// ```
    /// use rankgate::Hit;
    /// use rankgate::metric::Usage;
    /// use rankgate::retriever::Response;
    ///
    /// let usage = Usage::default().with_tokens(812).with_calls(2).with_cost(0.0021);
    /// let response = Response::new([Hit::new("d1", 0.9)]).with_usage(usage);
    /// assert_eq!(response.usage.calls, Some(2));
    /// ```
    #[must_use]
    pub fn with_usage(self, usage: Usage) -> Self {
        Self { usage: usage.or(self.usage), ..self }
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
            usage: self.usage,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids of the ranking, and the repeats.
    fn of_calls(calls: &[&[&str]]) -> (Vec<String>, Option<u64>) {
        let hits = |ids: &&[&str]| ids.iter().map(|id| Hit::new(*id, 1.0)).collect::<Vec<_>>();
        let response = Response::from_calls(calls.iter().map(hits));
        (response.hits.into_iter().map(|hit| hit.id).collect(), response.usage.repeats)
    }

    /// What stands in a ranking twice is refused where rankings are checked.
    #[test]
    fn a_document_twice_in_one_search_is_no_repeat_and_stays_twice() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(of_calls(&[&["a", "b"], &["b", "c"], &["b"]]), (ids(&["a", "b", "c"]), Some(2)));
        assert_eq!(of_calls(&[&["a"], &["b", "b"]]).0, ["a", "b", "b"]);
        assert_eq!(of_calls(&[&["a"], &["a", "a"]]), (ids(&["a", "a"]), Some(1)));
        assert_eq!(of_calls(&[&["a", "b"], &["b", "c", "b"]]), (ids(&["a", "b", "c", "b"]), Some(1)));
    }
}
