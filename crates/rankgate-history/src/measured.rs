//! Commits, and their measurements.

use std::sync::Arc;

use rankgate_core::stats::{self, Differences};
use rankgate_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// A commit of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// Seconds since 1970; shown only, because the line gives the order.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The name of its author.
    pub author: String,
    /// Tags of releases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub releases: Vec<String>,
}

impl Commit {
    /// The first eight characters of its id.
    pub fn short(&self) -> &str {
        self.id.char_indices().nth(8).map_or(&self.id, |(end, _)| &self.id[..end])
    }
}

/// What one configuration scored at a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Id of the commit.
    pub commit: String,
    /// The ranking and its scores.
    pub now: Standing,
    /// The golden ranking of that commit, under the same judgments.
    pub golden: Option<Standing>,
    /// Whether this ranking was blessed with `--accept-loss`.
    pub accepted: bool,
    /// Inputs that have to be equal for two measurements to be comparable.
    pub inputs: Inputs,
    /// Metrics that gates use; alarms are about those of the newest measurement.
    pub gated: Vec<String>,
}

/// A ranking, and its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Fingerprint of the ranking: equal if all queries have the same documents in the same order.
    pub ranking: String,
    /// Its scores.
    pub scores: Arc<Scores>,
}

/// Fingerprints of everything that scores depend on besides the ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// Fingerprint of the judged queries.
    pub queries: String,
    /// Fingerprint of the judgments.
    pub judgments: String,
    /// Fingerprint of the documents; empty if they were not read.
    pub corpus: String,
    /// Results per query.
    pub depth: usize,
    /// Fingerprint of the definitions of metrics.
    pub definitions: String,
}

impl Inputs {
    /// Names of the inputs that differ.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<&'static str> {
        [
            (self.queries != before.queries, "queries"),
            (self.judgments != before.judgments, "judgments"),
            (self.corpus != before.corpus, "documents"),
            (self.depth != before.depth, "depth"),
            (self.definitions != before.definitions, "metric definitions"),
        ]
        .into_iter()
        .filter_map(|(changed, name)| changed.then_some(name))
        .collect()
    }
}

/// The scores of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Ids of the judged queries, sorted.
    pub queries: Vec<String>,
    /// The group of each query, if queries are grouped.
    pub groups: Option<Vec<String>>,
    /// Scores per query, by canonical metric name, in report order.
    pub by_metric: Vec<(String, Vec<f64>)>,
}

impl Scores {
    pub(crate) fn values(&self, metric: &str) -> Option<&[f64]> {
        self.by_metric.iter().find(|(name, _)| name == metric).map(|(_, values)| values.as_slice())
    }

    pub(crate) fn mean(&self, metric: &str) -> Option<f64> {
        stats::mean(self.values(metric)?).ok()
    }

    /// `self` minus `before`; `None` if either side lacks the metric, or the queries differ.
    pub(crate) fn since(&self, before: &Self, metric: &str) -> Option<Differences> {
        if self.queries != before.queries {
            return None;
        }
        let (before, now) = (before.values(metric)?, self.values(metric)?);
        match &self.groups {
            None => Differences::new(before, now),
            Some(groups) => Differences::grouped(before, now, groups),
        }
        .ok()
    }

    /// # Errors
    /// A metric without exactly one finite score for each query.
    pub(crate) fn check(&self, commit: &str) -> Result<()> {
        let groups = self.groups.as_ref().map_or(self.queries.len(), Vec::len);
        for (metric, values) in &self.by_metric {
            if values.is_empty() || values.len() != self.queries.len() || groups != values.len() {
                let message = format!("commit {commit}: {metric} does not have one score for each query");
                return Err(Error::invalid(message));
            }
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                let query = &self.queries[at];
                let message = format!("commit {commit}: {metric} of query {query} is not a finite number");
                return Err(Error::invalid(message));
            }
        }
        Ok(())
    }
}
