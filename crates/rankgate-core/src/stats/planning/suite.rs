//! What several collections show together: the rule of a suite, simulated on queries like those of each.

use super::population::Population;
use super::rule::{Collection, Room, Rule, SuiteRule};
use super::{Budget, DRAWN, Exhausted, FEW, FEWER, MANY, MORE, MOST_UNITS, PART, Search, share_of};
use crate::Result;
use crate::stats::basis::{Basis, ClaimRule};
use crate::stats::distribution::normal_quantile;
use crate::stats::power::check;
use crate::stats::{ComparisonSettings, Differences, Direction, Expectation, PairedT};

/// What an effect, and what numbers of units may take, as of one collection alone.
const WORK: u64 = 100_000_000;

/// Collections have at least so many units.
const FEWEST: u64 = 2;

/// How the units that a suite needs are spread over its collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Allocation {
    /// All collections grow or shrink by the same factor.
    Proportional,
    /// All keep the units that they have, and those get more whose units add most to the power. They are then in proportion to
    /// the root of what a unit less would add to the standard error and to the unseen query's part (Neyman 1934). Where a
    /// suite says how much a collection may lose, they are in proportion to what each needs to show that by itself.
    Optimal,
}

/// What the collections of a suite can show together, by simulating the rule of a suite's gate: random signs within each
/// collection, one unseen query in each, and, where it is said, that no collection loses too much.
///
/// The true effect is the same in all collections, and their queries vary like those that were observed. A plan is for one
/// comparison alone. It counts the settings' confidence, power, guarantee and drop test.
///
/// ```
/// use rankgate::stats::{Allocation, ComparisonSettings, Differences, Expectation, SuitePlanner};
///
/// let collection = |queries: u32| {
///     let candidate: Vec<f64> = (0..queries).map(|at| 0.5 + (f64::from(at * 7 % 11) - 5.0) / 40.0).collect();
///     Ok::<_, rankgate::Error>(Differences::new(&vec![0.5; queries as usize], &candidate)?.within(&(0.0..=1.0)))
/// };
/// let (few, many) = (collection(20)?, collection(200)?);
/// let (expectation, settings) = (Expectation::Improvement { min_gain: 0.0 }, ComparisonSettings::default());
/// let planner = SuitePlanner::new(&[(&few, 0.5), (&many, 0.5)], expectation, None, &settings)?.unwrap();
/// // Of a mean in which both count alike, queries of the few help more.
/// let needed = planner.units_needed(0.05, &[20, 200], Allocation::Optimal).unwrap().unwrap();
/// assert!(needed[0] > 20 && needed[1] == 200, "{needed:?}");
/// assert!((planner.power(0.05, &needed).unwrap() - 0.8).abs() < 0.06);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub struct SuitePlanner<'a> {
    /// Each with its share of the mean.
    collections: Vec<(&'a Differences, f64)>,
    /// The standard deviation of units, by collection.
    deviations: Vec<f64>,
    harm_at_most: Option<f64>,
    search: Search<'a>,
    /// What an effect and what numbers of units may take each.
    work: u64,
}

impl<'a> SuitePlanner<'a> {
    /// Of collections, each with its weight in the mean, and of what each may lose at most where that is demanded. A drop is
    /// planned for alone. Nothing where no units differ from each other, a collection has one unit, or the bootstrap decides.
    ///
    /// # Errors
    ///
    /// When a limit or the power is out of range.
    pub fn new(
        collections: &[(&'a Differences, f64)],
        expectation: Expectation,
        harm_at_most: Option<f64>,
        settings: &'a ComparisonSettings,
    ) -> Result<Option<Self>> {
        expectation.check()?;
        check(settings.power, settings.confidence)?;
        let regression = matches!(expectation, Expectation::NoRegression { .. });
        let harm_at_most = harm_at_most.filter(|_| !regression);
        if let Some(margin) = harm_at_most {
            Expectation::NonInferiority { margin }.check()?;
        }
        let all: f64 = collections.iter().map(|(_, weight)| weight).sum();
        let mut planner = Self {
            collections: collections.iter().map(|(one, weight)| (*one, weight / all)).collect(),
            deviations: Vec::with_capacity(collections.len()),
            harm_at_most,
            search: Search { expectation, settings },
            work: WORK,
        };
        for (differences, _) in collections {
            let Some(t) = PairedT::new(differences) else { return Ok(None) };
            planner.deviations.push(t.standard_deviation());
        }
        let varies = planner.deviations.iter().any(|deviation| *deviation > 0.0);
        Ok((varies && !settings.test.resamples()).then_some(planner))
    }

    /// The probability with which so many units of each collection show this effect.
    ///
    /// # Errors
    ///
    /// When that takes more work than a plan may.
    #[inline]
    pub fn power(&self, effect: f64, units: &[u64]) -> Result<f64, Exhausted> {
        let budget = Budget::new(self.work);
        let (expectation, mean, _) = self.search.case(effect);
        let populations = self.populations(mean, &budget)?;
        self.simulated(&populations, expectation, units, MANY, &budget)
    }

    /// The smallest drop, gain or margin that so many units of each collection show with the power of the settings; nothing
    /// where they show none.
    ///
    /// # Errors
    ///
    /// When that takes more work than a plan may.
    pub fn detectable(&self, units: &[u64]) -> Result<Option<f64>, Exhausted> {
        let budget = Budget::new(self.work);
        let offset = self.search.offset();
        let power = |apart: f64, samples| {
            let (expectation, mean, _) = self.search.case(offset + apart);
            let populations = self.populations(mean, &budget)?;
            self.simulated(&populations, expectation, units, samples, &budget)
        };
        let start = self.quantiles() * self.standard_error(units);
        let Some([low, high]) = self.search.bracket(start, 0.0, 50.0 * start, &|apart| apart, &power)? else {
            return Ok(None);
        };
        let crossing = self.search.crossing([low, high], &|apart| power(apart, FEWER), &|apart| apart)?;
        let largest = self.collections.iter().filter_map(|(one, _)| one.largest_loss()).reduce(f64::min);
        Ok(Some(offset + crossing).filter(|effect| largest.is_none_or(|largest| *effect < largest)))
    }

    /// About how many units of each collection show this effect with the power of the settings, by how many they have
    /// `today`; nothing where no number does.
    ///
    /// # Errors
    ///
    /// When that takes more work than a plan may.
    #[inline]
    pub fn units_needed(
        &self,
        effect: f64,
        today: &[u64],
        allocation: Allocation,
    ) -> Result<Option<Vec<u64>>, Exhausted> {
        let budget = Budget::new(self.work);
        let (expectation, mean, apart) = self.search.case(effect);
        let all: f64 = today.iter().map(|units| *units as f64).sum();
        let mut start = all * (self.quantiles() * self.standard_error(today) / apart).powi(2);
        if apart <= 0.0 || start > MOST_UNITS {
            return Ok(None);
        }
        let populations = self.populations(mean, &budget)?;
        let weights = self.weights(expectation, mean, apart);
        let allocated = |all: f64| match allocation {
            Allocation::Proportional => proportional(today, all),
            Allocation::Optimal => raised(today, &weights, all),
        };
        let power =
            |all: f64, samples| self.simulated(&populations, expectation, &allocated(all), samples, &budget);
        if allocation == Allocation::Optimal {
            // So many, spread by the weights, are no more of any collection than it has.
            let whole: f64 = weights.iter().sum();
            let kept = today.iter().zip(&weights).map(|(units, weight)| *units as f64 * whole / weight);
            start = kept.fold(f64::INFINITY, f64::min);
            if power(start, MANY)? >= self.search.settings.power {
                return Ok(Some(today.to_vec()));
            }
        }
        let least = today.len() as f64;
        let start = start.max(2.0 * least).round();
        let Some([low, high]) = self.search.bracket(start, least, MOST_UNITS, &f64::round, &power)? else {
            return Ok(None);
        };
        let crossing = self.search.crossing([low, high], &|all| power(all, MANY), &f64::sqrt)?;
        Ok(Some(allocated((crossing * crossing).min(MOST_UNITS))))
    }

    /// Units like those of each collection with this mean difference.
    fn populations(&self, mean: f64, budget: &Budget) -> Result<Vec<Population>, Exhausted> {
        let mut work = 0;
        let population = |(differences, _): &(&Differences, f64)| {
            // Where no scores of 0 and 1 have this mean, all are moved.
            let population = Population::new(differences, mean, &mut work);
            population.unwrap_or_else(|| Population::shifted(differences, mean))
        };
        let populations = self.collections.iter().map(population).collect();
        budget.spend(work)?;
        Ok(populations)
    }

    /// The share of samples of so many units of each collection on which the rule shows what it is asked.
    fn simulated(
        &self,
        populations: &[Population],
        expectation: Expectation,
        units: &[u64],
        samples: u64,
        budget: &Budget,
    ) -> Result<f64, Exhausted> {
        let settings = self.search.settings;
        let rule = ClaimRule::new(expectation, settings);
        let harm = self.harm_at_most.map(|margin| Expectation::NonInferiority { margin });
        let harm = harm.map(|harm| ClaimRule::new(harm, settings));
        let mut collections = Vec::with_capacity(units.len());
        for (((differences, share), population), &units) in
            self.collections.iter().zip(populations).zip(units)
        {
            let extremes = differences.extremes[0].times(units as f64 / differences.len() as f64);
            let simulated =
                |rule: &ClaimRule| Rule::new(population, rule, &extremes, settings.confidence.tail());
            collections.push(Collection {
                rule: simulated(&rule),
                harm: harm.as_ref().map(simulated),
                share: *share,
                units: units as usize,
            });
        }
        let suite = SuiteRule::new(collections);
        let closely = samples > FEW;
        let samples = match closely {
            true => (DRAWN / units.iter().sum::<u64>().max(1)).clamp(samples, MORE * samples),
            false => samples,
        };
        let shows = |number: u64, room: &mut Room| suite.shows(number, closely, room);
        share_of(samples, PART, &shows, budget)
    }

    /// How many standard errors an effect is from the null that is shown with the power.
    fn quantiles(&self) -> f64 {
        normal_quantile(1.0 - self.search.settings.confidence.tail()) + self.search.quantile()
    }

    fn standard_error(&self, units: &[u64]) -> f64 {
        let parts = self.collections.iter().zip(&self.deviations).zip(units);
        parts.map(|(((_, share), deviation), &n)| (share * deviation).powi(2) / n as f64).sum::<f64>().sqrt()
    }

    /// In which proportions units of the collections add most to the power.
    #[inline]
    fn weights(&self, expectation: Expectation, mean: f64, apart: f64) -> Vec<f64> {
        let rule = ClaimRule::new(expectation, self.search.settings);
        let hoped = expectation.claims().into_iter().find(|claim| expectation.hopes_for(*claim));
        let counts_unseen = hoped.is_some_and(|claim| rule.basis(claim) != Basis::Test);
        let quantile = normal_quantile(1.0 - self.search.settings.confidence.tail());
        let collections = self.collections.iter().zip(&self.deviations);
        let weight = |((differences, share), deviation): (&(&Differences, f64), &f64)| {
            let loss = rule.against(&differences.extremes[0], Direction::Greater, rule.guarantee);
            let loss = loss.filter(|_| counts_unseen).unwrap_or_default();
            match self.harm_at_most {
                // The smallest number of units without a difference that keep the limit, (1 - limit / loss)^n at the level.
                Some(limit) => {
                    let limit = limit + mean;
                    let level = self.search.settings.confidence.tail();
                    (self.quantiles() * deviation / limit).powi(2) - level.ln() * loss / limit
                }
                // What one unit less adds to the standard error times its quantile, and to the unseen query's part.
                None => {
                    let variance = quantile * (share * deviation).powi(2) * self.quantiles() / (2.0 * apart);
                    (share * loss + variance).sqrt()
                }
            }
        };
        collections.map(weight).collect()
    }
}

/// So many units in the proportions of today's.
#[inline]
fn proportional(today: &[u64], all: f64) -> Vec<u64> {
    let now: f64 = today.iter().map(|units| *units as f64).sum();
    today.iter().map(|units| ((*units as f64 * all / now).round() as u64).max(FEWEST)).collect()
}

/// So many units in the proportions of the weights, but of no collection fewer than today.
#[inline]
fn raised(today: &[u64], weights: &[f64], all: f64) -> Vec<u64> {
    let whole: f64 = weights.iter().sum();
    let raised = today.iter().zip(weights);
    raised.map(|(units, weight)| (*units).max((all * weight / whole).ceil() as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;

    /// Normal units with this standard deviation, and a baseline of which an average point rests on a query of .5.
    fn normal(units: usize, deviation: f64) -> Differences {
        let quantile = |at: usize| normal_quantile((at as f64 + 0.5) / units as f64);
        let values: Vec<f64> = (0..units).map(|at| 0.5 + deviation * quantile(at)).collect();
        Differences::new(&vec![0.5; units], &values).unwrap().within(&(0.0..=1.0))
    }

    fn settings() -> ComparisonSettings {
        ComparisonSettings::default()
    }

    /// Of normal means: (1.960 + .842) times the standard error of the mean of the collections' means.
    #[test]
    fn a_drop_is_planned_for_as_normal_means_show_it() {
        let settings = settings();
        let (one, other) = (normal(300, 0.1), normal(500, 0.15));
        let parts = [(&one, 2.0), (&other, 1.0)];
        let planner = SuitePlanner::new(&parts, Expectation::default(), None, &settings).unwrap().unwrap();
        let error = |units: [f64; 2]| ((0.0667_f64.powi(2) / units[0]) + 0.05_f64.powi(2) / units[1]).sqrt();
        let expected = 2.8016 * error([300.0, 500.0]);
        let detectable = planner.detectable(&[300, 500]).unwrap().unwrap();
        assert!((detectable / expected - 1.0).abs() < 0.05, "{detectable} {expected}");
        let units =
            planner.units_needed(expected / 2.0, &[300, 500], Allocation::Proportional).unwrap().unwrap();
        assert!(
            (units[0] as f64 / 1200.0 - 1.0).abs() < 0.08 && units[1].abs_diff(units[0] * 5 / 3) < 3,
            "{units:?}"
        );
        // Neyman: in proportion to share times deviation, 2/3 x .1 to 1/3 x .15.
        let optimal =
            planner.units_needed(expected / 4.0, &[300, 500], Allocation::Optimal).unwrap().unwrap();
        assert!((optimal[0] as f64 / optimal[1] as f64 - 4.0 / 3.0).abs() < 0.01, "{optimal:?}");
    }

    /// Where nothing differs and no query was seen to lose, only the unseen queries count. Of one collection
    /// (1 - margin / L)^n is the p-value; half a share each makes the margin that both keep about as large.
    #[test]
    fn few_queries_of_one_collection_take_power_that_many_of_another_do_not_give_back() {
        let settings = settings();
        let (few, many) = (normal(15, 0.1), normal(600, 0.1));
        let parts = [(&few, 1.0), (&many, 1.0)];
        let gain = Expectation::Improvement { min_gain: 0.0 };
        let planner = SuitePlanner::new(&parts, gain, None, &settings).unwrap().unwrap();
        let power = |units: [u64; 2]| planner.power(0.06, &units).unwrap();
        let today = power([15, 600]);
        assert!(power([15, 6_000]) < today + 0.1 && power([60, 600]) > today + 0.1, "{today}");
        let units = planner.units_needed(0.06, &[15, 600], Allocation::Optimal).unwrap().unwrap();
        assert!(units[1] == 600 && (16..60).contains(&units[0]), "{units:?}");
        assert!((planner.power(0.06, &units).unwrap() - 0.8).abs() < 0.04, "{units:?}");
        assert_eq!(planner.units_needed(0.2, &[15, 600], Allocation::Optimal), Ok(Some(vec![15, 600])));
    }

    #[test]
    fn what_no_collection_may_lose_takes_more() {
        let settings = settings();
        let parts = [normal(40, 0.1), normal(60, 0.1)];
        let parts = [(&parts[0], 1.0), (&parts[1], 1.0)];
        let gain = Expectation::Improvement { min_gain: 0.0 };
        let power = |harm| {
            let planner = SuitePlanner::new(&parts, gain, harm, &settings).unwrap().unwrap();
            planner.power(0.04, &[40, 60]).unwrap()
        };
        let alone = power(None);
        assert!(power(Some(0.01)) < power(Some(0.05)) && power(Some(0.05)) < alone + 0.01 && alone > 0.5);
        let planner = SuitePlanner::new(&parts, gain, Some(0.01), &settings).unwrap().unwrap();
        let units = planner.units_needed(0.04, &[40, 60], Allocation::Optimal).unwrap().unwrap();
        assert!(units[0] > 40 && (planner.power(0.04, &units).unwrap() - 0.8).abs() < 0.04, "{units:?}");
    }

    #[test]
    fn what_does_not_vary_is_not_planned_and_what_takes_too_much_work_says_so() {
        let settings = settings();
        let still = Differences::new(&[0.5; 20], &[0.5; 20]).unwrap();
        let gain = Expectation::Improvement { min_gain: 0.0 };
        assert!(SuitePlanner::new(&[(&still, 1.0)], gain, None, &settings).unwrap().is_none());
        // Beside a collection that varies it is planned, and its unseen query counts.
        let other = normal(100, 0.1);
        let parts = [(&still, 1.0), (&other, 1.0)];
        let mut planner = SuitePlanner::new(&parts, gain, None, &settings).unwrap().unwrap();
        let needed = || planner.units_needed(0.05, &[20, 100], Allocation::Proportional);
        let units = needed().unwrap().unwrap();
        assert!(units.iter().all(|units| *units >= 2), "{units:?}");
        assert_eq!(threads::within(1, needed), threads::within(5, needed));
        planner.work = 10_000;
        assert_eq!(planner.units_needed(0.05, &[20, 100], Allocation::Proportional), Err(Exhausted));
        assert_eq!(planner.detectable(&[20, 100]), Err(Exhausted));
    }
}
