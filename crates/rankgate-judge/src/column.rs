//! A score column: a value for each query, with people's value and a fingerprint, as CSV.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;
use crate::metric::Metric;
use crate::output::{Written, write_whole};

/// One query of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) query: String,
    pub(crate) value: f64,
    pub(crate) people: Option<f64>,
    pub(crate) fingerprint: String,
}

/// The values of a metric.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// The metric.
    pub metric: Metric,
    pub(crate) rows: Vec<Row>,
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
}

impl Column {
    /// The mean of its values; `None` without one.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.rows.iter().map(|row| row.value).sum();
        (!self.rows.is_empty()).then(|| sum / self.rows.len() as f64)
    }

    /// Queries with a value.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.rows.len()
    }

    /// Queries with a value of people's.
    #[must_use]
    pub fn people(&self) -> usize {
        self.rows.iter().filter(|row| row.people.is_some()).count()
    }

    /// The column as CSV: `query,value,people,fingerprint`.
    #[must_use]
    pub fn csv(&self) -> String {
        let quoted = |id: &str| match id.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", id.replace('"', "\"\"")),
            false => id.to_owned(),
        };
        let line = |row: &Row| {
            let people = row.people.map_or_else(String::new, |value| value.to_string());
            format!("{},{},{people},{}\n", quoted(&row.query), row.value, row.fingerprint)
        };
        "query,value,people,fingerprint\n".to_owned() + &self.rows.iter().map(line).collect::<String>()
    }

    /// Writes it into a folder, under the name of the metric, and returns the path.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(std::path::PathBuf, Written)> {
        let path = folder.join(format!("{}.csv", self.metric.file_stem()));
        let written = write_whole(&path, self.csv().as_bytes())?;
        Ok((path, written))
    }
}
