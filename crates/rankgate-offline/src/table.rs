//! Scores by query and metric.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::metric::Metric;
use crate::seal::Seal;
use crate::{Error, Result};

/// The scores of queries in metrics, of this crate or of any other tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreTable {
    pub(super) metrics: Vec<String>,
    pub(super) rows: BTreeMap<String, Vec<f64>>,
    pub(super) judgments: Option<Seal>,
}

impl ScoreTable {
    /// The metrics, in the order of the columns.
    #[must_use]
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }

    /// Each query's id and its scores in the order of [`metrics`](Self::metrics), ordered by id (bytes).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[f64])> {
        self.rows.iter().map(|(query, scores)| (query.as_str(), scores.as_slice()))
    }

    /// The scores of a query.
    #[must_use]
    pub fn scores_of(&self, query: &str) -> Option<&[f64]> {
        self.rows.get(query).map(Vec::as_slice)
    }

    /// The seal of the judgments that the scores rest on, where the file says it.
    #[must_use]
    pub fn judgments(&self) -> Option<Seal> {
        self.judgments
    }
}

/// Refuses rows that are not those that were sealed.
pub(super) fn unbroken(sealed: Seal, rows: Seal, path: &Path) -> Result<()> {
    if sealed == rows {
        return Ok(());
    }
    let message = format!(
        "its rows are not those that were written: the seal in it is {sealed}, and that of the rows {rows}; a row was \
         dropped, changed or doubled"
    );
    Err(Error::in_file(path, message))
}

/// The canonical name of a metric, if it has one.
pub(super) fn canonical(name: &str) -> String {
    name.parse::<Metric>().map_or_else(|_| name.to_owned(), |metric| metric.to_string())
}

/// The metrics of this crate among the columns of a table, which other programs may fill in other units.
pub(super) fn column_metrics(metrics: &[String]) -> Vec<Option<Metric>> {
    metrics.iter().map(|metric| metric.parse().ok()).collect()
}

/// What is wrong with a score that a metric of its name cannot have: a percentage, say.
pub(super) fn check_score(metric: Option<&Metric>, query: &str, score: f64) -> Result<f64, String> {
    match metric.filter(|metric| !metric.can_be(score)) {
        None => Ok(score),
        Some(metric) => {
            let query = Quoted(query);
            Err(format!("{metric} of query {query} is {score}, and {}", metric.range_in_words()))
        }
    }
}
