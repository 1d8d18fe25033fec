//! Deciding a suite's gates: never on fewer collections than it has.

use std::sync::Arc;

use crate::analysis::{
    Part, PartOfMean, Rules, SuiteQuestion, answer_suite, chosen_best, in_collection, suite_threshold,
};
use crate::benchmark::lower_in_spec;
use crate::error::chain;
use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Gate, Inconclusive, Level, Threshold};
use crate::gates::comparison::decide::fails_nothing;
use crate::metric::Metric;
use crate::model::{Advice, CoverageReport, Finding, GateReport, Place, SuiteFinding, Verdict};
use crate::order::SmallMap;
use crate::progress::{Watched, Work};
use crate::{Error, ErrorKind, Result};

use super::Suite;

/// The answers to one family, by comparison and metric.
pub(super) struct Family(SmallMap<(usize, String), Result<(Verdict, SuiteFinding)>>);

impl Suite {
    /// Decides the gate at a position of [`gates`](Self::gates).
    pub(crate) fn decide(&self, index: usize) -> GateReport {
        let report = self.decision(&self.spec.gates[index]);
        if let Some(shared) = &self.context.cache {
            // Only the report that all processes share would miss it: the test itself has it.
            drop(shared.put(&self.key(&format!("gate-{index:06}")), &(index, &report)));
        }
        self.decided().insert(index, report.clone());
        report
    }

    /// The verdicts so far, those of the test run's other processes included.
    pub(super) fn verdicts(&self) -> Vec<GateReport> {
        let mut verdicts = self.decided().clone();
        if let Some(shared) = &self.context.cache {
            let elsewhere = shared.all::<(usize, GateReport)>(&self.key("gate-"));
            verdicts.extend(elsewhere.unwrap_or_default());
        }
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }

    pub(super) fn decision(&self, gate: &Gate) -> GateReport {
        let errored = |error: Error| (Verdict::Errored, Finding::undecided(chain(&error)));
        let (mut decided, mut coverage) = (self.try_decide(gate).unwrap_or_else(errored), None);
        if !matches!(decided.0, Verdict::Errored | Verdict::Skipped) {
            match self.coverage(gate) {
                Ok((all, None)) => coverage = all,
                Ok((all, Some(reason))) => {
                    (decided, coverage) = ((Verdict::Errored, Finding::undecided(reason)), all);
                }
                Err(error) => decided = errored(error),
            }
        }
        let (verdict, finding) = decided;
        let verdict = verdict.at(gate.level);
        let advice = match verdict {
            Verdict::Passed => Vec::new(),
            _ => self.advice(gate, verdict),
        };
        GateReport {
            name: gate.name.clone(),
            configuration: gate.configuration.clone(),
            advisory: gate.level == Level::Advisory,
            verdict,
            place: Some(Place {
                file: self.context.shown(&self.spec.path),
                line: u64::try_from(gate.line).unwrap_or(u64::MAX),
            }),
            coverage,
            inputs_changed: Vec::new(),
            advice,
            finding,
        }
    }

    fn advice(&self, gate: &Gate, verdict: Verdict) -> Vec<Advice> {
        let mut advice = Vec::new();
        let mut push = |purpose: &str, action: String| {
            advice.push(Advice { purpose: purpose.to_owned(), action });
        };
        let blessed = gate.kind.kind().held_against(self.spec.entries()).is_some_and(|one| one.is_blessed());
        if blessed {
            let locally = if self.context.bless.ci { " (run locally, then commit)" } else { "" };
            let what = match verdict {
                Verdict::Errored => "bless every benchmark on today's queries",
                _ => "accept the new rankings of every benchmark",
            };
            push(&format!("{what}{locally}"), self.context.accept.command());
        }
        if self.context.reports {
            push("full report", self.page());
        }
        advice
    }

    fn try_decide(&self, gate: &Gate) -> Result<(Verdict, Finding)> {
        self.check_ignored(gate)?;
        if let Some((threshold, metric)) = gate.kind.limit() {
            self.threshold(gate, &self.spec.thresholds[threshold], metric)
        } else if let Some((comparison, metric)) = gate.kind.scores_compared() {
            self.comparison(comparison, metric)
        } else {
            Err(Error::with_kind(ErrorKind::Internal, "a suite has no such gate"))
        }
    }

    /// Incomplete coverage of a gate in each benchmark, and where that is too much, why it is errored.
    fn coverage(&self, gate: &Gate) -> Result<(Option<CoverageReport>, Option<String>)> {
        let of_suite = |own: Option<f64>| own.or(self.spec.coverage);
        let (mut all, mut reasons) = (Vec::new(), Vec::new());
        for (place, member) in self.members.iter().enumerate() {
            let found = if let Some((threshold, metric)) = gate.kind.limit() {
                let threshold = &self.spec.thresholds[threshold];
                let coverage = of_suite(threshold.coverage);
                member.coverage_of_limit(&gate.configuration, threshold, metric, coverage)
            } else if let Some((index, metric)) = gate.kind.scores_compared() {
                let comparison = &self.spec.comparisons[index];
                let Some(Ok(parts)) = self.parts[index].get() else { continue };
                let pair = &parts[place].pair;
                member.coverage_of_pair(comparison, metric, pair, of_suite(comparison.coverage))
            } else {
                Ok(None)
            };
            let found = found.map_err(|error| in_collection(member.name(), &error))?;
            let Some(found) = found else { continue };
            if !found.is_enough() {
                reasons.push(format!("{}: {}", member.name(), found.reason(lower_in_spec)));
            }
            all.push((member.name().to_owned(), found));
        }
        let reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
        Ok((CoverageReport::of_suite(all), reason))
    }

    fn threshold(&self, gate: &Gate, threshold: &Threshold, metric: &Metric) -> Result<(Verdict, Finding)> {
        let configuration = gate.configuration.as_str();
        let evaluation = |member: &Arc<crate::benchmark::Benchmark>| {
            member.evaluation_of(configuration).map_err(|error| in_collection(member.name(), &error))
        };
        let evaluations: Vec<Evaluation> = self.members.iter().map(evaluation).collect::<Result<_>>()?;
        let parts = self.parts_of_mean(&evaluations.iter().collect::<Vec<_>>());
        let (verdict, finding) =
            suite_threshold(configuration, &parts, metric, threshold, &self.spec.statistics)?;
        Ok((verdict, Finding::SuiteThreshold(Box::new(finding))))
    }

    /// Evaluations of one configuration, in the order of the benchmarks, each with its share.
    pub(super) fn parts_of_mean<'a>(&'a self, evaluations: &[&'a Evaluation]) -> Vec<PartOfMean<'a>> {
        let queries: Vec<usize> = evaluations.iter().map(|one| one.queries().len()).collect();
        let shares = self.spec.shares(&queries);
        let part = |((member, evaluation), share): (
            (&'a Arc<crate::benchmark::Benchmark>, &&'a Evaluation),
            f64,
        )| { PartOfMean { benchmark: member.name(), share, evaluation } };
        self.members.iter().zip(evaluations).zip(shares).map(part).collect()
    }

    fn comparison(&self, index: usize, metric: &Metric) -> Result<(Verdict, Finding)> {
        let comparison = &self.spec.comparisons[index];
        let family = self.family(index);
        let name = metric.to_string();
        let unknown = || Error::with_kind(ErrorKind::Internal, format!("nobody asked about {name}"));
        let (mut verdict, mut finding) =
            family.0.get(&(index, name.clone())).ok_or_else(unknown)?.as_ref().map_err(Clone::clone)?.clone();
        let others = (0..self.spec.comparisons.len())
            .filter(|&other| other != index && self.spec.comparisons[other].entry == comparison.entry);
        let others = others.filter_map(|other| family.0.get(&(other, name.clone()))?.as_ref().ok());
        let others = others.map(|(_, other)| other.whole.difference);
        let best = chosen_best(&finding.whole, verdict, others);
        finding.whole.warnings.extend(best);
        if comparison.inconclusive == Inconclusive::Warn && verdict == Verdict::Inconclusive {
            finding.whole.warnings.insert(0, fails_nothing(finding.whole.reason));
            verdict = Verdict::Advisory;
        }
        Ok((verdict, Finding::Suite(Box::new(finding))))
    }

    /// The family of a comparison, tested once.
    fn family(&self, index: usize) -> Arc<Family> {
        let entry = self.spec.comparisons[index].entry;
        let together = |one: &Comparison| one.entry == entry;
        self.families[entry].get_or_init(|| Arc::new(self.test(&together))).clone()
    }

    fn test(&self, together: &dyn Fn(&Comparison) -> bool) -> Family {
        let (mut answers, mut places, mut questions) = (SmallMap::default(), Vec::new(), Vec::new());
        // A comparison that cannot be made still counts: the others must not pass for want of it.
        let mut untested = 0;
        for (index, comparison) in self.spec.comparisons.iter().enumerate().filter(|(_, one)| together(one)) {
            let Some(expect) = comparison.expect.tested() else { continue };
            let parts = self.parts[index].get_or_init(|| self.parts_of(comparison).map(Arc::new));
            for metric in &comparison.metrics {
                match parts {
                    Ok(parts) => {
                        places.push((index, metric.to_string()));
                        questions.push(SuiteQuestion {
                            parts: Arc::clone(parts),
                            metric: metric.clone(),
                            expect,
                            unjudged: comparison.unjudged,
                        });
                    }
                    Err(error) => {
                        untested += usize::from(expect.is_corrected());
                        answers.insert((index, metric.to_string()), Err(error.clone()));
                    }
                }
            }
        }
        let work = Work::Comparing { benchmark: self.name(), comparisons: questions.len() };
        let _watched = Watched::start(self.context.observer(), work, None);
        let rules =
            Rules { suite: self.name(), weights: self.spec.weights, statistics: &self.spec.statistics };
        match answer_suite(&questions, untested, &rules) {
            Ok(found) => answers.extend(places.into_iter().zip(found)),
            Err(error) => answers.extend(places.into_iter().map(|place| (place, Err(error.clone())))),
        }
        Family(answers)
    }

    /// Both sides in every collection.
    fn parts_of(&self, comparison: &Comparison) -> Result<Vec<Part>> {
        let mut pairs = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let pair = member.pair_of(&comparison.candidate, &comparison.baseline);
            pairs.push(pair.map_err(|error| in_collection(member.name(), &error))?);
        }
        let queries: Vec<usize> = pairs.iter().map(|pair| pair.queries().len()).collect();
        let shares = self.spec.shares(&queries);
        let of_members = self.spec.members.iter().zip(pairs).zip(shares);
        let part = |((member, pair), share): ((&crate::spec::SuiteMember, _), f64)| Part {
            benchmark: member.spec.benchmark.clone(),
            share,
            pair,
        };
        Ok(of_members.map(part).collect())
    }
}
