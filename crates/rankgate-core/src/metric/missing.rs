//! What a metric needs and is not known here: errors in place of a number.

use super::judged_ranking::JudgedRanking;
use super::metric::Metric;
use super::ranked_query::RankedQuery;
use crate::{Error, Result};

const SUBTOPICS: &str = "needs judgments by subtopic: the second column of TREC's judgments";
const UNANSWERABLE: &str = "needs to know which queries are unanswerable: `unanswerable: true` in the queries of a spec's \
                            collection, or of `rankgate eval --queries`";

impl Metric {
    /// Refuses a query that the metric is not of.
    pub(super) fn check_query_has_all(&self, asked: &RankedQuery<'_>) -> Result<()> {
        match self.requirements().unanswerable && !asked.is_unanswerable() {
            true => self.lacks("is of unanswerable queries, and this one is not marked as such"),
            false => Ok(()),
        }
    }

    /// Refuses a metric that needs more than the grades of a ranking, and subtopics that this one lacks.
    pub(super) fn check_ranking_has_all(&self, ranking: &JudgedRanking) -> Result<()> {
        let needs = self.requirements();
        if self.is_column() {
            self.lacks("is a column of scores, and only a ranking is known here")
        } else if needs.unanswerable {
            self.lacks(UNANSWERABLE)
        } else if needs.subtopics && ranking.subtopics().is_none() {
            self.lacks(SUBTOPICS)
        } else {
            Ok(())
        }
    }

    fn lacks(&self, why: &str) -> Result<()> {
        Err(Error::invalid(format!("{self} {why}")))
    }
}
