//! What so many units can show, and how many it takes: the rule that decides, simulated on units like those that
//! were observed.

mod population;
mod rule;
mod search;
mod spread;

use std::cell::Cell;

use self::population::Population;
use self::rule::{Room, Rule};
use self::search::Search;
use super::basis::ClaimRule;
use super::distribution::{normal_quantile, t_quantile};
use super::power::check;
use super::{ComparisonSettings, Differences, Expectation, PairedT, fewest_units};
use crate::{Result, threads};

/// Samples that a power is first looked at with, and those that it is read off in the end: of an effect, which grows
/// with the root of the number of units, fewer.
const FEW: u64 = 250;
const MANY: u64 = 2_000;
const FEWER: u64 = 400;

/// Where nothing is resampled there are more of them: so many times as many, or of so many units together.
const MORE: u64 = 4;
const DRAWN: u64 = 1_000_000;

/// What a number of units and what an effect may take each, in units drawn and values resampled. It is work and not
/// time, so that the same inputs are planned alike on every machine.
const WORK: u64 = 200_000_000;

/// After so many samples the work is looked at: of samples that are resampled sooner, as one takes as much as
/// thousands of others.
const PART: u64 = 250;
const RESAMPLED_PART: u64 = 50;

/// So many units are no plan.
const MOST_UNITS: f64 = 1e8;

/// What an expectation is planned for, and what that takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Planned {
    /// The true drop or gain that is to be shown, or the margin that is to be kept where nothing is lost; without
    /// a sign. Nothing where nobody says how large it is.
    pub effect: Option<f64>,
    /// About how many units show it with the power asked for; nothing where no number does.
    pub units: Option<u64>,
    /// The fewest and the most that `units` may really be, with the confidence of the settings: so few units show no better
    /// how much all of them vary ([`Differences::spread_limits`]).
    pub units_between: Option<[u64; 2]>,
    /// The power that so many `units` have where units vary the most and the least that they may; of normal means.
    pub power_between: Option<[f64; 2]>,
    /// The smallest drop, gain or margin that as many units as there are show with that power; nothing where they
    /// show none.
    pub detectable: Option<f64>,
    /// Whether the work that a plan may take was used up before `units` or `detectable` was found. Then what is
    /// nothing here is not known.
    pub exhausted: bool,
}

/// Plans for an expectation of units like these, by simulating the rule of [`outcome`](super::outcome) on samples
/// of them.
///
/// The effect is twice the `tolerance` or the smallest gain, since at the limit itself no number of units helps; a
/// margin, where nothing is lost; of an improvement without a smallest gain the observed one. Nothing at all is
/// planned where units do not differ from each other. Like [`outcome`](super::outcome) it is about one comparison
/// alone; the settings' confidence, test and power count.
///
/// # Errors
///
/// When a limit or the power is out of range.
///
/// ```
/// use rankgate::stats::{ComparisonSettings, Differences, Expectation, plan};
///
/// let differences: Vec<f64> = (0..40).map(|at| f64::from(at * 7 % 11 - 5) / 20.0).collect();
/// let differences = Differences::new(&[0.0; 40], &differences)?;
/// let expectation = Expectation::NonInferiority { margin: 0.05 };
/// let planned = plan(&differences, expectation, &ComparisonSettings::default())?.unwrap();
/// assert_eq!(planned.effect, Some(0.05));
/// // 90.6 by `tests/peers/planning.py`, within a twentieth; normal distributions alone, which know no unseen query, give 78
/// assert!((87..96).contains(&planned.units.unwrap()), "{planned:?}");
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn plan(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
) -> Result<Option<Planned>> {
    Ok(Planner::new(differences, expectation, settings)?.map(|planner| planner.plan()))
}

/// About how many units like these show a true drop or gain of this size, or keep a margin of it, as
/// [`plan`] says: its [`units`](Planned::units), or whether it was [`exhausted`](Planned::exhausted). Nothing at all
/// where units do not differ from each other.
///
/// # Errors
///
/// As for [`plan`].
pub fn units_needed(
    differences: &Differences,
    expectation: Expectation,
    effect: f64,
    settings: &ComparisonSettings,
) -> Result<Option<Planned>> {
    let Some(planner) = Planner::new(differences, expectation, settings)? else { return Ok(None) };
    Ok(Some(planner.planned(Some(effect.abs()), planner.units(effect.abs()), Ok(None))))
}

/// The work that a plan may take is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

/// What is left of the work that may be done.
struct Budget {
    left: Cell<u64>,
}

impl Budget {
    fn new(work: u64) -> Self {
        Self { left: Cell::new(work) }
    }

    fn spend(&self, work: u64) -> Result<(), Exhausted> {
        let left = self.left.get().checked_sub(work).ok_or(Exhausted);
        self.left.set(*left.as_ref().unwrap_or(&0));
        left.map(|_| ())
    }
}

struct Planner<'a> {
    differences: &'a Differences,
    search: Search<'a>,
    t: PairedT,
    /// What a number of units and what an effect may take each.
    work: u64,
}

impl<'a> Planner<'a> {
    /// Nothing where units do not differ from each other.
    fn new(
        differences: &'a Differences,
        expectation: Expectation,
        settings: &'a ComparisonSettings,
    ) -> Result<Option<Self>> {
        expectation.check()?;
        check(settings.power, settings.confidence)?;
        let t = PairedT::new(differences).filter(|t| t.standard_error > 0.0 && t.standard_error.is_finite());
        let search = Search { expectation, settings };
        Ok(t.map(|t| Self { differences, search, t, work: WORK }))
    }

    fn effect(&self) -> Option<f64> {
        match self.search.expectation {
            Expectation::NoRegression { tolerance: limit } | Expectation::Improvement { min_gain: limit }
                if limit > 0.0 =>
            {
                Some(2.0 * limit)
            }
            Expectation::NonInferiority { margin } | Expectation::Equivalence { margin } => Some(margin),
            Expectation::Improvement { .. } => {
                Some(self.differences.mean()).filter(|observed| *observed > 0.0)
            }
            Expectation::NoRegression { .. } => None,
        }
    }

    /// What is planned, within the work that it may take.
    fn plan(&self) -> Planned {
        let effect = self.effect();
        let units = effect.map_or(Ok(None), |effect| self.units(effect));
        self.planned(effect, units, self.detectable())
    }

    /// The same with how far the units may be off.
    fn planned(
        &self,
        effect: Option<f64>,
        units: Result<Option<u64>, Exhausted>,
        detectable: Result<Option<f64>, Exhausted>,
    ) -> Planned {
        let exhausted = units.is_err() || detectable.is_err();
        let (units, detectable) = (units.unwrap_or_default(), detectable.unwrap_or_default());
        let ComparisonSettings { confidence, power, .. } = *self.search.settings;
        let limits = units.and_then(|_| self.differences.spread_limits(confidence));
        let fewest = fewest_units(confidence) as f64;
        let of_limits = |units: u64, times: f64| (units as f64 * times).max(fewest).ceil() as u64;
        let power_at = |times| self.search.expectation.power_at_variance(times, confidence, power).ok();
        Planned {
            effect,
            units,
            units_between: units
                .zip(limits)
                .map(|(units, limits)| [limits.low, limits.high].map(|times| of_limits(units, times))),
            power_between: limits.and_then(|limits| Some([power_at(limits.high)?, power_at(limits.low)?])),
            detectable,
            exhausted,
        }
    }

    /// The smallest number of units with the power.
    fn units(&self, effect: f64) -> Result<Option<u64>, Exhausted> {
        let budget = Budget::new(self.work);
        let (expectation, mean, apart) = self.search.case(effect);
        let quantiles =
            normal_quantile(1.0 - self.search.settings.confidence.tail()) + self.search.quantile();
        let start = (quantiles * self.t.standard_deviation() / apart).powi(2).max(4.0).round();
        if apart <= 0.0 || start > MOST_UNITS {
            return Ok(None);
        }
        let Some(population) = self.population(mean, &budget)? else { return Ok(None) };
        let power = |units: f64, samples| {
            let units = units.round() as usize;
            share(&self.rule(&population, expectation, units), units, samples, &budget)
        };
        // Numbers of units are whole ones, and probits of a power grow with their root.
        let Some([low, high]) = self.search.bracket(start, 1.0, MOST_UNITS, &f64::round, &power)? else {
            return Ok(None);
        };
        let crossing = self.search.crossing([low, high], &|units| power(units, MANY), &f64::sqrt)?;
        Ok(Some((crossing * crossing).clamp(2.0, MOST_UNITS).ceil() as u64))
    }

    /// The smallest effect that as many units as there are show with the power.
    fn detectable(&self) -> Result<Option<f64>, Exhausted> {
        let budget = Budget::new(self.work);
        let units = self.differences.len();
        let tail = self.search.settings.confidence.tail();
        let offset = self.search.offset();
        let quantiles = t_quantile(1.0 - tail, units - 1) + self.search.quantile();
        let power = |apart: f64, samples| {
            let (expectation, mean, _) = self.search.case(offset + apart);
            let Some(population) = self.population(mean, &budget)? else { return Ok(0.0) };
            share(&self.rule(&population, expectation, units), units, samples, &budget)
        };
        let start = quantiles * self.t.standard_error;
        let Some([low, high]) = self.search.bracket(start, 0.0, 50.0 * start, &|apart| apart, &power)? else {
            return Ok(None);
        };
        let crossing = self.search.crossing([low, high], &|apart| power(apart, FEWER), &|apart| apart)?;
        Ok(Some(offset + crossing).filter(|effect| !self.differences.is_binary() || *effect < 1.0))
    }

    fn population(&self, mean: f64, budget: &Budget) -> Result<Option<Population>, Exhausted> {
        let mut work = 0;
        let population = Population::new(self.differences, mean, &mut work);
        budget.spend(work)?;
        Ok(population)
    }

    /// The rule for so many units that score like those that were observed.
    fn rule<'p>(&self, population: &'p Population, expectation: Expectation, units: usize) -> Rule<'p> {
        let rule = ClaimRule::new(expectation, self.search.settings);
        let extremes = self.differences.extremes[0].times(units as f64 / self.differences.len() as f64);
        Rule::new(population, &rule, &extremes, self.search.settings.confidence.tail())
    }
}

/// The share of samples on which the rule shows what it is asked.
fn share(rule: &Rule<'_>, units: usize, samples: u64, budget: &Budget) -> Result<f64, Exhausted> {
    let closely = samples > FEW;
    let samples = match () {
        () if !Rule::is_drawn(units) => MORE * samples,
        () if closely && !rule.resamples(units) => {
            (DRAWN / units.max(1) as u64).clamp(samples, MORE * samples)
        }
        () => samples,
    };
    let part = if closely && rule.resamples(units) { RESAMPLED_PART } else { PART };
    let shows = |number: u64, room: &mut Room| rule.shows(number, units, closely, room);
    share_of(samples, part, &shows, budget)
}

/// The share of so many samples of which this is true. The work is looked at after each part of them.
fn share_of(
    samples: u64,
    part: u64,
    is_shown: &(dyn Fn(u64, &mut Room) -> bool + Sync),
    budget: &Budget,
) -> Result<f64, Exhausted> {
    let (mut first, mut all_shown) = (0, 0);
    while first < samples {
        let next = samples.min(first + part);
        let shows = |room: &mut Room, number: usize| {
            let shown = is_shown(first + number as u64, room);
            (shown, room.take_work())
        };
        let shown = threads::map_with((next - first) as usize, Room::default, shows);
        budget.spend(shown.iter().map(|(_, work)| work).sum())?;
        all_shown += shown.iter().filter(|(shown, _)| *shown).count();
        first = next;
    }
    Ok(all_shown as f64 / samples as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::DecidingTest;

    /// So much shows in a build without optimization that no shape of differences hangs.
    const LITTLE: u64 = 200_000;

    /// Queries of which some gain and some lose, by sizes that may or may not be alike.
    fn differences(queries: usize, gains: usize, losses: usize, sizes: &[f64], groups: bool) -> Differences {
        let size = |at: usize| sizes[at % sizes.len()];
        let value = |at: usize| match at {
            at if at < gains => size(at),
            at if at < gains + losses => -size(at),
            _ => 0.0,
        };
        let values: Vec<f64> = (0..queries).map(value).collect();
        let before = vec![0.0; queries];
        if groups {
            let groups: Vec<usize> = (0..queries).map(|at| at / 2 + at % 3).collect();
            return Differences::grouped(&before, &values, &groups).unwrap();
        }
        Differences::new(&before, &values).unwrap()
    }

    fn settings(test: DecidingTest) -> ComparisonSettings {
        ComparisonSettings { test, ..ComparisonSettings::default() }
    }

    fn expectations(limit: f64) -> [Expectation; 6] {
        [
            Expectation::NoRegression { tolerance: 0.0 },
            Expectation::NoRegression { tolerance: limit },
            Expectation::Improvement { min_gain: 0.0 },
            Expectation::Improvement { min_gain: limit },
            Expectation::NonInferiority { margin: limit },
            Expectation::Equivalence { margin: limit },
        ]
    }

    /// Plans with this much work, and what a plan says of itself.
    fn checked(
        differences: &Differences,
        expectation: Expectation,
        settings: &ComparisonSettings,
        work: u64,
    ) -> Option<Planned> {
        let mut planner = Planner::new(differences, expectation, settings).unwrap()?;
        planner.work = work;
        let planned = planner.plan();
        assert!(planned.units.is_none_or(|units| units >= 2), "{planned:?}");
        assert!(planned.detectable.is_none_or(|effect| effect > 0.0 && effect.is_finite()), "{planned:?}");
        Some(planned)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_shape_of_differences_is_planned_or_the_plan_says_that_it_is_not(
            queries in prop_oneof![1_usize..40, 40_usize..400, 400_usize..=3_000],
            changed in prop_oneof![(0_usize..3, 0_usize..3), (0_usize..60, 0_usize..60), (0_usize..3_000, 0_usize..3_000)],
            sizes in prop_oneof![
                Just(vec![1.0]),
                Just(vec![0.2]),
                Just(vec![0.8 - 0.6, 0.2]),
                prop::collection::vec(1e-9..1.0_f64, 1..6),
                prop::collection::vec(prop_oneof![Just(1e-300), Just(5e-324), Just(1e38), Just(1e75)], 1..3),
            ],
            groups in any::<bool>(),
            expected in 0_usize..6,
            limit in prop_oneof![Just(0.02), Just(0.2), 1e-9..0.99_f64],
            test in prop_oneof![Just(DecidingTest::Permutation), Just(DecidingTest::Bootstrap)],
        ) {
            let gains = changed.0.min(queries);
            let losses = changed.1.min(queries - gains);
            let differences = differences(queries, gains, losses, &sizes, groups);
            checked(&differences, expectations(limit)[expected], &settings(test), LITTLE);
        }
    }

    /// One query of many that changes is the smallest change there is: its sums are no normal ones.
    #[test]
    fn one_query_that_changes_is_planned_like_any_other() {
        let settings = settings(DecidingTest::Permutation);
        for queries in [162, 225, 1_000] {
            for [gains, losses] in [[1, 0], [0, 1], [2, 1]] {
                let differences = differences(queries, gains, losses, &[0.8 - 0.6], false);
                for expectation in expectations(0.02) {
                    checked(&differences, expectation, &settings, LITTLE);
                }
            }
        }
    }

    /// Of normal units with the spread s, ((1.960 + 1.282) s / margin)^2: each side may be missed in a tenth. Above 400 no
    /// unit is drawn.
    #[test]
    fn both_sides_of_an_equivalence_are_needed_at_any_number_of_units() {
        let values: Vec<f64> =
            (0..400).map(|at| 0.2 * normal_quantile((f64::from(at) + 0.5) / 400.0)).collect();
        let differences = Differences::new(&[0.0; 400], &values).unwrap();
        let settings = settings(DecidingTest::Permutation);
        for (margin, expected) in [(0.05, 168.0), (0.025, 673.0), (0.01, 4_203.0)] {
            let planned =
                plan(&differences, Expectation::Equivalence { margin }, &settings).unwrap().unwrap();
            let units = planned.units.unwrap() as f64;
            // An unseen query that loses as much as the largest difference takes some more of few.
            assert!((0.94..1.2).contains(&(units / expected)), "{margin}: {units}");
        }
    }

    #[test]
    fn a_plan_beyond_its_budget_is_told_as_none() {
        let differences = differences(60, 20, 20, &[0.1, 0.23, 0.41], false);
        let settings = settings(DecidingTest::Permutation);
        let margin = Expectation::NonInferiority { margin: 0.05 };
        let none = checked(&differences, margin, &settings, 1_000).unwrap();
        let nothing = Planned {
            effect: Some(0.05),
            units: None,
            units_between: None,
            power_between: None,
            detectable: None,
            exhausted: true,
        };
        assert_eq!(none, nothing);
        // Of a plan within it the budget changes nothing.
        let plan = |work| checked(&differences, margin, &settings, work).unwrap();
        assert_eq!(plan(WORK), plan(u64::MAX));
        assert!(!plan(WORK).exhausted && plan(WORK).units.is_some());
    }

    #[test]
    fn where_a_budget_ends_does_not_depend_on_threads() {
        let differences = differences(50, 9, 3, &[0.1, 0.23, 0.41], false);
        let settings = settings(DecidingTest::Permutation);
        let margin = Expectation::NonInferiority { margin: 0.05 };
        for work in [10_000, 100_000, 1_000_000, 4_000_000] {
            let plan = || checked(&differences, margin, &settings, work);
            assert_eq!(threads::within(1, plan), threads::within(5, plan), "{work}");
        }
    }
}
