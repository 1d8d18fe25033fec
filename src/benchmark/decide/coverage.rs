//! Coverage of gates: counted on both sides, and held against the share that is needed.

use crate::analysis::{Answered, Basis, CompleteLists, Pair, shared_with};
use crate::collection::Query;
use crate::evaluation::{Evaluation, judgeable};
use crate::gate::{Baseline, Comparison, Expectation, Segment, Threshold};
use crate::metric::Metric;
use crate::model::{CoverageCount, CoverageReport, Covered};
use crate::spec::Configuration;

use crate::Result;

use super::Decisions;

impl Decisions {
    /// What of a threshold's data is not complete, with or without what golden runs say.
    pub(crate) fn coverage_of_threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
        by_golden: bool,
    ) -> Result<Option<CoverageReport>> {
        let measurement = self.measure.measurement(configuration)?;
        let segment = threshold.segment.as_ref();
        let needed = self.needed(threshold.coverage);
        let name = &configuration.name;
        let evaluation = within(&measurement.evaluation.for_metric(metric)?, segment)?;
        let mut basis = self.basis(configuration, segment, metric, by_golden)?;
        if metric.is_column() {
            basis.count_unscored(name, &within(&measurement.evaluation, segment)?, metric)?;
        }
        let foreign_documents = Some(&measurement.foreign_documents);
        basis.sides.push(Answered { name, evaluation: &evaluation, foreign_documents });
        basis.count(needed)
    }

    /// The same of a comparison.
    pub(crate) fn coverage_of_comparison(
        &self,
        index: usize,
        metric: Option<&Metric>,
    ) -> Result<Option<CoverageReport>> {
        let comparison = &self.measure.spec.comparisons[index];
        let needed = self.needed(comparison.coverage);
        let whole = self.pair(index)?;
        let pair = self.pair_of(index, metric)?;
        self.coverage_between(comparison, metric, [&whole, &pair], needed)
    }

    /// What is not complete of what a suite compares in this benchmark.
    pub(crate) fn coverage_in_suite(
        &self,
        comparison: &Comparison,
        metric: &Metric,
        pair: &Pair,
        of_suite: Option<f64>,
    ) -> Result<Option<CoverageReport>> {
        self.coverage_between(comparison, Some(metric), [pair, pair], self.needed(of_suite))
    }

    /// The same of two sides: all of their queries, and those that the metric has a value for.
    fn coverage_between(
        &self,
        comparison: &Comparison,
        metric: Option<&Metric>,
        [whole, pair]: [&Pair; 2],
        needed: f64,
    ) -> Result<Option<CoverageReport>> {
        let candidate = self.measure.configuration(&comparison.candidate)?;
        let segment = comparison.segment.as_ref();
        let ours = self.measure.measurement(candidate)?;
        let today = within(&ours.evaluation, segment)?;
        let mut basis = match metric {
            Some(metric) => self.basis(candidate, segment, metric, true)?,
            // Rankings alone need no judgments.
            None => Basis::default(),
        };
        if let Some(metric) = metric {
            basis.count_unscored(&whole.candidate_name, &whole.candidate, metric)?;
            basis.count_unscored(&whole.baseline_name, &whole.baseline, metric)?;
        }
        let blessed = match comparison.baseline.is_blessed() {
            true => self.blessed(candidate)?,
            false => None,
        };
        if let Some(golden) = &blessed {
            let collection = self.measure.collection()?;
            // Of a query that is no longer there nobody knows which segment it was in.
            let asked = golden.asked.iter().filter(|_| segment.is_none()).map(String::as_str);
            let gone: Vec<&str> = asked.filter(|id| collection.query(id).is_none()).collect();
            let name = comparison.baseline.to_string();
            basis.counts.extend(shared_with(&name, today.queries(), &golden.asked, &gone));
        }
        let theirs = match &comparison.baseline {
            Baseline::Configuration(name) => {
                Some(self.measure.measurement(self.measure.configuration(name)?)?)
            }
            Baseline::Golden => None,
        };
        let foreign_documents = match (&theirs, &blessed) {
            (Some(theirs), _) => Some(&theirs.foreign_documents),
            (None, Some(golden)) => Some(self.measure.golden_foreign_documents(candidate, golden)?),
            (None, None) => None,
        };
        let side = |name, evaluation, foreign_documents| Answered { name, evaluation, foreign_documents };
        basis.sides = vec![
            side(&pair.candidate_name, &pair.candidate, Some(&ours.foreign_documents)),
            side(&pair.baseline_name, &pair.baseline, foreign_documents),
        ];
        basis.lists = match (metric, comparison.expect) {
            (_, Expectation::Overlap { cutoff, .. }) => Some(CompleteLists::overlap(cutoff)),
            (Some(metric), _) => Some(CompleteLists::scored(metric)),
            (None, _) => None,
        };
        basis.count(needed)
    }

    /// The share that is needed: that of the gate or the suite, else of the spec.
    fn needed(&self, own: Option<f64>) -> f64 {
        own.or(self.measure.spec.coverage).unwrap_or(CoverageReport::NEEDED)
    }

    /// What is known before looking at what was answered: the queries that are judged, of those that should be.
    fn basis<'a>(
        &'a self,
        configuration: &Configuration,
        segment: Option<&Segment>,
        metric: &Metric,
        by_golden: bool,
    ) -> Result<Basis<'a>> {
        let spec = &self.measure.spec;
        let collection = self.measure.collection()?;
        let mut basis = Basis::default();
        if metric.requirements().unanswerable {
            return Ok(basis);
        }
        let then = self.measure.judged_then(configuration).filter(|_| by_golden);
        if let Some(then) = then {
            let gone = then.queries.iter().map(String::as_str).filter(|id| collection.query(id).is_none());
            // Queries that others replaced are counted by what a comparison pairs.
            if collection.queries_to_ask().len() < then.queries.len() {
                basis.count_judged(Some(&configuration.name), then.queries.len(), &gone.collect::<Vec<_>>());
            }
        } else {
            let belongs =
                |query: &&Query| segment.is_none_or(|one| query.segments(&one.key).contains(&one.value));
            let judged = collection.queries().iter().filter(belongs).count();
            let lacking: Vec<&str> =
                collection.lacking_judgments().filter(belongs).map(|query| query.id.as_str()).collect();
            basis.count_judged(None, judged + lacking.len(), &lacking);
        }
        if metric.needs_relevance() {
            basis.missing_relevant = Some(self.measure.missing_relevant()?);
            basis.needs_relevant = !spec.skip_queries_without_relevant;
            let now = judgeable(collection);
            let lost = then.and_then(|then| then.judgeable).filter(|then| *then > now);
            // Those that nobody judges any more have been counted.
            let counted = basis.counts.iter().map(|count| count.of - count.there).max().unwrap_or(0);
            if let Some(then) = lost.filter(|then| then - now > counted) {
                basis.counts.push(CoverageCount {
                    side: Some(configuration.name.clone()),
                    ..CoverageCount::new(Covered::Relevant, now, then)
                });
            }
        }
        Ok(basis)
    }
}

fn within(evaluation: &Evaluation, segment: Option<&Segment>) -> Result<Evaluation> {
    match segment {
        Some(Segment { key, value }) => evaluation.segment(key, value),
        None => Ok(evaluation.clone()),
    }
}

/// What to write in a spec so that less is enough.
pub(crate) fn lower_in_spec(share: &str) -> String {
    format!("write `coverage: {share}` beside the gate, or in the spec for all of its gates")
}
