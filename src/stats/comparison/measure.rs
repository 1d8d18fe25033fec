//! The numbers of each question, before it is decided.

use super::{ComparisonSettings, DecidingTest, Question};
use crate::Result;
use crate::stats::permutation::{MonteCarlo, interval_with_draws, reconcile, test_with_draws};
use crate::stats::{Bootstrap, Claim, Interval, NoInterval, PairedT, PermutationOptions, PermutationTest};

/// More units than this and the interval is simulated, so that draws are needed whatever the engine.
use crate::stats::permutation::MOST_EXACT_UNITS;

/// A deciding bootstrap goes on up to so many resamples, as the permutation test does.
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
        let bootstraps = bootstrap(questions, &group, options, settings)?;
        let draws = draw(questions, &group, options);
        // One after the other: each is parallel in itself, and exact counts need much memory for a moment.
        for ((&index, bootstrap), draws) in group.iter().zip(bootstraps).zip(draws) {
            measured[index] = Some(test(&questions[index], &options[index], settings, draws, bootstrap)?);
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
            first.stream == question.stream && first.differences.sizes() == question.differences.sizes()
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

fn bootstrap(
    questions: &[Question<'_>],
    group: &[usize],
    options: &[PermutationOptions],
    settings: &ComparisonSettings,
) -> Result<Vec<Bootstrap>> {
    let metrics: Vec<_> = group.iter().map(|&index| questions[index].differences).collect();
    let stream = questions[group[0]].stream.named("bootstrap");
    let mut bootstraps = Bootstrap::of_metrics(&metrics, settings.bootstrap_resamples, &stream)?;
    if settings.test == DecidingTest::Bootstrap {
        for ((bootstrap, metric), &index) in bootstraps.iter_mut().zip(metrics).zip(group) {
            // The first resamples of more are the same ones.
            while is_open(bootstrap, &questions[index], &options[index].levels) {
                let more = bootstrap.resamples().saturating_mul(10).saturating_add(9).min(MOST_RESAMPLES);
                *bootstrap = Bootstrap::new(metric, more, &stream)?;
            }
        }
    }
    Ok(bootstraps)
}

/// Whether more resamples may tell on which side of a level a deciding p-value lies.
fn is_open(bootstrap: &Bootstrap, question: &Question<'_>, levels: &[f64]) -> bool {
    let unsettled = |claim: Claim| {
        let bounds = bootstrap.bounds(claim.null, claim.direction);
        bounds.is_some_and(|bounds| levels.iter().any(|&level| bounds.low <= level && bounds.high > level))
    };
    bootstrap.resamples() < MOST_RESAMPLES && question.expectation.claims().into_iter().any(unsettled)
}

/// Random subsets shared by the whole group, where intervals need them.
fn draw<'a>(
    questions: &[Question<'a>],
    group: &[usize],
    options: &'a [PermutationOptions],
) -> Vec<Option<MonteCarlo<'a>>> {
    let metrics: Vec<_> = group.iter().map(|&index| questions[index].differences).collect();
    if metrics[0].len() <= MOST_EXACT_UNITS {
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
    let interval = interval_with_draws(differences, settings.confidence, options, &mut draws)
        .map(|interval| reconcile(interval, &tests, settings.confidence));
    Ok(Measured { t: PairedT::new(differences), tests, interval, bootstrap })
}
