//! Questions about the scores of two sides: asked as a family, answered, put into the report's words.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::evaluation::{Evaluation, People};
use crate::gate::{Expect, IntervalMethod, Statistics, Unjudged};
use crate::metric::Metric;
use crate::scores::LEAST_PEOPLE;
use crate::stats::{
    self, BootstrapInterval, Builds, ComparisonSettings, CorrectedMean, DecidingTest, Differences, Interval,
    NoInterval, Outcome, Stream, Warning,
};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

use super::cannot_fail::cannot_fail;
use super::judged::judged_some;
use super::likeness::likeness;
use super::movers;
use super::pair::Pair;
use crate::model::{
    BootstrapReport, Caution, ClaimReport, ComparisonFinding, Conclusion, IntervalOrigin, JudgedOnly,
    JudgedReport, Likeness, Movers, Verdict,
};

/// Sides that differ by more in how much of what they return was judged may differ by that alone.
pub const JUDGED_APART: f64 = 0.05;

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
        (Outcome::Inconclusive, _) => Conclusion::NotShown,
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

/// What came of a question.
#[derive(Debug)]
pub struct Answer {
    pub comparison: stats::Comparison,
    judged: Option<JudgedReport>,
    /// The same on judged documents alone, where there are others.
    judged_only: Option<stats::Comparison>,
    /// Questions of its family that could not be asked.
    untested: usize,
}

/// Answers a family of questions in one go, so that each is adjusted for all of them.
///
/// `untested` counts questions of the family that could not even be asked; what cannot be computed is
/// added to them. The inner errors are those of single questions.
///
/// # Errors
/// What keeps the family as a whole from being tested.
pub fn answer(
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
    builds: Option<Builds>,
    /// Of a column that a model gave, what people make of the differences.
    corrected: Option<CorrectedMean>,
    judged: Option<JudgedReport>,
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
        let judged = |cutoff: usize| -> Result<JudgedReport> {
            let metric = Metric::judged_at(cutoff);
            let [baseline, candidate] = [&pair.baseline, &pair.candidate].map(|side| side.value(&metric));
            Ok(JudgedReport { cutoff, baseline: baseline?, candidate: candidate? })
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
            builds: pair.builds(metric)?,
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
            builds: self.builds.as_ref(),
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
    pub fn finding(&self, answer: &Answer, statistics: &Statistics) -> Result<ComparisonFinding> {
        let Self { pair, metric, expect, .. } = self;
        let comparison = &answer.comparison;
        let spread = spread(pair, metric)?;
        let names = [&pair.candidate_name, &pair.baseline_name].map(String::as_str);
        Ok(ComparisonFinding {
            segment: pair.segment.as_ref().map(|segment| [segment.key.clone(), segment.value.clone()]),
            expect: self.expected.then(|| (*expect).into()),
            conclusion: (!self.expected).then(|| self.conclusion(comparison.decision.outcome)),
            unpaired: pair.unpaired,
            unanswered: pair.answered_by_baseline_alone(),
            judged_only: answer.judged_only.as_ref().map(|repeated| JudgedOnly {
                difference: repeated.difference,
                verdict: match self.expected {
                    true => verdict(repeated.decision.outcome),
                    false => Verdict::Reported,
                },
            }),
            unjudged_as: self.unjudged,
            spread,
            within_spread: within(comparison, spread),
            cautions: self.cautions(answer, spread)?,
            movers: self.movers(movers::QUERIES)?,
            ..numbers(
                comparison,
                (names, metric, expect),
                (answer.judged.clone(), self.cutoff().map(|cutoff| likeness(pair, cutoff)).transpose()?),
                statistics,
            )
        })
    }

    fn cautions(&self, answer: &Answer, spread: Option<f64>) -> Result<Vec<Caution>> {
        let Self { pair, expect, .. } = self;
        let comparison = &answer.comparison;
        let baseline = (pair.baseline_name.as_str(), comparison.baseline_mean);
        let mut cautions: Vec<Caution> =
            cannot_fail(expect, &self.metric, baseline).into_iter().filter(|_| self.expected).collect();
        cautions.extend(comparison.warnings.iter().map(|&warning| self.caution(warning)));
        cautions.extend(self.drop_not_shown(comparison));
        // What one side does not return at all is neither judged nor unjudged.
        let cut = pair.cut(&self.metric);
        let by_length = cut.as_ref().is_some_and(|cut| cut.kind == Caution::CUT_LISTS);
        let judged = answer.judged.as_ref().zip(answer.judged_only.as_ref());
        let differs = |(judged, repeated): &(&JudgedReport, &stats::Comparison)| {
            let apart = (judged.baseline - judged.candidate).abs() > JUDGED_APART;
            apart || repeated.decision.outcome != comparison.decision.outcome
        };
        cautions.extend(judged.filter(differs).filter(|_| !by_length).map(|(judged, repeated)| {
            let outcome = repeated.decision.outcome;
            let verdict = match (self.expected, outcome) {
                _ if outcome == comparison.decision.outcome => "the verdict would be the same".to_owned(),
                (true, outcome) => format!("the verdict would be `{outcome}`"),
                (false, Outcome::Passed) => "it would be shown to be better".to_owned(),
                (false, Outcome::Failed) => "it would be shown to be worse".to_owned(),
                (false, Outcome::Inconclusive) => "neither would be shown to be better".to_owned(),
            };
            judged_apart(judged, [&pair.candidate_name, &pair.baseline_name], repeated.difference, &verdict)
        }));
        cautions.extend(cut);
        cautions.extend(pair.empty_baseline());
        cautions.extend(pair.lost_answers());
        if let Some(spread) = spread.filter(|&spread| spread > 0.0 && within(comparison, Some(spread))) {
            let difference = comparison.difference;
            let text = format!(
                "the difference of {difference:+.4} is within the {spread:.4} by which repeats of one side differ"
            );
            cautions.push(Caution::new("within-spread", text));
        }
        if answer.untested > 0 && expect.is_corrected() {
            cautions.push(not_tested(answer.untested, comparison.family));
        }
        let (column, queries) = (self.metric.to_string(), pair.queries().len());
        match pair.people(&self.metric)? {
            People::NotNeeded => {}
            People::Sample(graded) => cautions.push(Caution::new(
                "corrected",
                format!(
                    "a judge gave {column} of {queries} queries, and people graded {graded} of them: the difference and its interval \
                     are the judge's, corrected by people; wins and losses are people's"
                ),
            )),
            People::TooFew(graded) => cautions.push(Caution::new(
                "judge-alone",
                format!(
                    "{column} rests on the judge alone: people graded {graded} of its queries, and from {LEAST_PEOPLE} on they \
                     correct it (`rankgate judge sample`)"
                ),
            )),
        }
        Ok(cautions)
    }

    /// That a gate on regressions passes though the drop is a good part of what so many units could show: a third, below which
    /// chance alone explains it.
    fn drop_not_shown(&self, comparison: &stats::Comparison) -> Option<Caution> {
        let stats::Expectation::NoRegression { margin } = self.expect else { return None };
        let drop = -comparison.difference;
        let is_open = self.expected && comparison.decision.outcome == Outcome::Passed;
        let detectable = comparison.minimum_detectable_effect;
        let is_large = drop > detectable.map_or(stats::ROUNDING, |detectable| detectable / 3.0);
        (is_open && is_large && drop > margin).then(|| {
            let is_grouped = comparison.units != comparison.queries;
            let (one, many) = if is_grouped { ("group", "groups") } else { ("query", "queries") };
            let these = match comparison.units {
                1 => format!("this one {one}"),
                units => format!("these {}", counted(units, one, many)),
            };
            let shown = match detectable {
                Some(least) => {
                    format!("the smallest drop that {these} could have shown is about {}", about(least))
                }
                None => format!("{these} could have shown no drop, however large"),
            };
            let text = format!("the drop of {} is not shown, and may be real: {shown}", about(drop));
            Caution::new("drop-not-shown", text)
        })
    }

    /// A warning, with its unit called by its id.
    fn caution(&self, warning: Warning) -> Caution {
        let unit = warning.unit().map(|unit| self.pair.unit(unit).to_owned());
        Caution::of_statistics(warning, unit, self.pair.cluster())
    }
}

/// That questions of its family could not be asked.
pub(super) fn not_tested(untested: usize, family: usize) -> Caution {
    let text = format!(
        "{untested} of the {family} comparisons that this one is adjusted for could not be tested and counts as showing nothing"
    );
    Caution::new("untested", text)
}

/// That more documents of one side were judged, or others: the difference without those that nobody judged.
fn judged_apart(
    judged: &JudgedReport,
    [candidate, baseline]: [&str; 2],
    difference: f64,
    verdict: &str,
) -> Caution {
    let [ours, theirs] = [judged.candidate, judged.baseline].map(|share| format!("{share:.4}"));
    let text = match ours == theirs {
        // As many of both sides: it is not their number that makes a difference, but their places.
        true => format!(
            "unjudged documents count as not relevant; without them the difference is {difference:+.4}, and {verdict}"
        ),
        false => format!(
            "the difference may come from documents that nobody judged; without them it is {difference:+.4}, and {verdict}"
        ),
    };
    let text =
        format!("Judged@{} is {ours} for {candidate} and {theirs} for {baseline}: {text}", judged.cutoff);
    Caution::new("judged-apart", text)
}

/// A difference to two significant digits, or as many as four decimals show.
fn about(difference: f64) -> String {
    let digits = (4..=6).find(|&digits| difference * 10_f64.powi(digits) >= 1.0).unwrap_or(6);
    format!("{difference:.*}", usize::try_from(digits).unwrap_or(4))
}

/// What a comparison of scores says by itself, of a candidate and its baseline by their names.
pub(super) fn numbers(
    comparison: &stats::Comparison,
    ([candidate, baseline], metric, expect): ([&str; 2], &Metric, &stats::Expectation),
    (judged, likeness): (Option<JudgedReport>, Option<Likeness>),
    statistics: &Statistics,
) -> ComparisonFinding {
    let test = comparison.permutation();
    let (interval, interval_kind) = shown_interval(comparison, statistics.interval());
    let claims = claims(comparison, statistics);
    let simulated = test.resamples.is_some();
    let range = metric.difference_range();
    let can_be = |[low, high]: [f64; 2]| limits(Interval { low, high }.within(&range));
    let interval = interval.map(can_be);
    ComparisonFinding {
        candidate: candidate.to_owned(),
        baseline: baseline.to_owned(),
        metric: metric.to_string(),
        segment: None,
        expect: Some((*expect).into()),
        conclusion: None,
        limit: expect.limit(),
        reason: comparison.decision.reason,
        queries: comparison.queries,
        unpaired: 0,
        unanswered: 0,
        units: comparison.units,
        wins: comparison.wins,
        ties: comparison.ties,
        losses: comparison.losses,
        baseline_mean: comparison.baseline_mean,
        candidate_mean: comparison.candidate_mean,
        difference: comparison.difference,
        effect_dz: comparison.t.and_then(|t| t.effect()),
        interval,
        interval_kind,
        t_interval: comparison.t_interval.ok().map(limits).map(can_be),
        p_two_sided: test.p_two_sided(),
        p_greater: test.p_greater,
        p_less: test.p_less,
        p_deciding: comparison.p_two_sided(),
        p_adjusted: comparison.p_adjusted_two_sided(),
        p_margin: p_margin(expect, &comparison.decision, &claims),
        p_error: simulated.then(|| test.monte_carlo_error()),
        engine: test.engine,
        permutation_resamples: test.resamples,
        claims,
        // Where differences have no spread, the permutation test stands in for the bootstrap.
        test: match comparison.bootstrap.p_two_sided {
            None if statistics.test.resamples() => DecidingTest::Permutation,
            None | Some(_) => statistics.test,
        },
        correction: statistics.correction,
        family: comparison.family,
        seed: statistics.seed,
        bootstrap: bootstrap(comparison, statistics.interval()),
        minimum_detectable_effect: comparison.minimum_detectable_effect,
        judged,
        judged_only: None,
        unjudged_as: Unjudged::default(),
        spread: None,
        within_spread: false,
        likeness,
        cautions: Vec::new(),
        movers: Movers::default(),
    }
}

/// Whether the difference is no larger than repeats of one side differ by.
fn within(comparison: &stats::Comparison, spread: Option<f64>) -> bool {
    spread.is_some_and(|spread| comparison.difference.abs() <= spread)
}

/// Of claims that a margin decides, the p-value of those that refute the expectation where any does, else of
/// those that must all be shown.
fn p_margin(expect: &stats::Expectation, decision: &stats::Decision, claims: &[ClaimReport]) -> Option<f64> {
    if expect.is_corrected() {
        return None;
    }
    let failed = decision.outcome == Outcome::Failed;
    let deciding = claims.iter().filter(|claim| claim.hoped != failed).map(|claim| claim.p_adjusted);
    if failed { deciding.reduce(f64::min) } else { deciding.reduce(f64::max) }
}

/// What to say of a candidate whose gain is shown, where none of the `others` that were compared on the same
/// metric, each by its mean difference, gained more: it is the one that everybody looks at.
pub fn chosen_best(
    finding: &ComparisonFinding,
    verdict: Verdict,
    others: impl Iterator<Item = f64>,
) -> Option<Caution> {
    let gained = match finding.conclusion {
        Some(conclusion) => conclusion == Conclusion::Better,
        None => finding.expect == Some(Expect::Improvement) && verdict == Verdict::Passed,
    };
    let others: Vec<f64> = others.collect();
    let best = others.iter().all(|&other| other <= finding.difference);
    (gained && best && !others.is_empty()).then(|| {
        let text = format!(
            "the best of {} candidates, chosen by looking: its observed gain is on average larger than the true one, and new \
             queries would show less",
            others.len() + 1
        );
        Caution::new("chosen-as-best", text)
    })
}

/// The verdict that an outcome is, before it is said what inconclusive does.
pub fn verdict(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed => Verdict::Failed,
        Outcome::Inconclusive => Verdict::Inconclusive,
    }
}

/// The limits of an interval, and how they were made.
type ShownInterval = (Option<[f64; 2]>, IntervalOrigin<IntervalMethod>);

pub(super) fn limits(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

pub(super) fn shown_interval(comparison: &stats::Comparison, method: IntervalMethod) -> ShownInterval {
    let interval: Result<Interval, NoInterval> = match (method, bootstrap_kind(method)) {
        (IntervalMethod::TestInversion, _) => comparison.interval,
        (IntervalMethod::Studentised, _) if comparison.bootstrap_interval.is_some() => {
            comparison.bootstrap_interval.unwrap_or(comparison.bootstrap.studentised)
        }
        (_, Some(kind)) => comparison.bootstrap.interval(kind),
        (_, None) => comparison.t_interval,
    };
    kinded(interval, method)
}

/// The limits and how they were made, or why there are none.
fn kinded(interval: Result<Interval, NoInterval>, method: IntervalMethod) -> ShownInterval {
    match interval {
        Ok(interval) => (Some(limits(interval)), IntervalOrigin::By(method)),
        Err(reason) => (None, IntervalOrigin::Not(reason)),
    }
}

fn bootstrap_kind(method: IntervalMethod) -> Option<BootstrapInterval> {
    match method {
        IntervalMethod::TestInversion | IntervalMethod::T => None,
        IntervalMethod::Percentile => Some(BootstrapInterval::Percentile),
        IntervalMethod::Studentised => Some(BootstrapInterval::Studentised),
    }
}

fn bootstrap(comparison: &stats::Comparison, method: IntervalMethod) -> BootstrapReport {
    let bootstrap = &comparison.bootstrap;
    let (interval, kind) = match bootstrap_kind(method) {
        Some(kind) => kinded(bootstrap.interval(kind), method),
        None => kinded(bootstrap.percentile, IntervalMethod::Percentile),
    };
    BootstrapReport {
        resamples: bootstrap.resamples,
        interval,
        kind,
        p_value: bootstrap.p_two_sided,
        win_share: bootstrap.win_share,
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
        level: statistics.confidence.alpha(),
        reached: weighed.p_adjusted <= tail,
        p_second: weighed.second.map(two_sided),
        basis: weighed.basis,
        p_builds: weighed.builds.map(two_sided),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Where as much was judged on both sides, no difference comes from its being more on one.
    #[test]
    fn what_unjudged_documents_do_is_told_by_how_many_each_side_has() {
        let apart = |candidate: f64| {
            let judged = JudgedReport { cutoff: 10, baseline: 0.5, candidate };
            judged_apart(&judged, ["new", "golden"], -0.25, "the verdict would be `failed`").text
        };
        assert_eq!(
            apart(0.5),
            "Judged@10 is 0.5000 for new and 0.5000 for golden: unjudged documents count as not relevant; without them the \
             difference is -0.2500, and the verdict would be `failed`"
        );
        assert_eq!(
            apart(0.75),
            "Judged@10 is 0.7500 for new and 0.5000 for golden: the difference may come from documents that nobody judged; \
             without them it is -0.2500, and the verdict would be `failed`"
        );
    }
}
