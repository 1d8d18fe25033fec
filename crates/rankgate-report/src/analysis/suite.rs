//! What several collections show together: a candidate against a baseline, and limits on means over them.

use std::sync::Arc;

use crate::evaluation::{Estimate, Evaluation, People, hold};
use crate::gate::{Statistics, Threshold, Unjudged, deciding_value};
use crate::metric::Metric;
use crate::model::{
    CollectionValue, ComparisonFinding, MetricReport, Movers, ThresholdFinding, Verdict, Warning,
};
use crate::stats::{self, Differences, Interval, IntervalKind, NoInterval, PairedT, Stream};
use crate::words::{agree, counted};
use crate::{Error, ErrorKind, Result};

use super::cannot_fail::cannot_fail;
use super::judged::judged_some;
use super::likeness::{Likeness, likeness};
use super::measured::metric_report;
use super::pair::Pair;
use super::question::rows::Beside;
use super::question::{not_tested, numbers, settings, verdict, warn_of_best};

/// One collection's part in a question.
pub struct Part {
    pub benchmark: String,
    pub pair: Arc<Pair>,
}

/// One metric over several collections and the expectation.
pub struct SuiteQuestion {
    pub parts: Arc<Vec<Part>>,
    pub metric: Metric,
    pub expect: stats::Expectation,
    pub unjudged: Unjudged,
}

/// The numbers that a question is about.
struct Prepared {
    parts: Vec<Differences>,
    joined: Differences,
}

/// What a suite is called, and how its comparisons are decided.
pub struct Rules<'a> {
    pub suite: &'a str,
    pub statistics: &'a Statistics,
}

/// Decides a family of questions, each adjusted for all of them; `untested` could not even be tested.
///
/// # Errors
/// What keeps the family as a whole from being tested. The inner errors are those of single questions.
pub fn compare_suite(
    questions: &[SuiteQuestion],
    mut untested: usize,
    rules: &Rules<'_>,
) -> Result<Vec<Result<(Verdict, ComparisonFinding)>>> {
    let prepared: Vec<Result<Prepared>> = questions.iter().map(SuiteQuestion::prepare).collect();
    untested += questions
        .iter()
        .zip(&prepared)
        .filter(|(question, prepared)| prepared.is_err() && question.expect.is_corrected())
        .count();
    let candidates = questions.iter().map(|question| question.names()[0]);
    let of_family = settings(rules.statistics, untested, candidates);
    let streams: Vec<Stream> = questions.iter().map(|question| question.stream(rules)).collect();
    let asked: Vec<stats::Question<'_>> = questions
        .iter()
        .zip(&prepared)
        .zip(&streams)
        .filter_map(|((question, prepared), stream)| {
            Some(stats::Question {
                expectation: question.expect,
                identical: question.parts.iter().all(|part| part.pair.is_identical()),
                ..stats::Question::new(&prepared.as_ref().ok()?.joined, stream)
            })
        })
        .collect();
    let mut compared = stats::compare(&asked, &of_family)?.into_iter();
    let mut all = Vec::with_capacity(questions.len());
    for (question, prepared) in questions.iter().zip(&prepared) {
        all.push(match prepared {
            Err(error) => Err(error.clone()),
            Ok(prepared) => {
                let missing = || Error::with_kind(ErrorKind::Internal, "a comparison has no result");
                let comparison = compared.next().ok_or_else(missing)?;
                question.to_finding((&comparison, &prepared.parts), untested, rules)
            }
        });
    }
    warn_of_best(
        &mut all.iter_mut().flatten().map(|(verdict, finding)| (finding, *verdict)).collect::<Vec<_>>(),
    );
    Ok(all)
}

impl SuiteQuestion {
    fn names(&self) -> [&str; 2] {
        self.parts.first().map_or(["", ""], |part| [&part.pair.candidate_name, &part.pair.baseline_name])
    }

    /// Candidates of one baseline share their signs and their resamples.
    fn stream(&self, rules: &Rules<'_>) -> Stream {
        let [_, baseline] = self.names();
        Stream::new(rules.statistics.seed).for_name(rules.suite).for_name(baseline)
    }

    /// The rank down to which documents matter.
    fn cutoff(&self, pair: &Pair) -> usize {
        self.metric.cutoff().unwrap_or_else(|| pair.candidate.depth().min(pair.baseline.depth()))
    }

    fn prepare(&self) -> Result<Prepared> {
        self.expect.limit().into_iter().try_for_each(|limit| self.metric.check_difference(limit))?;
        let mut parts = Vec::with_capacity(self.parts.len());
        for Part { benchmark, pair, .. } in self.parts.iter() {
            let of_it = |error: Error| in_collection(benchmark, &error);
            if pair.unpaired > 0 {
                return Err(Error::invalid(format!(
                    "{benchmark}: {} {} not on both sides, {} and {}: a suite never takes a mean over fewer",
                    counted(pair.unpaired, "query", "queries"),
                    agree(pair.unpaired, "is", "are"),
                    pair.candidate_name,
                    pair.baseline_name
                )));
            }
            for (side, name) in
                [(&pair.candidate, &pair.candidate_name), (&pair.baseline, &pair.baseline_name)]
            {
                side.findable(&self.metric).map_err(of_it)?;
                judged_some(side, name, &self.metric).map_err(of_it)?;
                check_origin(side, &self.metric).map_err(of_it)?;
            }
            parts.push(pair.decided_on(&self.metric, self.unjudged).map_err(of_it)?);
        }
        let joined = joined(&parts)?;
        Ok(Prepared { joined, parts })
    }

    /// The answer in the report's words.
    fn to_finding(
        &self,
        (comparison, parts): (&stats::Comparison, &[Differences]),
        untested: usize,
        rules: &Rules<'_>,
    ) -> Result<(Verdict, ComparisonFinding)> {
        let collections = self.parts.iter().zip(parts).map(|(part, one)| CollectionValue {
            benchmark: part.benchmark.clone(),
            queries: Some(one.queries()),
            value: Some(one.candidate_mean()),
            baseline: Some(one.baseline_mean()),
            spec: None,
        });
        let beside = Beside {
            judged: Some(self.judged()?),
            unjudged: self.unjudged,
            likeness: Some(self.likeness()?.row()),
            ..Beside::default()
        };
        let asked = (self.names(), &self.metric, &self.expect);
        let queries = parts.iter().map(Differences::queries).sum();
        let finding = ComparisonFinding {
            warnings: self.warnings(comparison, untested),
            collections: collections.collect(),
            ..numbers(comparison, asked, beside, (rules.statistics, self.parts.len(), queries))
        };
        Ok((verdict(comparison.decision.outcome), finding))
    }

    fn judged(&self) -> Result<(usize, [f64; 2])> {
        let deepest = self.parts.iter().map(|part| self.cutoff(&part.pair)).max().unwrap_or(1);
        let mut shares = [0.0, 0.0];
        let share = 1.0 / self.parts.len() as f64;
        for Part { pair, .. } in self.parts.iter() {
            let metric = Metric::judged_at(self.cutoff(pair));
            for (mean, side) in shares.iter_mut().zip([&pair.baseline, &pair.candidate]) {
                *mean += share * side.value(&metric)?;
            }
        }
        Ok((deepest, shares))
    }

    fn likeness(&self) -> Result<Likeness> {
        let mut all = Likeness { cutoff: 0, overlap: 0.0, identical: 0, queries: 0 };
        let share = 1.0 / self.parts.len() as f64;
        for Part { pair, .. } in self.parts.iter() {
            let (own, _) = likeness(pair, self.cutoff(pair))?;
            all.cutoff = all.cutoff.max(own.cutoff);
            all.overlap += share * own.overlap;
            all.identical += own.identical;
            all.queries += own.queries;
        }
        Ok(all)
    }

    fn warnings(&self, comparison: &stats::Comparison, untested: usize) -> Vec<Warning> {
        let name = self.parts.first().map_or("", |part| part.pair.baseline_name.as_str());
        let baseline = (name, comparison.baseline_mean);
        let mut warnings: Vec<Warning> =
            cannot_fail(&self.expect, &self.metric, baseline).into_iter().collect();
        warnings.extend(comparison.warnings.iter().map(|&warning| self.warning(warning)));
        if untested > 0 && self.expect.is_corrected() {
            warnings.push(not_tested(untested, comparison.family));
        }
        let named = |part: &Part| {
            let warning = part.pair.empty_baseline()?;
            Some(Warning::new(&warning.kind, format!("{}: {warning}", part.benchmark)))
        };
        warnings.extend(self.parts.iter().filter_map(named));
        warnings
    }

    /// A warning, with its unit called by its collection and its id.
    fn warning(&self, warning: stats::Warning) -> Warning {
        let unit = warning.unit().and_then(|mut unit| {
            for Part { benchmark, pair, .. } in self.parts.iter() {
                if unit < pair.units() {
                    return Some(format!("{benchmark}/{}", pair.unit(unit)));
                }
                unit -= pair.units();
            }
            None
        });
        Warning::of_statistics(warning, unit, None)
    }
}

/// The differences of all collections, each of which counts alike.
fn joined(parts: &[Differences]) -> Result<Differences> {
    let share = 1.0 / parts.len() as f64;
    Differences::joined(&parts.iter().map(|part| (part, share)).collect::<Vec<_>>())
}

/// An error of one collection, which says so.
pub fn in_collection(benchmark: &str, error: &Error) -> Error {
    Error::with_kind(error.kind(), format!("{benchmark}: {error}"))
}

/// A configuration in one collection.
pub struct PartOfMean<'a> {
    pub benchmark: &'a str,
    pub evaluation: &'a Evaluation,
}

/// Refuses a metric that a model's grades are in: a suite does not correct its mean.
fn check_origin(evaluation: &Evaluation, metric: &Metric) -> Result<()> {
    match evaluation.people(metric)? {
        People::NotNeeded => Ok(()),
        People::Sample(_) | People::TooFew(_) => Err(Error::invalid(format!(
            "a model's grades are in {metric}, and a suite does not correct its mean by people's: gate this benchmark by itself"
        ))),
    }
}

/// The mean of a metric over collections: one more query in each of them, at either end of
/// the metric's range, gives its interval; without a range it is one of t.
fn estimate(
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    statistics: &Statistics,
) -> Result<(Estimate, Vec<f64>)> {
    metric.check_arithmetic()?;
    if metric.is_count() {
        return Err(Error::invalid(format!("{metric} is a sum, and a suite takes means over collections")));
    }
    let mut differences = Vec::with_capacity(parts.len());
    for PartOfMean { benchmark, evaluation } in parts {
        let of_it = |error: Error| in_collection(benchmark, &error);
        evaluation.findable(metric).map_err(of_it)?;
        check_origin(evaluation, metric).map_err(of_it)?;
        let scores = evaluation.scores(metric.clone()).map_err(of_it)?;
        let nothing = vec![0.0; scores.len()];
        differences.push(match evaluation.groups() {
            Some(groups) => Differences::grouped(&nothing, &scores, groups)?,
            None => Differences::new(&nothing, &scores)?,
        });
    }
    let joined = joined(&differences)?;
    let range = metric.range();
    let cut = |limit: f64| limit.clamp(*range.start(), *range.end());
    let cut = |limits: Interval| Interval { low: cut(limits.low), high: cut(limits.high) };
    let stream = Stream::new(statistics.seed).for_name("means");
    let (kind, interval) = match joined.unseen_limits(&range, statistics.confidence, &stream) {
        Some(limits) => (IntervalKind::UnseenQuery, Ok(limits)),
        None => {
            let t = PairedT::new(&joined).ok_or(NoInterval::OneValue);
            (IntervalKind::T, t.and_then(|t| t.interval(statistics.confidence)))
        }
    };
    let estimate = Estimate {
        value: joined.mean(),
        interval: interval.map(cut),
        kind,
        queries: differences.iter().map(Differences::queries).sum(),
        extremes: None,
        groups: None,
    };
    Ok((estimate, differences.iter().map(Differences::mean).collect()))
}

/// A metric of a configuration over all collections.
pub fn macro_mean(
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    statistics: &Statistics,
) -> Result<MetricReport> {
    let (estimate, by_collection) = estimate(parts, metric, statistics)?;
    Ok(MetricReport { by_collection, ..metric_report(metric, &estimate) })
}

/// A mean over collections held against its limits.
pub fn suite_threshold(
    configuration: &str,
    parts: &[PartOfMean<'_>],
    metric: &Metric,
    threshold: &Threshold,
    statistics: &Statistics,
) -> Result<(Verdict, ThresholdFinding)> {
    for part in parts {
        judged_some(part.evaluation, configuration, metric)
            .map_err(|error| in_collection(part.benchmark, &error))?;
    }
    let (estimate, values) = estimate(parts, metric, statistics)?;
    let value = |(part, value): (&PartOfMean<'_>, f64)| CollectionValue {
        benchmark: part.benchmark.to_owned(),
        queries: Some(part.evaluation.queries().len()),
        value: Some(value),
        ..CollectionValue::default()
    };
    let finding = ThresholdFinding {
        metric: metric.to_string(),
        segment: None,
        min: threshold.min,
        max: threshold.max,
        bound: threshold.bound,
        held: deciding_value(threshold.bound, estimate.value, estimate.limits(), None),
        queries: estimate.queries,
        unanswered: parts.iter().map(|part| part.evaluation.unanswered().len()).sum(),
        warnings: Vec::new(),
        measured: metric_report(metric, &estimate),
        note: String::new(),
        collections: parts.iter().zip(values).map(value).collect(),
        movers: Movers::default(),
    };
    let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
    Ok((verdict, finding))
}
