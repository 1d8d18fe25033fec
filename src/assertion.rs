//! Assertions on an evaluation, for ordinary `#[test]` functions.

use std::panic::Location;

use crate::Result;
use crate::benchmark::model::{Finding, GateReport, Place, Report, SCHEMA, ThresholdFinding, Verdict};
use crate::benchmark::{metric_report, weakest};
use crate::evaluation::{Evaluation, IntoMetric};
use crate::gate::{Bound, hold};
use crate::metric::Metric;
use crate::report;
use crate::stats::Confidence;

/// What the retriever is called where nobody gave it a name.
const NAME: &str = "the retriever";

/// Assertions in the manner of `assert!`: silent when they hold, else a panic with the message that
/// a gate of a spec would give, naming the queries that are to blame.
impl Evaluation {
    /// Asserts that the metric's mean is at least `min`.
    ///
    /// ```should_panic
    /// # let mut builder = rankgate::CollectionBuilder::new();
    /// # builder.add_query(rankgate::Query::new("q1", "alpha"), [("d1", 1)]);
    /// # let collection = builder.build().unwrap();
    /// let evaluation = rankgate::evaluate(&collection, 10, |_query, _depth| Ok(vec![])).unwrap();
    /// evaluation.assert_at_least("nDCG@10", 0.60);
    /// ```
    ///
    /// # Panics
    /// When it is less, is not a number, or cannot be computed.
    #[track_caller]
    pub fn assert_at_least(&self, metric: impl IntoMetric, min: f64) {
        self.assert_limit(metric, Bound::Mean, Some(min), None, Location::caller());
    }

    /// Asserts that the metric's mean is at most `max`.
    ///
    /// # Panics
    /// When it is more, is not a number, or cannot be computed.
    #[track_caller]
    pub fn assert_at_most(&self, metric: impl IntoMetric, max: f64) {
        self.assert_limit(metric, Bound::Mean, None, Some(max), Location::caller());
    }

    /// Asserts that the lower end of the mean's 95% interval is at least `min`: that the metric is
    /// known to be that good, and not by the luck of the queries.
    ///
    /// # Panics
    /// When it is less, when there is no interval (one query, or all queries with one score), or
    /// when the metric cannot be computed.
    #[track_caller]
    pub fn assert_surely_at_least(&self, metric: impl IntoMetric, min: f64) {
        self.assert_limit(metric, Bound::Lower, Some(min), None, Location::caller());
    }

    #[track_caller]
    fn assert_limit(
        &self,
        metric: impl IntoMetric,
        bound: Bound,
        min: Option<f64>,
        max: Option<f64>,
        caller: &Location<'_>,
    ) {
        let place = format!("{}:{}", caller.file(), caller.line());
        let message =
            match metric.into_metric().and_then(|metric| self.limit_message(&metric, bound, min, max, place))
            {
                Ok(None) => return,
                Ok(Some(message)) => message,
                Err(error) => crate::error::chain(&error),
            };
        panic!("{message}");
    }

    /// What there is to say when a limit is not kept.
    fn limit_message(
        &self,
        metric: &Metric,
        bound: Bound,
        min: Option<f64>,
        max: Option<f64>,
        place: String,
    ) -> Result<Option<String>> {
        let confidence = Confidence::default();
        let estimate = self.estimate(metric, confidence)?;
        let verdict = hold(bound, &estimate, min, max);
        if verdict == Verdict::Passed {
            return Ok(None);
        }
        let gate = GateReport {
            name: metric.to_string(),
            configuration: NAME.to_owned(),
            advisory: false,
            verdict,
            place: Place { file: String::new(), line: 0 },
            finding: Finding::Threshold(Box::new(ThresholdFinding {
                metric: metric.to_string(),
                segment: None,
                min,
                max,
                bound: bound.to_string(),
                queries: estimate.queries,
                measured: metric_report(metric, &estimate),
                movers: weakest(self, metric)?,
            })),
            warnings: Vec::new(),
            advice: Vec::new(),
        };
        let report = Report {
            schema: SCHEMA,
            benchmark: place,
            description: None,
            spec: String::new(),
            confidence: confidence.level(),
            collection: None,
            metrics: vec![metric.to_string()],
            configurations: Vec::new(),
            gates: Vec::new(),
            warnings: Vec::new(),
        };
        Ok(Some(report::message(&report, &gate)))
    }
}
