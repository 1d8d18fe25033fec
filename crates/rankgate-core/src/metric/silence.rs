//! Whether a system is silent where it should be: `FalseAnswer`, `FalseSilence`.
//!
//! - `FalseAnswer` of an unanswerable query: 1 where anything is returned, else 0. Anything that is returned is in the first
//!   k, so that `FalseAnswer@k` is the same for every k.
//! - `FalseSilence` of an answerable query: 1 if nothing is returned, else 0. Relevant documents that were not found, beside
//!   results that are not relevant, are no silence: metrics of relevance count them.
//!
//! Less is better. A system that always answers has `FalseSilence` 0 and `FalseAnswer` 1; one that never answers has the
//! opposite. Both are shares of queries, with the interval of Clopper and Pearson (1934).
//!
//! Source: the false acceptance and false rejection of selective classification, El-Yaniv and Wiener, JMLR 11, 2010, applied
//! to retrieval.

use super::counterpart::Counterpart;
use super::definition::{CutoffKind, Definition, Values};
use super::judged_ranking::JudgedRanking;
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use super::requirements::Requirements;
use crate::Result;

pub(super) static FALSE_ANSWER: Definition = Definition {
    requirements: Requirements { unanswerable: true, ..Requirements::DOCUMENTS },
    patterns: &["FalseAnswer", "FalseAnswer@k"],
    at: CutoffKind::OptionalCutoff,
    values: Values::ZeroOrOne,
    counterpart: Some(Counterpart { metric: "FalseSilence", useless: "never answers" }),
    ..Definition::of_documents("FalseAnswer", "1 where an unanswerable query has any result", false_answer)
};

pub(super) static FALSE_SILENCE: Definition = Definition {
    patterns: &["FalseSilence"],
    values: Values::ZeroOrOne,
    requirements: Requirements::NONE,
    counterpart: Some(Counterpart { metric: "FalseAnswer", useless: "always answers" }),
    ..Definition::new("FalseSilence", "1 where an answerable query has no result", false_silence)
};

fn false_answer(asked: &RankedQuery<'_>, _: &Parameters) -> Result<f64> {
    Ok(f64::from(!asked.documents().is_empty()))
}

fn false_silence(ranking: &JudgedRanking, _: &Parameters) -> f64 {
    f64::from(ranking.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::metric::{JudgedRanking, Metric, RankedQuery};

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn worked_values() {
        let score = |name: &str, documents: &[&'static str]| {
            let grade = |id: &&str| {
                [("good", 1), ("bad", 0)].iter().find(|(one, _)| one == id).map(|(_, grade)| *grade)
            };
            let grades = JudgedRanking::new(documents.iter().map(grade).collect(), vec![1, 0]);
            let asked = RankedQuery::new(documents.iter().copied()).as_unanswerable();
            let metric = metric(name);
            if metric.needs_documents() {
                metric.compute_of_query(&asked)
            } else {
                metric.try_compute(&grades)
            }
            .unwrap()
        };
        for (name, documents, expected) in [
            ("FalseAnswer", &[][..], 0.0),
            ("FalseAnswer", &["bad"], 1.0),
            ("FalseAnswer@5", &["bad", "other"], 1.0),
            ("FalseSilence", &[], 1.0),
            // Not found: that is no silence.
            ("FalseSilence", &["bad"], 0.0),
            ("FalseSilence", &["bad", "good"], 0.0),
        ] {
            assert_eq!(score(name, documents), expected, "{name} {documents:?}");
        }
    }

    #[test]
    fn they_are_of_the_queries_that_they_are_of() {
        let error =
            |name: &str| metric(name).compute_of_query(&RankedQuery::new(["d"])).unwrap_err().to_string();
        assert_eq!(
            error("FalseAnswer"),
            "FalseAnswer is of unanswerable queries, and this one is not marked as such"
        );
        let of_grades =
            metric("FalseAnswer@3").try_compute(&JudgedRanking::new(vec![None], vec![])).unwrap_err();
        assert_eq!(
            of_grades.to_string(),
            "FalseAnswer@3 needs to know which queries are unanswerable: `unanswerable: true` in the queries of a spec's collection, or \
             of `rankgate eval --queries`"
        );
        for name in ["FalseAnswer", "FalseSilence"] {
            let metric = metric(name);
            assert!(metric.is_binary() && !metric.is_best_high() && !metric.needs_relevance(), "{name}");
            assert!(metric.is_best_low(), "{name}");
        }
        assert!(!metric("nDCG@10").is_best_low() && !metric("NumRet").is_best_low());
    }
}
