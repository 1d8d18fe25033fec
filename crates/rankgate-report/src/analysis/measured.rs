//! From evaluations to the report's numbers.

use std::collections::BTreeMap;

use crate::Result;
use crate::collection::Collection;
use crate::error::chain;
use crate::evaluation::{Estimate, Evaluation, Judging};
use crate::metric::Metric;
use crate::order;
use crate::stats::Confidence;

use super::golden::Golden;
use super::lists::cut_lists;
use super::rankings::{Rankings, blessed, shown};
use crate::model::{CollectionReport, Measured, MetricReport, QueryReport, SegmentReport, Warning};

/// The report of every configuration of a spec.
pub struct Scope<'a> {
    pub metrics: &'a [Metric],
    pub segments: &'a [String],
    pub confidence: Confidence,
    /// The deepest rank that any metric looks at.
    pub deepest: usize,
    /// Whether to report rankings, which take longer than all else.
    pub pictured: bool,
}

impl Scope<'_> {
    /// The measurements of one configuration, beside what was blessed of it.
    pub fn measured(&self, evaluation: &Evaluation, golden: Option<&Golden>) -> Result<Measured> {
        // A value over other queries than today's would not be comparable.
        let comparable =
            golden.filter(|golden| golden.covers(evaluation.queries())).map(|golden| &golden.evaluation);
        let mut metrics = self.rows(evaluation, comparable, self.metrics)?;
        metrics.extend(self.rows(evaluation, comparable, &self.judged_at_each_cutoff())?);
        let cut = cut_lists(evaluation.cut(), self.metrics);
        Ok(Measured {
            latency: evaluation.latency(),
            unanswered: evaluation.unanswered().into_iter().map(str::to_owned).collect(),
            unjudged_queries: evaluation.unjudged_queries(),
            identical_ids: evaluation.identical_ids(),
            tied_scores: evaluation.tied_scores(self.deepest),
            metrics,
            segments: self.segments(evaluation)?,
            queries: self.queries(evaluation, golden)?,
            unanswerable: self.unanswerable(evaluation)?,
            warnings: self
                .metrics
                .iter()
                .find_map(|metric| evaluation.findable(metric).err())
                .iter()
                .map(|error| Warning::new("no-value", chain(error)))
                .chain(cut.map(|text| Warning::new(Warning::CUT_LISTS, text)))
                .collect(),
        })
    }

    /// The same without metrics that cannot be computed, such as one of what a single answer does not say: a warning has the reason,
    /// and gates on them are errors.
    ///
    /// # Errors
    /// What leaves no metric.
    pub fn measured_in_part(&self, evaluation: &Evaluation, golden: Option<&Golden>) -> Result<Measured> {
        let error = match self.measured(evaluation, golden) {
            Ok(measured) => return Ok(measured),
            Err(error) => error,
        };
        let (mut known, mut warnings) = (Vec::new(), Vec::new());
        for metric in self.metrics {
            match self.rows(evaluation, None, std::slice::from_ref(metric)) {
                Ok(_) => known.push(metric.clone()),
                Err(error) => {
                    let text = format!("{metric} has no value: {}", chain(&error));
                    warnings.push(Warning::new("no-value", text));
                }
            }
        }
        if known.is_empty() || warnings.is_empty() {
            return Err(error);
        }
        let mut measured = Scope { metrics: &known, ..*self }.measured(evaluation, golden)?;
        measured.warnings.extend(warnings);
        Ok(measured)
    }

    /// `Judged@k` for every cutoff in use: how far the numbers can be trusted.
    fn judged_at_each_cutoff(&self) -> Vec<Metric> {
        let of_judgments = |metric: &&Metric| !metric.is_best_low();
        let of_judgments = self.metrics.iter().filter(of_judgments);
        let mut cutoffs: Vec<usize> = of_judgments.filter_map(Metric::cutoff).collect();
        cutoffs.sort_unstable();
        cutoffs.dedup();
        cutoffs.into_iter().map(Metric::judged_at).filter(|metric| !self.metrics.contains(metric)).collect()
    }

    fn rows(
        &self,
        evaluation: &Evaluation,
        golden: Option<&Evaluation>,
        metrics: &[Metric],
    ) -> Result<Vec<MetricReport>> {
        let row = |metric: &Metric| {
            let mut row = metric_report(metric, &evaluation.estimate(metric, self.confidence)?);
            row.spread = evaluation.range_over_passes(metric)?;
            // Unanswerable queries may not have been asked that day.
            let golden = golden.filter(|_| !metric.is_best_low());
            row.golden = match metric.is_column() {
                // It may have been blessed without the column.
                true => golden.and_then(|golden| golden.value(metric).ok()),
                false => golden.map(|golden| golden.value(metric)).transpose()?,
            };
            Ok(row)
        };
        // Of a metric that has nothing to find there is no value, nor of what answers do not say; a gate on it is an error.
        let has_value = |metric: &&Metric| {
            let of = evaluation.for_metric(metric);
            of.is_ok_and(|evaluation| evaluation.findable(metric).is_ok())
        };
        metrics.iter().filter(has_value).map(row).collect()
    }

    fn segments(&self, evaluation: &Evaluation) -> Result<Vec<SegmentReport>> {
        let mut segments = Vec::new();
        for key in self.segments {
            for value in evaluation.segment_values(key) {
                let segment = evaluation.segment(key, &value)?;
                segments.push(SegmentReport {
                    key: key.clone(),
                    queries: segment.queries().len(),
                    metrics: self.rows(&segment, None, self.metrics)?,
                    value,
                });
            }
        }
        Ok(segments)
    }

    /// The queries that no document answers, with the scores of the metrics that are of these.
    fn unanswerable(&self, evaluation: &Evaluation) -> Result<Vec<QueryReport>> {
        let mut reports: BTreeMap<String, QueryReport> = BTreeMap::new();
        for metric in self.metrics.iter().filter(|metric| metric.requirements().unanswerable) {
            // Where none is asked, or no answer says it, the metric has no value at all.
            let Some(asked) = evaluation.for_metric(metric).ok() else {
                continue;
            };
            for (query, score) in asked.queries().iter().zip(asked.scores(metric)?) {
                let (id, text) = (query.id.clone(), query.text.clone());
                let blank = || QueryReport { id, text, ..QueryReport::default() };
                let report = reports.entry(query.id.clone()).or_insert_with(blank);
                report.scores.insert(metric.to_string(), score);
            }
        }
        Ok(reports.into_values().collect())
    }

    fn queries(&self, evaluation: &Evaluation, golden: Option<&Golden>) -> Result<Vec<QueryReport>> {
        let top = shown(self.metrics);
        let rankings = Rankings::new(evaluation, top);
        let blessed = golden.map(|golden| blessed(golden, self.metrics, top)).transpose()?;
        let scores = self
            .metrics
            .iter()
            .filter(|metric| !metric.requirements().unanswerable)
            .map(|metric| Ok((metric.to_string(), evaluation.scores_where_known(metric)?)))
            .collect::<Result<Vec<_>>>()?;
        // All that is in sight: the depth that was asked for.
        let ndcg: Metric = format!("nDCG@{}", self.deepest).parse()?;
        let report = |(index, query): (usize, &crate::collection::Query)| {
            let ranking = evaluation.judged(index)?;
            let signals = ndcg.signals(ranking);
            let scores = order::map(
                scores.iter().filter_map(|(metric, scores)| Some((metric.clone(), scores[index]?))),
            );
            let ranking = self.pictured.then(|| rankings.of_query(&query.id));
            let golden =
                blessed.as_ref().and_then(|blessed| blessed.beside(&query.id, &scores, ranking.as_deref()?));
            Some(QueryReport {
                id: query.id.clone(),
                text: query.text.clone(),
                metadata: query.metadata.clone(),
                scores,
                retrieved: signals.retrieved,
                relevant: signals.relevant,
                found: signals.hits,
                first_relevant: signals.first_relevant.filter(|rank| *rank <= signals.retrieved),
                ranking,
                golden,
            })
        };
        Ok(evaluation.queries().iter().enumerate().filter_map(report).collect())
    }
}

/// One metric with its interval, as the report shows it.
pub(super) fn metric_report(metric: &Metric, estimate: &Estimate) -> MetricReport {
    let interval_kind = match estimate.interval {
        Ok(_) => estimate.kind.to_string(),
        Err(reason) => reason.to_string(),
    };
    MetricReport {
        metric: metric.to_string(),
        value: estimate.value,
        interval: estimate.limits(),
        interval_kind,
        groups: estimate.groups,
        spread: None,
        golden: None,
        by_collection: Vec::new(),
    }
}

/// The collection in numbers, as its evaluations see it.
pub fn collection_report(collection: &Collection, judging: Judging) -> CollectionReport {
    let Judging { relevant_from, skip_queries_without_relevant, .. } = judging;
    let judgeable = |id: &str| {
        collection.judgments(id).is_some_and(|judged| judged.grades().any(|grade| grade >= relevant_from))
    };
    let unjudgeable = collection.queries().iter().filter(|query| !judgeable(&query.id)).count();
    let left_out = if skip_queries_without_relevant { unjudgeable } else { 0 };
    CollectionReport {
        queries: collection.queries().len() - left_out,
        // Where nothing is judged, all of them are asked.
        without_judgments: if collection.qrels().is_empty() { 0 } else { collection.unjudged_queries() },
        unjudgeable,
        left_out,
        unanswerable: collection.unanswerable().len(),
        judgments: collection.qrels().len(),
        documents: None,
        relevant_from,
    }
}
