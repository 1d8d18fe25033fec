//! The numbers of each question, before it is decided.

use super::Question;
use super::verdict::DIRECTIONS;
use crate::Result;
use crate::stats::basis::Basis;
use crate::stats::permutation::{interval_with_draws, reconcile, test_with_draws};
use crate::stats::{
    Bootstrap, Claim, ComparisonSettings, DecidingTest, Direction, Interval, NoInterval, PairedT,
    PermutationOptions, PermutationTest, Stream,
};

/// More units than this and the interval is simulated, so that draws are needed whatever the engine.
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
    /// Of a mean that people corrected only where their scores of the drawn units have no spread: they are a sample of all
    /// units, and the undrawn one may lie anywhere.
    fn new(question: &Question<'_>, settings: &ComparisonSettings) -> Self {
        let mut unseen = Self::default();
        if let Some(corrected) = question.corrected
            && (question.identical || !corrected.is_people_alone_without_spread())
        {
            return unseen;
        }
        let rule = question.rule(settings);
        let mut claims = question.expectation.claims();
        claims.extend(DIRECTIONS.map(|side| question.expectation.corrected(side)));
        claims.retain(|claim| match question.corrected {
            Some(_) => question.expectation.hopes_for(*claim),
            None => rule.basis(*claim) != Basis::Test,
        });
        for direction in DIRECTIONS {
            let claims: Vec<Claim> =
                claims.iter().copied().filter(|claim| claim.direction == direction).collect();
            if claims.is_empty() && question.corrected.is_none() {
                continue;
            }
            let weighed = rule.weighed(question.differences, direction, rule.robustness, question.stream);
            let Some(weighed) = weighed else { continue };
            unseen.tests.extend(claims.into_iter().map(|claim| (claim, weighed.p(claim.null))));
            if !settings.verdict_only {
                let mean =
                    question.corrected.map_or(question.differences.mean(), |corrected| corrected.value);
                let limit = weighed.limit(settings.confidence);
                match direction {
                    Direction::Greater => unseen.low = Some(limit.min(mean)),
                    Direction::Less => unseen.high = Some(limit.max(mean)),
                }
            }
        }
        unseen
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
    // One after the other: each is parallel in itself, and exact counts need much memory for a moment.
    let one = |(question, options): (&Question<'_>, &PermutationOptions)| {
        let stream = question.stream.for_name("bootstrap");
        let bootstrap = Bootstrap::new(question.differences, settings.bootstrap_resamples, &stream)?;
        let mut measured = test(question, options, settings, bootstrap)?;
        measured.resample_on(question, &options.levels, settings.test, &stream)?;
        Ok(measured)
    };
    questions.iter().zip(options).map(one).collect()
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
            let estimate = self.bootstrap.estimate(claim.null, claim.direction);
            estimate.is_some_and(|one| levels.iter().any(|&level| one.low <= level && one.high > level))
        };
        question.expectation.claims().into_iter().any(unsettled)
    }
}

fn test(
    question: &Question<'_>,
    options: &PermutationOptions,
    settings: &ComparisonSettings,
    bootstrap: Bootstrap,
) -> Result<Measured> {
    let differences = question.differences;
    let mut draws = None;
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
