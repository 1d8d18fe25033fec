//! Questions about the scores of two sides: asked as a family, answered, put into the report's words.

pub(super) mod rows;
mod warnings;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::evaluation::Evaluation;
use crate::gate::{IntervalMethod, Statistics, Unjudged};
use crate::metric::Metric;
use crate::stats::{
    self, Basis, ComparisonSettings, CorrectedMean, Differences, Interval, NoInterval, Outcome, Stream,
};
use crate::{Error, ErrorKind, Result};

use self::rows::{Beside, rows, test_in_words};
pub use self::warnings::JUDGED_APART;
pub(super) use self::warnings::not_tested;
pub(super) use self::warnings::warn_of_best;
use super::judged::judged_some;
use super::likeness::likeness;
use super::movers;
use super::pair::Pair;
use crate::model::{ClaimReport, ComparisonFinding, Conclusion, Movers, Verdict};

/// Resamples of judged documents alone.
const QUICK_RESAMPLES: u64 = 1_999;

/// Refuses an expectation that a metric cannot have: a limit that is always kept, a gain in what may not be wanted.
pub fn check_expectation(metric: &Metric, expect: &stats::Expectation) -> Result<()> {
    if !matches!(expect, stats::Expectation::Equivalence { .. }) {
        metric.check_gain()?;
    }
    expect.limit().map_or(Ok(()), |limit| metric.check_difference(limit))
}

/// What the outcome of a question for a gain says where nothing is expected; `is_gain` says whether a rise is one.
fn conclusion(outcome: Outcome, is_gain: bool) -> Conclusion {
    match (outcome, is_gain) {
        (Outcome::Passed, true) => Conclusion::Better,
        (Outcome::Failed, true) => Conclusion::Worse,
        (Outcome::Passed, false) => Conclusion::Higher,
        (Outcome::Failed, false) => Conclusion::Lower,
        (Outcome::Inconclusive, _) => Conclusion::NotSignificant,
    }
}

/// One metric of a pair and what is expected of it.
pub struct Question {
    pub pair: Arc<Pair>,
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
/// `untested` counts questions of the family that could not even be asked. Random numbers are those of the `benchmark`; outside
/// of one its name is empty. The inner errors are those of single questions.
///
/// # Errors
/// What keeps the family as a whole from being tested.
pub fn compare(
    questions: &[Question],
    untested: usize,
    benchmark: &str,
    statistics: &Statistics,
) -> Result<Vec<Result<Compared>>> {
    let answers = answer(questions, untested, benchmark, statistics)?;
    let finding = |(question, answer): (&Question, Result<Answer>)| {
        let answer = answer?;
        let finding = question.finding(&answer, statistics)?;
        let verdict = verdict(answer.comparison.decision.outcome);
        Ok(Compared { verdict, finding, comparison: answer.comparison })
    };
    let mut all: Vec<Result<Compared>> = questions.iter().zip(answers).map(finding).collect();
    warn_of_best(
        &mut all.iter_mut().flatten().map(|one| (&mut one.finding, one.verdict)).collect::<Vec<_>>(),
    );
    Ok(all)
}

/// What came of a question.
#[derive(Debug)]
struct Answer {
    comparison: stats::Comparison,
    judged: Option<Judged>,
    /// The same on judged documents alone, where there are others.
    judged_only: Option<stats::Comparison>,
    /// Questions of its family that could not be asked.
    untested: usize,
}

/// Answers a family; what cannot be computed is added to the untested questions.
fn answer(
    questions: &[Question],
    mut untested: usize,
    benchmark: &str,
    statistics: &Statistics,
) -> Result<Vec<Result<Answer>>> {
    let prepared: Vec<Result<Prepared>> = questions.iter().map(Prepared::new).collect();
    let lost = |(question, prepared): &(&Question, &Result<Prepared>)| {
        prepared.is_err() && question.expect.is_corrected()
    };
    untested += questions.iter().zip(&prepared).filter(lost).count();
    let candidates = questions.iter().map(|question| question.pair.candidate_name.as_str());
    let settings = settings(statistics, untested, candidates);
    let streams: Vec<Stream> =
        questions.iter().map(|question| question.stream(benchmark, statistics.seed)).collect();
    let ask = |judged_only: bool| {
        let asked: Vec<stats::Question<'_>> = questions
            .iter()
            .zip(&prepared)
            .zip(&streams)
            .filter_map(|((question, prepared), stream)| {
                Some(prepared.as_ref().ok()?.question(question, stream, judged_only))
            })
            .collect();
        let mut settings = ComparisonSettings { verdict_only: judged_only, ..settings.clone() };
        if judged_only {
            // Beside a verdict, and not worth as much time again as that took; where a p-value is near its level
            // there will be more of them.
            settings.bootstrap_resamples = settings.bootstrap_resamples.min(QUICK_RESAMPLES);
        }
        stats::compare(&asked, &settings)
    };
    let mut comparisons = ask(false)?.into_iter();
    // All questions whose sides have unjudged documents are repeated together: one family again.
    let unjudged = prepared.iter().flatten().any(|prepared| prepared.judged_only.is_some());
    let mut repeated = if unjudged { ask(true)? } else { Vec::new() }.into_iter();
    let mut answers = Vec::with_capacity(prepared.len());
    for prepared in prepared {
        answers.push(match prepared {
            Err(error) => Err(error),
            Ok(prepared) => {
                let missing = || Error::with_kind(ErrorKind::Internal, "a comparison has no result");
                let again = repeated.next();
                Ok(Answer {
                    comparison: comparisons.next().ok_or_else(missing)?,
                    judged_only: prepared.judged_only.and(again),
                    judged: prepared.judged,
                    untested,
                })
            }
        });
    }
    Ok(answers)
}

pub(super) fn settings<'a>(
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
    differences: Differences,
    /// Of a column that a model gave, what people make of the differences.
    corrected: Option<CorrectedMean>,
    judged: Option<Judged>,
    judged_only: Option<Differences>,
}

impl Prepared {
    fn new(question: &Question) -> Result<Self> {
        let Question { pair, metric, expect, .. } = question;
        if question.expected {
            check_expectation(metric, expect)?;
        }
        for (side, name) in [(&pair.candidate, &pair.candidate_name), (&pair.baseline, &pair.baseline_name)] {
            side.findable(metric)?;
            judged_some(side, name, metric)?;
        }
        let cutoff = question.cutoff();
        let judged = |cutoff: usize| -> Result<Judged> {
            let metric = Metric::judged_at(cutoff);
            let [baseline, candidate] = [&pair.baseline, &pair.candidate].map(|side| side.value(&metric));
            Ok((cutoff, [baseline?, candidate?]))
        };
        let judged = cutoff.map(judged).transpose()?;
        let repeats = metric.needs_relevance() && cutoff.is_some_and(|cutoff| pair.holds_unjudged(cutoff));
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
        let repeats = repeats && corrected.is_none();
        Ok(Self {
            differences,
            corrected,
            judged_only: repeats.then(|| pair.judged_differences(metric)).transpose()?,
            judged,
        })
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

impl Question {
    /// The random numbers of a pair: the same whatever else is asked. Outside of a benchmark names are those of files, which
    /// somebody may rename.
    fn stream(&self, benchmark: &str, seed: u64) -> Stream {
        let pair = &self.pair;
        if benchmark.is_empty() {
            return Stream::new(seed);
        }
        Stream::new(seed).for_name(benchmark).for_name(&pair.baseline_name).for_name(&pair.candidate_name)
    }

    /// The rank down to which documents matter; none of a column of scores.
    fn cutoff(&self) -> Option<usize> {
        let depth = || self.pair.candidate.depth().min(self.pair.baseline.depth());
        (!self.metric.is_column()).then(|| self.metric.cutoff().unwrap_or_else(depth))
    }

    /// Whether both sides are the same, so that no difference is one. Rankings say nothing of a column.
    fn is_identical(&self) -> bool {
        !self.metric.is_column() && self.pair.is_identical()
    }

    /// What an outcome says where nothing is expected.
    pub(crate) fn conclusion(&self, outcome: Outcome) -> Conclusion {
        match self.is_identical() {
            true => Conclusion::Identical,
            false => conclusion(outcome, self.metric.check_gain().is_ok()),
        }
    }

    /// The queries that moved most, at most so many each way.
    pub fn movers(&self, most: usize) -> Result<Movers> {
        let Pair { candidate, baseline, baseline_name, .. } = &*self.pair;
        movers::against(candidate, (baseline_name, baseline), &self.metric, most)
    }

    /// The answer in the report's words.
    fn finding(&self, answer: &Answer, statistics: &Statistics) -> Result<ComparisonFinding> {
        let Self { pair, metric, expect, .. } = self;
        let comparison = &answer.comparison;
        let spread = spread(pair, metric)?;
        let names = [&pair.candidate_name, &pair.baseline_name].map(String::as_str);
        let beside = Beside {
            judged: answer.judged,
            judged_only: answer.judged_only.as_ref().map(|repeated| repeated.difference),
            unjudged: self.unjudged,
            spread,
            likeness: self
                .cutoff()
                .map(|cutoff| Ok::<_, Error>(likeness(pair, cutoff)?.0.row()))
                .transpose()?,
        };
        Ok(ComparisonFinding {
            segment: pair.segment.as_ref().map(|segment| [segment.key.clone(), segment.value.clone()]),
            expect: self.expected.then(|| (*expect).into()),
            conclusion: (!self.expected).then(|| self.conclusion(comparison.decision.outcome)),
            warnings: self.warnings(answer, spread)?,
            movers: self.movers(movers::QUERIES)?,
            ..numbers(comparison, (names, metric, expect), beside, (statistics, 1, comparison.queries))
        })
    }
}

/// What a comparison of scores says by itself, of a candidate and its baseline by their names, over so many collections.
pub(super) fn numbers(
    comparison: &stats::Comparison,
    (names, metric, expect): ([&str; 2], &Metric, &stats::Expectation),
    beside: Beside,
    (statistics, collections, queries): (&Statistics, usize, usize),
) -> ComparisonFinding {
    let range = metric.difference_range();
    let [candidate, baseline] = names;
    let mut finding = ComparisonFinding {
        candidate: candidate.to_owned(),
        baseline: baseline.to_owned(),
        metric: metric.to_string(),
        segment: None,
        expect: Some((*expect).into()),
        conclusion: None,
        limit: expect.limit(),
        reason: comparison.decision.reason,
        queries,
        wins: comparison.wins,
        ties: comparison.ties,
        losses: comparison.losses,
        baseline_mean: comparison.baseline_mean,
        candidate_mean: comparison.candidate_mean,
        difference: comparison.difference,
        interval: made(comparison, statistics.interval())
            .ok()
            .map(|interval| limits(interval.within(&range))),
        p_deciding: comparison.p_two_sided(),
        p_adjusted: comparison.p_adjusted_two_sided(),
        test: String::new(),
        claims: claims(comparison, statistics),
        minimum_detectable_effect: comparison.minimum_detectable_effect,
        rows: rows(comparison, names, statistics, beside),
        warnings: Vec::new(),
        movers: Movers::default(),
        collections: Vec::new(),
    };
    let basis = |claim: &ClaimReport| match claim.p_second {
        Some(_) if claim.by_unseen_query => Basis::UnseenQuery,
        Some(_) => Basis::Both,
        None => Basis::Test,
    };
    let deciding: Vec<Basis> = finding.deciding().into_iter().map(basis).collect();
    // Where differences have no spread, the permutation test stands in for the bootstrap.
    let by_bootstrap = statistics.test.resamples() && comparison.bootstrap.p_two_sided.is_some();
    finding.test = test_in_words(comparison, &deciding, (by_bootstrap, finding.is_grouped(), collections));
    finding
}

/// The verdict that an outcome is, before it is said what inconclusive does.
pub(super) fn verdict(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed => Verdict::Failed,
        Outcome::Inconclusive => Verdict::Inconclusive,
    }
}

pub(super) fn limits(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// The interval of the difference by a method.
fn made(comparison: &stats::Comparison, method: IntervalMethod) -> Result<Interval, NoInterval> {
    match method {
        IntervalMethod::TestInversion => comparison.interval,
        IntervalMethod::Percentile => comparison.bootstrap.interval,
        IntervalMethod::T => comparison.t_interval,
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
