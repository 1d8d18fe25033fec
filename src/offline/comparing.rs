//! Runs compared with a baseline.

use std::sync::Arc;

use crate::benchmark::model::{
    self, ComparisonFinding, ConfigurationReport, Finding, GateReport, Outcome, Place, Report, Verdict,
};
use crate::benchmark::{
    Answer, Pair, Question, Scope, Side, answer, collection_report, decide_expectation, verdict_of,
};
use crate::evaluation::{Evaluation, Judging};
use crate::gate::{Expectation, Statistics};
use crate::metric::Metric;
use crate::stats;
use crate::{Error, Result};

use super::SCHEMA;
use super::comparison::{Compared, Comparisons, GateOutcome};
use super::names::short_names;

/// Queries that are named each way where nobody asks for more.
const MOVERS: usize = 5;

/// How runs are to be compared: on which metrics, by which tests, and what is expected.
///
/// All candidates and metrics are one family of comparisons, adjusted for their number.
///
/// ```
/// use rankgate::offline::{Comparing, Conclusion};
/// use rankgate::{Collection, Evaluation, Hit, Qrels, Run};
///
/// let mut qrels = Qrels::new();
/// let (mut old, mut new) = (Vec::new(), Vec::new());
/// for query in 1..=8 {
///     qrels.insert(&format!("q{query}"), "d1", 1)?;
///     old.push((format!("q{query}"), vec![Hit::new("d2", 2.0), Hit::new("d1", 1.0)]));
///     new.push((format!("q{query}"), vec![Hit::new("d1", 1.0)]));
/// }
/// let collection = Collection::from_qrels(qrels)?;
/// let evaluate = |rankings| Evaluation::of_run(&collection, Run::from_rankings(rankings)?);
///
/// let comparisons = Comparing::new(["RR@10".parse()?])
///     .compare(("old.run", &evaluate(old)?), &[("new.run", &evaluate(new)?)])?;
/// let compared = &comparisons.comparisons[0];
/// assert_eq!((compared.difference, compared.p_two_sided), (0.5, 2.0 / 256.0));
/// assert_eq!(compared.conclusion, Conclusion::Better);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparing {
    metrics: Vec<Metric>,
    statistics: Statistics,
    expect: Option<Expectation>,
    movers: usize,
}

/// A candidate's questions and their answers.
type Asked = (Vec<Question>, Vec<Answer>);

impl Comparing {
    /// On these metrics, of which one that comes twice counts once: 95% confidence, the permutation test,
    /// Holm's correction, nothing expected.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        let mut unique: Vec<Metric> = Vec::new();
        for metric in metrics {
            if !unique.contains(&metric) {
                unique.push(metric);
            }
        }
        Self { metrics: unique, statistics: Statistics::default(), expect: None, movers: MOVERS }
    }

    /// How comparisons are decided.
    #[must_use]
    pub fn statistics(mut self, statistics: Statistics) -> Self {
        self.statistics = statistics;
        self
    }

    /// What is expected of every candidate, on every metric.
    #[must_use]
    pub fn expect(mut self, expect: Expectation) -> Self {
        self.expect = Some(expect);
        self
    }

    /// How many queries are named that lost, and that gained; 5 at first.
    #[must_use]
    pub fn movers(mut self, most: usize) -> Self {
        self.movers = most;
        self
    }

    /// Compares candidates with a baseline, each by the name of its file and its scores.
    ///
    /// # Errors
    ///
    /// No metric, no candidate, two runs of one name; runs without a query in common or that returned
    /// nothing; a metric that cannot be computed; settings out of range.
    pub fn compare(
        &self,
        baseline: (&str, &Evaluation),
        candidates: &[(&str, &Evaluation)],
    ) -> Result<Comparisons> {
        if self.metrics.is_empty() || candidates.is_empty() {
            return Err(Error::invalid("a comparison needs a metric and a candidate"));
        }
        let names: Vec<&str> = std::iter::once(&baseline).chain(candidates).map(|(name, _)| *name).collect();
        if let Some((index, name)) =
            names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
        {
            let first = if names[0] == *name && index > 0 { "compared with itself" } else { "given twice" };
            return Err(Error::invalid(format!("{name} is {first}")));
        }
        let short = short_names(&names);
        let side = |index: usize, evaluation| Side { name: &short[index], evaluation, asked: None };
        let mut pairs = Vec::new();
        for (index, (_, evaluation)) in candidates.iter().enumerate() {
            let pair = Pair::new(&side(index + 1, evaluation), &side(0, baseline.1), None, None)?;
            pairs.push(Arc::new(pair));
        }
        let either = stats::Expectation::Improvement { min_gain: 0.0 };
        let (questions, answers) = self.ask(&pairs, either, false)?;
        let findings = self.findings(&questions, &answers)?;
        let gates = match self.expect {
            // What nobody expects is reported and fails nothing.
            None => findings.iter().map(|one| gate(one.clone(), Verdict::Reported)).collect(),
            Some(expect) => self.gates(&pairs, expect)?,
        };
        let gate = self.expect.map(|expect| GateOutcome {
            expect: expect.to_string(),
            limit: expect.tested().and_then(|expect| expect.limit()),
            verdict: worst(&gates),
            verdicts: gates.iter().map(|gate| gate.verdict).collect(),
        });
        let mut comparisons = Vec::new();
        for (position, ((question, answer), finding)) in
            questions.iter().zip(&answers).zip(&findings).enumerate()
        {
            let candidate = names[1 + position / self.metrics.len()];
            let conclusion = question.conclusion(answer.comparison.decision.outcome);
            let movers = match self.movers {
                MOVERS => finding.movers.clone(),
                other => question.movers(other)?,
            };
            comparisons.push(Compared::of(finding, [names[0], candidate], conclusion, movers));
        }
        let evaluations: Vec<&Evaluation> =
            std::iter::once(baseline.1).chain(candidates.iter().map(|(_, evaluation)| *evaluation)).collect();
        Ok(Comparisons {
            schema: SCHEMA,
            confidence: self.statistics.confidence.level(),
            correction: self.statistics.correction.to_string(),
            family: comparisons.len(),
            seed: self.statistics.seed,
            test: match self.statistics.test {
                stats::DecidingTest::Permutation => "permutation".to_owned(),
                stats::DecidingTest::Bootstrap => "bootstrap".to_owned(),
            },
            gate,
            comparisons,
            report: self.report(&names, &short, &evaluations, gates)?,
        })
    }

    /// Every pair on every metric, as one family.
    fn ask(&self, pairs: &[Arc<Pair>], expect: stats::Expectation, expected: bool) -> Result<Asked> {
        let of_pair = |pair: &Arc<Pair>| {
            let pair = Arc::clone(pair);
            self.metrics.iter().map(move |metric| Question {
                pair: Arc::clone(&pair),
                metric: metric.clone(),
                expect,
                expected,
            })
        };
        let questions: Vec<Question> = pairs.iter().flat_map(of_pair).collect();
        let answers = answer(&questions, 0, "", &self.statistics)?;
        let answers =
            answers.into_iter().map(|answer| answer.map_err(Error::invalid)).collect::<Result<_>>()?;
        Ok((questions, answers))
    }

    /// The gates of an expectation: one per pair and metric, or one per pair where rankings are compared.
    fn gates(&self, pairs: &[Arc<Pair>], expect: Expectation) -> Result<Vec<GateReport>> {
        let tested = match expect {
            Expectation::Identical | Expectation::Overlap { .. } => None,
            _ => expect.tested(),
        };
        let Some(tested) = tested else {
            let of_rankings = |pair: &Arc<Pair>| {
                let (verdict, finding) = decide_expectation(pair, expect)?;
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
        let both = questions.iter().zip(answers);
        both.map(|(question, answer)| question.finding(answer, &self.statistics)).collect()
    }

    /// The runs as a benchmark's report has them.
    fn report(
        &self,
        names: &[&str],
        short: &[String],
        evaluations: &[&Evaluation],
        gates: Vec<GateReport>,
    ) -> Result<Report> {
        let mut configurations = Vec::new();
        for ((name, short), evaluation) in names.iter().zip(short).zip(evaluations) {
            let depth = evaluation.depth();
            let scope = Scope {
                metrics: &self.metrics,
                segments: &[],
                confidence: self.statistics.confidence,
                deepest: depth,
            };
            configurations.push(ConfigurationReport {
                name: short.clone(),
                source: format!("run {name}"),
                depth,
                repeats: evaluation.passes(),
                outcome: Outcome::Measured(Box::new(scope.measured(evaluation, None)?)),
            });
        }
        let collection = evaluations.first().map(|evaluation| {
            let relevant_from = evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from());
            // Only what was left out can make the evaluated queries fewer than the judged ones.
            let skip_unjudgeable = evaluation.queries().len() < evaluation.collection().queries().len();
            collection_report(evaluation.collection(), Judging { relevant_from, skip_unjudgeable })
        });
        Ok(Report {
            schema: model::SCHEMA,
            benchmark: "compare".to_owned(),
            description: None,
            spec: String::new(),
            titles: std::collections::BTreeMap::new(),
            spec_sha256: None,
            error: None,
            confidence: self.statistics.confidence.level(),
            collection,
            metrics: self.metrics.iter().map(ToString::to_string).collect(),
            depth_because: None,
            blessings: Vec::new(),
            cut_short: Vec::new(),
            configurations,
            gates_in_spec: gates.len(),
            gates,
            warnings: Vec::new(),
        })
    }
}

/// The gate that a finding is.
fn gate(finding: ComparisonFinding, verdict: Verdict) -> GateReport {
    let name = format!("{}-vs-{}::{}", finding.candidate, finding.baseline, finding.metric);
    let configuration = finding.candidate.clone();
    gate_report(name, configuration, verdict, Finding::Comparison(Box::new(finding)))
}

fn gate_report(name: String, configuration: String, verdict: Verdict, finding: Finding) -> GateReport {
    GateReport {
        name,
        configuration,
        advisory: false,
        verdict,
        place: Place { file: String::new(), line: 0 },
        finding,
        inputs_changed: Vec::new(),
        advice: Vec::new(),
    }
}

fn worst(gates: &[GateReport]) -> Verdict {
    let any = |verdict| gates.iter().any(|gate| gate.verdict == verdict);
    if any(Verdict::Failed) {
        Verdict::Failed
    } else if any(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else {
        Verdict::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Collection, Qrels};
    use crate::offline::Conclusion;
    use crate::run::{Hit, Run};

    /// Twelve queries; `right` says for which the relevant document stands first instead of second.
    fn run(right: impl Fn(usize) -> bool) -> Evaluation {
        let mut qrels = Qrels::new();
        let mut rankings = Vec::new();
        for query in 0..12 {
            qrels.insert(&format!("q{query:02}"), "r", 1).unwrap();
            let ids = if right(query) { ["r", "n"] } else { ["n", "r"] };
            rankings.push((format!("q{query:02}"), ids.map(|id| Hit::new(id, 1.0)).to_vec()));
        }
        let run = Run::from_rankings(rankings).unwrap();
        Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
    }

    fn comparing() -> Comparing {
        Comparing::new(["RR@10", "nDCG@10", "mrr@10"].map(|name| name.parse().unwrap()))
    }

    #[test]
    fn candidates_and_metrics_are_one_family() {
        let (old, new, same) = (run(|_| false), run(|query| query < 10), run(|_| false));
        let all = comparing().compare(("old", &old), &[("new", &new), ("same", &same)]).unwrap();
        let told: Vec<_> =
            all.comparisons.iter().map(|one| (&*one.candidate, &*one.metric, one.conclusion)).collect();
        assert_eq!(
            told,
            [
                ("new", "RR@10", Conclusion::Better),
                ("new", "nDCG@10", Conclusion::Better),
                ("same", "RR@10", Conclusion::Identical),
                ("same", "nDCG@10", Conclusion::Identical),
            ]
        );
        assert_eq!(all.family, 4);
        // 2^-9 two-sided, the smallest of four.
        assert_eq!(all.comparisons[0].p_two_sided, 2.0 / 1024.0);
        assert_eq!(all.comparisons[0].p_adjusted, 8.0 / 1024.0);
        assert_eq!((all.holds(), all.report.gates.len()), (None, 4));
        let alone = comparing().compare(("old", &old), &[("new", &new)]).unwrap();
        assert_eq!(alone.comparisons[0].p_two_sided, all.comparisons[0].p_two_sided);
    }

    #[test]
    fn what_is_expected_is_a_gate() {
        let (old, new) = (run(|_| false), run(|query| query < 10));
        let verdict = |expect, candidate: &Evaluation, baseline: &Evaluation| {
            let comparing = comparing().expect(expect);
            comparing.compare(("a", baseline), &[("b", candidate)]).unwrap().gate.unwrap().verdict
        };
        assert_eq!(verdict(Expectation::NoRegression { tolerance: 0.0 }, &new, &old), Verdict::Passed);
        assert_eq!(verdict(Expectation::NoRegression { tolerance: 0.0 }, &old, &new), Verdict::Failed);
        assert_eq!(verdict(Expectation::Improvement { min_gain: 0.0 }, &new, &old), Verdict::Passed);
        assert_eq!(verdict(Expectation::Identical, &new, &old), Verdict::Failed);
        assert_eq!(verdict(Expectation::Identical, &new, &new), Verdict::Passed);
        assert_eq!(verdict(Expectation::Equivalence { margin: 0.05 }, &new, &old), Verdict::Failed);
    }

    #[test]
    fn a_run_is_compared_once_and_not_with_itself() {
        let one = run(|_| true);
        let error = |candidates: &[(&str, &Evaluation)]| {
            comparing().compare(("a", &one), candidates).unwrap_err().to_string()
        };
        assert_eq!(error(&[("a", &one)]), "a is compared with itself");
        assert_eq!(error(&[("b", &one), ("b", &one)]), "b is given twice");
        assert_eq!(error(&[]), "a comparison needs a metric and a candidate");
    }

    #[test]
    fn as_many_queries_are_named_as_were_asked_for() {
        let comparing = comparing().movers(7);
        let all = comparing.compare(("a", &run(|_| true)), &[("b", &run(|query| query > 9))]).unwrap();
        let movers = &all.comparisons[0].movers;
        assert_eq!((movers.losses.len(), movers.worse, movers.gains.len()), (7, 10, 0));
    }
}
