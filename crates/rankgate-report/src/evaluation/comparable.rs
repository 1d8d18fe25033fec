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
        let (ours, theirs) = (here.qrels().max_grade(), there.qrels().max_grade());
        for query in self.queries.iter() {
            let id = query.id.as_str();
            if let Some(difference) = difference(here, there, id) {
                let id = Quoted(id);
                return Err(refusal(&format!(
                    "query {id} has other judgments than in the baseline: {difference}; evaluate both on one collection"
                )));
            }
        }
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

/// How the judgments of a query differ.
fn difference(here: &Collection, there: &Collection, query: &str) -> Option<String> {
    match (here.passages(), there.passages()) {
        (None, None) => {}
        (Some(ours), Some(theirs)) if ours.judges_like(theirs, query) => return None,
        (Some(_), Some(_)) => return Some("the judged spans are others".to_owned()),
        (Some(_), None) => return Some("spans are judged here, and documents there".to_owned()),
        (None, Some(_)) => return Some("documents are judged here, and spans there".to_owned()),
    }
    let (ours, theirs) = (here.judgments(query), there.judgments(query));
    let grade = |of: Option<&Judgments>, document: &str| of.and_then(|judgments| judgments.grade(document));
    let documents =
        [ours, theirs].into_iter().flatten().flat_map(Judgments::iter).map(|(document, _)| document);
    let mut other = documents.filter(|document| grade(ours, document) != grade(theirs, document));
    if let Some(document) = other.next() {
        let said = |of| grade(of, document).map_or("no grade".to_owned(), |grade| format!("grade {grade}"));
        let (here, there) = (said(ours), said(theirs));
        return Some(format!("document {} has {here} here and {there} there", Quoted(document)));
    }
    let subtopics = |collection: &Collection| collection.qrels().subtopics(query);
    (subtopics(here) != subtopics(there)).then(|| "the judgments by subtopic are others".to_owned())
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
    fn other_judgments_are_refused_with_the_document() {
        let one = evaluation(&[("q1", &[("d1", 1), ("d2", 0)]), ("q2", &[("d1", 2)])]);
        for (judged, expected) in [
            (&[("d1", 1), ("d2", 1)][..], "document `d2` has grade 0 here and grade 1 there"),
            (&[("d1", 1)], "document `d2` has grade 0 here and no grade there"),
            (&[("d1", 1), ("d2", 0), ("d3", 1)], "document `d3` has no grade here and grade 1 there"),
        ] {
            let other = evaluation(&[("q1", judged), ("q2", &[("d1", 2)])]);
            assert_eq!(
                refused(&one, &other, "nDCG@10").unwrap(),
                format!(
                    "the two sides are judged differently: query `q1` has other judgments than in the baseline: {expected}; evaluate \
                     both on one collection"
                )
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
