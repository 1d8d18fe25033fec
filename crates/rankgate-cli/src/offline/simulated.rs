//! How many queries an effect takes: the rule that decides, simulated on queries like those that were observed.

use std::ops::RangeInclusive;

use rand::RngExt;
use rankgate_core::internal::threads;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::offline::Result;
use crate::offline::stats::{
    self, ComparisonSettings, Differences, Expectation, Outcome, PairedT, PermutationOptions, Stream,
};

/// Samples that a power is read off, while the number of units is searched for and in the end.
const FEW: u64 = 300;
const MANY: u64 = 1_500;
/// Steps of the search.
const STEPS: usize = 5;
/// Resamples of the rule: noise in p-values takes power.
const RESAMPLES: u64 = 999;
/// Of more units sums are as good as normal, and the formula says how many.
const LARGE: u64 = 2_000;

/// Scores of two runs, by unit: a query, or a group of them.
pub(super) struct Observed {
    /// The baseline's and the candidate's score of each query of a unit.
    units: Vec<Vec<[f64; 2]>>,
    grouped: bool,
    range: RangeInclusive<f64>,
}

/// What samples are drawn from: units, some more often than others.
struct Population {
    units: Vec<Vec<[f64; 2]>>,
    /// The sum of the weights up to each unit.
    sums: Vec<f64>,
}

impl Observed {
    pub(super) fn new(
        [before, after]: [&[f64]; 2],
        groups: Option<&[String]>,
        range: RangeInclusive<f64>,
    ) -> Self {
        let pairs = before.iter().zip(after).map(|(before, after)| [*before, *after]);
        let units = match groups {
            None => pairs.map(|pair| vec![pair]).collect(),
            Some(groups) => {
                let mut units = std::collections::BTreeMap::<&str, Vec<[f64; 2]>>::new();
                groups.iter().zip(pairs).for_each(|(group, pair)| units.entry(group).or_default().push(pair));
                units.into_values().collect()
            }
        };
        Self { units, grouped: groups.is_some(), range }
    }

    /// About how many units show a true drop or gain of this size, or keep a margin of it, with the power of the settings;
    /// nothing if units do not differ from each other or if no number does.
    ///
    /// # Errors
    ///
    /// A limit or a power that is out of range.
    pub(super) fn units_needed(
        &self,
        expectation: Expectation,
        effect: f64,
        settings: &ComparisonSettings,
    ) -> Result<Option<u64>> {
        let differences = self.differences(self.units.iter())?;
        let Some(t) = PairedT::new(&differences).filter(|t| t.standard_error > 0.0) else { return Ok(None) };
        let (expectation, mean, apart) = match expectation {
            Expectation::NoRegression { margin } if effect <= margin => return Ok(None),
            Expectation::NoRegression { .. } => (expectation, -effect, effect),
            Expectation::Improvement { margin } => (expectation, effect, effect - margin),
            Expectation::NonInferiority { .. } => {
                (Expectation::NonInferiority { margin: effect }, 0.0, effect)
            }
            Expectation::Equivalence { .. } => (Expectation::Equivalence { margin: effect }, 0.0, effect),
        };
        if apart <= 0.0 {
            return Ok(None);
        }
        let power = expectation.power_of_claim(settings.power);
        let population = self.population(mean);
        // Parents that are drawn more often than others have another spread than those that were observed.
        let observed = Population::new(self.units.clone(), &vec![1.0; self.units.len()]);
        let deviation = t.standard_deviation() * (population.variance() / observed.variance()).sqrt();
        let of_formula = stats::queries_needed(apart, deviation, settings.confidence, power)?;
        let fewest = stats::fewest_units(settings.confidence) as u64;
        let Some(mut units) = of_formula.map(|units| units.max(fewest)) else { return Ok(None) };
        let quantile =
            |share: f64| Normal::standard().inverse_cdf(expectation.power_of_claim(share.clamp(0.02, 0.98)));
        let (level, wanted) =
            (Normal::standard().inverse_cdf(1.0 - settings.confidence.tail()), quantile(settings.power));
        let mut before: Option<[f64; 2]> = None;
        for step in 0..STEPS {
            if units > LARGE {
                break;
            }
            let samples = if step + 2 < STEPS { FEW } else { MANY };
            let found = quantile(self.power(&population, (expectation, units), samples, settings)?);
            // Probits of a power lie on a line over the root of the number of units: the one through two powers, or through one
            // and the level.
            let root = (units as f64).sqrt();
            let slope = match before {
                // Two powers at nearly the same number differ by noise.
                Some([other, of_other])
                    if (root - other).abs() > 0.1 * root && (found - of_other) * (root - other) > 0.0 =>
                {
                    (found - of_other) / (root - other)
                }
                _ => (level + found) / root,
            };
            before = Some([root, found]);
            let next = (root + (wanted - found) / slope).clamp(root / 2.0, 2.0 * root);
            units = ((next * next).round() as u64).max(fewest);
        }
        Ok(Some(units))
    }

    /// The share of samples of so many units on which the rule shows what it is asked.
    fn power(
        &self,
        population: &Population,
        (expectation, units): (Expectation, u64),
        samples: u64,
        settings: &ComparisonSettings,
    ) -> Result<f64> {
        let signs = PermutationOptions {
            resamples: RESAMPLES,
            most_resamples: RESAMPLES,
            ..settings.permutation.clone()
        };
        let quick =
            ComparisonSettings { permutation: signs, bootstrap_resamples: RESAMPLES, ..settings.clone() };
        let wanted = match expectation {
            Expectation::NoRegression { .. } => Outcome::Failed,
            _ => Outcome::Passed,
        };
        let stream = Stream::new(1).for_name("planning");
        let shows = |number: usize| {
            let mut random = stream.rng(number as u64);
            let drawn: Vec<&Vec<[f64; 2]>> = (0..units).map(|_| population.draw(random.random())).collect();
            let differences = self.differences(drawn.into_iter())?;
            Ok(stats::outcome(&differences, expectation, &quick, &Stream::new(number as u64))? == wanted)
        };
        let shown = threads::map(samples as usize, shows).into_iter().collect::<Result<Vec<bool>>>()?;
        Ok(shown.iter().filter(|shown| **shown).count() as f64 / samples as f64)
    }

    fn differences<'a>(&self, units: impl Iterator<Item = &'a Vec<[f64; 2]>>) -> Result<Differences> {
        let (mut before, mut after, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (number, unit) in units.enumerate() {
            before.extend(unit.iter().map(|pair| pair[0]));
            after.extend(unit.iter().map(|pair| pair[1]));
            groups.extend(unit.iter().map(|_| number));
        }
        let differences = match self.grouped {
            true => Differences::grouped(&before, &after, &groups)?,
            false => Differences::new(&before, &after)?,
        };
        Ok(differences.within(&self.range))
    }

    /// The observed units with another mean difference per query.
    ///
    /// Parents are drawn with other probabilities if that reaches the mean (exponential tilting, which changes the distribution
    /// least), so that ties stay ties and all values are observed ones. Binary scores that differ one way alone are drawn
    /// together with their mirror images. Otherwise the candidate's scores are shifted.
    fn population(&self, mean: f64) -> Population {
        let tilted = |units: Vec<Vec<[f64; 2]>>| {
            let weights = tilted(&units, mean)?;
            Some(Population::new(units, &weights))
        };
        let binary = self.units.iter().flatten().flatten().all(|score| *score == 0.0 || *score == 1.0);
        let mirrored = || {
            let mirror =
                |unit: &Vec<[f64; 2]>| unit.iter().map(|[before, after]| [*after, *before]).collect();
            tilted(self.units.iter().cloned().chain(self.units.iter().map(mirror)).collect())
        };
        let shifted = || {
            let all = || self.units.iter().flatten();
            let observed = all().map(|[before, after]| after - before).sum::<f64>() / all().count() as f64;
            let shift = |unit: &Vec<[f64; 2]>| {
                unit.iter().map(|[before, after]| [*before, after + mean - observed]).collect()
            };
            Population::new(self.units.iter().map(shift).collect(), &vec![1.0; self.units.len()])
        };
        let found = tilted(self.units.clone());
        found.or_else(|| if binary { mirrored() } else { None }).unwrap_or_else(shifted)
    }
}

impl Population {
    fn new(units: Vec<Vec<[f64; 2]>>, weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let sums = weights.iter().map(|weight| {
            sum += weight;
            sum
        });
        Self { sums: sums.collect(), units }
    }

    /// The variance of the units' differences.
    fn variance(&self) -> f64 {
        let of_unit = |unit: &Vec<[f64; 2]>| unit.iter().map(|[before, after]| after - before).sum::<f64>();
        let mean = |value: &dyn Fn(f64) -> f64| {
            let mut before = 0.0;
            let weighed = self.units.iter().zip(&self.sums).map(|(unit, sum)| {
                let weight = sum - std::mem::replace(&mut before, *sum);
                weight * value(of_unit(unit))
            });
            weighed.sum::<f64>() / self.sums.last().copied().unwrap_or(1.0)
        };
        let middle = mean(&|difference| difference);
        mean(&|difference| (difference - middle).powi(2))
    }

    /// The unit at a place between 0 and 1.
    fn draw(&self, place: f64) -> &Vec<[f64; 2]> {
        let at = place * self.sums.last().copied().unwrap_or_default();
        &self.units[self.sums.partition_point(|sum| *sum <= at).min(self.units.len() - 1)]
    }
}

/// Weights in proportion to `exp(t x)` of each unit's distance x from the mean, such that they have this mean; nothing if no
/// weights reach it.
fn tilted(units: &[Vec<[f64; 2]>], mean: f64) -> Option<Vec<f64>> {
    let apart: Vec<f64> =
        units.iter().map(|unit| unit.iter().map(|[before, after]| after - before - mean).sum()).collect();
    let scale = apart.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let weigh = |t: f64| -> Vec<f64> { apart.iter().map(|x| (t * x / scale - t.abs()).exp()).collect() };
    let reached = |weights: &[f64]| apart.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f64>();
    // The mean grows with t.
    let (mut low, mut high) = (-200.0, 200.0);
    if scale == 0.0 || reached(&weigh(low)) >= 0.0 || reached(&weigh(high)) <= 0.0 {
        return None;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if reached(&weigh(middle)) < 0.0 { low = middle } else { high = middle }
    }
    Some(weigh(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(pairs: &[[f64; 2]]) -> Observed {
        let side = |side: usize| pairs.iter().map(|pair| pair[side]).collect::<Vec<f64>>();
        Observed::new([&side(0), &side(1)], None, 0.0..=1.0)
    }

    fn mean(population: &Population) -> f64 {
        let mut before = 0.0;
        let weighed = population.units.iter().zip(&population.sums).map(|(unit, sum)| {
            let weight = sum - std::mem::replace(&mut before, *sum);
            weight * unit.iter().map(|[before, after]| after - before).sum::<f64>()
        });
        weighed.sum::<f64>() / population.sums.last().unwrap()
    }

    #[test]
    fn populations_have_the_mean_that_is_asked_for() {
        let values = [-0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5].map(|difference| [0.5, 0.5 + difference]);
        for wished in [-0.1, 0.0, 0.03125, 0.1, 0.6] {
            assert!((mean(&observed(&values).population(wished)) - wished).abs() < 1e-9, "{wished}");
        }
        // Tilting keeps the observed values; beyond them all are shifted.
        assert_eq!(observed(&values).population(0.1).units[7], [[0.5, 1.0]]);
        assert!((observed(&values).population(0.6).units[1][0][1] - 1.06875).abs() < 1e-12);
        // One gain in eight, and no loss: losses are drawn from the gains turned round.
        let binary =
            [[0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]];
        let population = observed(&binary).population(-0.05);
        assert!((mean(&population) + 0.05).abs() < 1e-9 && population.units.len() == 16);
        assert!(population.units.iter().flatten().flatten().all(|score| *score == 0.0 || *score == 1.0));
    }

    /// 40 differences of a regular pattern with a margin of .05: 90.6 by `tests/peers/planning.py`; normal distributions alone,
    /// which know no unseen query, give 78.
    #[test]
    fn a_margin_takes_as_many_queries_as_a_peer_says() {
        let pairs: Vec<[f64; 2]> = (0..40).map(|at| [0.0, f64::from(at * 7 % 11 - 5) / 20.0]).collect();
        let side = |side: usize| pairs.iter().map(|pair| pair[side]).collect::<Vec<f64>>();
        let observed = Observed::new([&side(0), &side(1)], None, f64::NEG_INFINITY..=f64::INFINITY);
        let margin = Expectation::NonInferiority { margin: 0.05 };
        let units = observed.units_needed(margin, 0.05, &ComparisonSettings::default()).unwrap().unwrap();
        assert!((85..=97).contains(&units), "{units}");
    }

    #[test]
    fn the_number_has_the_power_that_is_asked_for() {
        let pairs: Vec<[f64; 2]> =
            (0..200).map(|at| [0.5, 0.5 + f64::from(at * 37 % 41 - 20) / 100.0]).collect();
        let observed = observed(&pairs);
        let settings = ComparisonSettings::default();
        for expectation in [
            Expectation::NoRegression { margin: 0.02 },
            Expectation::Improvement { margin: 0.0 },
            Expectation::NonInferiority { margin: 0.05 },
            Expectation::Equivalence { margin: 0.05 },
        ] {
            let units = observed.units_needed(expectation, 0.05, &settings).unwrap().unwrap();
            let (asked, mean) = match expectation {
                Expectation::NoRegression { .. } => (expectation, -0.05),
                Expectation::Improvement { .. } => (expectation, 0.05),
                _ => (expectation, 0.0),
            };
            let power = observed.power(&observed.population(mean), (asked, units), 500, &settings).unwrap();
            assert!((0.75..=0.85).contains(&power), "{expectation:?} {units}: {power}");
        }
    }

    /// Where few queries differ, a larger gain is more queries that gain: 8% that gain .5 for .04, by hand. If all queries were
    /// shifted, ties among them, the number would have a power of .45 there.
    #[test]
    fn a_larger_gain_is_more_queries_that_gain() {
        let rare: Vec<[f64; 2]> = (0..200).map(|at| [0.25, if at % 20 == 0 { 0.75 } else { 0.25 }]).collect();
        let population = observed(&rare).population(0.04);
        let gaining = population.units.iter().zip(&population.sums).scan(0.0, |before, (unit, sum)| {
            let weight = sum - std::mem::replace(before, *sum);
            Some(if unit[0][1] > unit[0][0] { weight } else { 0.0 })
        });
        assert!((gaining.sum::<f64>() / population.sums.last().unwrap() - 0.08).abs() < 1e-9);
        // Of .04, .08 (.5 - .04)^2 + .92 .04^2 by hand: the formula for large numbers has this spread.
        assert!((population.variance() - 0.0184).abs() < 1e-9, "{}", population.variance());
        // Most do not differ, and others by little.
        let inflated =
            (0..200).map(|at| [0.5, 0.5 + if at % 4 == 0 { f64::from(at % 16 - 6) / 20.0 } else { 0.0 }]);
        for pairs in [rare, inflated.collect()] {
            let observed = observed(&pairs);
            let (gain, settings) = (Expectation::Improvement { margin: 0.0 }, ComparisonSettings::default());
            let units = observed.units_needed(gain, 0.04, &settings).unwrap().unwrap();
            let power = observed.power(&observed.population(0.04), (gain, units), 500, &settings).unwrap();
            assert!((0.75..=0.85).contains(&power), "{units}: {power}");
        }
    }

    #[test]
    fn units_that_do_not_differ_take_no_number() {
        let alike = observed(&[[0.25, 0.5]; 9]);
        let gain = Expectation::Improvement { margin: 0.0 };
        assert_eq!(alike.units_needed(gain, 0.1, &ComparisonSettings::default()).unwrap(), None);
    }
}
