//! What so many units can show, and how many it takes: the rule that decides, simulated on units like those that
//! were observed.

mod population;
mod rule;

use self::population::Population;
use self::rule::Rule;
use super::distribution::{normal_quantile, t_quantile};
use super::power::check;
use super::{ComparisonSettings, Differences, Expectation, PairedT};
use crate::{Result, threads};

/// Samples that a power is first looked at with, and those that it is read off in the end: of an effect, which grows
/// with the root of the number of units, fewer.
const FEW: u64 = 250;
const MANY: u64 = 2_000;
const FEWER: u64 = 400;

/// Where nothing is resampled there are more of them: so many times as many, or of so many units together.
const MORE: u64 = 4;
const DRAWN: u64 = 1_000_000;

/// A bracket grows by this factor, and is narrow when its ends are no further apart than this.
const GROWTH: f64 = 1.35;
const NARROW: f64 = 1.12;

/// Of a bracket that has not closed after so many steps nothing is said.
const STEPS: usize = 24;

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
    /// The smallest drop, gain or margin that as many units as there are show with that power; nothing where they
    /// show none.
    pub detectable: Option<f64>,
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
/// // ((1.96 + .84) .157 / .05)^2 is 78 from normal distributions alone
/// assert!((70..90).contains(&planned.units.unwrap()), "{planned:?}");
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn plan(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
) -> Result<Option<Planned>> {
    let Some(planner) = Planner::new(differences, expectation, settings)? else { return Ok(None) };
    let effect = planner.effect();
    Ok(Some(Planned {
        effect,
        units: effect.and_then(|effect| planner.units(effect)),
        detectable: planner.detectable(),
    }))
}

/// About how many units like these show a true drop or gain of this size, or keep a margin of it, as
/// [`plan`] says; nothing where no number does.
///
/// # Errors
///
/// As for [`plan`].
pub fn units_needed(
    differences: &Differences,
    expectation: Expectation,
    effect: f64,
    settings: &ComparisonSettings,
) -> Result<Option<u64>> {
    let planner = Planner::new(differences, expectation, settings)?;
    Ok(planner.and_then(|planner| planner.units(effect.abs())))
}

struct Planner<'a> {
    differences: &'a Differences,
    expectation: Expectation,
    settings: &'a ComparisonSettings,
    t: PairedT,
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
        let t = PairedT::new(differences).filter(|t| t.standard_error > 0.0);
        Ok(t.map(|t| Self { differences, expectation, settings, t }))
    }

    fn effect(&self) -> Option<f64> {
        match self.expectation {
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

    /// What is expected, of which true mean difference, and how far that is from the null.
    fn case(&self, effect: f64) -> (Expectation, f64, f64) {
        match self.expectation {
            Expectation::NoRegression { .. } => (self.expectation, -effect, effect),
            Expectation::Improvement { min_gain } => (self.expectation, effect, effect - min_gain),
            Expectation::NonInferiority { .. } => {
                (Expectation::NonInferiority { margin: effect }, 0.0, effect)
            }
            Expectation::Equivalence { .. } => (Expectation::Equivalence { margin: effect }, 0.0, effect),
        }
    }

    /// The quantile of the power that each claim needs: of two that must hold each may be missed half as often.
    fn quantile(&self) -> f64 {
        let both = matches!(self.expectation, Expectation::Equivalence { .. });
        normal_quantile(if both { f64::midpoint(1.0, self.settings.power) } else { self.settings.power })
    }

    /// The smallest number of units with the power.
    fn units(&self, effect: f64) -> Option<u64> {
        let (expectation, mean, apart) = self.case(effect);
        let population = Population::new(self.differences, mean)?;
        let rule = self.rule(&population, expectation);
        let quantiles = normal_quantile(1.0 - self.settings.confidence.tail()) + self.quantile();
        let start = (quantiles * self.t.standard_deviation() / apart).powi(2).max(4.0);
        if apart <= 0.0 || start > MOST_UNITS {
            return None;
        }
        let power = |units: f64, samples| share(&rule, units.round() as usize, samples);
        // Numbers of units are whole ones, and probits of a power grow with their root.
        let (low, high) = self.bracket(start.round(), 1.0, MOST_UNITS, f64::round, power)?;
        let crossing = self.crossing([low, high], |units| power(units, MANY), f64::sqrt);
        Some((crossing * crossing).clamp(2.0, MOST_UNITS).ceil() as u64)
    }

    /// The smallest effect that as many units as there are show with the power.
    fn detectable(&self) -> Option<f64> {
        let units = self.differences.len();
        let tail = self.settings.confidence.tail();
        let offset = match self.expectation {
            Expectation::Improvement { min_gain } => min_gain,
            Expectation::NoRegression { .. }
            | Expectation::NonInferiority { .. }
            | Expectation::Equivalence { .. } => 0.0,
        };
        let quantiles = t_quantile(1.0 - tail, units - 1) + self.quantile();
        let power = |apart: f64, samples| {
            let (expectation, mean, _) = self.case(offset + apart);
            let population = Population::new(self.differences, mean);
            population.map_or(0.0, |population| share(&self.rule(&population, expectation), units, samples))
        };
        let start = quantiles * self.t.standard_error;
        let (low, high) = self.bracket(start, 0.0, 50.0 * start, |apart| apart, power)?;
        let crossing = self.crossing([low, high], |apart| power(apart, FEWER), |apart| apart);
        Some(offset + crossing).filter(|effect| !self.differences.is_binary() || *effect < 1.0)
    }

    fn rule<'p>(&self, population: &'p Population, expectation: Expectation) -> Rule<'p> {
        Rule::new(population, expectation, self.settings.test, self.settings.confidence.tail())
    }

    /// Two values close to each other of which the first has too little power and the second enough, as far as few
    /// samples tell; nothing where no value has it.
    fn bracket(
        &self,
        start: f64,
        least: f64,
        most: f64,
        settled: impl Fn(f64) -> f64,
        power: impl Fn(f64, u64) -> f64,
    ) -> Option<(f64, f64)> {
        let enough = |value: f64| power(value, FEW) >= self.settings.power;
        let (mut low, mut high) = (start, start);
        if enough(start) {
            for _ in 0..STEPS {
                low = settled(low / GROWTH);
                if low <= least || !enough(low) {
                    break;
                }
                high = low;
            }
        } else {
            loop {
                low = high;
                high = settled(high * GROWTH).max(settled(low + least));
                if high > most || high > start * GROWTH.powi(STEPS as i32) {
                    return None;
                }
                if enough(high) {
                    break;
                }
            }
        }
        while high > low * NARROW && high > low + least {
            let middle = settled((low.max(high / 4.0) * high).sqrt());
            if middle <= low || middle >= high {
                break;
            }
            if enough(middle) { high = middle } else { low = middle }
        }
        Some((low.max(least), high))
    }

    /// Where the power is the one asked for, between two values or a little beside them: probits of the power lie on
    /// a line over what `scaled` makes of the values, as steep as for a normal mean or, where they jump, steeper.
    fn crossing(&self, values: [f64; 2], power: impl Fn(f64) -> f64, scaled: impl Fn(f64) -> f64) -> f64 {
        let probit = |power: f64| normal_quantile(power.clamp(0.001, 0.999));
        let [low, high] = values.map(|value| (scaled(value), probit(power(value))));
        let wished = normal_quantile(self.settings.power);
        let middle = f64::midpoint(low.0, high.0);
        let normal = (normal_quantile(1.0 - self.settings.confidence.tail()) + self.quantile()) / middle;
        let slope = ((high.1 - low.1) / (high.0 - low.0)).max(normal);
        middle + (wished - f64::midpoint(low.1, high.1)) / slope
    }
}

/// The share of samples on which the rule shows what it is asked.
fn share(rule: &Rule<'_>, units: usize, samples: u64) -> f64 {
    let closely = samples > FEW;
    let samples = match () {
        () if !Rule::is_drawn(units) => MORE * samples,
        () if closely && !rule.resamples(units) => {
            (DRAWN / units.max(1) as u64).clamp(samples, MORE * samples)
        }
        () => samples,
    };
    let shows = |sample: &mut Vec<_>, number: usize| rule.shows(number as u64, units, closely, sample);
    let shown = threads::map_with(samples as usize, Vec::new, shows);
    shown.iter().filter(|shown| **shown).count() as f64 / samples as f64
}
