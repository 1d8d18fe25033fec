//! What a retriever answered, checked.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::collection::HitPlace;
use crate::error::Quoted;
use crate::run::Hit;

use super::said::Answer;
use super::{FailureCause, Latency, Response};

/// Checked answers of one retriever to all queries of a collection.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Answers {
    /// One entry per time that all queries were asked; in it one ranking per query, in the order of
    /// the queries.
    #[serde(with = "bits")]
    pub passes: Vec<Vec<Vec<Hit>>>,
    /// By pass, the numbers about each answer, in the order of the queries; empty where no answer has any.
    pub scores: Vec<Vec<BTreeMap<String, f64>>>,
    /// Answer times over all passes; `None` when there was no query.
    pub latency: Option<Latency>,
    /// What a model answered with the first ranking of each query, by the queries' ids, where a retriever says so.
    pub said: BTreeMap<String, Answer>,
    /// What should be known before the rankings are believed.
    pub warnings: Vec<String>,
    /// Milliseconds that it took to build the retriever, for the first time where it was built several times.
    pub build_ms: u64,
}

/// Cuts an answer to `depth`; what cannot be ranked is a failure, never repaired.
pub(super) fn check(response: Response, depth: usize) -> Result<Response, FailureCause> {
    if let Some((name, value)) = response.scores.iter().find(|(_, value)| !value.is_finite()) {
        return Err(FailureCause::Error(format!(
            "the score {} is {value}, which is not a finite number",
            Quoted(name)
        )));
    }
    let response = response.ranked();
    Ok(Response { hits: check_ranking(response.hits, depth)?, ..response })
}

/// Results beyond the depth are ignored: they are no part of the answer.
fn check_ranking(mut hits: Vec<Hit>, depth: usize) -> Result<Vec<Hit>, FailureCause> {
    if let Some(hit) = hits.iter().find(|hit| hit.score.is_nan()) {
        return Err(FailureCause::NotANumber(hit.id.clone()));
    }
    hits.truncate(depth);
    // Without judged passages a hit is its own id.
    for hit in &mut hits {
        if let Some(plain) = HitPlace::parse(&hit.id).map(|place| place.id.to_owned()) {
            hit.id = plain;
        }
    }
    let mut seen = HashSet::with_capacity(hits.len());
    for (index, hit) in hits.iter().enumerate() {
        if hit.id.is_empty() {
            return Err(FailureCause::EmptyId(index + 1));
        }
        if !seen.insert(hit.id.as_str()) {
            return Err(FailureCause::Duplicate(hit.id.clone()));
        }
    }
    Ok(hits)
}

/// Rankings as JSON, with the bits of the scores: JSON has no infinity.
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::run::Hit;

    type Passes<H> = Vec<Vec<Vec<H>>>;

    pub(super) fn serialize<S: Serializer>(passes: &Passes<Hit>, to: S) -> Result<S::Ok, S::Error> {
        let bits = |hit: &Hit| (hit.id.clone(), hit.score.to_bits());
        let ranking = |hits: &Vec<Hit>| hits.iter().map(bits).collect();
        let passes: Passes<_> = passes.iter().map(|pass| pass.iter().map(ranking).collect()).collect();
        passes.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Passes<Hit>, D::Error> {
        let hit = |(id, bits): (String, u64)| Hit::new(id, f64::from_bits(bits));
        let ranking = |hits: Vec<_>| hits.into_iter().map(hit).collect();
        let passes = Passes::deserialize(from)?;
        Ok(passes.into_iter().map(|pass| pass.into_iter().map(ranking).collect()).collect())
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
        let warnings = vec!["few".to_owned()];
        let passes = vec![vec![hits, vec![]]];
        let scores = vec![vec![BTreeMap::from([("cost".to_owned(), 0.1 + 0.2)]), BTreeMap::new()]];
        let answers = Answers { passes, scores, latency: None, said, warnings, build_ms: 41 };
        let text = serde_json::to_string(&answers).unwrap();
        assert_eq!(serde_json::from_str::<Answers>(&text).unwrap(), answers);
    }

    fn hits(scores: &[(&str, f64)]) -> Vec<Hit> {
        scores.iter().map(|&(id, score)| Hit::new(id, score)).collect()
    }

    fn ranking(hits: Vec<Hit>, depth: usize) -> Result<Vec<Hit>, FailureCause> {
        check(Response::new(hits), depth).map(|response| response.hits)
    }

    #[test]
    fn a_score_is_a_finite_number() {
        for cost in [f64::NAN, f64::INFINITY] {
            let why = format!("the score `cost` is {cost}, which is not a finite number");
            let response = Response::new(hits(&[])).with_score("cost", cost);
            assert_eq!(check(response, 1), Err(FailureCause::Error(why)));
        }
    }

    #[test]
    fn places_that_nobody_looked_up_leave_plain_ids() {
        let ids = ["w7#:~:place=d#char=2,5", "d#char=2,5", "d"];
        let response = check(Response::new(ids.map(|id| Hit::new(id, 1.0)).to_vec()), 9).unwrap();
        let plain: Vec<&str> = response.hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(plain, ["w7", "d#char=2,5", "d"]);
    }

    #[test]
    fn the_highest_scores_are_ranked_and_depth_cuts() {
        let answer = hits(&[("b", 1.0), ("a", 2.0), ("d", 2.0), ("c", f64::INFINITY), ("a", 0.5)]);
        let ranked = hits(&[("c", f64::INFINITY), ("a", 2.0), ("d", 2.0)]);
        assert_eq!(ranking(answer, 3), Ok(ranked));
        // Equal scores, and those of the other zero, keep the order of the list.
        let answer = hits(&[("b", -0.0), ("a", 0.0), ("c", 1.0)]);
        assert_eq!(ranking(answer, 3), Ok(hits(&[("c", 1.0), ("b", -0.0), ("a", 0.0)])));
    }

    #[test]
    fn what_cannot_be_ranked_is_a_failure() {
        assert_eq!(ranking(hits(&[("a", 1.0), ("a", 2.0)]), 9), Err(FailureCause::Duplicate("a".into())));
        assert_eq!(ranking(hits(&[("a", f64::NAN)]), 9), Err(FailureCause::NotANumber("a".into())));
        assert_eq!(ranking(hits(&[("a", 1.0), ("", 1.0)]), 9), Err(FailureCause::EmptyId(2)));
    }
}
