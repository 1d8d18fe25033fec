//! Adjusting, deciding and warning.

use super::measure::Measured;
use super::{BootstrapSummary, Comparison, Question};
use crate::stats::basis::Basis;
use crate::stats::decision::weigh;
use crate::stats::estimate::{Estimate, adjust_with_bounds};
use crate::stats::{
    Claim, ComparisonSettings, Correction, Decision, Direction, Evidence, Interval, NoInterval,
    PermutationOptions, WeighedClaim, decide, detectable_difference,
};
use crate::{Result, threads};

/// Both one-sided directions.
pub(super) const DIRECTIONS: [Direction; 2] = [Direction::Greater, Direction::Less];

/// Everything about one question that deciding it needs, but for the others of its family.
pub(super) struct Case<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) options: &'a PermutationOptions,
    pub(super) measured: &'a Measured,
    pub(super) settings: &'a ComparisonSettings,
}

pub(super) fn decide_all(
    questions: &[Question<'_>],
    options: &[PermutationOptions],
    measured: Vec<Measured>,
    settings: &ComparisonSettings,
) -> Result<Vec<Comparison>> {
    let mut decided: Vec<Option<Comparison>> = questions.iter().map(|_| None).collect();
    let cases = questions.iter().zip(options).zip(&measured);
    let cases: Vec<Case<'_>> =
        cases.map(|((question, options), measured)| Case { question, options, measured, settings }).collect();
    // What is corrected is one family. Claims that must all hold are none, but what is printed beside them
    // is adjusted likewise.
    for corrected in [true, false] {
        let member = |index: &usize| questions[*index].expectation.is_corrected() == corrected;
        let places: Vec<usize> = (0..questions.len()).filter(member).collect();
        let family: Vec<&Case<'_>> = places.iter().map(|&index| &cases[index]).collect();
        let untested = if corrected { settings.untested } else { 0 };
        let greater = adjust_family(&family, untested, Direction::Greater, settings)?;
        let less = adjust_family(&family, untested, Direction::Less, settings)?;
        let decide =
            |index: usize| family[index].decide([greater[index], less[index]], family.len() + untested);
        for (&index, comparison) in places.iter().zip(threads::map(family.len(), decide)) {
            decided[index] = Some(comparison?);
        }
    }
    Ok(decided.into_iter().flatten().collect())
}

/// Adjusts the claims of one direction for each other.
fn adjust_family(
    family: &[&Case<'_>],
    untested: usize,
    direction: Direction,
    settings: &ComparisonSettings,
) -> Result<Vec<Estimate>> {
    let claim = |case: &Case<'_>| case.question.expectation.corrected(direction);
    let estimates = family.iter().map(|case| case.estimate(claim(case)));
    let untested = std::iter::repeat_n(Estimate::exact(1.0), untested);
    adjust_with_bounds(&estimates.chain(untested).collect::<Vec<_>>(), settings.correction)
}

impl Case<'_> {
    fn decide(&self, adjusted: [Estimate; 2], family: usize) -> Result<Comparison> {
        let Self { question, measured, settings, .. } = self;
        let differences = question.differences;
        let claims: Vec<WeighedClaim> =
            question.expectation.claims().into_iter().map(|claim| self.weigh(claim, adjusted)).collect();
        let evidence: Vec<Evidence> = claims.iter().map(|claim| claim.evidence).collect();
        let difference = question.corrected.map_or(differences.mean(), |corrected| corrected.value);
        let (outcome, reason) = decide(&question.expectation, &evidence, difference, question.identical);
        let decision = Decision { outcome, reason, claims };
        let interval = match question.corrected {
            None => measured.interval,
            Some(corrected) if corrected.is_people_alone_without_spread() => {
                measured.unseen.limits().map_or_else(|| corrected.interval(settings.confidence), Ok)
            }
            Some(corrected) => corrected.interval(settings.confidence),
        };
        let warnings = match question.corrected {
            Some(corrected) => self.one_more_loss(corrected, &decision),
            None => self.warnings(&decision)?,
        };
        Ok(Comparison {
            units: differences.len(),
            queries: differences.queries(),
            wins: differences.wins(),
            ties: differences.ties(),
            losses: differences.losses(),
            baseline_mean: differences.baseline_mean(),
            candidate_mean: differences.candidate_mean(),
            difference,
            t: measured.t,
            tests: measured.tests.clone(),
            p: DIRECTIONS.map(|side| self.estimate(question.expectation.corrected(side)).p).into(),
            p_adjusted: adjusted.map(|adjusted| adjusted.p).into(),
            family,
            interval: self.settled(interval),
            bootstrap: self.summary(),
            minimum_detectable_effect: self.detectable()?,
            warnings,
            decision,
        })
    }

    /// An interval whose limits are 0 where they are 0 but for rounding.
    fn settled(&self, interval: Result<Interval, NoInterval>) -> Result<Interval, NoInterval> {
        let differences = self.question.differences;
        let settled = |limit| differences.settled(limit);
        interval.map(|limits| Interval { low: settled(limits.low), high: settled(limits.high) })
    }

    fn summary(&self) -> BootstrapSummary {
        let bootstrap = &self.measured.bootstrap;
        let mut interval = bootstrap.interval(self.settings.confidence);
        if self.settings.test.resamples() {
            interval = self.measured.unseen.widen(interval, self.question, self.settings);
        }
        BootstrapSummary {
            resamples: bootstrap.resamples(),
            win_share: bootstrap.win_share(),
            p_two_sided: bootstrap.p_two_sided(),
            interval: self.settled(interval),
        }
    }

    /// The smallest difference that so many units show, by the t formula.
    fn detectable(&self) -> Result<Option<f64>> {
        let Self { question, measured, settings, .. } = self;
        let one_collection = question.differences.strata.is_empty();
        let spread =
            measured.t.filter(|_| one_collection && !question.identical && question.corrected.is_none());
        let Some(t) = spread else { return Ok(None) };
        let units = question.differences.len();
        detectable_difference(t.standard_deviation(), units, settings.confidence, settings.power)
    }

    fn weigh(&self, claim: Claim, adjusted: [Estimate; 2]) -> WeighedClaim {
        let p = self.deciding(claim).p;
        let (second, basis) = (self.second(claim), self.basis(claim));
        let adjusted = match self.question.expectation.is_corrected() {
            true => adjusted[usize::from(claim.direction == Direction::Less)],
            false => self.estimate(claim).times(self.rivals(claim)),
        };
        let tests = second.filter(|_| basis == Basis::Both).map(|second| [p, second]);
        let evidence = weigh(adjusted, tests, self.settings.confidence.tail());
        WeighedClaim { claim, p, second, basis, p_adjusted: adjusted.p, evidence }
    }

    /// The candidates whose claims to keep a margin this one is adjusted for.
    fn rivals(&self, claim: Claim) -> usize {
        match self.settings.correction {
            Correction::None => 1,
            _ if self.question.expectation.hopes_for(claim) => self.settings.candidates,
            _ => 1,
        }
    }
}
