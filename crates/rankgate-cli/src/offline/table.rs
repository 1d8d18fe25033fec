//! Scores by query and metric.

use std::collections::BTreeMap;
use std::path::Path;

use crate::offline::error::Quoted;
use crate::offline::metric::Metric;
use crate::offline::{Error, Result};

/// The scores of queries in metrics, of this crate or of any other tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreTable {
    pub(super) metrics: Vec<String>,
    pub(super) rows: BTreeMap<String, Vec<f64>>,
}

impl ScoreTable {
    /// A table of these columns, each of a metric that is called by its canonical name if it has one. Errors call the table
    /// by its path.
    ///
    /// # Errors
    ///
    /// No column or no row; a query or a metric that comes twice; a score that is infinite, or out of the range of the metric
    /// of its name.
    pub fn new(
        path: &Path,
        columns: &[String],
        rows: impl IntoIterator<Item = (String, Vec<f64>)>,
    ) -> Result<Self> {
        let refused = |message: String| Error::in_file(path, message);
        let metrics = named(columns.iter().map(String::as_str)).map_err(refused)?;
        let known = column_metrics(&metrics);
        let mut table = Self { metrics, ..Self::default() };
        for (query, scores) in rows {
            for ((metric, known), score) in table.metrics.iter().zip(&known).zip(&scores) {
                if !score.is_finite() {
                    return Err(refused(format!("{metric} of query {} is {score}", Quoted(&query))));
                }
                check_score(known.as_ref(), &query, *score).map_err(refused)?;
            }
            if table.rows.contains_key(&query) {
                return Err(refused(format!("query {} again", Quoted(&query))));
            }
            table.rows.insert(query, scores);
        }
        match table.rows.is_empty() {
            true => Err(refused("there are no scores".to_owned())),
            false => Ok(table),
        }
    }

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
}

/// The canonical name of a metric, if it has one.
fn canonical(name: &str) -> String {
    name.parse::<Metric>().map_or_else(|_| name.to_owned(), |metric| metric.to_string())
}

/// The metrics that these names stand for, of which none may come twice.
pub(super) fn named<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<String>, String> {
    let names: Vec<String> = names.map(canonical).collect();
    if names.is_empty() {
        return Err("there is no metric beside the queries".to_owned());
    }
    match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        Some((_, twice)) => Err(format!("the metric {} again", Quoted(twice))),
        None => Ok(names),
    }
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
