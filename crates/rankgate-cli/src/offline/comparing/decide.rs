//! What candidates are asked, what the answers show, and the gates that these are.

use std::sync::Arc;

use super::report::{gate, gate_report};
use super::{Comparing, MOVERS};
use crate::offline::Result;
use crate::offline::analysis::{
    Answer, Pair, Question, Side, answer, chosen_best, compared_files, decide_expectation, infinite_scores,
    rising_scores, verdict_of,
};
use crate::offline::comparison::{Comparisons, GateOutcome, deciding_interval, worst};
use crate::offline::evaluation::Evaluation;
use crate::offline::gate::{Expectation, Unjudged};
use crate::offline::metric::Metric;
use crate::offline::model::{
    ComparisonFinding, CoverageReport, Finding, GateReport, LowCoverage, Verdict, Warning,
};
use crate::offline::names::short_names;
use crate::offline::stats;

/// A candidate's questions and their answers.
type CandidateAnswers = (Vec<Question>, Vec<Answer>);

impl Comparing {
    /// Compares the first of the evaluations with each of the others, in the order of their pairs.
    pub(super) fn compared(
        &self,
        names: &[&str],
        evaluations: &[&Evaluation],
        mut pair: impl FnMut(&Side<'_>, &Side<'_>) -> Result<Pair>,
    ) -> Result<Comparisons> {
        let short = short_names(names);
        let side = |index: usize| Side { name: &short[index], evaluation: evaluations[index], asked: None };
        let mut pairs = Vec::new();
        for candidate in 1..names.len() {
            pairs.push(Arc::new(pair(&side(candidate), &side(0))?));
        }
        let either = stats::Expectation::Improvement { margin: 0.0 };
        let (questions, answers) = self.ask(&pairs, either, false)?;
        let coverage = self.all_coverage(&pairs)?;
        let findings = self.findings(&questions, &answers)?;
        let gates = match self.expect {
            // What nobody expects is reported and fails nothing.
            None => findings.iter().map(|one| gate(one.clone(), Verdict::Reported)).collect(),
            Some(expect) => self.gates(&pairs, expect)?,
        };
        // Where rankings are compared, there is one gate for all metrics of a pair.
        let metrics_each = self.metrics.len() * pairs.len() / gates.len().max(1);
        let gates: Vec<GateReport> = gates
            .into_iter()
            .zip(coverage.iter().step_by(metrics_each))
            .map(|(gate, coverage)| GateReport { coverage: coverage.clone(), ..gate })
            .collect();
        let gate = self.expect.map(|expect| GateOutcome {
            expect: expect.kind(),
            limit: expect.tested().and_then(|expect| expect.limit()),
            verdict: worst(gates.iter().map(|gate| gate.verdict)),
            verdicts: gates.iter().map(|gate| gate.verdict).collect(),
            intervals: gates.iter().filter_map(|gate| deciding_interval(&gate.finding)).collect(),
        });
        let mut comparisons = findings;
        for (position, (one, question)) in comparisons.iter_mut().zip(&questions).enumerate() {
            one.baseline = names[0].to_owned();
            one.candidate = names[1 + position / self.metrics.len()].to_owned();
            if self.movers != MOVERS {
                one.movers = question.movers(self.movers)?;
            }
            // Of an expectation about rankings there is a gate per candidate, and nothing to be told of scores.
            if let Some(Finding::Comparison(gate)) = gates.get(position).map(|gate| &gate.finding) {
                (one.expect, one.limit) = (gate.expect, gate.limit);
                (one.claims, one.p_margin) = (gate.claims.clone(), gate.p_margin);
                one.minimum_detectable_effect = gate.minimum_detectable_effect;
                (one.warnings, one.judged_only) = (gate.warnings.clone(), gate.judged_only.clone());
            }
            one.warnings.extend(
                coverage[position].clone().map(|coverage| Warning::new("coverage", coverage.to_string())),
            );
        }
        Ok(Comparisons {
            schema: crate::offline::model::SCHEMA,
            confidence: self.statistics.confidence.level(),
            correction: self.statistics.correction,
            family: comparisons.len(),
            seed: self.statistics.seed,
            test: self.statistics.test,
            gate,
            comparisons,
            report: self.report(names, &short, evaluations, gates)?,
            short: names.iter().map(|name| (*name).to_owned()).zip(short).collect(),
        })
    }

    /// The incomplete coverage of the comparisons, for every pair and metric.
    ///
    /// # Errors
    /// Where less is there than has to be.
    fn all_coverage(&self, pairs: &[Arc<Pair>]) -> Result<Vec<Option<CoverageReport>>> {
        let of_one = |pair: &Arc<Pair>, metric: &Metric| {
            let report = compared_files(pair, metric, self.min_coverage, self.expect)?;
            LowCoverage::check(report.as_ref())?;
            Ok(report)
        };
        pairs.iter().flat_map(|pair| self.metrics.iter().map(|metric| of_one(pair, metric))).collect()
    }

    /// Every pair on every metric, as one family.
    fn ask(
        &self,
        pairs: &[Arc<Pair>],
        expect: stats::Expectation,
        expected: bool,
    ) -> Result<CandidateAnswers> {
        let of_pair = |pair: &Arc<Pair>, metric: &Metric| {
            Ok(Question {
                pair: pair.for_metric(metric)?,
                metric: metric.clone(),
                expect,
                expected,
                unjudged: Unjudged::Zero,
            })
        };
        let asked = pairs.iter().flat_map(|pair| self.metrics.iter().map(move |metric| (pair, metric)));
        let questions: Vec<Question> =
            asked.map(|(pair, metric)| of_pair(pair, metric)).collect::<Result<_>>()?;
        let answers = answer(&questions, 0, "", &self.statistics)?;
        let answers = answers.into_iter().collect::<Result<_>>()?;
        Ok((questions, answers))
    }

    /// The gates of an expectation: one per pair and metric, or one per pair where rankings are compared.
    fn gates(&self, pairs: &[Arc<Pair>], expect: Expectation) -> Result<Vec<GateReport>> {
        let Some(tested) = expect.tested() else {
            let of_rankings = |pair: &Arc<Pair>| {
                let (verdict, finding) = decide_expectation(pair, expect, self.statistics.confidence)?;
                let name = format!("{}-vs-{}::{expect}", finding.candidate, finding.baseline);
                let configuration = finding.candidate.clone();
                Ok(gate_report(name, configuration, verdict, Finding::Overlap(Box::new(finding))))
            };
            return pairs.iter().map(of_rankings).collect();
        };
        let (questions, answers) = self.ask(pairs, tested, true)?;
        let findings = self.findings(&questions, &answers)?;
        let verdict = |answer: &Answer| verdict_of(answer.comparison.decision.outcome);
        Ok(findings.into_iter().zip(&answers).map(|(one, answer)| gate(one, verdict(answer))).collect())
    }

    fn findings(&self, questions: &[Question], answers: &[Answer]) -> Result<Vec<ComparisonFinding>> {
        let differences = |metric: &Metric, but: usize| {
            let asked = questions.iter().zip(answers).enumerate();
            let others =
                asked.filter(move |(place, (question, _))| *place != but && question.metric == *metric);
            others.map(|(_, (_, answer))| answer.comparison.difference).collect::<Vec<f64>>()
        };
        let of_one = |(place, (question, answer)): (usize, (&Question, &Answer))| {
            let mut finding = question.finding(answer, &self.statistics)?;
            let verdict = verdict_of(answer.comparison.decision.outcome);
            let others = differences(&question.metric, place).into_iter();
            finding.warnings.extend(chosen_best(&finding, verdict, others));
            finding.warnings.splice(0..0, of_orders(&question.pair));
            Ok(finding)
        };
        questions.iter().zip(answers).enumerate().map(of_one).collect()
    }
}

/// The sides whose scores rise with the ranks of their files, or tie because they are infinite.
fn of_orders(pair: &Pair) -> Vec<Warning> {
    let sides = [(&pair.baseline_name, &pair.baseline), (&pair.candidate_name, &pair.candidate)];
    let of_side = |(name, side): (&String, &Evaluation)| {
        let rising = rising_scores(side.rising());
        let rising = rising.map(|rising| Warning::new("rising-scores", format!("{name}: {rising}")));
        let infinite = infinite_scores(side.rising());
        let infinite = infinite.map(|text| Warning::of_side(name, &text));
        rising.into_iter().chain(infinite)
    };
    sides.into_iter().flat_map(of_side).collect()
}
