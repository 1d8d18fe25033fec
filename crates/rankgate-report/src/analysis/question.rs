//! Questions about the scores of two sides: asked as a family, answered, put into the report's words.

mod rows;
mod warnings;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::evaluation::Evaluation;
use crate::gate::{Statistics, Unjudged};
use crate::metric::Metric;
use crate::stats::{
    self, Basis, ComparisonSettings, CorrectedMean, Differences, Interval, NoInterval, Outcome, Stream,
};
use crate::{Error, ErrorKind, Result};

use self::rows::{Beside, PERCENTILE, rows, test_in_words};
use self::warnings::warn_of_best;
use super::judged::judged_some;
use super::likeness::{Likeness, likeness};
use super::movers;
use super::pair::Pair;
use super::suite::{check_origin, in_collection, joined};
use crate::model::{ClaimReport, CollectionValue, ComparisonFinding, Conclusion, Movers, Verdict};
use crate::words::{agree, counted};

/// Resamples of judged documents alone.
const QUICK_RESAMPLES: u64 = 1_999;

/// Refuses an expectation that a metric cannot have: a limit that is always kept, a gain in what may not be wanted.
fn check_expectation(metric: &Metric, expect: &stats::Expectation) -> Result<()> {
    if !matches!(expect, stats::Expectation::Equivalence { .. }) {
        metric.check_gain()?;
    }
    expect.limit().map_or(Ok(()), |limit| metric.check_difference(limit))
}

/// A pair, or one collection's pair of a suite.
pub struct Part {
    /// The collection's name in the suite.
    pub benchmark: Option<String>,
    pub pair: Arc<Pair>,
}

/// One metric of two sides and what is expected of it.
pub struct Question {
    /// One pair, or one for each collection of a suite.
    pub parts: Arc<Vec<Part>>,
    pub metric: Metric,
    pub expect: stats::Expectation,
    /// Whether anything is expected; else it is asked which side is better, as of an improvement.
    pub expected: bool,
    /// What documents are taken for that nobody judged.
    pub unjudged: Unjudged,
}

/// How much of the baseline's and of the candidate's documents down to a cutoff was judged.
type Judged = (usize, [f64; 2]);

/// A comparison that was decided.
#[derive(Clone, Debug)]
pub struct Compared {
    pub verdict: Verdict,
    pub finding: ComparisonFinding,
    pub comparison: stats::Comparison,
}

/// Decides a family of questions in one go, so that each is adjusted for all of them.
///
/// `untested` counts questions of the family that could not even be asked. Random numbers are those of the benchmark or suite of
/// this `name`; outside of one it is empty. The inner errors are those of single questions.
///
/// # Errors
/// What keeps the family as a whole from being tested.
pub fn compare(
    questions: &[Question],
    mut untested: usize,
    name: &str,
    statistics: &Statistics,
) -> Result<Vec<Result<Compared>>> {
    let prepared: Vec<Result<Prepared>> = questions.iter().map(Prepared::new).collect();
    let lost = |(question, prepared): &(&Question, &Result<Prepared>)| {
        prepared.is_err() && question.expect.is_corrected()
    };
    untested += questions.iter().zip(&prepared).filter(lost).count();
    let candidates = questions.iter().map(|question| question.pair().candidate_name.as_str());
    let settings = settings(statistics, untested, candidates);
    let streams: Vec<Stream> =
        questions.iter().map(|question| question.stream(name, statistics.seed)).collect();
    let ask = |settings: &ComparisonSettings, judged_only: bool| {
        let all = questions.iter().zip(&prepared).zip(&streams);
        let asked = all.filter_map(|((question, prepared), stream)| {
            Some(prepared.as_ref().ok()?.question(question, stream, judged_only))
        });
        stats::compare(&asked.collect::<Vec<_>>(), settings)
    };
    let mut comparisons = ask(&settings, false)?.into_iter();
    // All questions whose sides have unjudged documents are repeated together: one family again. It stands beside a verdict, and
    // is not worth as much time again as that took; where a p-value is near its level there will be more resamples.
    let quick = ComparisonSettings {
        verdict_only: true,
        bootstrap_resamples: settings.bootstrap_resamples.min(QUICK_RESAMPLES),
        ..settings.clone()
    };
    let unjudged = prepared.iter().flatten().any(|prepared| prepared.judged_only.is_some());
    let mut repeated = if unjudged { ask(&quick, true)? } else { Vec::new() }.into_iter();
    let mut all = Vec::with_capacity(questions.len());
    for (question, prepared) in questions.iter().zip(prepared) {
        all.push(prepared.and_then(|prepared| {
            let missing = || Error::with_kind(ErrorKind::Internal, "a comparison has no result");
            let again = repeated.next();
            let comparison = comparisons.next().ok_or_else(missing)?;
            let answer = Answer {
                judged_only: prepared.judged_only.as_ref().and(again),
                comparison,
                prepared,
                untested,
            };
            let finding = question.finding(&answer, statistics)?;
            let verdict = verdict(answer.comparison.decision.outcome);
            Ok(Compared { verdict, finding, comparison: answer.comparison })
        }));
    }
    warn_of_best(&mut all.iter_mut().flatten().collect::<Vec<_>>());
    Ok(all)
}

/// What came of a question.
struct Answer {
    prepared: Prepared,
    comparison: stats::Comparison,
    /// The same on judged documents alone, where there are others.
    judged_only: Option<stats::Comparison>,
    /// Questions of its family that could not be asked.
    untested: usize,
}

fn settings<'a>(
    statistics: &Statistics,
    untested: usize,
    candidates: impl Iterator<Item = &'a str>,
) -> ComparisonSettings {
    ComparisonSettings {
        confidence: statistics.confidence,
        correction: statistics.correction,
        test: statistics.test,
        bootstrap_resamples: statistics.resamples,
        robustness: statistics.robustness,
        untested,
        candidates: candidates.collect::<BTreeSet<_>>().len(),
        ..ComparisonSettings::default()
    }
}

/// The numbers that a question is about.
struct Prepared {
    /// Of all parts together.
    differences: Differences,
    /// Of each collection of a suite.
    by_collection: Vec<Differences>,
    /// Of a column that a model gave, what people make of the differences.
    corrected: Option<CorrectedMean>,
    /// None of a column of scores.
    judged: Option<Judged>,
    judged_only: Option<Differences>,
}

impl Prepared {
    fn new(question: &Question) -> Result<Self> {
        let Question { parts, metric, expect, .. } = question;
        if question.expected {
            check_expectation(metric, expect)?;
        }
        for part in parts.iter() {
            let pair = &part.pair;
            for (side, name) in
                [(&pair.candidate, &pair.candidate_name), (&pair.baseline, &pair.baseline_name)]
            {
                side.findable(metric).map_err(|error| part.named(error))?;
                judged_some(side, name, metric).map_err(|error| part.named(error))?;
            }
        }
        let judged = (!metric.is_column()).then(|| question.judged()).transpose()?;
        if question.is_of_suite() {
            let by_collection: Vec<Differences> =
                parts.iter().map(|part| question.in_suite(part)).collect::<Result<_>>()?;
            let differences = joined(&by_collection)?;
            return Ok(Self { differences, by_collection, corrected: None, judged, judged_only: None });
        }
        let pair = question.pair();
        let (corrected, differences) = match pair.corrected(metric)? {
            Some(_) if question.unjudged == Unjudged::Worst => {
                return Err(Error::invalid(format!(
                    "`unjudged: worst` is not for {metric} here, which people's grades correct: leave it out"
                )));
            }
            Some((corrected, differences)) => (Some(corrected), differences),
            None => (None, pair.decided_on(metric, question.unjudged)?),
        };
        // People's differences and a model's are not those of unjudged documents.
        let repeats = corrected.is_none()
            && metric.needs_relevance()
            && judged.is_some_and(|(cutoff, _)| pair.holds_unjudged(cutoff));
        let judged_only = repeats.then(|| pair.judged_differences(metric)).transpose()?;
        Ok(Self { differences, by_collection: Vec::new(), corrected, judged, judged_only })
    }

    fn question<'a>(
        &'a self,
        question: &'a Question,
        stream: &'a Stream,
        judged_only: bool,
    ) -> stats::Question<'a> {
        let instead = self.judged_only.as_ref().filter(|_| judged_only);
        stats::Question {
            expectation: question.expect,
            identical: question.is_identical(),
            corrected: self.corrected.as_ref().filter(|_| instead.is_none()),
            ..stats::Question::new(instead.unwrap_or(&self.differences), stream)
        }
    }
}

impl Part {
    /// What a question about one pair is about.
    pub fn alone(pair: Arc<Pair>) -> Arc<Vec<Self>> {
        Arc::new(vec![Self { benchmark: None, pair }])
    }

    /// An error of a collection of a suite, which says so.
    fn named(&self, error: Error) -> Error {
        match &self.benchmark {
            Some(benchmark) => in_collection(benchmark, &error),
            None => error,
        }
    }
}

impl Question {
    /// The pair, or that of the first collection.
    pub fn pair(&self) -> &Pair {
        &self.parts[0].pair
    }

    fn is_of_suite(&self) -> bool {
        self.parts[0].benchmark.is_some()
    }

    /// The random numbers of a pair: the same whatever else is asked. Outside of a benchmark names are those of files, which
    /// somebody may rename. In a suite candidates of one baseline share their signs and their resamples.
    fn stream(&self, name: &str, seed: u64) -> Stream {
        let (pair, seeded) = (self.pair(), Stream::new(seed));
        match name {
            "" => seeded,
            suite if self.is_of_suite() => seeded.for_name(suite).for_name(&pair.baseline_name),
            benchmark => {
                seeded.for_name(benchmark).for_name(&pair.baseline_name).for_name(&pair.candidate_name)
            }
        }
    }

    /// The rank down to which documents matter.
    fn cutoff(&self, pair: &Pair) -> usize {
        self.metric.cutoff().unwrap_or_else(|| pair.candidate.depth().min(pair.baseline.depth()))
    }

    /// Whether both sides are the same, so that no difference is one. Rankings say nothing of a column.
    fn is_identical(&self) -> bool {
        !self.metric.is_column() && self.parts.iter().all(|part| part.pair.is_identical())
    }

    /// The differences in one collection of a suite, which never takes a mean over fewer queries, and corrects none.
    fn in_suite(&self, part: &Part) -> Result<Differences> {
        let pair = &part.pair;
        if pair.unpaired > 0 {
            return Err(part.named(Error::invalid(format!(
                "{} {} not on both sides, {} and {}: a suite never takes a mean over fewer",
                counted(pair.unpaired, "query", "queries"),
                agree(pair.unpaired, "is", "are"),
                pair.candidate_name,
                pair.baseline_name
            ))));
        }
        let sides = [&pair.candidate, &pair.baseline];
        let origins = sides.iter().try_for_each(|side| check_origin(side, &self.metric));
        origins.and_then(|()| pair.decided_on(&self.metric, self.unjudged)).map_err(|error| part.named(error))
    }

    fn judged(&self) -> Result<Judged> {
        let (mut deepest, mut shares) = (1, [0.0, 0.0]);
        let share = 1.0 / self.parts.len() as f64;
        for Part { pair, .. } in self.parts.iter() {
            let cutoff = self.cutoff(pair);
            deepest = deepest.max(cutoff);
            for (mean, side) in shares.iter_mut().zip([&pair.baseline, &pair.candidate]) {
                *mean += share * side.value(Metric::judged_at(cutoff))?;
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

    /// What an outcome says where nothing is expected.
    fn conclusion(&self, outcome: Outcome) -> Conclusion {
        match (outcome, self.metric.check_gain().is_ok()) {
            _ if self.is_identical() => Conclusion::Identical,
            (Outcome::Passed, true) => Conclusion::Better,
            (Outcome::Failed, true) => Conclusion::Worse,
            (Outcome::Passed, false) => Conclusion::Higher,
            (Outcome::Failed, false) => Conclusion::Lower,
            (Outcome::Inconclusive, _) => Conclusion::NotSignificant,
        }
    }

    /// The queries that moved most, at most so many each way; none of a suite.
    pub fn movers(&self, most: usize) -> Result<Movers> {
        if self.is_of_suite() {
            return Ok(Movers::default());
        }
        let Pair { candidate, baseline, baseline_name, .. } = self.pair();
        movers::against(candidate, (baseline_name, baseline), &self.metric, most)
    }

    /// Each collection of a suite by itself.
    fn collections(&self, by_collection: &[Differences]) -> Vec<CollectionValue> {
        let value = |(part, one): (&Part, &Differences)| CollectionValue {
            benchmark: part.benchmark.clone().unwrap_or_default(),
            queries: Some(one.queries()),
            value: Some(one.candidate_mean()),
            baseline: Some(one.baseline_mean()),
            spec: None,
        };
        self.parts.iter().zip(by_collection).map(value).collect()
    }

    /// The answer in the report's words.
    fn finding(&self, answer: &Answer, statistics: &Statistics) -> Result<ComparisonFinding> {
        let Self { metric, expect, .. } = self;
        let Answer { prepared, comparison, .. } = answer;
        let pair = self.pair();
        let is_of_suite = self.is_of_suite();
        let spread = if is_of_suite { None } else { spread(pair, metric)? };
        let names = [&pair.candidate_name, &pair.baseline_name].map(String::as_str);
        let corrected = prepared.corrected.is_some();
        let beside = Beside {
            corrected,
            judged: prepared.judged,
            judged_only: answer.judged_only.as_ref().map(|repeated| repeated.difference),
            unjudged: self.unjudged,
            spread,
            likeness: (!metric.is_column()).then(|| self.likeness()).transpose()?.map(Likeness::row),
        };
        let mut finding = ComparisonFinding {
            candidate: pair.candidate_name.clone(),
            baseline: pair.baseline_name.clone(),
            metric: metric.to_string(),
            segment: pair.segment.as_ref().map(|segment| [segment.key.clone(), segment.value.clone()]),
            expect: self.expected.then(|| (*expect).into()),
            conclusion: (!self.expected).then(|| self.conclusion(comparison.decision.outcome)),
            limit: expect.limit(),
            reason: comparison.decision.reason,
            queries: match &prepared.by_collection[..] {
                [] => comparison.queries,
                all => all.iter().map(Differences::queries).sum(),
            },
            wins: comparison.wins,
            ties: comparison.ties,
            losses: comparison.losses,
            baseline_mean: comparison.baseline_mean,
            candidate_mean: comparison.candidate_mean,
            difference: comparison.difference,
            interval: made(comparison, statistics, corrected)
                .0
                .ok()
                .map(|interval| limits(interval.within(&metric.difference_range()))),
            p_deciding: comparison.p_two_sided(),
            p_adjusted: comparison.p_adjusted_two_sided(),
            test: String::new(),
            claims: claims(comparison, statistics),
            minimum_detectable_effect: comparison.minimum_detectable_effect,
            rows: rows(comparison, names, statistics, beside),
            warnings: self.warnings(answer, spread)?,
            movers: self.movers(movers::QUERIES)?,
            collections: self.collections(&prepared.by_collection),
        };
        finding.test = test_in_words(comparison, &finding, statistics, corrected);
        Ok(finding)
    }
}

/// The verdict that an outcome is, before it is said what inconclusive does.
fn verdict(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed => Verdict::Failed,
        Outcome::Inconclusive => Verdict::Inconclusive,
    }
}

fn limits(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// The interval of the difference that goes with what decides, and how it was made.
fn made(
    comparison: &stats::Comparison,
    statistics: &Statistics,
    corrected: bool,
) -> (Result<Interval, NoInterval>, &'static str) {
    match (corrected, statistics.test.resamples()) {
        (true, _) => (comparison.interval, "corrected mean"),
        (false, true) => (comparison.bootstrap.interval, PERCENTILE),
        (false, false) => (comparison.interval, "test inversion"),
    }
}

fn claims(comparison: &stats::Comparison, statistics: &Statistics) -> Vec<ClaimReport> {
    // One scale for all that is told, on which a p-value and the interval beside it say the same.
    let two_sided = |p: f64| (2.0 * p).min(1.0);
    let tail = statistics.confidence.tail();
    let claims = &comparison.decision.claims;
    let report = |(place, weighed): (usize, &stats::WeighedClaim)| ClaimReport {
        direction: weighed.claim.direction,
        null: weighed.claim.null,
        // Those that it passes on come first, and then as many that it fails on.
        hoped: place < claims.len() / 2,
        p: two_sided(weighed.p),
        p_adjusted: two_sided(weighed.p_adjusted),
        reached: weighed.p_adjusted <= tail,
        p_second: weighed.second.filter(|_| weighed.basis != Basis::Test).map(two_sided),
        by_unseen_query: weighed.basis == Basis::UnseenQuery,
        evidence: weighed.evidence,
    };
    claims.iter().enumerate().map(report).collect()
}

/// The largest difference between two repeats of one side, in the units of the mean difference.
fn spread(pair: &Pair, metric: &Metric) -> Result<Option<f64>> {
    let of_side = |side: &Evaluation| -> Result<Option<f64>> {
        let per_query = if metric.is_count() { side.queries().len() as f64 } else { 1.0 };
        Ok(side.range_over_passes(metric)?.map(|[low, high]| (high - low) / per_query))
    };
    let (ours, theirs) = (of_side(&pair.candidate)?, of_side(&pair.baseline)?);
    Ok([ours, theirs].into_iter().flatten().reduce(f64::max))
}
