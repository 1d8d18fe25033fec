//! Which of a suite's gates can decide anything.

use crate::health::gate::Gate;
use crate::health::model::{Example, Finding as Found, Severity};
use crate::health::report_model::SuiteThresholdFinding;
use rankgate::internal::suite_decision;
use rankgate::suite::Suite;

/// A fact about gates: severity, code, one and several of them, and the remedy.
type Kind = (Severity, &'static str, [&'static str; 2], &'static str);

const ERRORED: Kind = (
    Severity::Problem,
    "suite-gate-errored",
    ["gate of the suite cannot be decided", "gates of the suite cannot be decided"],
    "a suite never takes a mean over fewer collections: mend the benchmarks named here",
);
const WITHIN: Kind = (
    Severity::Caution,
    "suite-limit-within-interval",
    [
        "limit lies within the interval of the weighted mean: other queries like these might break it, or keep it",
        "limits lie within the interval of the weighted mean: other queries like these might break them, or keep them",
    ],
    "move the limit, or judge more queries",
);
/// Carries the suite's gates out and says which of them could not decide anything.
#[must_use]
pub fn examine_suite(suite: &Suite) -> Vec<Found> {
    let mut all: Vec<(Kind, Vec<Example>)> = Vec::new();
    for gate in suite.gates().iter().filter(|gate| suite.ignored(gate).is_none()) {
        for (kind, note) in weaknesses(suite, gate) {
            let example = Example::new(&gate.name, "", format!("{note}, line {}", gate.line));
            match all.iter_mut().find(|(known, _)| known.1 == kind.1) {
                Some((_, examples)) => examples.push(example),
                None => all.push((kind, vec![example])),
            }
        }
    }
    all.sort_by_key(|((severity, ..), _)| *severity);
    let found = |((severity, code, [one, many], advice), examples): (Kind, Vec<Example>)| Found {
        severity,
        code: code.to_owned(),
        message: crate::health::words::counted(examples.len(), one, many),
        count: examples.len(),
        examples: examples.into_iter().take(Example::MOST).collect(),
        advice: advice.to_owned(),
    };
    all.into_iter().map(found).collect()
}

fn weaknesses(suite: &Suite, gate: &Gate) -> Vec<(Kind, String)> {
    let finding = suite_decision(suite, gate).finding;
    if let Some(reason) = finding.undecided_reason() {
        vec![(ERRORED, reason.lines().next().unwrap_or_default().to_owned())]
    } else {
        finding.limit_over_collections().and_then(of_threshold).into_iter().collect()
    }
}

fn of_threshold(finding: &SuiteThresholdFinding) -> Option<(Kind, String)> {
    let whole = &finding.whole;
    let [low, high] = whole.measured.interval?;
    let limits = [("min", whole.min), ("max", whole.max)];
    let (word, limit) = limits
        .into_iter()
        .find_map(|(word, limit)| Some((word, limit.filter(|limit| low < *limit && *limit < high)?)))?;
    let value = whole.measured.value;
    Some((WITHIN, format!("{word} {limit} in [{low:.4}, {high:.4}] around {value:.4}")))
}
