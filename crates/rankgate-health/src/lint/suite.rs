//! Which of a suite's gates can decide anything.

use crate::gate::Gate;
use crate::model::{Example, Finding as Found, Severity};
use crate::report_model::{Expect, OtherCollections, SuiteFinding, SuiteThresholdFinding};

use crate::stats::Confidence;
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
const HARM: Kind = (
    Severity::Problem,
    "suite-harm-undecidable",
    [
        "gate can never pass: no data on so few queries of a collection could show that `harm-at-most` is kept",
        "gates can never pass: no data on so few queries of a collection could show that `harm-at-most` is kept",
    ],
    "judge more queries in that collection, or leave `harm-at-most` out",
);
const BELOW: Kind = (
    Severity::Caution,
    "suite-limit-below-detectable",
    [
        "gate has a limit below what the weighted mean can show",
        "gates have a limit below what the weighted mean can show",
    ],
    "widen it, or judge more queries in the collections that vary most",
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
const CAN_SHOW: Kind = (
    Severity::Fact,
    "suite-detectable",
    ["gate on a weighted mean can be decided", "gates on a weighted mean can be decided"],
    "",
);

/// Carries the suite's gates out and says which of them could decide something, with power .8 and to Student's t.
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
        message: crate::words::counted(examples.len(), one, many),
        count: examples.len(),
        examples: examples.into_iter().take(Example::MOST).collect(),
        advice: advice.to_owned(),
    };
    all.into_iter().map(found).collect()
}

fn weaknesses(suite: &Suite, gate: &Gate) -> Vec<(Kind, String)> {
    let finding = suite_decision(suite, gate).finding;
    let of_comparison = |whole| of_comparison(whole, suite.spec().statistics.confidence);
    if let Some(reason) = finding.undecided_reason() {
        vec![(ERRORED, reason.lines().next().unwrap_or_default().to_owned())]
    } else if let Some(limit) = finding.limit_over_collections() {
        of_threshold(limit).into_iter().collect()
    } else {
        finding.over_collections().map(of_comparison).unwrap_or_default()
    }
}

fn of_comparison(finding: &SuiteFinding, confidence: Confidence) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let tail = confidence.tail();
    if finding.harm_at_most.is_some() {
        let few = finding
            .collections
            .iter()
            .filter(|one| 0.5_f64.powi(i32::try_from(one.queries).unwrap_or(i32::MAX)) > tail);
        let few: Vec<String> = few.map(|one| format!("{} has {}", one.benchmark, one.queries)).collect();
        if !few.is_empty() {
            found.push((HARM, few.join(", ")));
        }
    }
    let whole = &finding.whole;
    let Some(detectable) = whole.minimum_detectable_effect else {
        found.push((ERRORED, "how small a difference could be shown cannot be estimated".to_owned()));
        return found;
    };
    // At a tolerance or a smallest gain itself no number of queries shows anything.
    let times = match whole.expectation_or_gain() {
        Expect::NoRegression | Expect::Improvement => 2.0,
        Expect::NonInferiority | Expect::Equivalence | Expect::Identical | Expect::Overlap => 1.0,
    };
    let limit = whole.limit.map(|limit| limit * times);
    let note = format!("about {detectable:.4} can be shown");
    match limit {
        Some(limit) if detectable > limit => found.push((BELOW, format!("{note}, asked for is {limit}"))),
        Some(_) | None => {
            let others = match finding.others {
                OtherCollections::TooFew { needed, .. } => {
                    format!("; nothing of other collections, which takes {needed}")
                }
                OtherCollections::NoVariance | OtherCollections::Pooled { .. } => String::new(),
            };
            found.push((CAN_SHOW, note + &others));
        }
    }
    found
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
