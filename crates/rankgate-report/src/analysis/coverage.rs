//! Coverage of a gate, counted on both sides.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::{CoverageCount, CoverageReport, Covered};
use crate::{Error, Result};

use super::complete_lists::CompleteLists;
use super::missing_relevant::MissingRelevant;
use super::pair::Pair;

/// Results of a side that belong to no document of the corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ForeignDocuments {
    /// Results that were looked at.
    pub results: usize,
    /// Of them, those of no document of the corpus.
    pub unknown: usize,
    /// The ids of the first few of these, each once.
    pub ids: Vec<String>,
    /// The queries that have any, by id.
    pub queries: Vec<String>,
    /// The id of a document, where there are any.
    pub example: String,
}

impl ForeignDocuments {
    /// How many results of a side are in the corpus, where any is not.
    pub fn count(&self, side: &str) -> Option<CoverageCount> {
        (self.unknown > 0).then(|| CoverageCount {
            side: Some(side.to_owned()),
            missing: self.ids.clone(),
            ..CoverageCount::new(Covered::Results, self.results - self.unknown, self.results)
        })
    }
}

/// What one side answered.
pub struct Answered<'a> {
    pub name: &'a str,
    pub evaluation: &'a Evaluation,
    pub foreign_documents: Option<&'a ForeignDocuments>,
}

/// What a gate needs.
#[derive(Default)]
pub struct Basis<'a> {
    /// The candidate, then the baseline where there is one, over the same queries.
    pub sides: Vec<Answered<'a>>,
    /// Whether a query without a relevant document is missing.
    pub needs_relevant: bool,
    /// The relevant documents that the corpus lacks, where the metric needs any.
    pub missing_relevant: Option<&'a MissingRelevant>,
    /// What is known of the collection and of golden runs.
    pub counts: Vec<CoverageCount>,
    /// Down to where the lists of two sides have to go.
    pub lists: Option<CompleteLists<'a>>,
}

impl Basis<'_> {
    /// What is not complete; `None` where everything is.
    ///
    /// # Errors
    /// A share that is none; a metric that cannot be computed.
    pub fn count(mut self, at_least: f64) -> Result<Option<CoverageReport>> {
        if !(0.0..=1.0).contains(&at_least) {
            return Err(Error::invalid(format!("the coverage is a share from 0 to 1, not {at_least}")));
        }
        let mut counts = std::mem::take(&mut self.counts);
        if let Some(first) = self.sides.first() {
            let without = if self.needs_relevant { first.evaluation.without_relevant() } else { Vec::new() };
            counts.extend(missing(Covered::Relevant, None, first.evaluation, without));
            counts.extend(self.missing_relevant.and_then(|missing| missing.count(first.evaluation)));
        }
        for (place, side) in self.sides.iter().enumerate() {
            let other = self.sides.iter().enumerate().find(|(other, _)| *other != place);
            let other = other.map(|(_, other)| other.evaluation);
            if let Some(lists) = self.lists {
                counts.extend(lists.short((side.name, side.evaluation), other)?);
            }
            // What was answered with nothing was asked: its 0 is a score.
            let absent = side.evaluation.absent();
            counts.extend(missing(Covered::Answered, Some(side.name), side.evaluation, absent));
            counts.extend(side.foreign_documents.and_then(|one| one.count(side.name)));
        }
        Ok((!counts.is_empty()).then_some(CoverageReport { at_least, counts }))
    }

    /// What is known of a collection without a spec: the queries that its own files should judge.
    pub fn of_collection(collection: &Collection) -> Self {
        let lacking: Vec<&str> = collection.lacking_judgments().map(|query| query.id.as_str()).collect();
        let mut basis = Self::default();
        basis.count_judged(None, collection.queries().len() + lacking.len(), &lacking);
        basis
    }

    /// Counts judged queries that are missing; those of a golden run and of today may be the same ones.
    pub fn count_judged(&mut self, side: Option<&str>, of: usize, lacking: &[&str]) {
        if !lacking.is_empty() {
            self.counts.push(CoverageCount::without(Covered::Judged, side, of, lacking.iter().copied()));
        }
    }

    /// Counts the queries of a side that have no score in a column; of a metric of rankings none lacks one.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn count_unscored(&mut self, name: &str, side: &Evaluation, metric: &Metric) -> Result<()> {
        let (lacking, of) = side.lacking(metric)?;
        if !lacking.is_empty() {
            let lacking = lacking.into_iter();
            self.counts.push(CoverageCount::without(Covered::Scored, Some(name), of, lacking));
        }
        Ok(())
    }

    /// Counts the queries that only one side of a pair has.
    pub fn count_unpaired(&mut self, pair: &Pair) {
        if pair.unpaired > 0 {
            let there = pair.queries().len();
            self.counts.push(CoverageCount {
                side: Some(pair.baseline_name.clone()),
                ..CoverageCount::new(Covered::Paired, there, there + pair.unpaired)
            });
        }
    }
}

fn missing(kind: Covered, side: Option<&str>, of: &Evaluation, ids: Vec<&str>) -> Option<CoverageCount> {
    let of = of.queries().len();
    (!ids.is_empty()).then(|| CoverageCount::without(kind, side, of, ids.into_iter()))
}

/// The queries that today's and a golden run's have in common, of all of both; `None` where they are the same.
///
/// `gone` has those that the collection no longer has.
pub fn shared_with(
    golden: &str,
    today: &[Query],
    asked: &BTreeSet<String>,
    gone: &[&str],
) -> Option<CoverageCount> {
    let new = today.iter().map(|query| query.id.as_str()).filter(|id| !asked.contains(*id));
    let missing: Vec<&str> = new.chain(gone.iter().copied()).collect();
    let of = today.len() + gone.len();
    (!missing.is_empty())
        .then(|| CoverageCount::without(Covered::Paired, Some(golden), of, missing.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_today_and_of_a_golden_run_are_counted_together() {
        let today = [Query::new("q1", ""), Query::new("q2", "")];
        let asked: BTreeSet<String> = ["q2", "q3"].map(str::to_owned).into();
        let count = shared_with("golden", &today, &asked, &["q3"]).unwrap();
        assert_eq!((count.there, count.of, count.missing), (1, 3, vec!["q1".to_owned(), "q3".to_owned()]));
        assert_eq!(shared_with("golden", &today[1..], &asked, &[]), None);
    }
}
