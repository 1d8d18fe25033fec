//! The numbers of each question, before it is decided.

use super::Question;
use crate::Result;
use crate::stats::basis::Basis;
use crate::stats::permutation::{MonteCarlo, interval_with_draws, reconcile, test_with_draws};
use crate::stats::{
    Bootstrap, Claim, ComparisonSettings, CorrectedMean, DecidingTest, Direction, Interval, NoInterval,
    PairedT, PermutationOptions, PermutationTest, Stream,
};

/// More units than this and the interval is simulated, so that draws are needed whatever the engine.
use crate::stats::permutation::MOST_EXACT_UNITS;

/// A bootstrap that decides goes on up to so many resamples, as the permutation test does.
const MOST_RESAMPLES: u64 = 999_999;

/// What was measured for one question.
pub(super) struct Measured {
    pub(super) t: Option<PairedT>,
    pub(super) tests: Vec<PermutationTest>,
    pub(super) interval: Result<Interval, NoInterval>,
    pub(super) unseen: Unseen,
    pub(super) bootstrap: Bootstrap,
}

/// What an unseen query leaves of the claims that count one, and of the mean difference.
#[derive(Default)]
pub(super) struct Unseen {
    pub(super) tests: Vec<(Claim, f64)>,
    low: Option<f64>,
    high: Option<f64>,
}

impl Unseen {
    fn new(question: &Question<'_>, settings: &ComparisonSettings) -> Self {
        let rule = question.rule(settings);
        let mut unseen = Self::default();
        if let Some(corrected) = question.corrected {
            // What is the same on both sides is no sample of what differs.
            return match corrected.is_people_alone_without_spread() && !question.identical {
                true => Self::of_people(question, settings, corrected),
                false => unseen,
            };
        }
        let mut claims = question.expectation.claims();
        claims.extend([Direction::Greater, Direction::Less].map(|side| question.expectation.corrected(side)));
        claims.retain(|claim| rule.basis(*claim) != Basis::Test);
        for direction in [Direction::Greater, Direction::Less] {
            let claims: Vec<Claim> =
                claims.iter().copied().filter(|claim| claim.direction == direction).collect();
            if claims.is_empty() {
                continue;
            }
            let Some(weighed) =
                rule.weighed(question.differences, direction, rule.robustness, question.stream)
            else {
                continue;
            };
            unseen.tests.extend(claims.into_iter().map(|claim| (claim, weighed.p(claim.null))));
            if !settings.verdict_only {
                let limit = weighed.limit(settings.confidence);
                match direction {
                    Direction::Greater => unseen.low = Some(limit.min(question.differences.mean())),
                    Direction::Less => unseen.high = Some(limit.max(question.differences.mean())),
                }
            }
        }
        unseen
    }

    /// Of people's scores of the drawn units, where these have no spread: they are a sample of all units, in which an unseen
    /// one may lie.
    fn of_people(question: &Question<'_>, settings: &ComparisonSettings, corrected: &CorrectedMean) -> Self {
        let rule = question.rule(settings);
        let mut claims = question.expectation.claims();
        claims.extend([Direction::Greater, Direction::Less].map(|side| question.expectation.corrected(side)));
        claims.retain(|claim| question.expectation.hopes_for(*claim));
        let weighed =
            |direction| rule.weighed(question.differences, direction, rule.robustness, question.stream);
        let p = |claim: Claim| Some((claim, weighed(claim.direction)?.p(claim.null)));
        let level = settings.confidence.tail();
        let limit = |direction| {
            let limit = weighed(direction).filter(|_| !settings.verdict_only)?.limit_at(level);
            Some(match direction {
                Direction::Greater => limit.min(corrected.value),
                Direction::Less => limit.max(corrected.value),
            })
        };
        Self {
            tests: claims.into_iter().filter_map(p).collect(),
            low: limit(Direction::Greater),
            high: limit(Direction::Less),
        }
    }

    /// What an unseen query leaves of a mean that people corrected, where nothing else limits it.
    pub(super) fn limits(&self) -> Option<Interval> {
        Some(Interval { low: self.low?, high: self.high? })
    }

    /// The interval that agrees with what decides: against a margin that is the unseen query alone, elsewhere both it and the
    /// permutation test.
    pub(super) fn widen(
        &self,
        interval: Result<Interval, NoInterval>,
        question: &Question<'_>,
        settings: &ComparisonSettings,
    ) -> Result<Interval, NoInterval> {
        let rule = question.rule(settings);
        let alone = |direction| {
            question
                .expectation
                .claims()
                .into_iter()
                .any(|claim| claim.direction == direction && rule.basis(claim) == Basis::UnseenQuery)
        };
        let limit = |own: fn(Interval) -> f64,
                     unseen: Option<f64>,
                     direction,
                     farther: fn(f64, f64) -> f64| match (interval.map(own), unseen) {
            (_, Some(unseen)) if alone(direction) => Ok(unseen),
            (Ok(own), Some(unseen)) => Ok(farther(own, unseen)),
            (own, _) => own,
        };
        Ok(Interval {
            low: limit(|interval| interval.low, self.low, Direction::Greater, f64::min)?,
            high: limit(|interval| interval.high, self.high, Direction::Less, f64::max)?,
        })
    }
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
        // The first resamples of more are the same ones.
        while test.resamples()
            && self.bootstrap.resamples() < MOST_RESAMPLES
            && self.is_open(question, levels)
        {
            let more = self.bootstrap.resamples().saturating_mul(10).saturating_add(9).min(MOST_RESAMPLES);
            self.bootstrap = Bootstrap::new(question.differences, more, stream)?;
        }
        Ok(())
    }

    fn is_open(&self, question: &Question<'_>, levels: &[f64]) -> bool {
        let unsettled = |claim: Claim| {
            let bounds = self.bootstrap.bounds(claim.null, claim.direction);
            bounds
                .is_some_and(|bounds| levels.iter().any(|&level| bounds.low <= level && bounds.high > level))
        };
        question.expectation.claims().into_iter().any(unsettled)
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
    let unseen = Unseen::new(question, settings);
    let interval = match settings.verdict_only {
        true => Err(NoInterval::NotAsked),
        false => {
            let inverse = interval_with_draws(differences, settings.confidence, options, &mut draws)
                .map(|interval| reconcile(interval, &tests, settings.confidence, 2.0 * differences.noise()));
            unseen.widen(inverse, question, settings)
        }
    };
    Ok(Measured { t: PairedT::new(differences), tests, interval, unseen, bootstrap })
}
