//! Which answers decline, or say nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Evaluation;
use crate::collection::Query;
use crate::error::{Quoted, chain};
use crate::metric::{Metric, RankedQuery};
use crate::{Error, ErrorKind, Result};

/// The answers to a query, as metrics of refusals count them.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusals {
    /// The share of the answers that decline or say nothing, from 0 to 1.
    pub share: f64,
    /// The first answer, where it says anything.
    pub answer: String,
}

/// By query; why they could not be read, `None` where there are no answers. Not an [`Error`], which may hold what no
/// evaluation must: one that is caught in a panic stays as it was.
pub(super) type RefusalsByQuery = Option<Result<Arc<BTreeMap<String, Refusals>>, (ErrorKind, String)>>;

#[doc(hidden)]
impl Evaluation {
    /// The same where these are the answers, or the error that nobody could read them for.
    #[must_use]
    pub fn with_refusals(self, refusals: Result<BTreeMap<String, Refusals>>) -> Self {
        let why = |error: Error| (error.kind(), chain(&error));
        Self { refusals: Some(refusals.map(Arc::new).map_err(why)), ..self }
    }

    /// The answers to a query, where they are known.
    pub fn refusals(&self, query: &str) -> Option<&Refusals> {
        self.refusals.as_ref()?.as_ref().ok()?.get(query)
    }
}

impl Evaluation {
    /// Refuses a metric that counts which answers decline where not every query has one.
    pub(super) fn check_refusals(&self, metric: &Metric) -> Result<()> {
        if !metric.requirements().refusals {
            return Ok(());
        }
        let refusals = match &self.refusals {
            Some(Ok(refusals)) => refusals,
            Some(Err((kind, why))) => return Err(Error::with_kind(*kind, why.clone())),
            None => {
                return Err(Error::invalid(format!(
                    "{metric} is of answers, and there are none: `answers`, an `answerer` or replies with an `answer` have them"
                )));
            }
        };
        let missing = || self.queries.iter().filter(|query| !refusals.contains_key(&query.id));
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
