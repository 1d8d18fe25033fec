//! Deciding a suite's gates: never on fewer collections than it has.

use std::sync::Arc;

use crate::analysis::{Part, PartOfMean, Question, compare, in_collection, suite_threshold};
use crate::benchmark::Benchmark;
use crate::benchmark::decide::{Decision, lower_in_spec};
use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Gate, Threshold};
use crate::gates::comparison::decide::at_least_advisory;
use crate::gates::comparison::family::Family;
use crate::metric::Metric;
use crate::model::{CoverageReport, GateReport, Row, Verdict};
use crate::progress::Watched;
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

use super::Suite;

impl Suite {
    /// Decides the gate at a position of [`gates`](Self::gates).
    pub(crate) fn decide(&self, index: usize) -> GateReport {
        let report = self.decision(&self.spec.gates[index]);
        self.decided.keep(&self.context, &|what| self.key(what), index, &report);
        report
    }

    /// The verdicts so far, those of the test run's other processes included.
    pub(super) fn verdicts(&self) -> Vec<GateReport> {
        self.decided.everywhere(&self.context, &|what| self.key(what))
    }

    /// Decides a gate, and adds what to do next.
    fn decision(&self, gate: &Gate) -> GateReport {
        let decision = Decision::catch(|| {
            if let Some((threshold, metric)) = gate.kind.limit() {
                self.threshold(gate, &self.spec.thresholds[threshold], metric)
            } else if let Some((comparison, metric)) = gate.kind.scores_compared() {
                self.comparison(comparison, metric)
            } else {
                Err(Error::with_kind(ErrorKind::Internal, "a suite has no such gate"))
            }
        });
        let advice = match decision.verdict.at(gate.level) {
            Verdict::Passed => Vec::new(),
            verdict => self.advice(gate, verdict),
        };
        decision.report(gate, &self.context.shown(&self.spec.path), (Vec::new(), advice))
    }

    fn advice(&self, gate: &Gate, verdict: Verdict) -> Vec<Row> {
        let mut advice = Vec::new();
        let mut push = |purpose: &str, action: String| advice.push(Row::new(purpose, action));
        let blessed = gate.kind.held_against(self.spec.entries()).is_some_and(|one| one.is_blessed());
        if blessed {
            let locally = if self.context.bless.ci { " (run locally, then commit)" } else { "" };
            let what = match verdict {
                Verdict::Error => "bless every benchmark on today's queries",
                _ => "accept the new rankings of every benchmark",
            };
            push(&format!("{what}{locally}"), self.context.accept.command());
        }
        if self.context.reports {
            push("full report", self.page());
        }
        advice
    }

    fn threshold(&self, gate: &Gate, threshold: &Threshold, metric: &Metric) -> Result<Decision> {
        let name = gate.configuration.as_str();
        let mut evaluations = Vec::with_capacity(self.members.len());
        for member in &self.members {
            evaluations
                .push(member.evaluation_of(name).map_err(|error| in_collection(member.name(), &error))?);
        }
        let parts = self.parts_of_mean(&evaluations);
        let (verdict, finding) = suite_threshold(name, &parts, metric, threshold, &self.spec.statistics)?;
        let needed = threshold.coverage.or(self.spec.coverage);
        let decision = Decision::new(verdict, finding);
        let threshold = Threshold { coverage: needed, ..threshold.clone() };
        self.covered(decision, |_, member| {
            let configuration = member.decisions.measure.configuration(name)?;
            member.decisions.coverage_of_threshold(configuration, &threshold, metric, true)
        })
    }

    fn comparison(&self, index: usize, metric: &Metric) -> Result<Decision> {
        let comparison = &self.spec.comparisons[index];
        let (verdict, mut finding) = self.family(index).of(index, metric)?;
        let verdict = at_least_advisory(comparison, verdict, &mut finding);
        let parts = self.parts(index)?;
        let needed = comparison.coverage.or(self.spec.coverage);
        self.covered(Decision::new(verdict, finding), |place, member| {
            member.decisions.coverage_in_suite(comparison, metric, &parts[place].pair, needed)
        })
    }

    /// A decision with the coverage of each benchmark; an error if one has too little.
    fn covered(
        &self,
        decision: Decision,
        coverage: impl Fn(usize, &Benchmark) -> Result<Option<CoverageReport>>,
    ) -> Result<Decision> {
        let (mut all, mut reasons) = (Vec::new(), Vec::new());
        for (place, member) in self.members.iter().enumerate() {
            let found = coverage(place, member).map_err(|error| in_collection(member.name(), &error))?;
            let Some(found) = found else { continue };
            if !found.is_enough() {
                reasons.push(format!("{}: {}", member.name(), found.reason(lower_in_spec)));
            }
            all.push((member.name().to_owned(), found));
        }
        let decision = if reasons.is_empty() { decision } else { Decision::undecided(reasons.join("\n")) };
        Ok(decision.with(CoverageReport::of_suite(all)))
    }

    /// Evaluations of one configuration, in the order of the benchmarks.
    pub(super) fn parts_of_mean<'a>(&'a self, evaluations: &'a [Evaluation]) -> Vec<PartOfMean<'a>> {
        let members = self.members.iter().zip(evaluations);
        members.map(|(member, evaluation)| PartOfMean { benchmark: member.name(), evaluation }).collect()
    }

    /// The family of a comparison, tested once.
    fn family(&self, index: usize) -> Arc<Family> {
        let entry = self.spec.comparisons[index].entry;
        let together = |one: &Comparison| one.entry == entry;
        self.families[entry].get_or_init(|| Arc::new(self.test(&together))).clone()
    }

    fn test(&self, together: &dyn Fn(&Comparison) -> bool) -> Family {
        let comparisons = &self.spec.comparisons;
        let members = comparisons.iter().enumerate().filter(|(_, one)| together(one));
        let question = |index: usize, metric: &Metric, expect| {
            let (parts, unjudged) = (self.parts(index)?, comparisons[index].unjudged);
            Ok(Question { parts, metric: metric.clone(), expect, expected: true, unjudged })
        };
        Family::test(members, question, |questions, untested| {
            let comparisons = counted(questions.len(), "comparison", "comparisons");
            let what = format!("{}: resampling {comparisons}", self.name());
            let _watched = Watched::start(self.context.observer(), what);
            compare(questions, untested, self.name(), &self.spec.statistics)
        })
    }

    /// Both sides in every collection, paired once.
    fn parts(&self, index: usize) -> Result<Arc<Vec<Part>>> {
        self.parts[index].get_or_init(|| self.parts_of(&self.spec.comparisons[index]).map(Arc::new)).clone()
    }

    /// Both sides in every collection.
    fn parts_of(&self, comparison: &Comparison) -> Result<Vec<Part>> {
        let part = |member: &Arc<Benchmark>| {
            let pair = member.decisions.pair_between(&comparison.candidate, &comparison.baseline, None);
            let pair = pair.map_err(|error| in_collection(member.name(), &error))?;
            Ok(Part { benchmark: Some(member.name().to_owned()), pair })
        };
        self.members.iter().map(part).collect()
    }
}
