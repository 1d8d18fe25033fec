//! Scores of queries by a metric, and what they are together.

use std::sync::Arc;

use super::estimate::{aggregate, extremes};
use super::judging::findable;
use super::passes::Pass;
use super::{Estimate, Evaluation};
use crate::metric::{IntoMetric, Metric};
use crate::stats::{self, Confidence, Differences};
use crate::{Error, Result, threads};

/// Queries that a thread scores at a time.
const PART: usize = 512;

impl Evaluation {
    /// The score of each evaluated query, in the order of [`queries`](Self::queries): the mean over
    /// passes.
    ///
    /// # Errors
    /// An unknown metric, a cutoff deeper than what was asked for, a registered metric that returns
    /// something that is not a finite number (the message names the query). A metric of unanswerable queries: its
    /// scores are those of the evaluation [for it](Self::for_metric).
    pub fn scores(&self, metric: impl IntoMetric) -> Result<Vec<f64>> {
        let metric = self.checked(metric)?;
        self.check_queries(&metric)?;
        // Metrics of one's own are equal where their names are, whatever they compute.
        if metric.is_column() {
            let of_query = |index: usize| self.score_of_column(&metric, index);
            return (0..self.queries.len()).map(of_query).collect();
        }
        match metric.definition() {
            Some(_) if !metric.needs_documents() => self.passes.scores(&metric, || self.scored(&metric)),
            _ => self.scored(&metric),
        }
    }

    fn score_of_column(&self, metric: &Metric, index: usize) -> Result<f64> {
        self.column_score(metric, index).map_err(|error| self.of_query(index, &error))
    }

    fn scored(&self, metric: &Metric) -> Result<Vec<f64>> {
        let mean = |(index, passes): (usize, &Vec<f64>)| {
            stats::mean(passes).map_err(|error| self.of_query(index, &error))
        };
        self.values_of_passes(metric)?.iter().enumerate().map(mean).collect()
    }

    fn of_query(&self, index: usize, error: &Error) -> Error {
        Error::invalid(format!("query `{}`: {error}", self.queries[index].id))
    }

    /// The metric over all evaluated queries: the mean, or the sum for counts such as `NumRel`.
    ///
    /// # Errors
    /// As for [`scores`](Self::scores); a metric of relevance where no query has a relevant document.
    pub fn value(&self, metric: impl IntoMetric) -> Result<f64> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        of.findable(&metric)?;
        if let Some(corrected) = of.corrected(&metric)? {
            return Ok(corrected.value);
        }
        let scores = of.scores(metric.clone())?;
        aggregate(&metric, &scores)
    }

    /// The value of each pass by itself: how much it varies from run to run.
    ///
    /// # Errors
    /// As for [`scores`](Self::scores).
    pub fn values_by_pass(&self, metric: impl IntoMetric) -> Result<Vec<f64>> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        let value = |pass: &Pass| {
            let scores = (0..of.queries.len()).map(|index| of.score(&metric, pass, index));
            aggregate(&metric, &scores.collect::<Result<Vec<_>>>()?)
        };
        of.passes.iter().map(value).collect()
    }

    /// The lowest and the highest value of several passes; `None` of one.
    pub(crate) fn range_over_passes(&self, metric: &Metric) -> Result<Option<[f64; 2]>> {
        if self.passes() <= 1 || metric.is_column() {
            return Ok(None);
        }
        let values = self.values_by_pass(metric)?;
        let start = [f64::INFINITY, f64::NEG_INFINITY];
        Ok(Some(values.iter().fold(start, |[low, high], &value| [low.min(value), high.max(value)])))
    }

    fn score(&self, metric: &Metric, pass: &Pass, index: usize) -> Result<f64> {
        if metric.is_column() {
            return self.column_score(metric, index);
        }
        let whole = metric.needs_documents();
        let asked = if whole { self.ranked_query(pass, index)? } else { None };
        let Some(asked) = asked else { return metric.try_compute(&pass.judged[index]) };
        metric.compute_of_query(&asked)
    }

    /// The value with its interval at the given confidence.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    pub fn estimate(&self, metric: impl IntoMetric, confidence: Confidence) -> Result<Estimate> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        of.findable(&metric)?;
        if let Some(corrected) = of.corrected_estimate(&metric, confidence)? {
            return Ok(corrected);
        }
        let estimate = Estimate::new(&metric, &of.scores(metric.clone())?, of.groups(), confidence)?;
        // A mean over passes hides a single one that is worse.
        let extremes = match of.passes() {
            0 | 1 => estimate.extremes,
            _ => extremes(&of.values_of_passes(&metric)?.concat()),
        };
        Ok(Estimate { extremes, ..estimate })
    }

    /// What each query has in each of its own passes.
    pub(crate) fn values_of_passes(&self, metric: &Metric) -> Result<Vec<Vec<f64>>> {
        let of_query = |index: usize| {
            let values: Result<Vec<f64>> =
                self.passes.iter().map(|pass| self.score(metric, pass, index)).collect();
            values.map_err(|error| Error::invalid(format!("query `{}`: {error}", self.queries[index].id)))
        };
        let all = self.queries.len();
        let part =
            |part: usize| (part * PART..all.min((part + 1) * PART)).map(of_query).collect::<Result<Vec<_>>>();
        Ok(threads::map(all.div_ceil(PART), part).into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    /// The metric, if it can be computed from what was asked for.
    pub(crate) fn checked(&self, metric: impl IntoMetric) -> Result<Metric> {
        let metric = metric.into_metric()?;
        match (metric.cutoff(), self.asked.depth) {
            (Some(cutoff), Some(depth)) if cutoff > depth => Err(Error::invalid(format!(
                "{metric} looks at {cutoff} documents and only {depth} were asked for"
            ))),
            _ => Ok(metric),
        }
    }
}

#[doc(hidden)]
impl Evaluation {
    /// How much higher than a baseline's the scores of the same queries are, by group where they are grouped.
    pub fn differences_from(&self, baseline: &Self, metric: &Metric) -> Result<Differences> {
        metric.check_arithmetic()?;
        let (before, after) = (baseline.scores(metric)?, self.scores(metric)?);
        let differences = match self.groups() {
            None => Differences::new(&before, &after),
            Some(groups) => Differences::grouped(&before, &after, groups),
        };
        Ok(differences?.within(&metric.range()))
    }

    /// The score of a query by its position among the queries in one pass.
    pub fn score_in(&self, metric: &Metric, pass: usize, query: usize) -> Option<Result<f64>> {
        let pass = self.passes.get(pass).filter(|_| query < self.queries.len())?;
        Some(self.score(metric, pass, query))
    }

    /// Refuses a metric of relevance where no query has a relevant document: it would be the same whatever
    /// was returned.
    pub fn findable(&self, metric: &Metric) -> Result<()> {
        let judged = self.passes.first().map_or(&[][..], |pass| &pass.judged);
        findable(metric, judged.iter().map(Arc::as_ref))
    }
}
