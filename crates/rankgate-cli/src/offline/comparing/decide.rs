//! What candidates are asked, what the answers show, and the gates that these are.

use std::sync::Arc;

use super::coverage::compared_files;
use super::report::{gate, gate_report};
use super::{Comparing, MOVERS};
use crate::offline::Result;
use crate::offline::analysis::{
    Compared, Pair, Part, Question, Side, compare, compare_rankings, rising_scores,
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
        let (questions, compared) = self.ask(&pairs, either, false)?;
        let coverage = self.all_coverage(&pairs)?;
        let gates = match self.expect {
            // What nobody expects is reported and fails nothing.
            None => compared.iter().map(|one| gate(one.finding.clone(), Verdict::Reported)).collect(),
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
        let simulated = compared.iter().any(|one| one.comparison.permutation().resamples.is_some());
        let by_unseen_query = compared.iter().any(|one| {
            let own = match one.comparison.bootstrap.p_two_sided {
                Some(p) if self.statistics.test.resamples() => p,
                Some(_) | None => one.comparison.permutation().p_two_sided(),
            };
            one.finding.p_deciding > own
        });
        let mut comparisons: Vec<ComparisonFinding> = compared.into_iter().map(|one| one.finding).collect();
        for (position, (one, question)) in comparisons.iter_mut().zip(&questions).enumerate() {
            one.baseline = names[0].to_owned();
            one.candidate = names[1 + position / self.metrics.len()].to_owned();
            if self.movers != MOVERS {
                one.movers = question.movers(self.movers)?;
            }
            // Of an expectation about rankings there is a gate per candidate, and nothing to be told of scores.
            if let Some(Finding::Comparison(gate)) = gates.get(position).map(|gate| &gate.finding) {
                (one.expect, one.limit) = (gate.expect, gate.limit);
                (one.claims, one.test) = (gate.claims.clone(), gate.test.clone());
                one.minimum_detectable_effect = gate.minimum_detectable_effect;
                one.warnings = gate.warnings.clone();
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
            simulated: self.statistics.test.resamples() || simulated,
            by_unseen_query,
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
    ) -> Result<(Vec<Question>, Vec<Compared>)> {
        let of_pair = |pair: &Arc<Pair>, metric: &Metric| {
            Ok(Question {
                parts: Part::alone(pair.for_metric(metric)?),
                metric: metric.clone(),
                expect,
                expected,
                unjudged: Unjudged::Zero,
            })
        };
        let asked = pairs.iter().flat_map(|pair| self.metrics.iter().map(move |metric| (pair, metric)));
        let questions: Vec<Question> =
            asked.map(|(pair, metric)| of_pair(pair, metric)).collect::<Result<_>>()?;
        let compared = compare(&questions, 0, "", &self.statistics)?;
        let mut compared: Vec<Compared> = compared.into_iter().collect::<Result<_>>()?;
        for (question, one) in questions.iter().zip(&mut compared) {
            one.finding.warnings.splice(0..0, of_orders(question.pair()));
        }
        Ok((questions, compared))
    }

    /// The gates of an expectation: one per pair and metric, or one per pair where rankings are compared.
    fn gates(&self, pairs: &[Arc<Pair>], expect: Expectation) -> Result<Vec<GateReport>> {
        let Some(tested) = expect.tested() else {
            let of_rankings = |pair: &Arc<Pair>| {
                let (verdict, finding) = compare_rankings(pair, expect, self.statistics.confidence)?;
                let name = format!("{}-vs-{}::{expect}", finding.candidate, finding.baseline);
                let configuration = finding.candidate.clone();
                Ok(gate_report(name, configuration, verdict, Finding::Overlap(Box::new(finding))))
            };
            return pairs.iter().map(of_rankings).collect();
        };
        let (_, compared) = self.ask(pairs, tested, true)?;
        Ok(compared.into_iter().map(|one| gate(one.finding, one.verdict)).collect())
    }
}

/// The sides whose scores rise with the ranks of their files.
fn of_orders(pair: &Pair) -> Vec<Warning> {
    let sides = [(&pair.baseline_name, &pair.baseline), (&pair.candidate_name, &pair.candidate)];
    let of_side = |(name, side): (&String, &Evaluation)| {
        let rising = rising_scores(side.rising())?;
        Some(Warning::new("rising-scores", format!("{name}: {rising}")))
    };
    sides.into_iter().filter_map(of_side).collect()
}
