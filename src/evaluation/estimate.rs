//! A metric's value over queries.

use crate::Result;
use crate::metric::{Aggregation, Metric};
use crate::stats::{self, Confidence, Interval};

/// A metric over a set of queries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The mean over queries; the sum for counts.
    pub value: f64,
    /// The interval of the mean, or why there is none.
    pub interval: Result<Interval, String>,
    /// How the interval is made: `t` or `Wilson`.
    pub kind: String,
    /// How many queries the value is taken over.
    pub queries: usize,
}

impl Estimate {
    /// Of one score per query.
    pub(crate) fn of(metric: &Metric, scores: &[f64], confidence: Confidence) -> Result<Self> {
        let queries = scores.len();
        if metric.aggregation() == Aggregation::Sum {
            let interval = Err("a count has no interval".to_owned());
            return Ok(Self { value: stats::sum(scores)?, interval, kind: "count".into(), queries });
        }
        let mean = stats::mean_interval(scores, confidence, metric.range())?;
        Ok(Self {
            value: mean.mean,
            interval: mean.interval.map_err(|reason| reason.to_string()),
            kind: mean.kind.to_string(),
            queries,
        })
    }
}

/// The mean of scores; the sum for counts.
pub(super) fn aggregate(metric: &Metric, scores: &[f64]) -> Result<f64> {
    match metric.aggregation() {
        Aggregation::Sum => stats::sum(scores),
        _ => stats::mean(scores),
    }
}
