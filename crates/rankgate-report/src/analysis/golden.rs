//! A blessed run beside today's.

use std::collections::BTreeSet;

use crate::collection::Query;
use crate::evaluation::Evaluation;

/// A blessed run, judged by today's judgments.
#[derive(Debug)]
pub struct Golden {
    pub evaluation: Evaluation,
    /// What differs from the day it was blessed, the retriever aside.
    pub changed: Vec<String>,
    /// The queries of that day's run, answered or not.
    pub asked: BTreeSet<String>,
    /// Whether who blessed it accepted what was lost with it.
    pub loss_accepted: bool,
    /// How many documents were asked for then, where that is another number than today: longer or shorter lists say nothing
    /// of the retriever beyond that.
    pub depth: Option<usize>,
}

impl Golden {
    /// Today's evaluation and this one over the queries that both have; `None` where they share none.
    pub fn shared(&self, today: &Evaluation) -> Option<(Evaluation, Evaluation)> {
        let ours = today.keeping(|query| self.asked.contains(&query.id))?;
        let is_ours = |query: &Query| ours.queries().binary_search_by(|q| q.id.cmp(&query.id)).is_ok();
        let theirs = self.evaluation.keeping(is_ours)?;
        Some((ours, theirs))
    }

    /// Whether that day's run had all these queries.
    pub(crate) fn covers(&self, queries: &[Query]) -> bool {
        queries.iter().all(|query| self.asked.contains(&query.id))
    }
}
