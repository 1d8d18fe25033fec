//! What a metric needs and is not known here: errors in place of a number.

use super::judged_ranking::JudgedRanking;
use super::metric::Metric;
use super::ranked_query::RankedQuery;
use crate::error::Quoted;
use crate::{Error, Result};

const SUBTOPICS: &str = "needs judgments by subtopic: the second column of TREC's judgments";
const UNANSWERABLE: &str = "needs to know which queries are unanswerable: `unanswerable: true` in the queries of a spec's \
                            collection, or of `rankgate eval --queries`";

impl Metric {
    /// Refuses a query of which something is missing that the metric needs.
    pub(super) fn check_query_has_all(&self, asked: &RankedQuery<'_>) -> Result<()> {
        let needs = self.requirements();
        let lacks = |why: &str| Err(Error::invalid(format!("{self} {why}")));
        match needs.attribute {
            _ if needs.unanswerable && !asked.is_unanswerable() => {
                lacks("is of unanswerable queries, and this one is not marked as such")
            }
            Some(name) if asked.attribute().is_none_or(|attribute| attribute.name() != name) => {
                lacks(&no_attribute(name))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a metric that needs more than the grades of a ranking, and subtopics that this one lacks.
    pub(super) fn check_ranking_has_all(&self, ranking: &JudgedRanking) -> Result<()> {
        let needs = self.requirements();
        let lacks = |why: &str| Err(Error::invalid(format!("{self} {why}")));
        match needs.attribute {
            _ if self.is_column() => lacks("is a column of scores, and only a ranking is known here"),
            Some(name) => lacks(&no_attribute(name)),
            None if needs.unanswerable => lacks(UNANSWERABLE),
            None if needs.subtopics && ranking.subtopics().is_none() => lacks(SUBTOPICS),
            None => Ok(()),
        }
    }
}

fn no_attribute(name: &str) -> String {
    format!("needs the attribute {}: a spec defines it under `attributes`", Quoted(name))
}
