//! Gates that rest on a model's judgments: raw ones, which only advise, and those that people correct.

use std::sync::Arc;

use crate::Result;
use crate::evaluation::{Estimate, Evaluation};
use crate::finding::{Answer, Corrected, Pair, READINGS, judged_some};
use crate::gate::{Comparison, Judged, Threshold, beyond};
use crate::metric::Metric;
use crate::model::{Caution, ComparisonFinding, CorrectedReport, Measured, Verdict};
use crate::spec::JudgePlan;
use crate::stats::{Confidence, CorrectedMean, IntervalKind, NoInterval, Outcome, Stream};

use super::Decisions;
use super::comparison::warned;
use super::threshold::Held;

/// A sample that tells a usable judge from a useless one.
const SAMPLE: usize = 40;

impl Decisions {
    /// A threshold held against what a model judged.
    pub(super) fn judged_threshold(
        &self,
        evaluation: Evaluation,
        threshold: &Threshold,
        metric: &Metric,
        judged: Judged,
    ) -> Result<Held> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let spec = &self.cache.spec;
        let confidence = spec.statistics.confidence;
        if let Some(plan) = &spec.judge {
            files.check(plan, &[&evaluation], looks_to(metric, plan))?;
        }
        let by_model = evaluation.rejudged(&files.judges.by_model[0])?;
        judged_some(&by_model, &files.judges.judge, metric)?;
        let estimate = by_model.estimate(metric, confidence)?;
        let judge = &files.judges.judge;
        match judged {
            Judged::Raw => {
                let highest = evaluation.rejudged(&files.judges.by_model[1])?;
                let otherwise = highest.estimate(metric, confidence)?;
                let otherwise = Held::of(highest, otherwise, threshold);
                let mut held = Held::of(by_model, estimate, threshold);
                held.cautions.push(raw(judge));
                if otherwise.verdict != held.verdict {
                    held.verdict = Verdict::Inconclusive;
                    held.cautions.push(format!(
                        "the verdict is another where what {judge} gave no grade counts as the highest, and not as 0: \
                         {:.4}, and not {:.4}",
                        otherwise.estimate.value, held.estimate.value
                    ));
                }
                return Ok(held);
            }
            Judged::Corrected => files.check_people()?,
        }
        let corrected = Corrected::of(&files.judges, &[&evaluation], metric)?;
        let Ok(mean) = corrected.mean() else {
            let caution = self.nobody(corrected.drawn(), judge);
            let estimate = Estimate { interval: Err(NoInterval::Uncorrected), ..estimate };
            let verdict = warned(Verdict::Inconclusive, threshold.inconclusive);
            return Ok(Held {
                evaluation: by_model,
                estimate,
                verdict,
                cautions: vec![caution],
                corrected: None,
            });
        };
        let decided = |mean: &CorrectedMean| interval_verdict(mean, threshold, confidence);
        let mut verdict = decided(&mean);
        let mut open = corrected.unvalidated(&files.judges);
        for (reading, read) in READINGS.into_iter().zip(corrected.read_otherwise()?) {
            open = open.or(read.filter(|read| decided(read) != verdict).map(|_| reading));
        }
        if open.is_some() {
            verdict = Verdict::Inconclusive;
        }
        let limit = nearest(&mean, threshold);
        let stream = Stream::new(spec.statistics.seed).named(self.cache.name()).named(judge);
        let report = corrected.report(
            &files.judges,
            limit,
            (corrected.p_people(limit, &stream)?, confidence),
            open,
            verdict == Verdict::Inconclusive,
        )?;
        let estimate = Estimate {
            value: mean.value,
            interval: mean.interval(confidence),
            kind: IntervalKind::T,
            ..estimate
        };
        Ok(Held {
            evaluation: by_model,
            estimate,
            verdict: warned(verdict, threshold.inconclusive),
            cautions: Vec::new(),
            corrected: Some(report),
        })
    }
}

impl Decisions {
    /// A pair under the model's judgments.
    ///
    /// # Errors
    /// Pairs that it did not judge; people's grades that correct nothing, where they are to.
    pub(super) fn judged_pair(
        &self,
        pair: &Pair,
        comparison: &Comparison,
        metric: Option<&Metric>,
        judged: Judged,
    ) -> Result<Arc<Pair>> {
        let files = self.cache.judged_files_of(metric)?;
        if let Some(plan) = &self.cache.spec.judge {
            let deepest = match metric {
                Some(metric) => looks_to(metric, plan),
                None => comparison.metrics.iter().filter_map(Metric::cutoff).max().unwrap_or(plan.depth),
            };
            files.check(plan, &[&pair.candidate, &pair.baseline], deepest)?;
        }
        if judged == Judged::Corrected {
            files.check_people()?;
        }
        Ok(Arc::new(pair.rejudged(&files.judges.by_model[0])?))
    }

    /// What people make of the differences of a pair.
    pub(super) fn corrected_pair(&self, pair: &Pair, metric: &Metric) -> Result<Arc<Corrected>> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let corrected = Corrected::of(&files.judges, &[&pair.candidate, &pair.baseline], metric)?;
        Ok(Arc::new(corrected))
    }

    /// Why nothing can be said of a pair, where people judged none of its queries, or one.
    pub(super) fn uncorrected(&self, pair: &Pair, metric: &Metric) -> Result<Option<String>> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let drawn = pair.queries().iter().filter(|query| files.judges.drawn.contains(&query.id)).count();
        Ok((drawn < 2).then(|| self.nobody(drawn, &files.judges.judge)))
    }

    /// What to say where nothing is known of the judge.
    fn nobody(&self, drawn: usize, judge: &str) -> String {
        let spec = self.cache.context.shown(&self.cache.spec.path);
        format!(
            "people judged {drawn} of these queries, so that nothing is known of how lenient {judge} is; \
             `rankgate sample {spec} --queries {SAMPLE}` draws what they are to judge"
        )
    }

    /// Whether a corrected comparison stays open whatever its claims, and what there is to say of the correction.
    pub(super) fn corrected_comparison(
        &self,
        comparison: &Comparison,
        corrected: &Corrected,
        answer: &Answer,
        finding: &ComparisonFinding,
        metric: &Metric,
    ) -> Result<(bool, CorrectedReport)> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let confidence = self.cache.spec.statistics.confidence;
        let outcome = answer.comparison.decision.outcome;
        let mut open = corrected.unvalidated(&files.judges);
        for (reading, read) in READINGS.into_iter().zip(answer.read_otherwise) {
            open = open.or(read.filter(|read| *read != outcome).map(|_| reading));
        }
        let claims = comparison.expect.tested().map(|expect| expect.claims()).unwrap_or_default();
        let apart = |null: &f64| (null - finding.difference).abs();
        let nulls = claims.iter().map(|claim| claim.null);
        let limit = nulls.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0.0);
        let inconclusive = open.is_some() || outcome == Outcome::Inconclusive;
        let p = (finding.p_two_sided, confidence);
        let report = corrected.report(&files.judges, limit, p, open, inconclusive)?;
        Ok((open.is_some(), report))
    }

    /// Marks what the judge made of documents that nobody judged, where a gate rests on that.
    pub(super) fn mark_by_model(&self, measured: &mut Measured) {
        if !self.cache.spec.gates_judged_rankings() {
            return;
        }
        // That the files cannot be read is said by the gates that need them.
        let Ok(files) = self.cache.judged_files() else { return };
        let qrels = files.judges.by_model[0].qrels();
        for query in &mut measured.queries {
            let top = query.ranking.iter_mut().flat_map(|ranking| &mut ranking.top);
            for ranked in top.filter(|ranked| ranked.grade.is_none()) {
                ranked.by_model = qrels.grade(&query.id, &ranked.document);
            }
        }
    }

    /// What to know of a comparison that rests on the model alone.
    pub(super) fn raw_caution(&self, comparison: &Comparison, metric: &Metric) -> Result<Option<Caution>> {
        if comparison.judged != Some(Judged::Raw) {
            return Ok(None);
        }
        let (configuration, judge) =
            (comparison.candidate.clone(), &self.cache.judged_files_of(Some(metric))?.judges.judge);
        Ok(Some(Caution::Side { configuration, caution: raw(judge) }))
    }
}

/// What to know of a value that rests on the model alone.
fn raw(judge: &str) -> String {
    format!("scored by the grades of {judge} where people gave none, which nobody corrects")
}

/// How far down a metric looks: all claims are, of an answer.
fn looks_to(metric: &Metric, plan: &JudgePlan) -> usize {
    if metric.is_of_answers() { usize::MAX } else { metric.cutoff().unwrap_or(plan.depth) }
}

/// Where the whole interval is to the limits.
fn interval_verdict(mean: &CorrectedMean, threshold: &Threshold, confidence: Confidence) -> Verdict {
    match mean.interval(confidence) {
        Ok(interval) => beyond([interval.low, interval.high], threshold.min, threshold.max),
        Err(_) => Verdict::Inconclusive,
    }
}

/// The limit that is nearest.
fn nearest(mean: &CorrectedMean, threshold: &Threshold) -> f64 {
    let limits = [threshold.min, threshold.max].into_iter().flatten();
    let apart = |limit: &f64| (limit - mean.value).abs();
    limits.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(mean.value)
}
