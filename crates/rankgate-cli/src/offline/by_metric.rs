//! Values by metric, in the order of the metrics that the caller named.

use serde::ser::{Serialize, Serializer};

/// A value for each metric, in the order in which the caller named them; an object in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByMetric<T>(Vec<(String, T)>);

impl<T> ByMetric<T> {
    pub(crate) fn push(&mut self, metric: String, value: T) {
        self.0.push((metric, value));
    }

    /// The value of a metric, by its canonical name.
    pub fn get(&self, metric: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == metric).map(|(_, value)| value)
    }

    /// Every metric's canonical name and its value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many metrics there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(String, T)> for ByMetric<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for ByMetric<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The scores of single queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerQuery {
    pub(super) metrics: Vec<String>,
    /// By query id.
    pub(super) rows: Vec<(String, Vec<f64>)>,
}

impl PerQuery {
    /// Each query's id and its scores, in the order of [`metrics`](Self::metrics), ordered by id (bytes).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[f64])> {
        self.rows.iter().map(|(query, scores)| (query.as_str(), scores.as_slice()))
    }

    /// The metrics' canonical names.
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }
}

/// An object of objects: query, metric, score.
impl Serialize for PerQuery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row =
            |scores: &Vec<f64>| ByMetric::from_iter(self.metrics.iter().cloned().zip(scores.iter().copied()));
        serializer.collect_map(self.rows.iter().map(|(query, scores)| (query, row(scores))))
    }
}
