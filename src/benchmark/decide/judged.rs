//! Gates that rest on a model's judgments: raw ones, which only advise, and those that people correct.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::Result;
use crate::analysis::{Answer, Corrected, Judges, Pair, READINGS, judged_some, verdict_of};
use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Judged, Threshold, beyond};
use crate::measure::{AnswerMetric, correct};
use crate::metric::Metric;
use crate::model::{
    BoundReport, BoundsFinding, CalibratedReport, Caution, ClaimVerdict, ComparisonFinding, CorrectedOpen,
    CorrectedReport, Measured, Verdict,
};
use crate::spec::JudgePlan;
use crate::stats::{Confidence, CorrectedMean, Interval, IntervalKind, Outcome, Stream};

use crate::words::{beginning, counted};

use super::Decisions;
use super::answers::side_name;
use crate::gates::comparison::decide::warned;
use crate::gates::threshold::decide::HeldThreshold;

/// A sample that tells a usable judge from a useless one.
const SAMPLE: usize = 40;
/// Characters that are shown of what people and the model judge differently.
const TEXT: usize = 200;

impl Decisions {
    /// A threshold held against what a model judged.
    pub(crate) fn judged_threshold(
        &self,
        configuration: &str,
        evaluation: Evaluation,
        threshold: &Threshold,
        metric: &Metric,
        judged: Judged,
    ) -> Result<HeldThreshold> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let spec = &self.cache.spec;
        let confidence = spec.statistics.confidence;
        if let Some(plan) = &spec.judge {
            files.check(plan, &[&evaluation], looks_to(metric, plan))?;
        }
        let by_model = evaluation.rejudged(&files.judges.by_model[0])?;
        judged_some(&by_model, &files.judges.judge, metric)?;
        let mut estimate = by_model.estimate(metric, confidence)?;
        let judge = &files.judges.judge;
        match judged {
            Judged::Raw => {
                let highest = evaluation.rejudged(&files.judges.by_model[1])?;
                let otherwise = highest.estimate(metric, confidence)?;
                let otherwise = HeldThreshold::new(highest, otherwise, threshold);
                let mut held = HeldThreshold::new(by_model, estimate, threshold);
                held.cautions.push(raw(judge));
                let what = format!("what {judge} gave no grade counts as the highest, and not as 0");
                let values = format!("{:.4}, and not {:.4}", otherwise.estimate.value, held.estimate.value);
                if otherwise.verdict != held.verdict {
                    held.verdict = Verdict::Inconclusive;
                    held.cautions.push(format!("the verdict is another where {what}: {values}"));
                } else if otherwise.estimate.value != held.estimate.value {
                    held.cautions.push(format!("the value is another where {what}: {values}"));
                }
                return Ok(held);
            }
            Judged::Corrected | Judged::Calibrated => files.check_people()?,
        }
        let held = |evaluation, estimate, verdict| {
            HeldThreshold::with_verdict(evaluation, estimate, warned(verdict, threshold.inconclusive))
        };
        let corrected = self.correct(&files.judges, &[&evaluation], metric, judged)?;
        let Ok(mean) = corrected.mean() else {
            let bounds = corrected.without_value(&files.judges, metric, Some(CorrectedOpen::FewDrawn))?;
            return Ok(HeldThreshold {
                cautions: vec![self.nobody(corrected.drawn(), judge)],
                bounds: Some(Box::new(bounds)),
                ..held(by_model, estimate, Verdict::Inconclusive)
            });
        };
        let range = metric.range();
        let decided = |mean: &CorrectedMean| interval_verdict(mean, &range, threshold, confidence);
        let mut verdict = decided(&mean);
        let mut open = corrected.unvalidated(&files.judges);
        for (reading, read) in READINGS.into_iter().zip(corrected.read_otherwise()?) {
            open = open.or(read.filter(|read| decided(read) != verdict).map(|_| reading));
        }
        if open == Some(CorrectedOpen::Unjudged) {
            open = corrected.not_calibrated().or(open);
        }
        if open.is_some() {
            verdict = Verdict::Inconclusive;
        }
        if corrected.is_open() {
            let bound = |mean: &CorrectedMean| bound(mean, &range, confidence, decided(mean));
            let [lowest, highest] = corrected.bounds()?;
            let bounds = BoundsFinding {
                lowest: Some(bound(&lowest)),
                highest: Some(bound(&highest)),
                ..corrected.without_value(&files.judges, metric, open)?
            };
            return Ok(HeldThreshold { bounds: Some(Box::new(bounds)), ..held(by_model, estimate, verdict) });
        }
        estimate.value = mean.value.max(*range.start()).min(*range.end());
        estimate.interval = mean.interval(confidence).map(|interval| interval.within(&range));
        if let Some(report) = corrected.calibrated_report(open) {
            estimate.kind = IntervalKind::T;
            // What does not pass has a message that says it.
            let passes = verdict == Verdict::Passed;
            let cautions = passes.then(|| carried_over(&report, metric)).into_iter().collect();
            return Ok(HeldThreshold {
                cautions,
                calibrated: Some(report),
                ..held(by_model, estimate, verdict)
            });
        }
        let limit = nearest(&mean, threshold);
        let stream = Stream::new(spec.statistics.seed).for_name(self.cache.name()).for_name(judge);
        let mut report = corrected.report(
            &files.judges,
            limit,
            (corrected.p_people(limit, &stream)?, confidence),
            open,
            verdict == Verdict::Inconclusive,
        )?;
        self.name_disagreeing(&mut report, &corrected, metric, &[(configuration, configuration)])?;
        estimate.kind = match mean.standard_error {
            0.0 => IntervalKind::UnseenQuery,
            _ => IntervalKind::T,
        };
        Ok(HeldThreshold { corrected: Some(report), ..held(by_model, estimate, verdict) })
    }
}

impl Decisions {
    /// A pair under the model's judgments.
    ///
    /// # Errors
    /// Pairs that it did not judge; people's grades that correct nothing, where they are to.
    pub(crate) fn judged_pair(
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
        if judged != Judged::Raw {
            files.check_people()?;
        }
        Ok(Arc::new(pair.rejudged(&files.judges.by_model[0])?))
    }

    /// What people make of the differences of a pair.
    pub(crate) fn corrected_pair(
        &self,
        pair: &Pair,
        metric: &Metric,
        judged: Judged,
    ) -> Result<Arc<Corrected>> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let sides = [&pair.candidate, &pair.baseline];
        Ok(Arc::new(self.correct(&files.judges, &sides, metric, judged)?))
    }

    /// Scores by both kinds of judgments; by the model's errors elsewhere, where a gate carries these over.
    fn correct(
        &self,
        judges: &Judges,
        sides: &[&Evaluation],
        metric: &Metric,
        judged: Judged,
    ) -> Result<Corrected> {
        let seed = self.cache.spec.statistics.seed;
        let stream = Stream::new(seed).for_name(self.cache.name()).for_name(&judges.judge);
        correct(judges, sides, metric, (judged == Judged::Calibrated).then_some(&stream))
    }

    /// Why a pair cannot be decided, where people judged none of its queries, or one.
    pub(crate) fn uncorrected(&self, pair: &Pair, metric: &Metric) -> Result<Option<String>> {
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

    /// What the difference lies between where people have not judged all that a comparison takes, and the verdict on it;
    /// what scores say of it as they stand would be made of that.
    pub(crate) fn bounded_comparison(
        &self,
        corrected: &Corrected,
        answer: &Answer,
        finding: ComparisonFinding,
        metric: &Metric,
    ) -> Result<(Verdict, BoundsFinding)> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let confidence = self.cache.spec.statistics.confidence;
        let outcome = answer.comparison.decision.outcome;
        let open = left_open(corrected, &files.judges, answer);
        let verdict = if open.is_some() { Verdict::Inconclusive } else { verdict_of(outcome) };
        let [_, worst, best] = answer.read_otherwise.map(|read| verdict_of(read.unwrap_or(outcome)));
        let range = metric.difference_range();
        let [lowest, highest] = corrected.bounds()?;
        let of_side = |one: &Caution| matches!(one, Caution::Side { .. });
        let bounds = BoundsFinding {
            segment: finding.segment,
            baseline: Some(finding.baseline),
            expect: finding.expect,
            limit: finding.limit,
            lowest: Some(bound(&lowest, &range, confidence, worst)),
            highest: Some(bound(&highest, &range, confidence, best)),
            unanswered: finding.unanswered,
            // What else is said of a comparison is said of its difference.
            cautions: finding.cautions.iter().filter(|one| of_side(one)).map(ToString::to_string).collect(),
            answers: finding.answers,
            told_apart: finding.told_apart,
            movers: finding.movers,
            ..corrected.without_value(&files.judges, metric, open)?
        };
        Ok((verdict, bounds))
    }

    /// What is said of a comparison by the model's errors elsewhere, where it is one.
    pub(crate) fn calibrated_comparison(
        &self,
        corrected: &Corrected,
        answer: &Answer,
        metric: &Metric,
    ) -> Result<Option<CalibratedReport>> {
        let files = self.cache.judged_files_of(Some(metric))?;
        Ok(corrected.calibrated_report(left_open(corrected, &files.judges, answer)))
    }

    /// Whether a corrected comparison stays open for any claims, and the statements on its correction.
    pub(crate) fn corrected_comparison(
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
        let open = left_open(corrected, &files.judges, answer);
        let claims = comparison.expect.tested().map(|expect| expect.claims()).unwrap_or_default();
        let apart = |null: &f64| (null - finding.difference).abs();
        let nulls = claims.iter().map(|claim| claim.null);
        let limit = nulls.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0.0);
        let inconclusive = open.is_some() || outcome == Outcome::Inconclusive;
        let p = (finding.p_two_sided, confidence);
        let mut report = corrected.report(&files.judges, limit, p, open, inconclusive)?;
        let beside_unseen = answer.comparison.decision.claims.iter().filter_map(|claim| claim.second);
        if let Some(p) = beside_unseen.map(|(_, p)| p).reduce(f64::max).filter(|_| open.is_none())
            && inconclusive
        {
            (report.needed, report.by_nobody) =
                corrected.needed_beside_unseen(&files.judges, p, confidence)?;
        }
        let (candidate, baseline) = (comparison.candidate.as_str(), side_name(comparison));
        let called = comparison.baseline.to_string();
        self.name_disagreeing(
            &mut report,
            corrected,
            metric,
            &[(candidate, candidate), (&called, &baseline)],
        )?;
        Ok((open.is_some(), report))
    }

    /// Marks the judge's grades of unjudged documents, where a gate rests on them.
    pub(crate) fn mark_by_model(&self, measured: &mut Measured) {
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

    /// What to know of a comparison that rests on errors which were carried over.
    pub(crate) fn calibrated_caution(
        &self,
        comparison: &Comparison,
        finding: &ComparisonFinding,
        metric: &Metric,
    ) -> Option<Caution> {
        let (configuration, report) = (comparison.candidate.clone(), finding.calibrated.as_ref()?);
        Some(Caution::Side { configuration, caution: carried_over(report, metric) })
    }

    /// What to know of a comparison that rests on the model alone.
    pub(crate) fn raw_caution(&self, comparison: &Comparison, metric: &Metric) -> Result<Option<Caution>> {
        if comparison.judged != Some(Judged::Raw) {
            return Ok(None);
        }
        let (configuration, judge) =
            (comparison.candidate.clone(), &self.cache.judged_files_of(Some(metric))?.judges.judge);
        Ok(Some(Caution::Side { configuration, caution: raw(judge) }))
    }
}

impl Decisions {
    /// Says of what people and the model judge differently whose it is and what it says.
    fn name_disagreeing(
        &self,
        report: &mut CorrectedReport,
        corrected: &Corrected,
        metric: &Metric,
        sides: &[(&str, &str)],
    ) -> Result<()> {
        let places: Vec<usize> = corrected.disagreeing_sides().collect();
        for (one, place) in report.disagreeing.iter_mut().zip(places) {
            let Some((called, name)) = sides.get(place) else { continue };
            one.side = (sides.len() > 1).then(|| (*called).to_owned());
            if metric.is_of_answers() {
                let side = self.cache.answer_files(metric)?.side(name)?;
                let pieces = side.pieces.get(&one.query).into_iter().flatten();
                if let Some(piece) = pieces.into_iter().find(|piece| piece.id == one.document) {
                    one.text = Some(beginning(&piece.text, TEXT));
                    let form = AnswerMetric::from_metric(metric).and_then(AnswerMetric::form);
                    one.verdicts = form.and_then(|form| {
                        let of = |grade| ClaimVerdict::from_grade(grade, form);
                        Some([of(one.people)?, of(one.model)?])
                    });
                    one.words = self.criterion_of(metric).and_then(|criterion| {
                        let of = |grade: u8| criterion.scale.get(usize::from(grade)).cloned();
                        Some([of(one.people)?, of(one.model)?])
                    });
                }
            }
        }
        Ok(())
    }
}

/// The reasons that leave a comparison open for any claims: judges that are not validated, or another verdict under another
/// reading of what has no grade.
fn left_open(corrected: &Corrected, judges: &Judges, answer: &Answer) -> Option<CorrectedOpen> {
    let outcome = answer.comparison.decision.outcome;
    let read = READINGS.into_iter().zip(answer.read_otherwise);
    let differs = |(reading, read): (CorrectedOpen, Option<Outcome>)| {
        read.filter(|read| *read != outcome).map(|_| reading)
    };
    let open = corrected.unvalidated(judges).or_else(|| read.filter_map(differs).next());
    match open {
        Some(CorrectedOpen::Unjudged) => corrected.not_calibrated().or(open),
        open => open,
    }
}

/// What to know of a value that rests on the model alone.
fn raw(judge: &str) -> String {
    format!("scored by the grades of {judge} where people gave none, without correction")
}

/// What to know of a value that rests on errors which were carried over.
fn carried_over(report: &CalibratedReport, metric: &Metric) -> String {
    let what = if metric.is_of_answers() { ["claim", "claims"] } else { ["pair", "pairs"] };
    let labels = counted(report.labels, what[0], what[1]);
    let said = format!("the errors of {} are carried over from {labels} that people judged", report.judge);
    let [_, many] = what;
    match report.tests.iter().map(|test| test.pairs[1]).max().unwrap_or(0) {
        0 => format!("{said}; nothing tests that it errs alike on these {many}"),
        tested => format!("{said}; a test on {} shows no other errors", counted(tested, what[0], what[1])),
    }
}

/// How far down a metric looks: all claims are, of an answer.
fn looks_to(metric: &Metric, plan: &JudgePlan) -> usize {
    if metric.is_of_answers() { usize::MAX } else { metric.cutoff().unwrap_or(plan.depth) }
}

/// Where the whole interval is to the limits, as far as a value can be there.
fn interval_verdict(
    mean: &CorrectedMean,
    range: &RangeInclusive<f64>,
    threshold: &Threshold,
    confidence: Confidence,
) -> Verdict {
    match mean.interval(confidence) {
        Ok(interval) => {
            let Interval { low, high } = interval.within(range);
            beyond([low, high], threshold.min, threshold.max)
        }
        Err(_) => Verdict::Inconclusive,
    }
}

/// One end of what a value lies between, which is never where it cannot be.
fn bound(
    mean: &CorrectedMean,
    range: &RangeInclusive<f64>,
    confidence: Confidence,
    verdict: Verdict,
) -> BoundReport {
    let interval = mean.interval(confidence).ok().map(|interval| interval.within(range));
    BoundReport {
        value: mean.value.max(*range.start()).min(*range.end()),
        interval: interval.map(|Interval { low, high }| [low, high]),
        verdict,
    }
}

/// The limit that is nearest.
fn nearest(mean: &CorrectedMean, threshold: &Threshold) -> f64 {
    let limits = [threshold.min, threshold.max].into_iter().flatten();
    let apart = |limit: &f64| (limit - mean.value).abs();
    limits.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(mean.value)
}
