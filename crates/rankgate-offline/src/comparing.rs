//! Runs compared with a baseline.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::analysis::{
    AllConfigurations, Answer, Pair, Question, Scope, Side, answer, chosen_best, collection_report,
    compared_files, decide_expectation, infinite_scores, order_cautions, rising_scores, shown, verdict_of,
};
#[cfg(feature = "parquet")]
use crate::collection::Tables;
use crate::collection::{Collection, Query};
use crate::evaluation::{Evaluation, Judging};
use crate::gate::{Evidence, Expectation, Statistics, Unjudged};
use crate::metric::Metric;
use crate::model::{
    Caution, ComparisonFinding, ConfigurationReport, EvidenceReport, EvidenceShortage, Finding, GateReport,
    Outcome, PairsReport, Report, Verdict,
};
use crate::order::SmallMap;
use crate::run::{Order, Ranking, RunReader, Units};
use crate::stats::{self, PairsTest};
use crate::{Error, Result, Source};

use crate::baseline::Baseline;
use crate::comparison::{Comparisons, GateOutcome, deciding_interval, worst};
use crate::names::short_names;

/// Queries that are named each way by default.
const MOVERS: usize = 5;
/// Documents of a ranking that are held at most, but for the judged ones.
const DEEPEST_HELD: usize = 100;

/// How to compare runs: metrics, tests, and the expectation.
///
/// All candidates and metrics are one family of comparisons, adjusted for their number.
///
/// ```
/// use rankgate_offline::{Comparing, Conclusion};
/// use rankgate::{Collection, Evaluation, Hit, Qrels, Run};
///
/// let mut qrels = Qrels::new();
/// let (mut old, mut new) = (Vec::new(), Vec::new());
/// for query in 1..=8 {
///     qrels.insert(&format!("q{query}"), "d1", 1)?;
///     // The answer was found after as many others as the query's number.
///     let found = Hit::new("d1", 0.0);
///     let others = (1..=query).rev().map(|other| Hit::new(format!("other {other}"), f64::from(other)));
///     old.push((format!("q{query}"), others.chain([found]).collect()));
///     new.push((format!("q{query}"), vec![Hit::new("d1", 1.0)]));
/// }
/// let collection = Collection::from_qrels(qrels)?;
/// let evaluate = |rankings| Evaluation::of_run(&collection, Run::from_rankings(rankings)?);
///
/// let comparisons = Comparing::new(["RR@10".parse()?])
///     .compare(("old.run", &evaluate(old)?), &[("new.run", &evaluate(new)?)])?;
/// let compared = &comparisons.comparisons[0];
/// assert!((compared.difference - 0.7714).abs() < 1e-4);
/// assert_eq!(compared.p_two_sided, 2.0 / 256.0);
/// assert_eq!(compared.conclusion, Some(Conclusion::Better));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparing {
    metrics: Vec<Metric>,
    statistics: Statistics,
    expect: Option<Expectation>,
    movers: usize,
    pairs: Option<PairsTest>,
    /// How run files are read.
    reader: RunReader,
    judging: Judging,
    /// How much of what comparisons rest on has to be there.
    evidence: Evidence,
    guarantee: stats::Guarantee,
    drop: stats::DropTest,
    /// Whether the report has rankings and curves.
    pictured: bool,
}

/// The sides whose scores rise with the ranks of their files, or tie because they are infinite.
fn of_orders(pair: &Pair) -> Vec<Caution> {
    let sides = [(&pair.baseline_name, &pair.baseline), (&pair.candidate_name, &pair.candidate)];
    let of_side = |(name, side): (&String, &Evaluation)| {
        let rising = rising_scores(side.rising());
        let rising = rising.map(|rising| Caution::RisingScores { configuration: name.clone(), rising });
        let infinite = infinite_scores(side.rising());
        let infinite = infinite.map(|caution| Caution::Side { configuration: name.clone(), caution });
        rising.into_iter().chain(infinite)
    };
    sides.into_iter().flat_map(of_side).collect()
}

/// A candidate's questions and their answers.
type CandidateAnswers = (Vec<Question>, Vec<Answer>);

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
        Self {
            metrics: unique,
            statistics: Statistics::default(),
            expect: None,
            movers: MOVERS,
            pairs: None,
            reader: RunReader::new(),
            judging: Judging::default(),
            evidence: Evidence::default(),
            guarantee: stats::Guarantee::default(),
            drop: stats::DropTest::default(),
            pictured: true,
        }
    }

    /// How Parquet files are read, for [`files`](Self::files): their columns, and the memory for sorting.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn tables(mut self, tables: Tables) -> Self {
        self.reader = self.reader.tables(tables);
        self
    }

    /// How comparisons are decided.
    #[must_use]
    pub fn statistics(mut self, statistics: Statistics) -> Self {
        self.statistics = statistics;
        self
    }

    /// The expectation of every candidate, on every metric.
    #[must_use]
    pub fn expect(mut self, expect: impl Into<Expectation>) -> Self {
        self.expect = Some(expect.into());
        self
    }

    /// How many queries are named that lost, and that gained; 5 at first.
    #[must_use]
    pub fn movers(mut self, most: usize) -> Self {
        self.movers = most;
        self
    }

    /// Compares every two runs with each other as well, the baseline among them.
    #[must_use]
    pub fn pairs(mut self, test: PairsTest) -> Self {
        self.pairs = Some(test);
        self
    }

    /// Which column of a run file gives the order, for [`files`](Self::files); by default, the ranks
    /// of a golden run and the scores of any other.
    #[must_use]
    pub fn order(mut self, order: impl Into<Option<Order>>) -> Self {
        self.reader = self.reader.order(order);
        self
    }

    /// The documents that the chunks of run files belong to, for [`files`](Self::files), where rankings are of chunks.
    #[must_use]
    pub fn units(mut self, units: impl Into<Option<Units>>) -> Self {
        self.reader = self.reader.units(units);
        self
    }

    /// How much of what comparisons rest on has to be there on both sides: judged queries with a relevant document that
    /// both answered; nine in ten at first. With less nothing is compared, and the error is an
    /// [`EvidenceShortage`](rankgate_report::benchmark::model::EvidenceShortage).
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    /// What a claim in the candidate's favour holds against: one more query that loses a typical amount (at first), one that
    /// loses all, or none.
    #[must_use]
    pub fn guarantee(mut self, guarantee: stats::Guarantee) -> Self {
        self.guarantee = guarantee;
        self
    }

    /// What shows a drop: the deciding test alone (at first), or also that no query which gains undoes it.
    #[must_use]
    pub fn drop_test(mut self, drop: stats::DropTest) -> Self {
        self.drop = drop;
        self
    }

    /// How the rankings of run files are judged, for [`files`](Self::files).
    #[must_use]
    pub fn judging(mut self, judging: Judging) -> Self {
        self.judging = judging;
        self
    }

    /// Whether [`Comparisons::report`] has the queries' rankings and the curves, which take longer than all else in
    /// it; it does at first.
    #[must_use]
    pub fn pictured(mut self, pictured: bool) -> Self {
        self.pictured = pictured;
        self
    }

    /// Compares run files with a baseline's: the same as to [`compare`](Self::compare) what they hold, in
    /// far less memory. Of the baseline only the ids are kept, and of a candidate only the report.
    ///
    /// # Errors
    ///
    /// As for [`compare`](Self::compare); a file that cannot be read or is no run; a run that answers none
    /// of the judged queries; a metric of one's own that [needs the documents](Metric::needs_documents).
    pub fn files<P: AsRef<Path>>(
        &self,
        collection: &Collection,
        baseline: P,
        candidates: &[P],
    ) -> Result<Comparisons> {
        let paths = std::iter::once(&baseline).chain(candidates).map(P::as_ref);
        let sources: Vec<(String, Source<'_>)> =
            paths.map(|path| (path.display().to_string(), path.into())).collect();
        self.sources(collection, &sources)
    }

    /// The same of any sources of runs, each with its name in results, the baseline first.
    ///
    /// # Errors
    ///
    /// Those of [`files`](Self::files).
    pub fn sources(&self, collection: &Collection, sources: &[(String, Source<'_>)]) -> Result<Comparisons> {
        let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
        self.check(&names)?;
        let on_rankings = matches!(self.expect, Some(Expectation::Identical | Expectation::Overlap { .. }));
        let kept = Mutex::new(Baseline::scored(on_rankings));
        let (first, places) =
            self.read(collection, &sources[0].1, |_, ranking| Baseline::keep(&kept, ranking))?;
        let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.places = places;
        let (mut evaluations, mut all_alike) = (vec![first], Vec::new());
        for (_, source) in &sources[1..] {
            let alike = |query: &Query, ranking: &Ranking<'_>| kept.alike(query, Some(ranking));
            let (evaluation, mut by_query) = self.read(collection, source, alike)?;
            let of_query = |query: &Query| {
                let answered = by_query.remove(&query.id);
                answered.unwrap_or_else(|| kept.alike(query, None))
            };
            all_alike.push(evaluation.queries().iter().map(of_query).collect::<Vec<_>>());
            evaluations.push(evaluation);
        }
        drop(kept);
        let evaluations: Vec<&Evaluation> = evaluations.iter().collect();
        let mut all_alike = all_alike.into_iter();
        self.compared(&names, &evaluations, |candidate, baseline| {
            Pair::of_alike(candidate, baseline, all_alike.next().unwrap_or_default())
        })
    }

    /// Reads a run, judged, and what `more` makes of each ranking.
    fn read<T: Send>(
        &self,
        collection: &Collection,
        source: &Source<'_>,
        more: impl Fn(&Query, &Ranking<'_>) -> T + Sync,
    ) -> Result<(Evaluation, BTreeMap<String, T>)> {
        // What nobody judged is told apart down to the cutoffs, if they are not too deep to be held.
        let cutoffs = self.metrics.iter().map(|metric| metric.cutoff().unwrap_or(DEEPEST_HELD));
        let deepest = cutoffs.max().unwrap_or(0).min(DEEPEST_HELD);
        let overlap = match self.expect {
            Some(Expectation::Overlap { cutoff, .. }) => cutoff.min(DEEPEST_HELD),
            _ => 0,
        };
        let top = shown(&self.metrics).max(deepest).max(overlap);
        let (evaluation, more) =
            Evaluation::while_reading(collection, &self.reader, source, self.judging, top, more)?;
        Ok((self.clustered(&evaluation)?, more))
    }

    /// The evaluation with its queries in the groups of `cluster`.
    fn clustered(&self, evaluation: &Evaluation) -> Result<Evaluation> {
        match &self.statistics.cluster {
            None => Ok(evaluation.clone()),
            Some(key) => evaluation.clustered_by(key),
        }
    }

    /// Compares candidates with a baseline, each by the name of its file and its scores.
    ///
    /// # Errors
    ///
    /// No metric, no candidate, two runs of one name; runs without a query in common or that returned
    /// nothing; a metric that cannot be computed; a query without the metadata that the statistics group by;
    /// settings out of range.
    pub fn compare(
        &self,
        baseline: (&str, &Evaluation),
        candidates: &[(&str, &Evaluation)],
    ) -> Result<Comparisons> {
        let (names, evaluations): (Vec<&str>, Vec<&Evaluation>) =
            std::iter::once(baseline).chain(candidates.iter().copied()).unzip();
        self.check(&names)?;
        let evaluations: Vec<Evaluation> =
            evaluations.into_iter().map(|one| self.clustered(one)).collect::<Result<_>>()?;
        let evaluations: Vec<&Evaluation> = evaluations.iter().collect();
        self.compared(&names, &evaluations, |candidate, baseline| Pair::new(candidate, baseline, None))
    }

    fn check(&self, names: &[&str]) -> Result<()> {
        self.metrics.iter().try_for_each(Metric::check_arithmetic)?;
        if self.metrics.is_empty() || names.len() < 2 {
            return Err(Error::invalid("a comparison needs a metric and a candidate"));
        }
        if let Some((index, name)) =
            names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
        {
            let first = if names[0] == *name && index > 0 { "compared with itself" } else { "given twice" };
            return Err(Error::invalid(format!("{name} is {first}")));
        }
        Ok(())
    }

    /// Compares the first of the evaluations with each of the others, in the order of their pairs.
    fn compared(
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
        let either = stats::Expectation::Improvement { min_gain: 0.0 };
        let (questions, answers) = self.ask(&pairs, either, false)?;
        let evidence = self.all_evidence(&pairs)?;
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
            .zip(evidence.iter().step_by(metrics_each))
            .map(|(gate, evidence)| GateReport { evidence: evidence.clone(), ..gate })
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
                (one.queries_needed, one.queries_needed_for) = (gate.queries_needed, gate.queries_needed_for);
                (one.queries_needed_between, one.power_curve) =
                    (gate.queries_needed_between, gate.power_curve.clone());
                one.minimum_detectable_effect = gate.minimum_detectable_effect;
                (one.cautions, one.judged_only) = (gate.cautions.clone(), gate.judged_only.clone());
            }
            one.cautions.extend(evidence[position].clone().map(|evidence| Caution::Evidence { evidence }));
        }
        let pairs = self.everyone(names, evaluations)?;
        Ok(Comparisons {
            schema: crate::model::SCHEMA,
            confidence: self.statistics.confidence.level(),
            correction: self.statistics.correction,
            family: comparisons.len(),
            seed: self.statistics.seed,
            test: self.statistics.test,
            gate,
            comparisons,
            report: self.report(names, &short, evaluations, gates, called(&pairs, names, &short))?,
            pairs,
            short: names.iter().map(|name| (*name).to_owned()).zip(short).collect(),
        })
    }

    /// The incomplete evidence of the comparisons, for every pair and metric.
    ///
    /// # Errors
    /// Where less is there than has to be.
    fn all_evidence(&self, pairs: &[Arc<Pair>]) -> Result<Vec<Option<EvidenceReport>>> {
        let of_one = |pair: &Pair, metric: &Metric| {
            let report = compared_files(pair, metric, self.evidence, (self.expect, false))?;
            EvidenceShortage::check(report.as_ref())?;
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
        let of_pair = |pair: &Arc<Pair>| {
            let pair = Arc::clone(pair);
            self.metrics.iter().map(move |metric| Question {
                pair: Arc::clone(&pair),
                metric: metric.clone(),
                expect,
                expected,
                unjudged: Unjudged::Zero,
                guarantee: self.guarantee,
                drop: self.drop,
                corrected: None,
            })
        };
        let questions: Vec<Question> = pairs.iter().flat_map(of_pair).collect();
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
            finding.cautions.extend(chosen_best(&finding, verdict, others));
            finding.cautions.splice(0..0, of_orders(&question.pair));
            Ok(finding)
        };
        questions.iter().zip(answers).enumerate().map(of_one).collect()
    }

    /// Which run beats which, where the caller set `pairs`.
    fn everyone(&self, names: &[&str], evaluations: &[&Evaluation]) -> Result<Vec<PairsReport>> {
        let Some(test) = self.pairs else { return Ok(Vec::new()) };
        let sides = names.iter().copied().zip(evaluations.iter().copied()).collect();
        AllConfigurations { sides, metrics: &self.metrics, segment: None, test }.reports("", &self.statistics)
    }

    /// The runs as a benchmark's report has them.
    fn report(
        &self,
        names: &[&str],
        short: &[String],
        evaluations: &[&Evaluation],
        gates: Vec<GateReport>,
        pairs: Vec<PairsReport>,
    ) -> Result<Report> {
        let mut configurations = Vec::new();
        for ((name, short), evaluation) in names.iter().zip(short).zip(evaluations) {
            let depth = evaluation.depth();
            let scope = Scope {
                metrics: &self.metrics,
                segments: &[],
                confidence: self.statistics.confidence,
                deepest: depth,
                pictured: self.pictured,
                is_judged: false,
            };
            let mut measured = scope.measured(evaluation, None, &SmallMap::default())?;
            measured.cautions.extend(order_cautions(evaluation.rising()));
            configurations.push(ConfigurationReport {
                name: short.clone(),
                source: format!("run {name}"),
                depth,
                repeats: evaluation.passes(),
                variant: None,
                stage: None,
                steps: Vec::new(),
                outcome: Outcome::Measured(Box::new(measured)),
            });
        }
        let collection = evaluations.first().map(|evaluation| {
            let relevant_from = evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from());
            // Only what was left out can make the evaluated queries fewer than the judged ones.
            let skip_unjudgeable = evaluation.queries().len() < evaluation.collection().queries().len();
            let judging = Judging { relevant_from, skip_unjudgeable, ..Judging::default() };
            collection_report(evaluation.collection(), judging)
        });
        Ok(Report {
            confidence: self.statistics.confidence.level(),
            collection,
            metrics: self.metrics.iter().map(ToString::to_string).collect(),
            configurations,
            gates_in_spec: gates.len(),
            gates,
            pairs,
            ..Report::blank("compare")
        })
    }
}

/// The same with runs called by their short names.
fn called(pairs: &[PairsReport], names: &[&str], short: &[String]) -> Vec<PairsReport> {
    let mut pairs = pairs.to_vec();
    for report in &mut pairs {
        let ranked = report.configurations.iter_mut().map(|one| &mut one.name);
        let paired = report.pairs.iter_mut().flat_map(|pair| [&mut pair.better, &mut pair.worse]);
        for name in ranked.chain(paired) {
            if let Some(place) = names.iter().position(|known| known == name) {
                name.clone_from(&short[place]);
            }
        }
    }
    pairs
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
        place: None,
        finding,
        evidence: None,
        inputs_changed: Vec::new(),
        advice: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Conclusion;
    use crate::collection::Qrels;
    use crate::gate::Expect;
    use crate::run::{Hit, Run};

    /// Twelve queries; `right` says for which the relevant document stands first instead of second to fourth.
    fn run(right: impl Fn(usize) -> bool) -> Evaluation {
        let mut qrels = Qrels::new();
        let mut rankings = Vec::new();
        for query in 0..12 {
            qrels.insert(&format!("q{query:02}"), "r", 1).unwrap();
            let mut ids = vec!["n", "o", "p"];
            ids.insert(if right(query) { 0 } else { 1 + query % 3 }, "r");
            rankings.push((format!("q{query:02}"), ids.into_iter().map(|id| Hit::new(id, 1.0)).collect()));
        }
        let run = Run::from_rankings(rankings).unwrap();
        Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
    }

    fn comparing() -> Comparing {
        Comparing::new(["RR@10", "nDCG@10", "mrr@10"].map(|name| name.parse().unwrap()))
    }

    /// Found at random: what the streamed road does not hold, it cannot caution about.
    #[test]
    fn documents_that_tie_across_the_cutoff_are_seen_while_runs_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, lines: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, lines).unwrap();
            path
        };
        let old = file("old.run", "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 2 t\n");
        let new = file("new.run", "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\n");
        let collection = Collection::from_qrels(Qrels::parse("q", b"q1 0 a 1\n").unwrap()).unwrap();
        let cautions = |cutoff| {
            let comparing =
                Comparing::new(["P@1".parse().unwrap()]).expect(Expectation::Overlap { cutoff, min: 0.5 });
            serde_json::to_string(&comparing.files(&collection, &old, &[&new]).unwrap().report).unwrap()
        };
        assert!(cautions(2).contains("the documents at ranks 2 and 3 have equal scores"), "{}", cautions(2));
        assert!(!cautions(1).contains("have equal scores"));
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
                ("new", "RR@10", Some(Conclusion::Better)),
                ("new", "nDCG@10", Some(Conclusion::Better)),
                ("same", "RR@10", Some(Conclusion::Identical)),
                ("same", "nDCG@10", Some(Conclusion::Identical)),
            ]
        );
        assert_eq!(all.family, 4);
        // 2^-9 two-sided, the smallest of four.
        assert_eq!(all.comparisons[0].p_two_sided, 2.0 / 1024.0);
        let p_adjusted = all.comparisons[0].p_adjusted;
        assert!((8.0 / 1024.0..0.05).contains(&p_adjusted), "{p_adjusted}");
        assert_eq!((all.holds(), all.report.gates.len()), (None, 4));
        let alone = comparing().compare(("old", &old), &[("new", &new)]).unwrap();
        assert_eq!(alone.comparisons[0].p_two_sided, all.comparisons[0].p_two_sided);
    }

    #[test]
    fn every_two_runs_are_compared_where_that_is_asked() {
        let (old, new, same) = (run(|_| false), run(|query| query < 10), run(|query| query > 10));
        let sides = [("dir/new", &new), ("dir/same", &same)];
        for test in PairsTest::ALL {
            let all = comparing().pairs(test).compare(("old", &old), &sides).unwrap();
            assert_eq!(all.pairs.len(), 2); // metrics
            let told: Vec<_> = all.pairs[0].configurations.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(told, ["dir/new", "dir/same", "old"]);
            let shown: Vec<_> =
                all.pairs[0].pairs.iter().map(|one| (&*one.better, &*one.worse, one.shown)).collect();
            assert_eq!(
                shown,
                [("dir/new", "dir/same", true), ("dir/new", "old", true), ("dir/same", "old", false)],
                "{test}"
            );
            assert_eq!(all.report.pairs[0].configurations[0].name, "new");
            // nothing else depends on it
            let without = comparing().compare(("old", &old), &sides).unwrap();
            assert_eq!((without.comparisons, without.pairs), (all.comparisons, Vec::new()));
        }
    }

    #[test]
    fn the_best_of_several_is_told_to_be_chosen() {
        let (old, new, other) = (run(|_| false), run(|query| query < 10), run(|query| query < 9));
        let chosen = |candidates: &[(&str, &Evaluation)], expect: Option<stats::Expectation>| {
            let mut comparing = Comparing::new(["RR@10".parse().unwrap()]);
            comparing.expect = expect.map(Into::into);
            let all = comparing.compare(("old", &old), candidates).unwrap();
            let findings = all.report.gates.iter().map(|gate| match &gate.finding {
                Finding::Comparison(finding) => finding.cautions.clone(),
                other => panic!("{other:?}"),
            });
            findings
                .map(|cautions| cautions.contains(&Caution::ChosenAsBest { candidates: 2 }))
                .collect::<Vec<_>>()
        };
        let both = [("new", &new), ("other", &other)];
        let improvement = Some(stats::Expectation::Improvement { min_gain: 0.0 });
        assert_eq!(chosen(&both, None), [true, false]);
        assert_eq!(chosen(&both, improvement), [true, false]);
        assert_eq!(chosen(&both, Some(stats::Expectation::default())), [false, false]);
        assert_eq!(chosen(&both[..1], None), [false]);
        // where none is shown to be better, none is looked at
        assert_eq!(
            chosen(&[("a", &run(|query| query == 3)), ("b", &run(|query| query == 4))], None),
            [false, false]
        );
    }

    /// Four judged queries, the last without a relevant document.
    fn judged() -> Collection {
        let mut qrels = Qrels::new();
        for (query, document) in (0..4).flat_map(|query| (0..8).map(move |document| (query, document))) {
            let grade = if query == 3 { 0 } else { (query + document) % 5 - 1 };
            qrels.insert(&format!("q{query}"), &format!("d{document}"), grade).unwrap();
        }
        Collection::from_qrels(qrels).unwrap()
    }

    /// Per query, documents and their scores; no document comes twice.
    fn rankings() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
        let ranking = prop::collection::vec((0..16_u8, 0..4_u8), 0..24);
        prop::collection::vec(ranking, 5).prop_map(|mut rankings| {
            for ranking in &mut rankings {
                let mut seen = std::collections::HashSet::new();
                ranking.retain(|(document, _)| seen.insert(*document));
            }
            rankings
        })
    }

    proptest! {
        // Each case compares, and plans, twice.
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn files_are_compared_as_the_runs_that_they_hold(
            runs in prop::collection::vec(rankings(), 2..4),
            same: bool,
            order in prop::sample::select(vec![Order::Score, Order::Rank]),
            judging in (1..3, any::<bool>()).prop_map(|(relevant_from, skip_unjudgeable)| Judging { relevant_from, skip_unjudgeable, ..Judging::default() }),
            expect in prop::sample::select(vec![
                None,
                Some(Expectation::Identical),
                Some(Expectation::Overlap { cutoff: 3, min: 0.5 }),
                Some(stats::Expectation::NoRegression { tolerance: 0.0 }.into()),
            ]),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut paths = Vec::new();
            for (index, run) in runs.iter().enumerate() {
                let run = if same { &runs[0] } else { run };
                let lines = run.iter().enumerate().flat_map(|(query, ranking)| {
                    let line = move |(rank, (document, score)): (usize, &(u8, u8))| format!("q{query} Q0 d{document} {rank} {score} t\n");
                    (1..).zip(ranking).map(line)
                });
                let path = folder.path().join(format!("{index}.run"));
                std::fs::write(&path, lines.collect::<String>()).unwrap();
                paths.push(path);
            }
            let collection = judged();
            let mut comparing = Comparing::new(["nDCG@3", "AP", "R@12"].map(|name| name.parse().unwrap()));
            comparing = comparing.order(order).judging(judging);
            comparing.statistics.resamples = 99;
            comparing.expect = expect;
            let said = |all: Result<Comparisons>| {
                let json = |all: Comparisons| (serde_json::to_string(&all).unwrap(), serde_json::to_string(&all.report).unwrap());
                all.map(json).map_err(|error| error.to_string())
            };
            let held = || {
                let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                let mut sides = Vec::new();
                for (path, name) in paths.iter().zip(&names) {
                    let run = RunReader::new().order(order).read(path)?;
                    let judged = Evaluation::of_run(&collection, run).and_then(|one| one.judged_by(judging));
                    let named = |error: Error| Error::invalid(format!("{name}: {error}"));
                    sides.push((name.as_str(), judged.map_err(named)?));
                }
                let sides: Vec<_> = sides.iter().map(|(name, evaluation)| (*name, evaluation)).collect();
                comparing.compare(sides[0], &sides[1..])
            };
            prop_assert_eq!(said(comparing.files(&collection, &paths[0], &paths[1..].iter().collect::<Vec<_>>())), said(held()));
        }
    }

    #[test]
    fn what_is_expected_is_a_gate() {
        let (old, new) = (run(|_| false), run(|query| query < 10));
        let verdict = |expect, candidate: &Evaluation, baseline: &Evaluation| {
            let comparing = comparing().expect(expect);
            comparing.compare(("a", baseline), &[("b", candidate)]).unwrap().gate.unwrap().verdict
        };
        assert_eq!(
            verdict(stats::Expectation::NoRegression { tolerance: 0.0 }.into(), &new, &old),
            Verdict::Passed
        );
        assert_eq!(
            verdict(stats::Expectation::NoRegression { tolerance: 0.0 }.into(), &old, &new),
            Verdict::Failed
        );
        assert_eq!(
            verdict(stats::Expectation::Improvement { min_gain: 0.0 }.into(), &new, &old),
            Verdict::Passed
        );
        assert_eq!(verdict(Expectation::Identical, &new, &old), Verdict::Failed);
        assert_eq!(verdict(Expectation::Identical, &new, &new), Verdict::Passed);
        assert_eq!(
            verdict(stats::Expectation::Equivalence { margin: 0.05 }.into(), &new, &old),
            Verdict::Failed
        );
    }

    #[test]
    fn what_is_expected_is_told_with_each_comparison() {
        let margin = stats::Expectation::NonInferiority { margin: 0.05 };
        let comparing = comparing().expect(margin);
        let all = comparing.compare(("a", &run(|_| false)), &[("b", &run(|query| query < 10))]).unwrap();
        let one = &all.comparisons[0];
        let Finding::Comparison(gate) = &all.report.gates[0].finding else { panic!("no comparison") };
        assert_eq!((one.expect, one.limit), (Some(Expect::NonInferiority), Some(0.05)));
        assert_eq!((one.p_margin, &one.claims), (gate.p_margin, &gate.claims));
        assert_eq!((one.claims[0].null, one.p_margin), (-0.05, Some(one.claims[0].p_adjusted)));
        assert_eq!(one.conclusion, Some(Conclusion::Better));
        // The interval beside a verdict is that of its question: against margins both limits are the unseen query's.
        let sides = [run(|_| false), run(|query| query < 10)];
        let interval = |comparing: Comparing| {
            let all = comparing.compare(("a", &sides[0]), &[("b", &sides[1])]).unwrap();
            let Finding::Comparison(gate) = &all.report.gates[0].finding else { panic!("no comparison") };
            assert_eq!(all.gate.unwrap().intervals[0], gate.interval);
            (gate.interval, all.comparisons[0].interval)
        };
        let (decides, told) =
            interval(self::comparing().expect(stats::Expectation::Equivalence { margin: 0.05 }));
        assert_ne!(decides, told);
        let (decides, told) =
            interval(self::comparing().expect(stats::Expectation::Improvement { min_gain: 0.0 }));
        assert_eq!(decides, told);
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
