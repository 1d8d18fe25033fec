//! What gates cannot decide with these queries, each with its numbers.

use std::collections::BTreeMap;

use crate::health::Result;
use crate::health::error::chain;
use crate::health::evaluation::Evaluation;
use crate::health::gate::{Bound, Comparison, Gate, LatencyGate, LatencyLimit, Level};
use crate::health::metric::Metric;
use crate::health::model::{Detectable, Example, Finding, Severity};
use crate::health::stats::{self, Correction, Expectation};
use crate::health::words::counted;

use crate::offline::unseen_gain;

use super::weakness::Weakness;
use super::{Linting, Measured, POWER};

/// A mean over fewer queries than this moves with every one of them.
const FEW: usize = 10;

/// In a family of so many a drop that a test alone sees in four of five cases is seen in one of two.
const LARGE_FAMILY: usize = 10;

impl Linting<'_> {
    pub(super) fn gate_findings(&self, measured: &Measured, detectable: &[Detectable]) -> Vec<Finding> {
        let mut weaknesses: BTreeMap<Weakness, Vec<Example>> = BTreeMap::new();
        for gate in self.benchmark.gates() {
            // What keeps one gate from being decided says nothing of the others.
            let errored = |error| vec![(Weakness::Errored, chain(&error))];
            for (weakness, note) in self.weaknesses(gate, measured, detectable).unwrap_or_else(errored) {
                let place = format!("{note}, line {}", gate.line);
                weaknesses.entry(weakness).or_default().push(Example::new(&gate.name, "", place));
            }
        }
        let mut findings: Vec<Finding> =
            weaknesses.into_iter().map(|(weakness, examples)| weakness.finding(examples)).collect();
        if detectable.is_empty() {
            let (_, unmeasured): (Vec<_>, Vec<_>) = measured.iter().partition(|(_, one)| one.is_ok());
            let why = match measured.len() - unmeasured.len() {
                0 => "no configuration could be measured",
                1 => "only one configuration could be measured",
                _ => "no two configurations can be compared",
            };
            findings.push(Finding {
                severity: Severity::Fact,
                code: "detectable-unknown".into(),
                message: format!("{why}: how large a difference these queries can show is not known"),
                count: 1,
                examples: Vec::new(),
                advice: "add a second configuration, however simple: from how much two of them differ from query to \
                         query follows what can be shown"
                    .into(),
            });
        }
        findings
    }

    /// What a gate is not up to, each with its numbers.
    fn weaknesses(
        &self,
        gate: &Gate,
        measured: &Measured,
        detectable: &[Detectable],
    ) -> Result<Vec<(Weakness, String)>> {
        let evaluation = |name: &str| {
            let (_, one) = measured.iter().find(|(other, _)| other == name)?;
            one.as_ref().ok()
        };
        let mut weaknesses = Vec::new();
        if let (Some((threshold, metric)), Some(evaluation)) =
            (gate.kind.limit(), evaluation(&gate.configuration))
        {
            weaknesses.extend(self.threshold_weaknesses(threshold, metric, evaluation)?);
        }
        if let Some(limit) = gate.kind.answer_times() {
            weaknesses.extend(self.latency_weaknesses(limit)?);
        }
        if let Some((comparison, metric)) = gate.kind.scores_compared() {
            weaknesses.extend(self.comparison_weaknesses(comparison, metric, detectable)?);
        }
        Ok(weaknesses)
    }

    fn threshold_weaknesses(
        &self,
        threshold: usize,
        metric: &Metric,
        evaluation: &Evaluation,
    ) -> Result<Vec<(Weakness, String)>> {
        let threshold = &self.spec().thresholds[threshold];
        let mut weaknesses = Vec::new();
        if threshold.never_fails(metric) {
            let range = metric.range();
            let note = format!("{metric} is from {} to {}", range.start(), range.end());
            weaknesses.push((Weakness::NeverBroken, note));
        }
        let evaluation = match evaluation.for_metric(metric) {
            Ok(evaluation) => evaluation,
            Err(error) => return Ok(vec![(Weakness::NothingToFind, chain(&error))]),
        };
        let segment = match &threshold.segment {
            // A segment that no query has makes the gate errored, which is said when it runs.
            Some(segment) => match evaluation.segment(&segment.key, &segment.value) {
                Ok(evaluation) => evaluation,
                Err(error) => return Ok(vec![(Weakness::EmptySegment, chain(&error))]),
            },
            None => evaluation,
        };
        let queries = segment.queries().len();
        if threshold.segment.is_some() && queries < FEW {
            weaknesses.push((Weakness::FewQueries, few(queries)));
        }
        if let Err(error) = segment.findable(metric) {
            return Ok(vec![(Weakness::NothingToFind, chain(&error))]);
        }
        let estimate = segment.estimate(metric, self.spec().statistics.confidence)?;
        if let (Bound::Mean, Ok(interval)) = (threshold.bound, &estimate.interval) {
            let limits = [threshold.min.map(|min| ("min", min)), threshold.max.map(|max| ("max", max))];
            for (word, limit) in limits.into_iter().flatten() {
                if interval.low < limit && limit < interval.high {
                    let (low, high, value) = (interval.low, interval.high, estimate.value);
                    let note = format!(
                        "{word} {limit} in [{low:.4}, {high:.4}] around {value:.4}, {queries} queries"
                    );
                    weaknesses.push((Weakness::WithinInterval, note));
                }
            }
        }
        Ok(weaknesses)
    }

    /// Before any run, so a batched retriever may have fewer times.
    fn latency_weaknesses(&self, gate: &LatencyGate) -> Result<Vec<(Weakness, String)>> {
        let confidence = self.spec().statistics.confidence;
        let queries = self.benchmark.collection()?.queries().len();
        let (what, needed, given) = match &gate.limit {
            LatencyLimit::Max { quantile, .. } => {
                (quantile.to_string(), quantile.values_needed(confidence), queries * gate.blocks)
            }
            LatencyLimit::MaxRatio { .. } => ("a ratio".to_owned(), stats::fewest_units(confidence), queries),
        };
        if given < needed {
            let unit = if gate.limit.baseline().is_some() { "queries" } else { "answers" };
            let note = format!("{what} needs {needed} {unit}, there are {given}");
            return Ok(vec![(Weakness::Undecidable, note)]);
        }
        Ok(match &gate.limit {
            LatencyLimit::Max { max, .. } if gate.level == Level::Blocking => {
                vec![(Weakness::OnThisMachine, format!("max {max:?}"))]
            }
            _ => Vec::new(),
        })
    }

    fn comparison_weaknesses(
        &self,
        entry: usize,
        metric: &Metric,
        detectable: &[Detectable],
    ) -> Result<Vec<(Weakness, String)>> {
        let comparison = &self.spec().comparisons[entry];
        let Ok(pair) = self.inspection.pair(entry) else { return Ok(Vec::new()) };
        pair.differences(metric)?;
        // Where rankings are compared, the number of queries is all that is asked for.
        let expect = comparison.expect.tested();
        let Some((own, spread)) = self.detectable(&pair, metric, expect.unwrap_or_default()) else {
            return Ok(Vec::new());
        };
        let mut weaknesses = Vec::new();
        if comparison.segment.is_some() && own.units < FEW {
            weaknesses.push((Weakness::FewQueries, few(own.units)));
        }
        let Some(expect) = expect else { return Ok(weaknesses) };
        // By so much the correction can raise the smallest p-value; the others let p-values that are all small
        // stand as they are.
        let family = match expect.is_corrected() && self.spec().statistics.correction == Correction::Holm {
            true => self.inspection.family_size(entry),
            false => 1,
        };
        let level = self.spec().statistics.confidence.alpha();
        // The sign of every unit agrees: nothing is less probable by chance. Two-sided, as all that is told.
        let smallest_p = |units: usize| 2.0 * 0.5_f64.powf(units as f64) * family as f64;
        let proof = |units: usize, none: &str| {
            if units == 0 {
                return none.to_owned();
            }
            let p = smallest_p(units);
            let times = if family > 1 { format!(" times {family} comparisons") } else { String::new() };
            format!(
                "the smallest p on {} is {:.4}{times}, the level {level}",
                counted(units, "query", "queries"),
                p / family as f64
            )
        };
        let beyond_proof = smallest_p(own.units) > level;
        if beyond_proof {
            let weakness = match expect {
                Expectation::NoRegression { .. } => Weakness::CannotFail,
                Expectation::Improvement { .. }
                | Expectation::NonInferiority { .. }
                | Expectation::Equivalence { .. } => Weakness::CannotPass,
            };
            weaknesses.push((weakness, proof(own.units, "no query counts: none has a value on both sides")));
            return Ok(weaknesses);
        }
        if matches!(expect, Expectation::NoRegression { .. }) && family >= LARGE_FAMILY {
            let strictest = level / family as f64;
            let note =
                format!("one of {family}: a drop that no other shows is held against p = {strictest:.4}");
            weaknesses.push((Weakness::LargeFamily, note));
        }
        if matches!(expect, Expectation::Improvement { .. }) && smallest_p(own.differing) > level {
            weaknesses
                .push((Weakness::TooFewDiffer, proof(own.differing, "the two sides differ on no query")));
        }
        let Some((effect, whose)) = effect_of(&own, detectable, comparison) else { return Ok(weaknesses) };
        let needs = |apart: f64| {
            let statistics = &self.spec().statistics;
            let power = expect.power_of_claim(POWER);
            let units = stats::queries_needed(apart, spread, statistics.confidence, power).ok().flatten();
            units.map_or(String::new(), |units| format!(", needs about {units} queries"))
        };
        let detectable = format!("detectable {effect:.4}{whose}");
        // At the limit itself no number of queries shows a drop or a gain: twice that is planned for.
        let (weakness, times) = match expect {
            Expectation::NonInferiority { .. } | Expectation::Equivalence { .. } => {
                (Weakness::MarginTooSmall, 1.0)
            }
            Expectation::NoRegression { .. } => (Weakness::MarginUnseen, 2.0),
            Expectation::Improvement { .. } => (Weakness::GainUnseen, 2.0),
        };
        match expect.limit() {
            Some(limit) if times * limit < effect => weaknesses.push((
                weakness,
                format!("margin {limit}{}, {detectable}", needs(times * limit - unseen_gain(expect))),
            )),
            None if matches!(expect, Expectation::NoRegression { .. }) => {
                weaknesses.push((Weakness::SmallestDrop, detectable));
            }
            Some(_) | None => {}
        }
        Ok(weaknesses)
    }
}

fn few(queries: usize) -> String {
    format!(
        "{}: each moves the mean by up to {:.3}",
        counted(queries, "query", "queries"),
        1.0 / queries.max(1) as f64
    )
}

/// What a comparison can show: by its own differences or, where it has none today, by the middle of what
/// other pairs of the spec have.
fn effect_of(
    own: &Detectable,
    others: &[Detectable],
    comparison: &Comparison,
) -> Option<(f64, &'static str)> {
    if let Some(effect) = own.effect {
        return Some((effect, ""));
    }
    // Other pairs are over all queries, and a segment has fewer.
    if comparison.segment.is_some() || !comparison.baseline.is_blessed() {
        return None;
    }
    let mut effects: Vec<f64> =
        others.iter().filter(|one| one.metric == own.metric).filter_map(|one| one.effect).collect();
    effects.sort_by(f64::total_cmp);
    effects
        .get(effects.len() / 2)
        .map(|&effect| (effect, " as two configurations differ (no difference today)"))
}
