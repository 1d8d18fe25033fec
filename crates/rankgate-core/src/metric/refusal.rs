//! Whether answers decline where they should: `MissedRefusal`, `FalseRefusal`.
//!
//! - `MissedRefusal` of an unanswerable query: 1 where it is answered, 0 where the answer declines or says nothing.
//! - `FalseRefusal` of an answerable query: 1 where the answer declines or says nothing, else 0. Whether an answer is right is
//!   no matter of these.
//!
//! Of a query that was answered several times each is the share of its answers. Less is better. A system that answers
//! everything has `FalseRefusal` 0 and `MissedRefusal` 1; one that declines everything has the opposite. Nobody has to judge
//! anything: an answer says whether it declines.
//!
//! Source: the two errors of selective classification, El-Yaniv and Wiener, JMLR 11, 2010, applied to answers. One minus
//! `MissedRefusal` is the rejection rate of Chen, Lin, Han and Sun, Benchmarking Large Language Models in
//! Retrieval-Augmented Generation, AAAI 2024.

use super::definition::Definition;
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use super::silence::no_ranking;
use crate::Result;

pub(super) static MISSED_REFUSAL: Definition =
    Definition::new("MissedRefusal", "1 where an unanswerable query is answered", no_ranking)
        .written(&["MissedRefusal"])
        .zero_or_one()
        .of_unanswerable(missed_refusal)
        .of_refusals()
        .beside("FalseRefusal", "declines every answer");

pub(super) static FALSE_REFUSAL: Definition = Definition::of_documents(
    "FalseRefusal",
    "1 where the answer to an answerable query declines or says nothing",
    false_refusal,
)
.written(&["FalseRefusal"])
.zero_or_one()
.of_refusals()
.beside("MissedRefusal", "never declines");

fn missed_refusal(asked: &RankedQuery<'_>) -> f64 {
    asked.refusals().map_or(f64::NAN, |share| 1.0 - share)
}

fn false_refusal(asked: &RankedQuery<'_>, _: &Parameters) -> Result<f64> {
    Ok(asked.refusals().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use crate::metric::{Metric, RankedQuery};

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn worked_values() {
        for (name, share, expected) in [
            ("MissedRefusal", 1.0, 0.0),
            ("MissedRefusal", 0.0, 1.0),
            // Declined once in four answers.
            ("MissedRefusal", 0.25, 0.75),
            ("FalseRefusal", 1.0, 1.0),
            ("FalseRefusal", 0.0, 0.0),
            ("FalseRefusal", 0.25, 0.25),
        ] {
            let asked = RankedQuery::new("q", "", ["d"], []);
            let asked = if name == "FalseRefusal" { asked } else { asked.as_unanswerable() };
            let score = metric(name).compute_of_query(&asked.with_refusals(share)).unwrap();
            assert_eq!(score, expected, "{name} {share}");
        }
    }

    #[test]
    fn what_nobody_answered_has_no_score() {
        let asked = RankedQuery::new("q", "", ["d"], [("d", 1)]);
        let error = |name: &str, asked: &RankedQuery<'_>| {
            metric(name).compute_of_query(asked).unwrap_err().to_string()
        };
        assert_eq!(
            error("FalseRefusal", &asked),
            "FalseRefusal needs to know which answers decline, and no answer is known here"
        );
        assert_eq!(
            error("MissedRefusal", &asked.with_refusals(0.0)),
            "MissedRefusal is of unanswerable queries, and this one is not marked as such"
        );
        for name in ["MissedRefusal", "FalseRefusal"] {
            let metric = metric(name);
            assert!(metric.is_binary() && metric.is_best_low() && !metric.is_best_high(), "{name}");
            assert!(metric.is_of_silence() && !metric.is_of_answers() && !metric.needs_relevance(), "{name}");
            assert!(metric.requirements().refusals, "{name}");
        }
    }
}
