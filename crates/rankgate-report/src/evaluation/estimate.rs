//! A metric's value over queries.

use crate::Result;
use crate::metric::{Aggregation, Metric};
use crate::stats::{self, Confidence, Interval, IntervalKind, MeanInterval, NoInterval};

/// A metric over a set of queries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The mean over queries; the sum for counts.
    pub value: f64,
    /// The interval of the mean, or why there is none.
    pub interval: Result<Interval, NoInterval>,
    /// How an interval of such scores is made.
    pub kind: IntervalKind,
    /// How many queries the value is taken over.
    pub queries: usize,
    /// The lowest and the highest value of a single query; `None` without a query.
    pub extremes: Option<[f64; 2]>,
    /// How many groups they belong to, where queries that belong together are grouped.
    pub groups: Option<usize>,
}

#[doc(hidden)]
impl Estimate {
    /// Of one score per query and, where queries are grouped, each query's group.
    pub fn new(
        metric: &Metric,
        scores: &[f64],
        groups: Option<&[String]>,
        confidence: Confidence,
    ) -> Result<Self> {
        let queries = scores.len();
        let extremes = extremes(scores);
        if metric.is_count() {
            let (interval, kind) = (Err(NoInterval::Count), IntervalKind::T);
            return Ok(Self { value: stats::sum(scores)?, interval, kind, queries, extremes, groups: None });
        }
        // The interval of a geometric mean is that of the mean of logarithms, and both are what they are the logarithms of.
        let is_geometric = metric.aggregation() == Aggregation::GeometricMean;
        let into = |score: f64| if is_geometric { score.ln() } else { score };
        let back = |mean: f64| if is_geometric { mean.exp() } else { mean };
        let values: Vec<f64> = scores.iter().copied().map(into).collect();
        let range = into(*metric.range().start())..=into(*metric.range().end());
        let MeanInterval { mean, interval, kind, groups, .. } = match groups {
            None => stats::mean_interval(&values, confidence, range)?,
            Some(groups) => stats::grouped_mean_interval(&values, groups, confidence, range)?,
        };
        let interval = interval.map(|Interval { low, high }| Interval { low: back(low), high: back(high) });
        Ok(Self { value: back(mean), interval, kind, queries, extremes, groups })
    }

    /// The value of the query that is nearest to its limit or farthest beyond it: the highest where there is a largest value
    /// allowed, else the lowest.
    pub fn worst(&self, max: Option<f64>) -> Option<f64> {
        self.extremes.map(|[lowest, highest]| if max.is_some() { highest } else { lowest })
    }

    /// The limits of the interval, if there is one.
    pub fn limits(&self) -> Option<[f64; 2]> {
        self.interval.ok().map(|interval| [interval.low, interval.high])
    }
}

/// The lowest and the highest of them; `None` of none.
pub(super) fn extremes(scores: &[f64]) -> Option<[f64; 2]> {
    let first = *scores.first()?;
    Some(scores.iter().fold([first; 2], |[low, high], &score| [low.min(score), high.max(score)]))
}

/// The mean of scores; the sum for counts.
pub(super) fn aggregate(metric: &Metric, scores: &[f64]) -> Result<f64> {
    match metric.aggregation() {
        Aggregation::Sum => stats::sum(scores),
        Aggregation::Mean => stats::mean(scores),
        Aggregation::GeometricMean => {
            Ok(stats::mean(&scores.iter().map(|score| score.ln()).collect::<Vec<_>>())?.exp())
        }
    }
}
