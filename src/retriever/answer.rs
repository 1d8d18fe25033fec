//! What a retriever answered, checked.

use std::collections::{BTreeMap, HashSet};

use crate::run::Hit;

use super::said::Answer;
use super::{FailureCause, Latency};

/// Checked answers of one retriever to all queries of a collection.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answers {
    /// One entry per time that all queries were asked; in it one ranking per query, in the order of
    /// the queries.
    pub passes: Vec<Vec<Vec<Hit>>>,
    /// Answer times over all passes; `None` when there was no query.
    pub latency: Option<Latency>,
    /// What a model answered with the first ranking of each query, by the queries' ids, where a retriever says so.
    pub said: BTreeMap<String, Answer>,
    /// What should be known before the rankings are believed.
    pub caution: Option<String>,
    /// Milliseconds that it took to build the retriever, for the first time where it was built several times.
    pub build_ms: u64,
}

impl Answers {
    /// Those of several builds, one after the other; each took the time that the slowest builds took.
    pub(crate) fn of_all(mut all: Vec<Self>) -> Self {
        let said = all.first_mut().map(|first| std::mem::take(&mut first.said)).unwrap_or_default();
        let latency = all.iter().filter_map(|one| one.latency).reduce(Latency::or_slower);
        let build_ms = all.first().map_or(0, |first| first.build_ms);
        let caution = all.iter_mut().find_map(|one| one.caution.take());
        Self {
            passes: all.into_iter().flat_map(|one| one.passes).collect(),
            latency,
            said,
            caution,
            build_ms,
        }
    }
}

/// Cuts an answer to `depth`; what cannot be ranked is a failure, never repaired.
///
/// Results beyond the depth are ignored: they are no part of the answer.
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

/// As JSON, with the bits of the scores: JSON has no infinity. Rankings, of which there may be millions, are read
/// without a tree of them.
mod exact {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
    use serde::ser::{Serialize, Serializer};
    use serde_json::{Map, Value};

    use super::Answers;
    use crate::json::{Distinct, Fields, Tree, Writing};
    use crate::run::Hit;

    type Passes<H> = Vec<Vec<Vec<H>>>;

    fn exact(hits: &[Hit]) -> Vec<(&str, u64)> {
        hits.iter().map(|hit| (hit.id.as_str(), hit.score.to_bits())).collect()
    }

    #[automatically_derived]
    impl Serialize for Answers {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let passes: Passes<(&str, u64)> =
                self.passes.iter().map(|pass| pass.iter().map(|hits| exact(hits)).collect()).collect();
            let fields = Tree::object(&[
                ("passes", &passes, Writing::Always),
                ("latency", &self.latency, Writing::Always),
                ("said", &self.said, Writing::Spared),
                ("caution", &self.caution, Writing::Spared),
                ("build_ms", &self.build_ms, Writing::Always),
            ]);
            fields.serialize(to)
        }
    }

    #[automatically_derived]
    impl<'de> Deserialize<'de> for Answers {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_map(Object)
        }
    }

    struct Object;

    impl<'de> Visitor<'de> for Object {
        type Value = Answers;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("answers")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Answers, A::Error> {
            let (mut passes, mut rest) = (None, Map::new());
            while let Some(key) = map.next_key::<String>()? {
                if key == "passes" {
                    passes = Some(map.next_value::<Passes<(String, u64)>>()?);
                } else {
                    rest.insert(key, map.next_value::<Distinct>()?.0);
                }
            }
            let passes = passes.ok_or_else(|| A::Error::missing_field("passes"))?;
            let ranking = |hits: Vec<(String, u64)>| {
                hits.into_iter().map(|(id, bits)| Hit { id, score: f64::from_bits(bits) }).collect()
            };
            let passes = passes.into_iter().map(|pass| pass.into_iter().map(ranking).collect()).collect();
            let mut fields = Fields::from_object(Value::Object(rest)).map_err(A::Error::custom)?;
            let latency = fields.take("latency").map_err(A::Error::custom)?;
            let said = fields.take_or_default("said").map_err(A::Error::custom)?;
            let caution = fields.take_or_default("caution").map_err(A::Error::custom)?;
            let build_ms = fields.take("build_ms").map_err(A::Error::custom)?;
            Ok(Answers { passes, latency, said, caution, build_ms })
        }
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
        let caution = Some("few".to_owned());
        let answers =
            Answers { passes: vec![vec![hits, vec![]]], latency: None, said, caution, build_ms: 41 };
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
