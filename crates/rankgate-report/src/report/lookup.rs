//! Finding one's way in the model: what several renderings look up.

use crate::model::{ConfigurationReport, GateReport, Measured, MetricReport, Outcome, Report, SegmentReport};

use crate::metric::{Metric, Polarity};
use crate::report::polarity::of_report;
use crate::stats::exceeds;

/// A configuration that was measured, and its measurements.
pub type Column<'a> = (&'a ConfigurationReport, &'a Measured);

/// The configurations that were measured, in the order of the spec.
pub fn measured(report: &Report) -> Vec<Column<'_>> {
    let columns = report.configurations.iter().filter_map(|configuration| match &configuration.outcome {
        Outcome::Measured(measured) => Some((configuration, &**measured)),
        Outcome::Error(_) | Outcome::NotAsked => None,
    });
    columns.collect()
}

/// The configuration that a gate judges; `None` when the model has none of that name.
pub fn configuration<'a>(report: &'a Report, name: &str) -> Option<&'a ConfigurationReport> {
    report.configurations.iter().find(|configuration| configuration.name == name)
}

pub fn metric<'a>(metrics: &'a [MetricReport], name: &str) -> Option<&'a MetricReport> {
    metrics.iter().find(|metric| metric.metric == name)
}

/// Every metric that any configuration was measured by, in the order of its first appearance.
fn metric_names<'a>(columns: &[Column<'a>]) -> Vec<&'a str> {
    unique(columns.iter().flat_map(|(_, measured)| &measured.metrics).map(|metric| metric.metric.as_str()))
}

/// A configuration's value of a metric, and whether it is the highest.
pub type Best<'a> = (&'a MetricReport, bool);

/// Every metric, and what each configuration has of it.
pub fn grid<'a>(report: &Report, columns: &[Column<'a>]) -> Vec<(&'a str, Vec<Option<Best<'a>>>)> {
    let row = |name: &'a str| {
        let own: Vec<_> = columns.iter().map(|(_, measured)| metric(&measured.metrics, name)).collect();
        let values = own.iter().flatten().map(|metric| metric.value);
        let best = if is_best_high(report, name) { highest(name, values) } else { None };
        let cell = |metric: Option<&'a MetricReport>| metric.map(|one| (one, is_highest(one.value, best)));
        (name, own.into_iter().map(cell).collect())
    };
    metric_names(columns).into_iter().map(row).collect()
}

/// Whether the highest value of a metric is worth a mark: by its definition, and by the report's gates on it.
pub fn is_best_high(report: &Report, metric: &str) -> bool {
    is_high_by_definition(metric) && of_report(report, metric) != Polarity::LessIsBetter
}

fn is_high_by_definition(metric: &str) -> bool {
    metric.parse::<Metric>().map_or(true, |metric| metric.is_best_high())
}

/// The highest of the values; `None` where that says nothing: one value, equal values, or a metric
/// of which more is not better.
pub fn highest(metric: &str, values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let best = values.clone().reduce(f64::max).filter(|_| is_high_by_definition(metric))?;
    values.clone().any(|value| exceeds(best, value)).then_some(best)
}

/// Whether a value is the highest one, or is told from it by rounding alone.
pub fn is_highest(value: f64, highest: Option<f64>) -> bool {
    highest.is_some_and(|highest| !exceeds(highest, value))
}

/// The segments of one metadata key.
pub struct Key<'a> {
    pub key: &'a str,
    /// Its values, in the order of their first appearance.
    pub values: Vec<&'a str>,
}

pub fn segment_keys<'a>(columns: &[Column<'a>]) -> Vec<Key<'a>> {
    let segments = || columns.iter().flat_map(|(_, measured)| &measured.segments);
    let values = |key| unique(segments().filter(|s| s.key == key).map(|s| s.value.as_str()));
    unique(segments().map(|segment| segment.key.as_str()))
        .into_iter()
        .map(|key| Key { key, values: values(key) })
        .collect()
}

pub fn segment<'a>(measured: &'a Measured, key: &str, value: &str) -> Option<&'a SegmentReport> {
    measured.segments.iter().find(|segment| segment.key == key && segment.value == value)
}

/// Metrics of the segments of a key, in the order of their first appearance.
pub fn segment_metrics<'a>(columns: &[Column<'a>], key: &str) -> Vec<&'a str> {
    let segments = columns.iter().flat_map(|(_, measured)| &measured.segments).filter(|s| s.key == key);
    unique(segments.flat_map(|segment| &segment.metrics).map(|metric| metric.metric.as_str()))
}

/// A gate's name without the benchmark's.
pub fn gate_name<'a>(report: &Report, gate: &'a GateReport) -> &'a str {
    let name = gate.name.strip_prefix(&report.benchmark).and_then(|rest| rest.strip_prefix("::"));
    name.unwrap_or(&gate.name)
}

fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_is_marked_where_it_says_something() {
        for (metric, values, expected) in [
            ("AP", vec![0.1, 0.3, 0.2], Some(0.3)),
            ("AP", vec![0.3, 0.1, 0.3], Some(0.3)),
            ("AP", vec![0.3, 0.3], None),
            // 11/25 as two sums of it are.
            ("P@5", vec![0.44, 0.440_000_000_000_000_06], None),
            ("AP", vec![0.3], None),
            ("AP", vec![], None),
            ("NumRet", vec![1.0, 2.0], None),
            ("Judged@10", vec![0.1, 0.2], None),
        ] {
            assert_eq!(highest(metric, values.iter().copied()), expected, "{metric} {values:?}");
        }
        assert!(is_highest(0.44, Some(0.440_000_000_000_000_06)) && !is_highest(0.43, Some(0.44)));
    }
}
