//! `thresholds:`: limits on metrics.

use crate::collection::SYNTHETIC;
use crate::gate::{Bound, GateKind, Level, Segment, Threshold, ThresholdGate, threshold_name};
use crate::mapping::{OneOrMany, Reader, Rule, mapping};
use crate::metric::Metric;
use crate::spec::coverage::Share;
use crate::spec::gates::{GateContext, GateEntry, Gates, RawEntry};
use crate::spec::names::Names;
use crate::spec::scalar::{Label, Reference, read_words};
use crate::spec::scores::add_columns;
use crate::yaml::{Problem, Span};

read_words!(Bound);

mapping! {
    /// Limits on metrics: one test per configuration and metric.
    pub(crate) struct RawThreshold as "a threshold", "{metric: nDCG@10, min: 0.4}" {
        /// The metrics that are held to the limits.
        "metric" | "metrics" => metrics: OneOrMany<Metric>,
        /// The columns of scores that are held to the limits, by their names under the spec's `scores`.
        "score" | "scores" => scores: OneOrMany<Reference>,
        /// The smallest value that passes.
        "min" => min: f64,
        /// The largest value that passes.
        "max" => max: f64,
        /// The value that the limits apply to: the mean (default), an end of its interval, or every single query.
        "bound" => bound: Bound,
        /// The configurations that are held to the limits; all by default.
        "for" => configurations: OneOrMany<Reference>,
        /// Only the queries with this value under a metadata key, such as `{category: billing}`.
        "segment" => segment: Segment,
        /// Whether it can fail the build: `blocking` (default) or `advisory`.
        "level" => level: Level,
        /// The share of the data that it needs, from 0 to 1; the spec's by default.
        "coverage" => coverage: Share,
        /// What sets it apart from another threshold on the same metric; part of the test's name.
        "name" => name: Label,
    }
    rules: [
        Rule::AtLeastOne(&["metric", "score"]),
        Rule::AtLeastOne(&["min", "max"]),
    ]
}

impl RawThreshold {
    /// The threshold, unless a part of it cannot be read. Errors are reported.
    pub(crate) fn check(mut self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<Threshold> {
        add_columns(&mut self.metrics, &mut self.scores, names, reader);
        self.check_limits(reader);
        self.check_bound(reader);
        self.check_origin(reader);
        let configurations = match self.configurations.into_value() {
            Some(given) => given.0.iter().map(|name| names.check(&name.value.0, name.at, reader)).collect(),
            None => Some(names.all()?.to_vec()),
        };
        Some(Threshold {
            metrics: self.metrics.into_value()?.into_values(),
            min: self.min.into_value(),
            max: self.max.into_value(),
            bound: self.bound.into_value().unwrap_or_default(),
            configurations: configurations?,
            segment: self.segment.into_value(),
            level: self.level.into_value().unwrap_or_default(),
            coverage: self.coverage.into_value().map(|share| share.0),
            name: self.name.into_value().map(|name| name.0),
        })
    }

    fn check_limits(&self, reader: &mut Reader<'_>) {
        for limit in [&self.min, &self.max] {
            let Some(limit) = limit.field_value() else { continue };
            let metrics = self.metrics.value().map(|metrics| &metrics.0[..]).unwrap_or_default();
            // One metric out of range is enough to say.
            if let Some(metric) = metrics.iter().find(|metric| !metric.value.range().contains(&limit.value)) {
                let message = format!("{} can never be {}", metric.value, limit.value);
                let problem = Problem::new(limit.at, message);
                let problem = problem.help(metric.value.range_in_words());
                reader.report(match metric.value.limit_of_percent(limit.value) {
                    Some(meant) => problem.help(format!("did you mean `{meant}`?")),
                    None => problem,
                });
            }
        }
        if let Some(min) = self.min.field_value()
            && let Some(low) = self.low_metric()
        {
            let problem = Problem::new(min.key, format!("less of {low} is better, and this demands more"));
            reader.report(problem.help("`max` is the largest value that passes"));
        }
        if let (Some(min), Some(max)) = (self.min.field_value(), self.max.field_value())
            && min.value > max.value
        {
            let message = format!("nothing is at least {} and at most {}", min.value, max.value);
            reader.report(Problem::new(max.at, message).related(min.at, "the smallest value that passes"));
        }
    }

    /// One of its metrics of which less is better.
    fn low_metric(&self) -> Option<&Metric> {
        let metrics = self.metrics.value().map(|metrics| &metrics.0[..]).unwrap_or_default();
        metrics.iter().map(|metric| &metric.value).find(|metric| metric.is_best_low())
    }

    /// Queries that were made from documents say which of two systems is better, and little of how good one is.
    fn check_origin(&self, reader: &mut Reader<'_>) {
        let (Some(min), Some(segment)) = (self.min.field_value(), self.segment.field_value()) else { return };
        let is_synthetic = [segment.value.key.as_str(), &segment.value.value] == SYNTHETIC;
        if is_synthetic && self.level.value() != Some(&Level::Advisory) {
            let message = "queries made from documents say little of how good a system is, and nothing that fails a build";
            let problem = Problem::new(min.at, message).related(segment.at, "these are of no others");
            reader.report(
                problem.help("write `level: advisory` beside it, or compare two configurations on them"),
            );
        }
    }

    /// An end of the interval is held against the limit on its own side: the other way round a wider
    /// interval would make the gate easier to pass.
    fn check_bound(&self, reader: &mut Reader<'_>) {
        let Some(bound) = self.bound.field_value() else { return };
        let (needs, excludes, other) = match bound.value {
            Bound::Mean => return,
            Bound::EveryQuery => {
                if !self.min.is_absent() && !self.max.is_absent() {
                    let problem = Problem::new(bound.at, "`bound: every-query` takes one limit");
                    reader.report(problem.help("a limit on each end takes two entries, one with a `name`"));
                }
                return;
            }
            Bound::Lower => (&self.min, &self.max, "`bound: lower` goes with `min`, not with `max`"),
            Bound::Upper => (&self.max, &self.min, "`bound: upper` goes with `max`, not with `min`"),
        };
        if needs.is_absent() || !excludes.is_absent() {
            let problem = Problem::new(bound.at, other);
            reader.report(problem.help("a threshold on each end takes two entries, one with a `name`"));
        }
    }
}

impl RawEntry for RawThreshold {
    type Checked = Threshold;

    fn check(self, _: Span, context: &GateContext<'_>, reader: &mut Reader<'_>) -> Option<Vec<Threshold>> {
        Some(vec![self.check(context.names, reader)?])
    }
}

impl GateEntry for Threshold {
    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// One gate per configuration and metric.
    fn expand(&self, index: usize, at: Span, benchmark: &str, gates: &mut Gates<'_, '_>) {
        for configuration in &self.configurations {
            for metric in &self.metrics {
                let (segment, label) = (self.segment.as_ref(), self.name.as_deref());
                let name = threshold_name(benchmark, configuration, metric, segment, label);
                let gate = ThresholdGate { threshold: index, metric: metric.clone() };
                gates.add(name, configuration, self.level, GateKind::Threshold(gate), at);
            }
        }
    }
}
