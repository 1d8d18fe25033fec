//! The queries that no document answers, as an evaluation of their own.

use std::sync::Arc;

use super::cluster::Clusters;
use super::{Evaluation, Judging, Pass, judge};
use crate::collection::Query;
use crate::metric::Metric;
use crate::{Error, Result};

/// The unanswerable queries of an evaluation.
#[derive(Clone, Debug)]
pub(super) enum Unanswerable {
    /// They belong to its queries, which have an answer.
    Beside(Arc<[Query]>),
    /// They are its queries.
    These,
}

impl Unanswerable {
    /// Those that are not its queries.
    pub(super) fn beside(&self) -> &[Query] {
        match self {
            Self::Beside(queries) => queries,
            Self::These => &[],
        }
    }

    pub(super) fn keeping(&self, belongs: impl Fn(&Query) -> bool) -> Self {
        match self {
            Self::Beside(queries) => {
                Self::Beside(queries.iter().filter(|query| belongs(query)).cloned().collect())
            }
            Self::These => Self::These,
        }
    }
}

impl Evaluation {
    /// Returns true if its queries are the unanswerable ones.
    pub(super) fn is_of_unanswerable(&self) -> bool {
        matches!(self.unanswerable, Unanswerable::These)
    }

    /// The unanswerable queries that were asked beside those that it is of: each has a ranking, an empty one perhaps.
    #[doc(hidden)]
    pub fn asked_beside(&self) -> impl Iterator<Item = &Query> {
        let run = self.run(0);
        self.unanswerable
            .beside()
            .iter()
            .filter(move |query| run.is_some_and(|run| run.ranking(&query.id).is_some()))
    }

    /// The same rankings over the queries that a metric is of: the unanswerable ones for `FalseAnswer`, those that have an
    /// answer for any other.
    ///
    /// # Errors
    /// A collection without unanswerable queries, where the metric is of these.
    ///
    /// ```
    /// use rankgate::{CollectionBuilder, Hit, Query, evaluate};
    ///
    /// let mut builder = CollectionBuilder::new();
    /// builder.add_query(Query::new("q1", "return a parcel"), [("returns", 1)]);
    /// builder.add_query(Query::new("q2", "weather on Mars").with("unanswerable", true), [] as [(&str, i32); 0]);
    /// let evaluation = evaluate(&builder.build()?, 10, |_query, _depth| Ok(vec![Hit::new("returns", 0.9)]))?;
    /// assert_eq!(evaluation.value("RR")?, 1.0);
    /// assert_eq!(evaluation.value("FalseAnswer")?, 1.0);
    /// let unanswerable = evaluation.for_metric(&"FalseAnswer".parse()?)?;
    /// assert_eq!(unanswerable.queries()[0].id, "q2");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn for_metric(&self, metric: &Metric) -> Result<Self> {
        if let Some(column) = metric.column_name() {
            return self.for_column(column);
        }
        if metric.requirements().unanswerable == self.is_of_unanswerable() {
            return Ok(self.clone());
        }
        if self.is_of_unanswerable() {
            return Err(self.other_queries(metric));
        }
        if self.unanswerable.beside().is_empty() {
            return Err(Error::invalid(match self.collection.unanswerable().len() {
                0 => format!(
                    "{metric} needs unanswerable queries: mark them with `unanswerable: true` in their metadata"
                ),
                _ => format!("{metric} needs unanswerable queries, and none is among these"),
            }));
        }
        self.of_unanswerable(&metric.to_string())
    }

    /// The same rankings over the unanswerable queries, for the metric or column of this name.
    pub(super) fn of_unanswerable(&self, metric: &str) -> Result<Self> {
        let relevant_from = self.judged(0).map_or(1, |ranking| ranking.relevant_from());
        let judging = Judging { relevant_from, ..Judging::default() };
        let pass = |pass: &Pass| {
            let gone =
                || Error::invalid(format!("{metric} needs whole rankings, and only judged ones were kept"));
            let run = pass.held.as_run().ok_or_else(gone)?;
            let judge = |query: &Query| judge(&self.collection, run, &query.id, judging);
            let judged = self.unanswerable.beside().iter().map(judge).collect::<Result<_>>()?;
            Ok(Pass { judged, ..pass.clone() })
        };
        Ok(Self {
            passes: self.passes.iter().map(pass).collect::<Result<_>>()?,
            queries: self.unanswerable.beside().into(),
            unanswerable: Unanswerable::These,
            clusters: Clusters::again(self.clusters.as_ref(), self.unanswerable.beside())?,
            ..self.clone()
        })
    }

    /// Refuses a metric of other queries.
    pub(super) fn check_queries(&self, metric: &Metric) -> Result<()> {
        match metric.is_column() || metric.requirements().unanswerable == self.is_of_unanswerable() {
            true => Ok(()),
            false => Err(self.other_queries(metric)),
        }
    }

    fn other_queries(&self, metric: &Metric) -> Error {
        Error::invalid(match self.is_of_unanswerable() {
            true => format!("{metric} is of queries that have an answer, and these are unanswerable"),
            false => format!("{metric} is of unanswerable queries, and these have an answer"),
        })
    }
}
