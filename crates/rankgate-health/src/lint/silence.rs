//! Whether gates limit both rates that go with unanswerable queries, and whether these queries can keep the limits.

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
    let is_gated = |configuration: &str, rate: Rate| {
        let limits = |threshold: &&Threshold| {
            threshold.max.is_some()
                && threshold.configurations.iter().any(|name| name == configuration)
                && threshold.metrics.iter().any(|metric| rate.is_of(metric))
        };
        spec.thresholds.iter().any(|threshold| limits(&threshold))
    };
    let names: Vec<&str> =
        spec.configurations.iter().filter(|one| !one.is_derived()).map(|one| one.name.as_str()).collect();
    let mut findings = Vec::new();
    if !names.iter().any(|name| PAIRS.iter().flatten().any(|rate| is_gated(name, *rate))) {
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
        let is_alone = |[one, other]: [Rate; 2]| {
            let note = || format!("{} alone: a system that {} passes", one.metric, one.useless);
            (is_gated(name, one) && !is_gated(name, other)).then(|| Example::new(*name, "", note()))
        };
        PAIRS.iter().flat_map(|&[one, other]| [[one, other], [other, one]]).find_map(is_alone)
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
        "add unanswerable queries; `rankgate floor` says how many a limit takes",
    ));
    findings
}

/// A rate that is to be limited, and the useless system for which it is 0.
#[derive(Clone, Copy)]
struct Rate {
    metric: &'static str,
    useless: &'static str,
}

/// The rates of unanswerable queries, each with the one of the others: of results, and of answers.
const PAIRS: [[Rate; 2]; 2] = [
    [
        Rate { metric: "FalseAnswer", useless: "never answers" },
        Rate { metric: "FalseSilence", useless: "always answers" },
    ],
    [
        Rate { metric: "MissedRefusal", useless: "declines every answer" },
        Rate { metric: "FalseRefusal", useless: "never declines" },
    ],
];

impl Rate {
    fn is_of(self, metric: &Metric) -> bool {
        let metric = metric.reached().map_or(metric, |(metric, _)| metric);
        metric.definition().is_some_and(|definition| definition.name() == self.metric)
    }
}

/// A limit that the upper bound is above even without a false answer.
fn beyond_reach(spec: &Spec, threshold: &Threshold, queries: usize) -> Option<Example> {
    let metric = threshold.metrics.iter().find(|metric| metric.requirements().unanswerable)?;
    let max = threshold.max.filter(|_| threshold.bound == Bound::Upper && threshold.segment.is_none())?;
    let least = upper_limit(0, queries, spec.statistics.confidence.tail());
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
