//! The numbers of each question, before it is decided.

use super::{ComparisonSettings, DecidingTest, Question};
use crate::Result;
use crate::stats::permutation::{MonteCarlo, interval_with_draws, reconcile, test_with_draws};
use crate::stats::{
    Bootstrap, Claim, Interval, NoInterval, PairedT, PermutationOptions, PermutationTest, SecondTest, Stream,
};

/// More units than this and the interval is simulated, so that draws are needed whatever the engine.
use crate::stats::permutation::MOST_EXACT_UNITS;

/// A bootstrap that decides goes on up to so many resamples, as the permutation test does; as a second test,
/// where an open p-value costs no more than one that is not small enough, to a tenth of them.
const MOST_RESAMPLES: u64 = 999_999;

/// What was measured for one question.
pub(super) struct Measured {
    pub(super) t: Option<PairedT>,
    pub(super) tests: Vec<PermutationTest>,
    pub(super) interval: std::result::Result<Interval, NoInterval>,
    pub(super) bootstrap: Bootstrap,
}

pub(super) fn measure(
    questions: &[Question<'_>],
    options: &[PermutationOptions],
    settings: &ComparisonSettings,
) -> Result<Vec<Measured>> {
    let mut measured: Vec<Option<Measured>> = questions.iter().map(|_| None).collect();
    for group in groups(questions) {
        let metrics: Vec<_> = group.iter().map(|&index| questions[index].differences).collect();
        let stream = questions[group[0]].stream.for_name("bootstrap");
        let bootstraps = Bootstrap::of_metrics(&metrics, settings.bootstrap_resamples, &stream)?;
        let draws = draw(questions, &group, options, settings);
        // One after the other: each is parallel in itself, and exact counts need much memory for a moment.
        for ((&index, bootstrap), draws) in group.iter().zip(bootstraps).zip(draws) {
            let mut one = test(&questions[index], &options[index], settings, draws, bootstrap)?;
            one.resample_on(&questions[index], &options[index].levels, settings.test, &stream)?;
            measured[index] = Some(one);
        }
    }
    Ok(measured.into_iter().flatten().collect())
}

/// Questions that share their units and their stream, and with them signs and resamples.
fn groups(questions: &[Question<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let alike = |group: &&mut Vec<usize>| {
            let first = &questions[group[0]];
            let (ours, theirs) = (first.differences, question.differences);
            first.stream == question.stream && ours.sizes() == theirs.sizes() && ours.strata == theirs.strata
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

impl Measured {
    /// Draws more resamples while they may tell on which side of a level a p-value lies.
    fn resample_on(
        &mut self,
        question: &Question<'_>,
        levels: &[f64],
        test: DecidingTest,
        stream: &Stream,
    ) -> Result<()> {
        let most = if test.resamples() { MOST_RESAMPLES } else { MOST_RESAMPLES / 10 };
        // The first resamples of more are the same ones.
        while self.bootstrap.resamples() < most && self.is_open(question, levels, test) {
            let more = self.bootstrap.resamples().saturating_mul(10).saturating_add(9).min(most);
            self.bootstrap = Bootstrap::new(question.differences, more, stream)?;
        }
        Ok(())
    }

    fn is_open(&self, question: &Question<'_>, levels: &[f64], test: DecidingTest) -> bool {
        let largest = levels.iter().copied().fold(0.0, f64::max);
        let may_show = |claim: &Claim| {
            let mut tests = self.tests.iter().filter(|test| test.null == claim.null);
            tests.any(|test| test.bounds(claim.direction).low <= largest)
        };
        let second = test.second(question.differences.is_binary());
        // What the permutation test does not show, no second test will.
        let needed = |claim: &Claim| {
            test.resamples()
                || question.expectation.hopes_for(*claim)
                    && second == SecondTest::StudentisedBootstrap
                    && may_show(claim)
        };
        let unsettled = |claim: Claim| {
            let bounds = self.bootstrap.bounds(claim.null, claim.direction);
            bounds
                .is_some_and(|bounds| levels.iter().any(|&level| bounds.low <= level && bounds.high > level))
        };
        question.expectation.claims().into_iter().filter(needed).any(unsettled)
    }
}

/// Random subsets shared by the whole group, where intervals need them.
fn draw<'a>(
    questions: &[Question<'a>],
    group: &[usize],
    options: &'a [PermutationOptions],
    settings: &ComparisonSettings,
) -> Vec<Option<MonteCarlo<'a>>> {
    let metrics: Vec<_> = group.iter().map(|&index| questions[index].differences).collect();
    if settings.verdict_only || metrics[0].len() <= MOST_EXACT_UNITS {
        return group.iter().map(|_| None).collect();
    }
    let options = &options[group[0]];
    MonteCarlo::draw(&metrics, &options.stream, options.resamples).into_iter().map(Some).collect()
}

fn test<'a>(
    question: &Question<'a>,
    options: &'a PermutationOptions,
    settings: &ComparisonSettings,
    mut draws: Option<MonteCarlo<'a>>,
    bootstrap: Bootstrap,
) -> Result<Measured> {
    let differences = question.differences;
    let nulls = std::iter::once(0.0).chain(question.expectation.nulls());
    let tests = nulls
        .map(|null| test_with_draws(differences, null, options, &mut draws))
        .collect::<Result<Vec<_>>>()?;
    let interval = match settings.verdict_only {
        true => Err(NoInterval::NotAsked),
        false => interval_with_draws(differences, settings.confidence, options, &mut draws)
            .map(|interval| reconcile(interval, &tests, settings.confidence, 2.0 * differences.noise())),
    };
    Ok(Measured { t: PairedT::new(differences), tests, interval, bootstrap })
}
