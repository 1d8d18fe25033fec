//! What a retriever answered, checked.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::run::Hit;

use super::said::Answer;
use super::{FailureCause, Latency};

/// Checked answers of one retriever to all queries of a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answers {
    /// One entry per time that all queries were asked; in it one ranking per query, in the order of
    /// the queries.
    #[serde(with = "exact")]
    pub passes: Vec<Vec<Vec<Hit>>>,
    /// Answer times over all passes; `None` when there was no query.
    pub latency: Option<Latency>,
    /// What a model answered with the first ranking of each query, by the queries' ids, where a retriever says so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, Answer>,
}

impl Answers {
    /// Those of several builds, one after the other; each took the time that the slowest builds took.
    pub(crate) fn of_all(mut all: Vec<Self>) -> Self {
        let said = all.first_mut().map(|first| std::mem::take(&mut first.said)).unwrap_or_default();
        let latency = all.iter().filter_map(|one| one.latency).reduce(Latency::or_slower);
        Self { passes: all.into_iter().flat_map(|one| one.passes).collect(), latency, said }
    }
}

/// Cuts an answer to `depth`; what cannot be ranked is a failure, never repaired.
///
/// What is beyond the depth is not looked at: it is not part of the answer.
pub(super) fn check(mut hits: Vec<Hit>, depth: usize) -> Result<Vec<Hit>, FailureCause> {
    hits.truncate(depth);
    let mut seen = HashSet::with_capacity(hits.len());
    for (index, hit) in hits.iter().enumerate() {
        if hit.id.is_empty() {
            return Err(FailureCause::EmptyId(index + 1));
        }
        if hit.score.is_nan() {
            return Err(FailureCause::NotANumber(hit.id.clone()));
        }
        if !seen.insert(hit.id.as_str()) {
            return Err(FailureCause::Duplicate(hit.id.clone()));
        }
    }
    Ok(hits)
}

/// Rankings with the bits of their scores: JSON has no infinity.
mod exact {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::run::Hit;

    type Passes<H> = Vec<Vec<Vec<H>>>;

    fn each<A, B>(passes: Passes<A>, hit: impl Fn(A) -> B + Copy) -> Passes<B> {
        let ranking = |hits: Vec<A>| hits.into_iter().map(hit).collect();
        passes.into_iter().map(|pass| pass.into_iter().map(ranking).collect()).collect()
    }

    pub(super) fn serialize<S: Serializer>(passes: &[Vec<Vec<Hit>>], to: S) -> Result<S::Ok, S::Error> {
        each(passes.to_vec(), |Hit { id, score }| (id, score.to_bits())).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<Vec<Hit>>>, D::Error> {
        let passes = Passes::<(String, u64)>::deserialize(from)?;
        Ok(each(passes, |(id, bits)| Hit { id, score: f64::from_bits(bits) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_survive_the_cache_bit_by_bit() {
        let scores = [0.1 + 0.2, f64::INFINITY, -0.0, 1e-310];
        let hits: Vec<_> = scores.iter().map(|&score| Hit::new("d", score)).collect();
        let said = BTreeMap::from([("q1".to_owned(), Answer::new("So.").declined())]);
        let answers = Answers { passes: vec![vec![hits, vec![]]], latency: None, said };
        let text = serde_json::to_string(&answers).unwrap();
        assert_eq!(serde_json::from_str::<Answers>(&text).unwrap(), answers);
    }

    fn hits(scores: &[(&str, f64)]) -> Vec<Hit> {
        scores.iter().map(|&(id, score)| Hit::new(id, score)).collect()
    }

    #[test]
    fn order_is_kept_and_depth_cuts() {
        let answer = hits(&[("b", 1.0), ("a", 2.0), ("c", f64::INFINITY), ("a", f64::NAN)]);
        assert_eq!(check(answer.clone(), 3), Ok(answer[..3].to_vec()));
    }

    #[test]
    fn what_cannot_be_ranked_is_a_failure() {
        assert_eq!(check(hits(&[("a", 1.0), ("a", 2.0)]), 9), Err(FailureCause::Duplicate("a".into())));
        assert_eq!(check(hits(&[("a", f64::NAN)]), 9), Err(FailureCause::NotANumber("a".into())));
        assert_eq!(check(hits(&[("a", 1.0), ("", 1.0)]), 9), Err(FailureCause::EmptyId(2)));
    }
}
