//! How long the returned texts are: `Tokens@k`, and budgets of text in place of cutoffs, as in `nDCG@4000tokens`.
//!
//! - `Tokens@k` = tokens of the texts of the first k documents, 0 where nothing is returned. At least 0, unbounded.
//! - A metric at a budget looks at as many of the first documents as fit into it. The first document that does not fit is left
//!   out, and so are all below it. Precision divides by the number of documents that fit, and is 0 where none does. Ideals, as
//!   those of nDCG, are not cut: how many documents fit depends on the ranking.
//!
//! Title and text of a document count, of a passage the characters that it has. Tokens are words between white space, or those
//! of the collection's tokenizer; characters are Unicode scalar values. A document that is not in the corpus is an error, for
//! nobody knows how long it is.

use super::definition::{CutoffKind, Definition};
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use crate::Result;

pub(super) static TOKENS: Definition =
    Definition::of_documents("Tokens", "tokens of the texts of the top k", tokens)
        .written(&["Tokens@k"])
        .at(CutoffKind::Cutoff)
        .of_lengths(LengthUnit::Tokens)
        .unbounded();

/// What the length of a text is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LengthUnit {
    /// Unicode scalar values.
    Characters,
    /// Tokens of the collection's tokenizer, without one words between white space.
    Tokens,
}

fn tokens(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    Ok(asked.length(parameters.depth())? as f64)
}

#[cfg(test)]
mod tests {
    use crate::metric::{JudgedRanking, Limit, Metric, RankedQuery};

    /// Documents of 100, 250, 0 and 300 tokens with grades 0, 2, 1 and 3; one of grade 1 is not returned.
    fn query() -> RankedQuery<'static> {
        let lengths =
            |id: &str| [("a", 100), ("b", 250), ("c", 0), ("d", 300)].into_iter().find(|one| one.0 == id);
        let judged = [("a", 0), ("b", 2), ("c", 1), ("d", 3), ("e", 1)];
        RankedQuery::new("q1", "", ["a", "b", "c", "d"], judged).with_lengths(|id| Some(lengths(id)?.1))
    }

    #[test]
    fn worked_values() {
        let (l3, l5) = (3_f64.log2(), 5_f64.log2());
        let ideal = 3.0 + 2.0 / l3 + 0.5 + 1.0 / l5;
        // All by hand.
        for (metric, expected) in [
            ("Tokens@1", 100.0),
            ("Tokens@3", 350.0),
            ("Tokens@9", 650.0),
            // Nothing fits.
            ("nDCG@99tokens", 0.0),
            ("P@99tokens", 0.0),
            ("F1@99tokens", 0.0),
            // `b` crosses the budget at 349 and fits exactly at 350, with `c` of no length behind it.
            ("nDCG@349tokens", 0.0),
            ("nDCG@350tokens", (2.0 / l3 + 0.5) / ideal),
            ("R@350tokens", 0.5),
            ("P@350tokens", 2.0 / 3.0),
            ("F1@350tokens", 4.0 / 7.0),
            ("Success@350tokens", 1.0),
            ("RR@350tokens", 0.5),
            ("AP@350tokens", (0.5 + 2.0 / 3.0) / 4.0),
            ("nDCG@650tokens", (2.0 / l3 + 0.5 + 3.0 / l5) / ideal),
            ("R@649tokens", 0.5),
            ("P(rel=2)@650tokens", 0.5),
            ("P@9000chars", 0.75),
        ] {
            let value = metric.parse::<Metric>().unwrap().compute_of_query(&query()).unwrap();
            assert!((value - expected).abs() < 1e-12, "{metric} is {value}, not {expected}");
        }
    }

    #[test]
    fn a_budget_is_written_in_place_of_a_cutoff() {
        for (text, canonical, limit) in [
            ("ndcg@4000 tokens", "nDCG@4000tokens", Limit::Tokens(4000)),
            ("recall@04000characters", "R@4000chars", Limit::Characters(4000)),
            ("nDCG(gain=exp2)@80tokens", "nDCG(gain=exp2)@80tokens", Limit::Tokens(80)),
        ] {
            let metric: Metric = text.parse().unwrap();
            assert_eq!(
                (metric.to_string().as_str(), metric.limit(), metric.cutoff()),
                (canonical, Some(limit), None)
            );
            assert!(metric.needs_documents() && metric.needs_relevance() && metric.is_best_high());
            assert!(!metric.is_highest_by_grade());
        }
        for (text, why) in [
            ("nDCG@0tokens", "at least 1"),
            ("nDCG@4000words", "`@10`, `@4000chars` or `@1000tokens`"),
            ("Judged@4000tokens", "a whole number of documents"),
            ("Tokens@4000tokens", "a whole number of documents"),
            ("Tokens", "Tokens needs a cutoff, as in `Tokens@10`"),
        ] {
            let error = text.parse::<Metric>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn an_unknown_length_is_an_error_where_it_counts() {
        let length = |id: &str| (id == "a").then_some(100);
        let asked = RankedQuery::new("q1", "", ["a", "b"], [("a", 1)]);
        let known = asked.clone().with_lengths(length);
        let score = |name: &str| name.parse::<Metric>().unwrap().compute_of_query(&known);
        assert_eq!(score("Tokens@1").unwrap(), 100.0);
        // Nothing below the first that does not fit is looked at.
        assert_eq!(score("R@99tokens").unwrap(), 0.0);
        for metric in ["Tokens@2", "R@100tokens"] {
            let why = "document `b` is not in the corpus, so that its length is unknown";
            assert!(score(metric).unwrap_err().to_string().ends_with(why), "{metric}");
            let metric: Metric = metric.parse().unwrap();
            let none = format!("{metric} needs the texts of documents: a collection with a corpus has them");
            assert_eq!(metric.compute_of_query(&asked).unwrap_err().to_string(), none);
            let grades = JudgedRanking::new(vec![Some(1)], vec![1]);
            assert_eq!(metric.try_compute(&grades).unwrap_err().to_string(), none);
            assert!(metric.compute(&grades).is_nan());
        }
    }
}
