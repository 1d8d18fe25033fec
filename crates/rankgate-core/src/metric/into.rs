//! What names a metric in a call.

use crate::Result;
use crate::metric::Metric;

/// What names a metric: a [`Metric`], or its name.
pub trait IntoMetric {
    /// The metric.
    ///
    /// # Errors
    /// An unknown name or a parameter outside its range.
    fn into_metric(self) -> Result<Metric>;
}

impl IntoMetric for Metric {
    fn into_metric(self) -> Result<Metric> {
        Ok(self)
    }
}

impl IntoMetric for &Metric {
    fn into_metric(self) -> Result<Metric> {
        Ok(self.clone())
    }
}

impl IntoMetric for &str {
    fn into_metric(self) -> Result<Metric> {
        self.parse()
    }
}
