//! A metric of all answers as a column of scores, and the queries without a value.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;
use crate::metric::Metric;
use crate::output::{Written, write_whole};
use crate::scores::ScoreColumn;

/// The values of a metric.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// The metric.
    pub metric: Metric,
    /// The values, with people's and with fingerprints of the answers.
    pub scores: ScoreColumn,
    /// Queries without a value.
    pub left: Left,
}

/// Queries without a value, by the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Left {
    /// Queries that are in no mean of the metric: `declined`, `without a reference`.
    pub excluded: BTreeMap<&'static str, usize>,
    /// Queries of which the judge gave no grade.
    pub unknown: Vec<String>,
    /// Queries with a reply that could not be read.
    pub failed: Vec<String>,
    /// Queries that were not asked about.
    pub missing: Vec<String>,
    /// Drawn queries whose answers people have not graded: until then the column has no values of people's.
    pub ungraded: Vec<String>,
}

impl Column {
    /// The mean of its values; `None` without one.
    pub fn mean(&self) -> Option<f64> {
        let queries = self.queries();
        let sum: f64 = self.scores.iter().map(|(_, score)| score.value).sum();
        (queries > 0).then(|| sum / queries as f64)
    }

    /// Queries with a value.
    pub fn queries(&self) -> usize {
        self.scores.iter().count()
    }

    /// Queries with a value of people's.
    pub fn people(&self) -> usize {
        self.scores.iter().filter(|(_, score)| score.people.is_some()).count()
    }

    /// Writes it into a folder, under the name of the metric, and returns the path.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(std::path::PathBuf, Written)> {
        let path = folder.join(format!("{}.csv", self.metric.file_stem()));
        let written = write_whole(&path, self.scores.to_csv().as_bytes())?;
        Ok((path, written))
    }
}
