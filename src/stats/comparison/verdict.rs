//! Adjusting, deciding and warning.

use super::measure::Measured;
use super::{BootstrapSummary, Comparison, ComparisonSettings, DecidingTest, Question};
use crate::Result;
use crate::stats::decision::{Bounds, SMALL_SAMPLE, weigh};
use crate::stats::family::{Estimate, adjust_by_max_t, adjust_with_bounds, spread};
use crate::stats::{
    BootstrapInterval, Claim, Correction, Decision, Direction, Evidence, Expectation, Interval, NoInterval,
    PairedT, PermutationOptions, WeighedClaim, adjust, decide, minimum_detectable_effect, queries_needed,
};

/// Both one-sided directions.
const DIRECTIONS: [Direction; 2] = [Direction::Greater, Direction::Less];

/// Adjusted p-values against 0, by direction and question; `t` are the t test's.
struct FamilyValues {
    deciding: [Vec<Estimate>; 2],
    t: [Vec<f64>; 2],
}

/// Everything about one question that deciding it needs.
pub(super) struct Case<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) options: &'a PermutationOptions,
    pub(super) measured: &'a Measured,
    pub(super) settings: &'a ComparisonSettings,
    adjusted: [Estimate; 2],
    t_adjusted: [f64; 2],
}

pub(super) fn decide_all(
    questions: &[Question<'_>],
    options: &[PermutationOptions],
    measured: Vec<Measured>,
    settings: &ComparisonSettings,
) -> Result<Vec<Comparison>> {
    let mut decided: Vec<Option<Comparison>> = questions.iter().map(|_| None).collect();
    // What is corrected is one family. Claims that must all hold are none, but what is printed beside them
    // is adjusted likewise.
    for corrected in [true, false] {
        let member = |index: &usize| questions[*index].expectation.is_corrected() == corrected;
        let family: Vec<usize> = (0..questions.len()).filter(member).collect();
        let values = adjust_family(questions, options, &measured, &family, settings)?;
        for (place, &index) in family.iter().enumerate() {
            let case = Case {
                question: &questions[index],
                options: &options[index],
                measured: &measured[index],
                settings,
                adjusted: [values.deciding[0][place], values.deciding[1][place]],
                t_adjusted: [values.t[0][place], values.t[1][place]],
            };
            let untested = if corrected { settings.untested } else { 0 };
            decided[index] = Some(case.decide(family.len() + untested)?);
        }
    }
    Ok(decided.into_iter().flatten().collect())
}

fn adjust_family(
    questions: &[Question<'_>],
    options: &[PermutationOptions],
    measured: &[Measured],
    family: &[usize],
    settings: &ComparisonSettings,
) -> Result<FamilyValues> {
    let mut values = FamilyValues { deciding: [vec![], vec![]], t: [vec![], vec![]] };
    if family.is_empty() {
        return Ok(values);
    }
    let corrected = questions[family[0]].expectation.is_corrected();
    let untested = if corrected { settings.untested } else { 0 };
    for (side, direction) in DIRECTIONS.into_iter().enumerate() {
        let t = family.iter().map(|&index| t_p(measured[index].t, 0.0, direction));
        let t: Vec<f64> = t.chain(std::iter::repeat_n(1.0, untested)).collect();
        // The t tests of a small sample have no shared signs; Holm holds for any dependence.
        let correction =
            if settings.correction == Correction::MaxT { Correction::Holm } else { settings.correction };
        // One alone is adjusted for nothing, and may be exact.
        values.deciding[side] = if settings.correction == Correction::MaxT && family.len() > 1 {
            let length = length(questions, family);
            let column = |&index: &usize| {
                let question = &questions[index];
                spread(&question.differences.fixed().units, question.positions, length)
            };
            let columns: Vec<Vec<i64>> = family.iter().map(column).collect();
            let mut adjusted =
                adjust_by_max_t(&columns, direction, &options[family[0]], settings.confidence.tail())?;
            // Simulated beside an exact p-value of its own, it may come out a little below that.
            for (estimate, &index) in adjusted.iter_mut().zip(family) {
                estimate.p = estimate.p.max(raw(&measured[index], 0.0, direction, settings.test).p);
            }
            adjusted
        } else {
            let raw = |&index: &usize| raw(&measured[index], 0.0, direction, settings.test);
            let nothing = Estimate { p: 1.0, bounds: Bounds { low: 1.0, high: 1.0 } };
            let raw = family.iter().map(raw).chain(std::iter::repeat_n(nothing, untested));
            adjust_with_bounds(&raw.collect::<Vec<_>>(), correction)?
        };
        values.t[side] = adjust(&t, correction)?;
    }
    Ok(values)
}

/// How many units the whole has of which segments are part.
fn length(questions: &[Question<'_>], family: &[usize]) -> usize {
    let of_question = |&index: &usize| {
        let question = &questions[index];
        let last = question.positions.and_then(|positions| positions.last());
        last.map_or(question.differences.len(), |last| last + 1)
    };
    family.iter().map(of_question).max().unwrap_or(0)
}

/// A single unit shows nothing.
pub(super) fn t_p(t: Option<PairedT>, null: f64, direction: Direction) -> f64 {
    t.map_or(1.0, |t| t.p(null, direction))
}

/// The deciding one-sided p-value against a null that was tested.
fn raw(measured: &Measured, null: f64, direction: Direction, test: DecidingTest) -> Estimate {
    let permutation = measured.tests.iter().find(|test| test.null == null);
    let bounds = permutation.map_or(Bounds { low: 0.0, high: 1.0 }, |test| test.bounds(direction));
    let permutation = permutation.map_or(1.0, |test| test.p(direction));
    let bootstrap = measured.bootstrap.p(null, direction);
    match (test, bootstrap) {
        (DecidingTest::Bootstrap, Some(p)) => {
            let exact = Bounds { low: p, high: p };
            Estimate { p, bounds: measured.bootstrap.bounds(null, direction).unwrap_or(exact) }
        }
        _ => Estimate { p: permutation, bounds },
    }
}

impl Case<'_> {
    fn decide(self, family: usize) -> Result<Comparison> {
        let Self { question, measured, settings, .. } = &self;
        let differences = question.differences;
        let claims: Vec<WeighedClaim> =
            question.expectation.claims().into_iter().map(|claim| self.weigh(claim)).collect();
        let evidence: Vec<Evidence> = claims.iter().map(|claim| claim.evidence).collect();
        let (outcome, reason) =
            decide(&question.expectation, &evidence, differences.mean(), question.identical);
        let decision = Decision { outcome, reason, claims };
        let detectable = match measured.t {
            Some(t) => minimum_detectable_effect(&t, settings.confidence, settings.power)?,
            None => None,
        };
        let effect = question.expectation.limit().or(match question.expectation {
            // Nobody said which gain is worth having: then the one that was observed, if any.
            Expectation::Improvement { .. } => Some(differences.mean()).filter(|&mean| mean > 0.0),
            _ => None,
        });
        let needed = match (effect, measured.t) {
            (Some(limit), Some(t)) => {
                queries_needed(limit, t.standard_deviation(), settings.confidence, settings.power)?
            }
            _ => None,
        };
        let t_interval = match measured.t {
            Some(t) => t.interval(settings.confidence),
            None => Err(NoInterval::OneValue),
        };
        Ok(Comparison {
            units: differences.len(),
            queries: differences.queries(),
            wins: differences.wins(),
            ties: differences.ties(),
            losses: differences.losses(),
            baseline_mean: differences.baseline_mean(),
            candidate_mean: differences.candidate_mean(),
            difference: differences.mean(),
            t: measured.t,
            tests: measured.tests.clone(),
            p: DIRECTIONS.map(|direction| raw(measured, 0.0, direction, settings.test).p).into(),
            p_adjusted: (self.adjusted[0].p, self.adjusted[1].p),
            family,
            interval: self.settled(measured.interval),
            t_interval: self.settled(t_interval),
            bootstrap: self.summary(),
            minimum_detectable_effect: detectable,
            queries_needed: needed,
            queries_needed_for: needed.and(effect),
            warnings: self.warnings(&decision, detectable, needed)?,
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
        let interval = |kind| self.settled(bootstrap.interval(kind, self.settings.confidence));
        BootstrapSummary {
            resamples: bootstrap.resamples(),
            win_share: bootstrap.win_share(),
            p_two_sided: bootstrap.p_two_sided(),
            percentile: interval(BootstrapInterval::Percentile),
            bca: interval(BootstrapInterval::Bca),
            studentised: interval(BootstrapInterval::Studentised),
        }
    }

    fn weigh(&self, claim: Claim) -> WeighedClaim {
        let raw = raw(self.measured, claim.null, claim.direction, self.settings.test);
        let side = usize::from(claim.direction == Direction::Less);
        let corrected = self.question.expectation.is_corrected();
        let small = self.question.differences.len() < SMALL_SAMPLE;
        let p_t =
            if corrected { self.t_adjusted[side] } else { t_p(self.measured.t, claim.null, claim.direction) };
        // Without spread a t test says 0 or 1 whatever the number of units: that is no evidence.
        let spread = self.measured.t.is_none_or(|t| t.effect().is_some());
        let p_t = (small && spread).then_some(p_t);
        let adjusted = if corrected { self.adjusted[side] } else { raw };
        let evidence = weigh(adjusted.bounds, p_t, self.settings.confidence.tail());
        WeighedClaim { claim, p: raw.p, p_adjusted: adjusted.p, p_t, evidence }
    }
}
