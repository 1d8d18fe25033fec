//! Whether gates limit both rates that go with unanswerable queries, and whether these queries can keep the limits.

use crate::health::collection::Collection;
use crate::health::gate::{Bound, Threshold};
use crate::health::metric::Metric;
use crate::health::model::{Example, Finding, Severity};
use crate::health::spec::Spec;
use crate::health::stats::unseen_limits;

/// What to know of a spec's gates, where its collection has unanswerable queries.
pub(super) fn findings(spec: &Spec, collection: &Collection) -> Vec<Finding> {
    let unanswerable = collection.unanswerable();
    if unanswerable.is_empty() {
        return Vec::new();
    }
    let limited = |configuration: &str| -> Vec<&Metric> {
        let is_limit = |threshold: &&Threshold| {
            threshold.max.is_some() && threshold.configurations.iter().any(|name| name == configuration)
        };
        let metrics = spec.thresholds.iter().filter(is_limit).flat_map(|threshold| &threshold.metrics);
        metrics.filter(|metric| metric.counterpart().is_some()).collect()
    };
    let names: Vec<&str> = spec.configurations.iter().map(|one| one.name.as_str()).collect();
    let mut findings = Vec::new();
    if names.iter().all(|name| limited(name).is_empty()) {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "false-answers-not-gated".into(),
            message: "the collection has unanswerable queries, and no gate limits false answers".into(),
            count: unanswerable.len(),
            examples: unanswerable
                .iter()
                .take(Example::MOST)
                .map(|query| Example::new(&query.id, &query.text, ""))
                .collect(),
            advice: "limit both `{metric: FalseAnswer, max: 0.05, bound: upper}` and `{metric: FalseSilence, max: 0.1}`"
                .into(),
        });
    }
    let alone = |name: &&str| {
        let rates = limited(name);
        let is_alone = |rate: &&Metric| !rates.iter().any(|other| other.is_counterpart_of(rate));
        let rate = *rates.iter().find(|rate| is_alone(rate))?;
        let useless = rate.counterpart()?.useless;
        Some(Example::new(*name, "", format!("{rate} alone: a system that {useless} passes")))
    };
    findings.extend(finding(
        (Severity::Caution, "one-rate-alone"),
        "of two rates that belong together one alone is limited",
        names.iter().filter_map(alone).collect(),
        "add a threshold on the other metric",
    ));
    findings.extend(finding(
        (Severity::Problem, "too-few-unanswerable"),
        "a limit that so few unanswerable queries cannot show",
        spec.thresholds
            .iter()
            .filter_map(|threshold| beyond_reach(spec, threshold, unanswerable.len()))
            .collect(),
        "add unanswerable queries; `rankgate tune --score-threshold` prints how many a limit takes",
    ));
    findings
}

/// A limit that the upper bound is above even without a false answer.
fn beyond_reach(spec: &Spec, threshold: &Threshold, queries: usize) -> Option<Example> {
    let metric = threshold.metrics.iter().find(|metric| metric.requirements().unanswerable)?;
    let max = threshold.max.filter(|_| threshold.bound == Bound::Upper && threshold.segment.is_none())?;
    let least = unseen_limits(&vec![0.0; queries], 0.0..=1.0, spec.statistics.confidence).ok()?.high;
    (least > max).then(|| {
        let note = format!("max {max}, and with 0 of {queries} queries the upper bound is {least:.4}");
        Example::new(metric.to_string(), "", note)
    })
}

fn finding(
    (severity, code): (Severity, &str),
    message: &str,
    examples: Vec<Example>,
    advice: &str,
) -> Option<Finding> {
    let count = examples.len();
    (count > 0).then(|| Finding {
        severity,
        code: code.into(),
        message: message.into(),
        count,
        examples: examples.into_iter().take(Example::MOST).collect(),
        advice: advice.into(),
    })
}
