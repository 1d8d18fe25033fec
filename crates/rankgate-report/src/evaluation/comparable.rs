//! Whether two evaluations are judged alike: only then a difference of their scores is one of their rankings.

use super::Evaluation;
use crate::collection::{Collection, Judgments};
use crate::error::Quoted;
use crate::metric::{JudgedRanking, Metric};
use crate::{Error, Result};

impl Evaluation {
    /// Refuses a baseline that is judged otherwise: by other rules, by other judgments of its queries, or to another depth
    /// where that decides what the metric sees.
    pub(crate) fn check_comparable(&self, baseline: &Self, metric: &Metric) -> Result<()> {
        self.check_rules(baseline)?;
        self.check_judgments(baseline)?;
        match (self.asked.depth, baseline.asked.depth) {
            (Some(here), Some(there)) if here != there && is_of_whole_lists(metric) => {
                Err(Error::invalid(format!(
                    "{metric} looks at all documents, and {here} were asked for here and {there} of the baseline: ask both for \
                     the same number, or name a cutoff"
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_rules(&self, baseline: &Self) -> Result<()> {
        let from = |side: &Self| side.judged(0).map_or(1, JudgedRanking::relevant_from);
        let (here, there) = (from(self), from(baseline));
        if here != there {
            return Err(refusal(&format!(
                "a document is relevant from grade {here} here and from grade {there} in the baseline: judge both by one `Judging`"
            )));
        }
        if self.read.identical_ids.is_some() != baseline.read.identical_ids.is_some() {
            let which =
                if self.read.identical_ids.is_some() { "here alone" } else { "in the baseline alone" };
            return Err(refusal(&format!(
                "documents with the id of their query are taken out {which}: judge both by one `Judging`"
            )));
        }
        Ok(())
    }

    fn check_judgments(&self, baseline: &Self) -> Result<()> {
        let (here, there) = (&self.collection, &baseline.collection);
        if let Some(query) = self.queries.iter().find(|query| !are_judged_alike(here, there, &query.id)) {
            return Err(refusal(&format!(
                "query {} has other judgments than in the baseline; evaluate both on one collection",
                Quoted(&query.id)
            )));
        }
        let (ours, theirs) = (here.qrels().max_grade(), there.qrels().max_grade());
        match ours == theirs {
            true => Ok(()),
            false => Err(refusal(&format!(
                "the highest grade is {ours} here and {theirs} in the baseline: evaluate both on one collection"
            ))),
        }
    }
}

/// What is wrong with such a pair.
fn refusal(why: &str) -> Error {
    Error::invalid(format!("the two sides are judged differently: {why}"))
}

/// Whether more documents can only raise it: it is of a ranking, and looks at all of it.
fn is_of_whole_lists(metric: &Metric) -> bool {
    metric.cutoff().is_none() && metric.needs_relevance()
}

/// Whether a query has the same judgments, of documents or of spans, in both collections.
fn are_judged_alike(here: &Collection, there: &Collection, query: &str) -> bool {
    match (here.passages(), there.passages()) {
        (Some(ours), Some(theirs)) => ours.judges_like(theirs, query),
        (None, None) => {
            let grades = |of: &Collection| -> Vec<(String, i32)> {
                let judged = of.judgments(query).into_iter().flat_map(Judgments::iter);
                judged.map(|(document, grade)| (document.to_owned(), grade)).collect()
            };
            grades(here) == grades(there) && here.qrels().subtopics(query) == there.qrels().subtopics(query)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
    use crate::evaluation::Judging;
    use crate::run::{Hit, Run};

    fn evaluation(judgments: &[(&str, &[(&str, i32)])]) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        for &(query, judged) in judgments {
            builder.add_query(Query::new(query, "text"), judged.iter().copied());
        }
        let hits = || vec![Hit::new("d1", 2.0), Hit::new("d2", 1.0)];
        let run = Run::from_rankings(judgments.iter().map(|(query, _)| (*query, hits()))).unwrap();
        Evaluation::of_run(&builder.build().unwrap(), run).unwrap()
    }

    fn refused(ours: &Evaluation, theirs: &Evaluation, metric: &str) -> Option<String> {
        let metric = metric.parse().unwrap();
        ours.check_comparable(theirs, &metric).err().map(|error| error.to_string())
    }

    #[test]
    fn the_same_judgments_read_twice_and_in_another_order_are_the_same() {
        let one = evaluation(&[("q1", &[("d1", 1), ("d2", 0)]), ("q2", &[("d1", 2)])]);
        let other = evaluation(&[("q2", &[("d1", 2)]), ("q1", &[("d2", 0), ("d1", 1)])]);
        assert_eq!(refused(&one, &other, "nDCG@10"), None);
    }

    #[test]
    fn other_judgments_are_refused_with_the_query() {
        let one = evaluation(&[("q1", &[("d1", 1), ("d2", 0)]), ("q2", &[("d1", 2)])]);
        for judged in [&[("d1", 1), ("d2", 1)][..], &[("d1", 1)], &[("d1", 1), ("d2", 0), ("d3", 1)]] {
            let other = evaluation(&[("q1", judged), ("q2", &[("d1", 2)])]);
            assert_eq!(
                refused(&one, &other, "nDCG@10").unwrap(),
                "the two sides are judged differently: query `q1` has other judgments than in the baseline; evaluate both on one \
                 collection"
            );
        }
    }

    #[test]
    fn other_rules_are_refused() {
        let one = evaluation(&[("q1", &[("d1", 1), ("d2", 3)])]);
        let strict = one.judged_by(Judging { relevant_from: 3, ..Judging::default() }).unwrap();
        assert!(
            refused(&one, &strict, "RR@10")
                .unwrap()
                .contains("from grade 1 here and from grade 3 in the baseline")
        );
        let excluding = one.judged_by(Judging { exclude_identical_ids: true, ..Judging::default() }).unwrap();
        assert!(refused(&one, &excluding, "RR@10").unwrap().contains("taken out in the baseline alone"));
        assert!(refused(&excluding, &one, "RR@10").unwrap().contains("taken out here alone"));
    }

    #[test]
    fn lists_of_other_depths_are_compared_at_a_cutoff_alone() {
        let one = evaluation(&[("q1", &[("d1", 1), ("d2", 3)])]);
        let (ten, five) = (one.clone().with_depth(10), one.clone().with_depth(5));
        assert_eq!(refused(&ten, &five, "AP@5"), None);
        assert_eq!(refused(&ten, &one, "AP"), None);
        let text = refused(&ten, &five, "AP").unwrap();
        assert!(
            text.contains("AP looks at all documents, and 10 were asked for here and 5 of the baseline"),
            "{text}"
        );
    }
}
