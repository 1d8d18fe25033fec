//! Gates that cannot decide with these queries, each with its numbers.

use std::collections::BTreeMap;

use crate::health::Result;
use crate::health::analysis::Pair;
use crate::health::error::chain;
use crate::health::evaluation::Evaluation;
use crate::health::gate::{Bound, Gate, LatencyGate, LatencyLimit, Threshold};
use crate::health::metric::Metric;
use crate::health::model::{Example, Finding, Severity};
use crate::health::stats::{self, Correction, Expectation, PairedT};
use crate::health::words::counted;

use super::{Linting, Measured};

/// The probability with which a difference of the detectable size is significant.
const POWER: f64 = 0.8;

/// The reason why a gate cannot decide: severity and code, one gate and several, and the remedy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weakness(Severity, &'static str, &'static str, &'static str, &'static str);

const ERROR: Weakness = Weakness(
    Severity::Problem,
    "gate-error",
    "gate cannot be decided, and is an error as things stand",
    "gates cannot be decided, and are errors as things stand",
    "",
);
const CANNOT_PASS: Weakness = Weakness(
    Severity::Problem,
    "gate-cannot-pass",
    "gate can never pass: with so few queries nothing is significant",
    "gates can never pass: with so few queries nothing is significant",
    "judge more queries",
);
const CANNOT_FAIL: Weakness = Weakness(
    Severity::Problem,
    "gate-cannot-fail",
    "gate can never fail: with so few queries no drop is significant",
    "gates can never fail: with so few queries no drop is significant",
    "judge more queries, or set a threshold on the value itself",
);
const LATENCY: Weakness = Weakness(
    Severity::Problem,
    "latency-undecidable",
    "latency gate can decide nothing: there are too few answers",
    "latency gates can decide nothing: there are too few answers",
    "add queries, or limit a lower quantile",
);
const NEVER_BROKEN: Weakness = Weakness(
    Severity::Problem,
    "limit-never-broken",
    "gate can never fail: its limit is the end of the metric's range",
    "gates can never fail: their limits are the ends of their metrics' ranges",
    "set a limit that a bad ranking breaks",
);
const NOTHING_TO_FIND: Weakness = Weakness(
    Severity::Problem,
    "gate-on-nothing",
    "gate is on queries of which none can be scored",
    "gates are on queries of which none can be scored",
    "name a segment that queries have, or judge relevant documents for it",
);
const MARGIN: Weakness = Weakness(
    Severity::Problem,
    "margin-below-detectable",
    "gate has a margin below the minimum detectable difference: a candidate as good as its baseline fails it more \
     than one time in five",
    "gates have margins below the minimum detectable difference: a candidate as good as its baseline fails \
     them more than one time in five",
    "widen the margin, or judge more queries: `rankgate power` prints how many",
);
const UNSEEN: Weakness = Weakness(
    Severity::Note,
    "smallest-difference",
    "gate mostly misses a difference smaller than this",
    "gates mostly miss a difference smaller than these",
    "judge more queries; if a drop must not pass, expect `non-inferiority`",
);

impl Linting<'_> {
    pub(super) fn gate_findings(&self, measured: &Measured) -> Vec<Finding> {
        let mut weaknesses: BTreeMap<Weakness, Vec<Example>> = BTreeMap::new();
        for gate in self.benchmark.gates() {
            // An error of one gate is none of the others.
            let found = self.weakness(gate, measured).unwrap_or_else(|error| Some((ERROR, chain(&error))));
            if let Some((weakness, note)) = found {
                let example = Example::new(&gate.name, "", format!("{note}, line {}", gate.line));
                weaknesses.entry(weakness).or_default().push(example);
            }
        }
        let finding = |(Weakness(severity, code, one, many, advice), examples): (_, Vec<Example>)| {
            let message = counted(examples.len(), one, many);
            Finding::new((severity, code), message, examples.len(), examples, advice)
        };
        weaknesses.into_iter().filter_map(finding).collect()
    }

    /// Why a gate cannot decide, with its numbers.
    fn weakness(&self, gate: &Gate, measured: &Measured) -> Result<Option<(Weakness, String)>> {
        if let Some((threshold, metric)) = gate.kind.limit() {
            let of_gate = measured.iter().find(|(name, _)| *name == gate.configuration);
            let Some(Ok(evaluation)) = of_gate.map(|(_, one)| one) else { return Ok(None) };
            return Ok(self.of_threshold(threshold, metric, evaluation));
        }
        if let Some(limit) = gate.kind.answer_times() {
            return self.of_latency(limit);
        }
        match gate.kind.scores_compared() {
            Some((comparison, metric)) => self.of_comparison(comparison, metric),
            None => Ok(None),
        }
    }

    fn of_threshold(
        &self,
        threshold: usize,
        metric: &Metric,
        evaluation: &Evaluation,
    ) -> Option<(Weakness, String)> {
        let threshold = &self.spec().thresholds[threshold];
        if threshold.never_fails(metric) {
            let range = metric.range();
            return Some((NEVER_BROKEN, format!("{metric} is from {} to {}", range.start(), range.end())));
        }
        let evaluation = evaluation.for_metric(metric).and_then(|evaluation| match &threshold.segment {
            Some(segment) => evaluation.segment(&segment.key, &segment.value),
            None => Ok(evaluation),
        });
        let found = evaluation.and_then(|evaluation| {
            evaluation.findable(metric)?;
            Ok(evaluation.queries().len())
        });
        match found {
            Err(error) => Some((NOTHING_TO_FIND, chain(&error))),
            Ok(_) if self.spec().statistics.group_by.is_some() => None,
            Ok(queries) => self.beyond_reach(threshold, metric, queries),
        }
    }

    /// A limit on a bound that even the best values on so few queries do not reach.
    fn beyond_reach(
        &self,
        threshold: &Threshold,
        metric: &Metric,
        queries: usize,
    ) -> Option<(Weakness, String)> {
        let range = metric.range();
        let best = if threshold.bound == Bound::Lower { *range.end() } else { *range.start() };
        let confidence = self.spec().statistics.confidence;
        let limits = stats::mean_interval(&vec![best; queries], confidence, range).ok()?.interval.ok()?;
        let (word, limit, bound) = match threshold.bound {
            Bound::Lower => ("min", threshold.min.filter(|min| limits.low < *min)?, limits.low),
            Bound::Upper => ("max", threshold.max.filter(|max| limits.high > *max)?, limits.high),
            _ => return None,
        };
        Some((
            CANNOT_PASS,
            format!("{word} {limit}, and with {best} on all of {queries} queries the bound is {bound:.4}"),
        ))
    }

    /// Before any run, so a batched retriever may have fewer times.
    fn of_latency(&self, gate: &LatencyGate) -> Result<Option<(Weakness, String)>> {
        let confidence = self.spec().statistics.confidence;
        let queries = self.benchmark.collection()?.queries().len();
        let (what, needed, given) = match &gate.limit {
            LatencyLimit::Max { quantile, .. } => (
                quantile.to_string(),
                quantile.values_needed(confidence),
                queries * gate.limit.blocks(queries, confidence),
            ),
            LatencyLimit::MaxRatio { .. } => ("a ratio".to_owned(), stats::fewest_units(confidence), queries),
        };
        let unit = if gate.limit.baseline().is_some() { "queries" } else { "answers" };
        Ok((given < needed).then(|| (LATENCY, format!("{what} needs {needed} {unit}, there are {given}"))))
    }

    fn of_comparison(&self, entry: usize, metric: &Metric) -> Result<Option<(Weakness, String)>> {
        let comparison = &self.spec().comparisons[entry];
        let Ok(pair) = self.benchmark.pair(entry) else { return Ok(None) };
        let units = pair.differences(metric)?.len();
        let Some(expect) = comparison.expect.tested() else { return Ok(None) };
        // The correction raises the smallest p-value at most by so much.
        let family = match expect.is_corrected() && self.spec().statistics.correction == Correction::Holm {
            true => self.benchmark.family_size(entry),
            false => 1,
        };
        let level = self.spec().statistics.confidence.alpha();
        // The sign of every unit agrees: nothing is less probable by chance.
        let smallest_p = 2.0 * 0.5_f64.powf(units as f64);
        if smallest_p * family as f64 > level {
            let times = if family > 1 { format!(" times {family} comparisons") } else { String::new() };
            let note = match units {
                0 => "no query counts: none has a value on both sides".to_owned(),
                _ => format!(
                    "the smallest p on {} is {smallest_p:.4}{times}, the level {level}",
                    counted(units, "query", "queries")
                ),
            };
            let no_drop = matches!(expect, Expectation::NoRegression { .. });
            return Ok(Some((if no_drop { CANNOT_FAIL } else { CANNOT_PASS }, note)));
        }
        Ok(self.of_margin(&pair, metric, expect))
    }

    fn of_margin(&self, pair: &Pair, metric: &Metric, expect: Expectation) -> Option<(Weakness, String)> {
        let differences = pair.differences(metric).ok()?;
        let confidence = self.spec().statistics.confidence;
        let power = expect.power_of_claim(POWER);
        let spread = PairedT::new(&differences)?.standard_deviation();
        let apart = stats::detectable_difference(spread, differences.len(), confidence, power).ok()??;
        match expect {
            Expectation::NonInferiority { margin } | Expectation::Equivalence { margin } => {
                let needed = stats::queries_needed(margin, spread, confidence, power).ok().flatten();
                let needs = needed.map_or(String::new(), |units| format!(", needs about {units} queries"));
                (margin < apart).then(|| (MARGIN, format!("margin {margin}{needs}, detectable {apart:.4}")))
            }
            Expectation::NoRegression { margin } => Some((UNSEEN, format!("{:.4}", apart.max(margin)))),
            Expectation::Improvement { margin } => Some((UNSEEN, format!("{:.4}", margin + apart))),
        }
    }
}
