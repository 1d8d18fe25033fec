//! Means over several collections, and limits on them.

use crate::evaluation::{Estimate, Evaluation, People, hold};
use crate::gate::{Statistics, Threshold, deciding_value};
use crate::metric::Metric;
use crate::model::{CollectionValue, MetricReport, Movers, ThresholdFinding, Verdict};
use crate::stats::{Differences, Interval, IntervalKind, NoInterval, PairedT, Stream};
use crate::{Error, Result};

use super::judged::judged_some;
use super::measured::metric_report;

/// The differences of all collections, each of which counts alike.
pub(super) fn joined(parts: &[Differences]) -> Result<Differences> {
    let share = 1.0 / parts.len() as f64;
    Differences::joined(&parts.iter().map(|part| (part, share)).collect::<Vec<_>>())
}

/// An error of one collection, which says so.
pub fn in_collection(benchmark: &str, error: &Error) -> Error {
    Error::with_kind(error.kind(), format!("{benchmark}: {error}"))
}

/// A configuration in one collection.
pub struct PartOfMean<'a> {
    pub benchmark: &'a str,
    pub evaluation: &'a Evaluation,
}

/// Refuses a metric that a model's grades are in: a suite does not correct its mean.
pub(super) fn check_origin(evaluation: &Evaluation, metric: &Metric) -> Result<()> {
    match evaluation.people(metric)? {
        People::NotNeeded => Ok(()),
        People::Sample(_) | People::TooFew(_) => Err(Error::invalid(format!(
            "a model's grades are in {metric}, and a suite does not correct its mean by people's: gate this benchmark by itself"
        ))),
    }
}

/// The mean of a metric over collections: one more query in each of them, at either end of
/// the metric's range, gives its interval; without a range it is one of t.
fn estimate(
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    statistics: &Statistics,
) -> Result<(Estimate, Vec<f64>)> {
    metric.check_arithmetic()?;
    if metric.is_count() {
        return Err(Error::invalid(format!("{metric} is a sum, and a suite takes means over collections")));
    }
    let mut differences = Vec::with_capacity(parts.len());
    for PartOfMean { benchmark, evaluation } in parts {
        let of_it = |error: Error| in_collection(benchmark, &error);
        evaluation.findable(metric).map_err(of_it)?;
        check_origin(evaluation, metric).map_err(of_it)?;
        let scores = evaluation.scores(metric.clone()).map_err(of_it)?;
        let nothing = vec![0.0; scores.len()];
        differences.push(match evaluation.groups() {
            Some(groups) => Differences::grouped(&nothing, &scores, groups)?,
            None => Differences::new(&nothing, &scores)?,
        });
    }
    let joined = joined(&differences)?;
    let range = metric.range();
    let cut = |limit: f64| limit.clamp(*range.start(), *range.end());
    let cut = |limits: Interval| Interval { low: cut(limits.low), high: cut(limits.high) };
    let stream = Stream::new(statistics.seed).for_name("means");
    let (kind, interval) = match joined.unseen_limits(&range, statistics.confidence, &stream) {
        Some(limits) => (IntervalKind::UnseenQuery, Ok(limits)),
        None => {
            let t = PairedT::new(&joined).ok_or(NoInterval::OneValue);
            (IntervalKind::T, t.and_then(|t| t.interval(statistics.confidence)))
        }
    };
    let estimate = Estimate {
        value: joined.mean(),
        interval: interval.map(cut),
        kind,
        queries: differences.iter().map(Differences::queries).sum(),
        extremes: None,
        groups: None,
    };
    Ok((estimate, differences.iter().map(Differences::mean).collect()))
}

/// A metric of a configuration over all collections.
pub fn macro_mean(
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    statistics: &Statistics,
) -> Result<MetricReport> {
    let (estimate, by_collection) = estimate(parts, metric, statistics)?;
    Ok(MetricReport { by_collection, ..metric_report(metric, &estimate) })
}

/// A mean over collections held against its limits.
pub fn suite_threshold(
    configuration: &str,
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    threshold: &Threshold,
    statistics: &Statistics,
) -> Result<(Verdict, ThresholdFinding)> {
    for part in parts {
        judged_some(part.evaluation, configuration, metric)
            .map_err(|error| in_collection(part.benchmark, &error))?;
    }
    let (estimate, values) = estimate(parts, metric, statistics)?;
    let value = |(part, value): (&PartOfMean<'_>, f64)| CollectionValue {
        benchmark: part.benchmark.to_owned(),
        queries: Some(part.evaluation.queries().len()),
        value: Some(value),
        ..CollectionValue::default()
    };
    let finding = ThresholdFinding {
        metric: metric.to_string(),
        segment: None,
        min: threshold.min,
        max: threshold.max,
        bound: threshold.bound,
        held: deciding_value(threshold.bound, estimate.value, estimate.limits(), None),
        queries: estimate.queries,
        unanswered: parts.iter().map(|part| part.evaluation.unanswered().len()).sum(),
        warnings: Vec::new(),
        measured: metric_report(metric, &estimate),
        note: String::new(),
        collections: parts.iter().zip(values).map(value).collect(),
        movers: Movers::default(),
    };
    let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
    Ok((verdict, finding))
}
