//! The numbers of each question, before it is decided.

use rayon::prelude::*;

use super::{ComparisonSettings, Question};
use crate::Result;
use crate::stats::permutation::{MonteCarlo, interval_with_draws, reconcile, test_with_draws};
use crate::stats::{Bootstrap, Interval, NoInterval, PairedT, PermutationOptions, PermutationTest};

/// More units than this and the interval is simulated, so that draws are needed whatever the engine.
use crate::stats::permutation::MOST_EXACT_UNITS;

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
        let bootstraps = bootstrap(questions, &group, settings)?;
        let draws = draw(questions, &group, options);
        let found: Vec<Result<Measured>> = group
            .par_iter()
            .zip(bootstraps)
            .zip(draws)
            .map(|((&index, bootstrap), draws)| {
                test(&questions[index], &options[index], settings, draws, bootstrap)
            })
            .collect();
        for (&index, found) in group.iter().zip(found) {
            measured[index] = Some(found?);
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
    settings: &ComparisonSettings,
) -> Result<Vec<Bootstrap>> {
    let metrics: Vec<_> = group.iter().map(|&index| questions[index].differences).collect();
    let stream = questions[group[0]].stream.named("bootstrap");
    Bootstrap::of_metrics(&metrics, settings.bootstrap_resamples, &stream)
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
