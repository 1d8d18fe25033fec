//! How much of what a gate rests on is there: counted on both sides, and held against the share that is needed.

use crate::Result;
use crate::analysis::{Answered, Basis, Pair, WholeLists, Worst, judged_of, shared_with};
use crate::collection::Query;
use crate::error::chain;
use crate::evaluation::{Evaluation, judgeable};
use crate::gate::{Baseline, Comparison, Evidence, Expectation, Gate, Segment, Threshold};
use crate::metric::Metric;
use crate::model::{
    EvidenceCount, EvidenceKind, EvidenceRemedies, EvidenceReport, Expect, ExpectedBy, Finding, Verdict,
};
use crate::spec::Configuration;

use super::{Decision, Decisions, decision_of};

/// What a gate says of the queries that it is about.
struct Demand<'a> {
    evidence: Evidence,
    segment: Option<&'a Segment>,
    /// Whether people's judgments alone count.
    by_people: bool,
}

impl Decisions {
    /// The decision, or where too little of what it rests on is there, why none is made.
    pub(crate) fn with_evidence(
        &self,
        gate: &Gate,
        decision: Decision,
    ) -> (Decision, Option<EvidenceReport>) {
        // Of answers that are not there the judge has no grade, and that would be told as the cause.
        let is_of_answers = gate.kind.metric().is_some_and(Metric::is_of_answers);
        let is_undecided = decision.finding.undecided_reason().is_some();
        if is_undecided && !is_of_answers {
            return (decision, None);
        }
        let errored = |reason, acceptable| Decision {
            verdict: Verdict::Errored,
            finding: Finding::undecided(reason),
            acceptable,
        };
        let configuration = self.cache.configuration(&gate.configuration);
        match configuration.and_then(|one| decision_of(&gate.kind).evidence(self, one)) {
            Err(_) if is_undecided => (decision, None),
            Err(error) => (errored(chain(&error), false), None),
            Ok(Some(report)) if !report.is_enough() => {
                (errored(report.reason(&IN_SPECS), report.is_behind()), Some(report))
            }
            Ok(report) => (decision, report.filter(|_| !is_undecided)),
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
        let evaluation = measurement.evaluation.for_metric(metric)?;
        let evaluation = match segment {
            Some(Segment { key, value }) => evaluation.segment(key, value)?,
            None => evaluation,
        };
        let evidence = match metric.requirements().unanswerable {
            // What the spec says is of judged queries.
            true => threshold.evidence.or(Evidence { queries: None, ..self.cache.spec.evidence }),
            false => self.demanded(threshold.evidence, segment),
        };
        let demand = Demand { evidence, segment, by_people: threshold.judged.is_none() };
        let mut basis = self.basis(configuration, &demand, metric, by_golden, &evaluation)?;
        // What is declined does not rest on rankings; an answer that is missing is an error.
        if !metric.is_of_answers() && !metric.requirements().refusals {
            let foreign_documents = Some(&measurement.foreign_documents);
            basis.sides.push(Answered {
                name: &configuration.name,
                evaluation: &evaluation,
                foreign_documents,
            });
            let scored = threshold.judged.is_none();
            basis.metric = Some(metric).filter(|_| scored);
            // A value is the lower for results that are missing: a limit below it holds all the more.
            let lists = WholeLists::scored(metric, !scored, evidence);
            basis.lists = Some(lists).filter(|_| threshold.max.is_some());
            basis.worst = Some(if threshold.min.is_none() { Worst::Highest } else { Worst::Lowest });
        }
        if metric.is_of_answers() {
            let name = configuration.name.as_str();
            basis.counts.extend(self.answered(metric, (name, name), evaluation.queries(), evidence)?);
        }
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
        let demand = Demand { evidence, segment, by_people: comparison.judged.is_none() };
        let pair = match metric {
            Some(metric) if metric.is_of_answers() => None,
            _ => Some(self.pair(index)?),
        };
        self.evidence_between(comparison, metric, pair.as_deref(), &demand)
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
        let demand = Demand { evidence, segment: None, by_people: true };
        self.evidence_between(comparison, Some(metric), Some(pair), &demand)
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

    /// Of a comparison on answers there is no pair of rankings: what is not in its mean stands in its own report.
    fn evidence_between(
        &self,
        comparison: &Comparison,
        metric: Option<&Metric>,
        pair: Option<&Pair>,
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
            None => Basis::default(),
        };
        let tag = comparison.baseline.tag();
        let blessed = match comparison.baseline.is_blessed() {
            true => self.blessed(candidate, tag)?,
            false => None,
        };
        if let Some(golden) = &blessed {
            let collection = self.cache.collection_of(candidate)?;
            // Of a query that is no longer there nobody knows which segment it was in.
            let asked = golden.asked.iter().filter(|_| demand.segment.is_none()).map(String::as_str);
            let gone: Vec<&str> = asked.filter(|id| collection.query(id).is_none()).collect();
            let name = comparison.baseline.to_string();
            if let Some(count) = shared_with(&name, today.queries(), &golden.asked, &gone) {
                basis.unscored = basis.unscored.max(count.of - count.there);
                basis.counts.push(count);
            }
        }
        if let Some(metric) = metric.filter(|metric| metric.is_of_answers()) {
            let ours = comparison.candidate.as_str();
            let theirs = (super::answers::side_name(comparison), comparison.baseline.to_string());
            for side in [(ours, ours), (&theirs.0, &theirs.1)] {
                basis.counts.extend(self.answered(metric, side, today.queries(), demand.evidence)?);
            }
        }
        let Some(pair) = pair else { return basis.count(demand.evidence.share()) };
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
        basis.metric = metric.filter(|_| comparison.judged.is_none());
        basis.lists = match (metric, comparison.expect) {
            (_, Expectation::Overlap { cutoff, .. }) => Some(WholeLists::overlap(cutoff, demand.evidence)),
            (Some(metric), _) => {
                Some(WholeLists::scored(metric, comparison.judged.is_some(), demand.evidence))
            }
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
        let collection = self.cache.collection_of(configuration)?;
        let all = collection.queries();
        let asked = collection.queries_to_ask().len();
        let of_some = demand.segment.is_some() || metric.requirements().unanswerable;
        let there = if of_some { evaluation.queries().len() } else { all.len() };
        let then = self.cache.judged_then(configuration).filter(|_| by_golden);
        let first = |ids: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            ids.take(EvidenceCount::NAMED).map(str::to_owned).collect()
        };
        let judged = match (demand.evidence.queries, then) {
            (Some(expected), _) => judged_of(there, expected, (ExpectedBy::Spec, None), Vec::new()),
            (None, Some(then)) => {
                let mut gone =
                    then.queries.iter().map(String::as_str).filter(|id| collection.query(id).is_none());
                let by = (ExpectedBy::Golden, Some(configuration.name.as_str()));
                judged_of(asked, then.queries.len(), by, first(&mut gone))
            }
            (None, None)
                if demand.by_people
                    && !metric.requirements().unanswerable
                    && !spec.collection.pins_judgments() =>
            {
                let belongs = |query: &&Query| {
                    demand.segment.is_none_or(|one| query.segments(&one.key).contains(&one.value))
                };
                let lacking: Vec<&str> =
                    collection.lacking_judgments().filter(belongs).map(|query| query.id.as_str()).collect();
                let by = (ExpectedBy::Collection, None);
                judged_of(there, there + lacking.len(), by, first(&mut lacking.into_iter()))
            }
            (None, None) => None,
        };
        let mut basis =
            Basis { unscored: judged.as_ref().map_or(0, |count| count.of - count.there), ..Basis::default() };
        basis.counts.extend(judged);
        let of_documents = metric.needs_relevance() && !metric.is_of_answers();
        if of_documents {
            basis.missing_relevant = Some(self.cache.missing_relevant()?);
        }
        let relevant = demand.by_people && of_documents;
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
