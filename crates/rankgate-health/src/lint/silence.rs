//! Whether gates limit both false answers and false silences, and whether these queries can keep the limits.

use crate::collection::Collection;
use crate::floor::upper_limit;
use crate::gate::{Bound, Threshold};
use crate::metric::Metric;
use crate::model::{Example, Finding, Severity};
use crate::spec::Spec;

/// What to know of a spec's gates, where its collection has unanswerable queries.
pub(super) fn findings(spec: &Spec, collection: &Collection) -> Vec<Finding> {
    let unanswerable = collection.unanswerable();
    if unanswerable.is_empty() {
        return Vec::new();
    }
    let is_gated = |configuration: &str, answers: bool| {
        let limits = |threshold: &&Threshold| {
            threshold.max.is_some()
                && threshold.configurations.iter().any(|name| name == configuration)
                && threshold.metrics.iter().any(|metric| is_of(metric, answers))
        };
        spec.thresholds.iter().any(|threshold| limits(&threshold))
    };
    let names: Vec<&str> =
        spec.configurations.iter().filter(|one| !one.is_derived()).map(|one| one.name.as_str()).collect();
    let mut findings = Vec::new();
    if !names.iter().any(|name| is_gated(name, true) || is_gated(name, false)) {
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
    let alone = |name: &&str| match (is_gated(name, true), is_gated(name, false)) {
        (true, false) => {
            Some(Example::new(*name, "", "FalseAnswer alone: a system that never answers passes"))
        }
        (false, true) => {
            Some(Example::new(*name, "", "FalseSilence alone: a system that always answers passes"))
        }
        (true, true) | (false, false) => None,
    };
    findings.extend(finding(
        (Severity::Caution, "one-rate-alone"),
        "false answers and false silences are not both limited",
        names.iter().filter_map(alone).collect(),
        "add a threshold on the other metric",
    ));
    findings.extend(finding(
        (Severity::Problem, "too-few-unanswerable"),
        "a limit on false answers that so few unanswerable queries cannot show",
        spec.thresholds
            .iter()
            .filter_map(|threshold| beyond_reach(spec, threshold, unanswerable.len()))
            .collect(),
        "add unanswerable queries; `rankgate floor` says how many a limit takes",
    ));
    findings
}

/// Whether a metric is the one of false answers, or that of false silences.
fn is_of(metric: &Metric, answers: bool) -> bool {
    metric.is_of_silence() && metric.requirements().unanswerable == answers
}

/// A limit that the upper bound is above even without a false answer.
fn beyond_reach(spec: &Spec, threshold: &Threshold, queries: usize) -> Option<Example> {
    let metric = threshold.metrics.iter().find(|metric| is_of(metric, true))?;
    let max = threshold.max.filter(|_| threshold.bound == Bound::Upper && threshold.segment.is_none())?;
    let least = upper_limit(0, queries, spec.statistics.confidence.tail());
    (least > max).then(|| {
        let note =
            format!("max {max}, and without one false answer in {queries} the upper bound is {least:.4}");
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
