//! How much of what a gate rests on is there: counted on both sides, and held against the share that is needed.

use crate::analysis::{Answered, Basis, Pair, WholeLists, Worst, judged_of, shared_with};
use crate::collection::Query;
use crate::error::{Quoted, chain};
use crate::evaluation::{Evaluation, judgeable};
use crate::gate::{Baseline, Comparison, Evidence, Expectation, Gate, Segment, Threshold};
use crate::measure::JudgedThen;
use crate::metric::Metric;
use crate::model::{
    EvidenceCount, EvidenceKind, EvidenceRemedies, EvidenceReport, Expect, ExpectedBy, Finding, Verdict,
};
use crate::spec::Configuration;

use crate::words::agree;
use crate::{Error, Result};

use super::{Decision, Decisions, decision_of};

/// What a gate says of the queries that it is about.
struct Demand<'a> {
    evidence: Evidence,
    segment: Option<&'a Segment>,
}

impl Decisions {
    /// The decision, or where too little of what it rests on is there, why none is made.
    pub(crate) fn with_evidence(
        &self,
        gate: &Gate,
        decision: Decision,
    ) -> (Decision, Option<EvidenceReport>) {
        if decision.finding.undecided_reason().is_some() {
            return (decision, None);
        }
        let errored = |reason, acceptable| Decision {
            verdict: Verdict::Errored,
            finding: Finding::undecided(reason),
            acceptable,
        };
        let configuration = self.cache.configuration(&gate.configuration);
        match configuration.and_then(|one| decision_of(&gate.kind).evidence(self, one)) {
            Err(error) => (errored(chain(&error), false), None),
            Ok(Some(report)) if !report.is_enough() => {
                (errored(report.reason(&IN_SPECS), report.is_behind()), Some(report))
            }
            Ok(report) => (with_worst(decision, report.as_ref()), report),
        }
    }

    /// What of a limit's evidence is not complete, with or without what golden runs say.
    pub(crate) fn evidence_of_threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
        by_golden: bool,
    ) -> Result<Option<EvidenceReport>> {
        let measurement = self.cache.measurement(configuration)?;
        let segment = threshold.segment.as_ref();
        let in_segment = |evaluation: Evaluation| match segment {
            Some(Segment { key, value }) => evaluation.segment(key, value),
            None => Ok(evaluation),
        };
        if metric.is_column() {
            let evidence = self.demanded(threshold.evidence, segment);
            scored_enough(
                &in_segment(measurement.evaluation.clone())?,
                &configuration.name,
                metric,
                evidence,
            )?;
        }
        let evaluation = in_segment(measurement.evaluation.for_metric(metric)?)?;
        let evidence = match metric.requirements().unanswerable {
            // What the spec says is of judged queries.
            true => threshold.evidence.or(Evidence { queries: None, ..self.cache.spec.evidence }),
            false => self.demanded(threshold.evidence, segment),
        };
        let demand = Demand { evidence, segment };
        let mut basis = self.basis(configuration, &demand, metric, by_golden, &evaluation)?;
        let foreign_documents = Some(&measurement.foreign_documents);
        basis.sides.push(Answered { name: &configuration.name, evaluation: &evaluation, foreign_documents });
        basis.metric = Some(metric);
        // A value is the lower for results that are missing: a limit below it holds all the more.
        let lists = WholeLists::scored(metric, evidence);
        basis.lists = Some(lists).filter(|_| threshold.max.is_some());
        basis.worst = Some(if threshold.min.is_none() { Worst::Highest } else { Worst::Lowest });
        basis.count(evidence.share())
    }

    /// The same of a comparison.
    pub(crate) fn evidence_of_comparison(
        &self,
        index: usize,
        metric: Option<&Metric>,
    ) -> Result<Option<EvidenceReport>> {
        let comparison = &self.cache.spec.comparisons[index];
        let segment = comparison.segment.as_ref();
        let evidence = self.demanded(comparison.evidence, segment);
        let demand = Demand { evidence, segment };
        let whole = self.pair(index)?;
        if let Some(metric) = metric {
            for (name, side) in
                [(&whole.candidate_name, &whole.candidate), (&whole.baseline_name, &whole.baseline)]
            {
                scored_enough(side, name, metric, evidence)?;
            }
        }
        let pair = self.pair_of(index, metric)?;
        self.evidence_between(comparison, metric, &pair, &demand)
    }

    /// What is not complete of what a suite compares in this benchmark.
    pub(crate) fn evidence_in_suite(
        &self,
        comparison: &Comparison,
        metric: &Metric,
        pair: &Pair,
        of_suite: Evidence,
    ) -> Result<Option<EvidenceReport>> {
        let evidence = of_suite.or(self.cache.spec.evidence);
        let demand = Demand { evidence, segment: None };
        self.evidence_between(comparison, Some(metric), pair, &demand)
    }

    /// The same of a limit on a mean over a suite's benchmarks.
    pub(crate) fn evidence_in_suite_of(
        &self,
        configuration: &str,
        threshold: &Threshold,
        metric: &Metric,
        of_suite: Evidence,
    ) -> Result<Option<EvidenceReport>> {
        let threshold = Threshold { evidence: of_suite, ..threshold.clone() };
        self.evidence_of_threshold(self.cache.configuration(configuration)?, &threshold, metric, true)
    }

    fn evidence_between(
        &self,
        comparison: &Comparison,
        metric: Option<&Metric>,
        pair: &Pair,
        demand: &Demand<'_>,
    ) -> Result<Option<EvidenceReport>> {
        let candidate = self.cache.configuration(&comparison.candidate)?;
        let ours = self.cache.measurement(candidate)?;
        let today = match demand.segment {
            Some(Segment { key, value }) => ours.evaluation.segment(key, value)?,
            None => ours.evaluation.clone(),
        };
        let mut basis = match metric {
            Some(metric) => self.basis(candidate, demand, metric, true, &today)?,
            // What rests on rankings alone needs no judgments, and as many queries as somebody demands all the same.
            None => {
                let mut basis = Basis::default();
                if demand.evidence.queries.is_some() {
                    count_judged(&mut basis, self.judged_queries(candidate, demand, false, None, &today)?);
                }
                basis
            }
        };
        let tag = comparison.baseline.tag();
        let blessed = match comparison.baseline.is_blessed() {
            true => self.blessed(candidate, tag)?,
            false => None,
        };
        if let Some(golden) = &blessed {
            let collection = self.cache.collection()?;
            // Of a query that is no longer there nobody knows which segment it was in.
            let asked = golden.asked.iter().filter(|_| demand.segment.is_none()).map(String::as_str);
            let gone: Vec<&str> = asked.filter(|id| collection.query(id).is_none()).collect();
            let name = comparison.baseline.to_string();
            if let Some(count) = shared_with(&name, today.queries(), &golden.asked, &gone) {
                basis.unscored = basis.unscored.max(count.of - count.there);
                basis.counts.push(count);
            }
        }
        let theirs = match &comparison.baseline {
            Baseline::Configuration(name) => Some(self.cache.measurement(self.cache.configuration(name)?)?),
            Baseline::Golden | Baseline::Anchor(_) => None,
        };
        let foreign_documents = match (&theirs, &blessed) {
            (Some(theirs), _) => Some(&theirs.foreign_documents),
            (None, Some(golden)) => Some(self.cache.golden_foreign_documents(candidate, tag, golden)?),
            (None, None) => None,
        };
        let side = |name, evaluation, foreign_documents| Answered { name, evaluation, foreign_documents };
        basis.sides = vec![
            side(&pair.candidate_name, &pair.candidate, Some(&ours.foreign_documents)),
            side(&pair.baseline_name, &pair.baseline, foreign_documents),
        ];
        basis.metric = metric;
        basis.lists = match (metric, comparison.expect) {
            (_, Expectation::Overlap { cutoff, .. }) => Some(WholeLists::overlap(cutoff, demand.evidence)),
            (Some(metric), _) => Some(WholeLists::scored(metric, demand.evidence)),
            (None, _) => None,
        };
        basis.worst = Some(match comparison.expect.kind() {
            Expect::Equivalence => Worst::Furthest,
            Expect::NoRegression
            | Expect::NonInferiority
            | Expect::Improvement
            | Expect::Identical
            | Expect::Overlap => Worst::Lowest,
        });
        basis.count(demand.evidence.share())
    }

    /// What a gate asks for, be it said beside it or in the spec. How many queries a collection has says nothing of a
    /// segment.
    fn demanded(&self, own: Evidence, segment: Option<&Segment>) -> Evidence {
        let of_spec = self.cache.spec.evidence;
        let queries = of_spec.queries.filter(|_| segment.is_none());
        own.or(Evidence { queries, ..of_spec })
    }

    /// How many queries are judged, of as many as the gate, its spec or the golden run says there should be.
    fn judged_queries(
        &self,
        configuration: &Configuration,
        demand: &Demand<'_>,
        of_some: bool,
        then: Option<&JudgedThen>,
        evaluation: &Evaluation,
    ) -> Result<Vec<EvidenceCount>> {
        let collection = self.cache.collection()?;
        let mut counts = Vec::new();
        if let Some(expected) = demand.evidence.queries {
            let there = if of_some { evaluation.queries().len() } else { collection.queries().len() };
            counts.extend(judged_of(there, expected, (ExpectedBy::Spec, None), Vec::new()));
        } else if let Some(then) = then {
            let gone = then.queries.iter().map(String::as_str);
            let gone = gone.filter(|id| collection.query(id).is_none());
            let by = (ExpectedBy::Golden, Some(configuration.name.as_str()));
            let asked = collection.queries_to_ask().len();
            counts.extend(judged_of(asked, then.queries.len(), by, first(gone)));
        }
        Ok(counts)
    }

    /// What is known without looking at what was answered: how many queries are judged, of as many as should be.
    fn basis<'a>(
        &'a self,
        configuration: &Configuration,
        demand: &Demand<'_>,
        metric: &Metric,
        by_golden: bool,
        evaluation: &Evaluation,
    ) -> Result<Basis<'a>> {
        let spec = &self.cache.spec;
        let collection = self.cache.collection()?;
        let of_some = demand.segment.is_some() || metric.requirements().unanswerable;
        let then = self.cache.judged_then(configuration).filter(|_| by_golden);
        let mut basis = Basis::default();
        count_judged(&mut basis, self.judged_queries(configuration, demand, of_some, then, evaluation)?);
        let by_nobody_else = demand.evidence.queries.is_none() && then.is_none();
        let of_judged = !metric.requirements().unanswerable;
        if by_nobody_else && of_judged && !spec.collection.pins_judgments() {
            let there = if of_some { evaluation.queries().len() } else { collection.queries().len() };
            let belongs = |query: &&Query| {
                demand.segment.is_none_or(|one| query.segments(&one.key).contains(&one.value))
            };
            let lacking: Vec<&str> =
                collection.lacking_judgments().filter(belongs).map(|query| query.id.as_str()).collect();
            let by = (ExpectedBy::Collection, None);
            let missing = first(lacking.iter().copied());
            count_judged(&mut basis, judged_of(there, there + lacking.len(), by, missing));
        }
        let relevant = metric.needs_relevance();
        if relevant {
            basis.missing_relevant = Some(self.cache.missing_relevant()?);
        }
        basis.needs_relevant = relevant && !spec.skip_unjudgeable;
        if let Some(then) = then.and_then(|then| then.judgeable).filter(|_| relevant) {
            let now = judgeable(collection);
            // Those that nobody judges any more have been counted.
            if then.saturating_sub(now) > basis.unscored {
                basis.counts.push(EvidenceCount {
                    side: Some(configuration.name.clone()),
                    by: Some(ExpectedBy::Golden),
                    ..EvidenceCount::new(EvidenceKind::Relevant, now, then)
                });
            }
        }
        Ok(basis)
    }
}

/// Refuses a column in which too few queries have a score.
fn scored_enough(evaluation: &Evaluation, name: &str, metric: &Metric, evidence: Evidence) -> Result<()> {
    let (lacking, of) = evaluation.lacking(metric)?;
    let there = of - lacking.len();
    if there as f64 >= evidence.share() * of as f64 {
        return Ok(());
    }
    let named: Vec<String> =
        lacking.iter().take(EvidenceCount::NAMED).map(|id| Quoted(id).to_string()).collect();
    let more = if lacking.len() > named.len() { ", ..." } else { "" };
    let share = there as f64 / of as f64;
    Err(Error::invalid(format!(
        "{name} has a score in the column {metric} for {there} of {of} queries ({:.0}%), and {:.0}% are needed: {}{more} {} none. Add \
         them, or write `evidence: {{at-least: {:.2}}}` beside the gate if that is intended",
        100.0 * share,
        100.0 * evidence.share(),
        named.join(", "),
        agree(lacking.len(), "has", "have"),
        (100.0 * share).floor() / 100.0
    )))
}

/// The same decision with a caution where a value keeps its limit, and what is missing could break it.
fn with_worst(mut decision: Decision, report: Option<&EvidenceReport>) -> Decision {
    let worst = report.and_then(|report| report.bounds).map(|bounds| bounds.worst);
    if let (Verdict::Passed, Some(worst), Finding::Threshold(finding)) =
        (decision.verdict, worst, &mut decision.finding)
    {
        let least = finding.min.filter(|min| worst < *min).map(|min| format!("less than {min}"));
        let most = finding.max.filter(|max| worst > *max).map(|max| format!("more than {max}"));
        let broken = least.or(most).map(|broken| {
            format!("what is missing could make it {worst:.4}, which is {broken}: the limit is kept as far as anybody knows")
        });
        finding.cautions.extend(broken);
    }
    decision
}

/// The first few of the ids that are missing.
fn first<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    ids.take(EvidenceCount::NAMED).map(str::to_owned).collect()
}

/// Counts judged queries that are missing; the same ones may be missing by several counts.
fn count_judged(basis: &mut Basis<'_>, judged: impl IntoIterator<Item = EvidenceCount>) {
    for count in judged {
        basis.unscored = basis.unscored.max(count.of - count.there);
        if !basis.counts.contains(&count) {
            basis.counts.push(count);
        }
    }
}

/// What to write in a spec so that less is enough.
pub(crate) const IN_SPECS: EvidenceRemedies = EvidenceRemedies {
    share: |share| {
        format!(
            "write `evidence: {{at-least: {share}}}` beside the gate, or in the spec for all of its gates"
        )
    },
    queries: |queries| format!("say in the spec that so many are meant: `evidence: {{queries: {queries}}}`"),
    split: |queries| format!("bless on as many, or write `evidence: {{queries: {queries}}}` in the spec"),
    depth: |depth| format!("write `evidence: {{depth: {depth}}}`"),
    unjudgeable: "`skip-unjudgeable` leaves out queries that are meant to have none",
};
