//! Which answers decline, or say nothing.

use std::sync::Arc;

use super::Evaluation;
use crate::collection::Query;
use crate::error::{Quoted, chain};
use crate::metric::{Metric, RankedQuery};
use crate::{Error, ErrorKind, Result};

/// The answers to a query, as metrics of refusals count them.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusals {
    /// The query's id.
    pub query: String,
    /// The share of the answers that decline or say nothing, from 0 to 1.
    pub share: f64,
    /// The first answer, where it says anything.
    pub answer: String,
}

/// In the order of queries; why they could not be read, `None` where there are no answers. Not an [`Error`], which may hold
/// what no evaluation must: one that is caught in a panic stays as it was.
pub(super) type RefusalsByQuery = Option<Result<Arc<[Refusals]>, (ErrorKind, String)>>;

#[doc(hidden)]
impl Evaluation {
    /// The same where these are the answers, in the order of queries' ids, or the error that nobody could read them for.
    #[must_use]
    pub fn with_refusals(self, refusals: Result<Vec<Refusals>>) -> Self {
        let why = |error: Error| (error.kind(), chain(&error));
        Self { refusals: Some(refusals.map(Into::into).map_err(why)), ..self }
    }

    /// The answers to a query, where they are known.
    pub fn refusals(&self, query: &str) -> Option<&Refusals> {
        let all = self.refusals.as_ref()?.as_ref().ok()?;
        all.binary_search_by(|one| one.query.as_str().cmp(query)).ok().map(|index| &all[index])
    }
}

impl Evaluation {
    /// Refuses a metric that counts which answers decline where not every query has one.
    pub(super) fn check_refusals(&self, metric: &Metric) -> Result<()> {
        if !metric.requirements().refusals {
            return Ok(());
        }
        match &self.refusals {
            Some(Ok(_)) => {}
            Some(Err((kind, why))) => return Err(Error::with_kind(*kind, why.clone())),
            None => {
                return Err(Error::invalid(format!(
                    "{metric} is of answers, and there are none: `answers`, an `answerer` or replies with an `answer` have them"
                )));
            }
        }
        let missing = || self.queries.iter().filter(|query| self.refusals(&query.id).is_none());
        missing().next().map_or(Ok(()), |first| {
            Err(Error::invalid(format!(
                "{metric} needs an answer to every query, and {} of {} have none, {} among them",
                missing().count(),
                self.queries.len(),
                Quoted(&first.id)
            )))
        })
    }

    /// The score of a query by whether its answers decline.
    pub(super) fn refused(&self, metric: &Metric, query: &Query) -> Result<f64> {
        let asked = RankedQuery::new(&query.id, &query.text, [], []);
        let asked = if self.is_of_unanswerable { asked.as_unanswerable() } else { asked };
        metric.compute_of_query(&match self.refusals(&query.id) {
            Some(one) => asked.with_refusals(one.share),
            None => asked,
        })
    }
}
