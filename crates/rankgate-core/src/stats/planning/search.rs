//! Where a power that grows reaches the one that is asked for.

use super::{Exhausted, FEW};
use crate::stats::distribution::normal_quantile;
use crate::stats::{ComparisonSettings, Expectation};

/// A bracket grows by this factor, and is narrow when its ends are no further apart than this.
const GROWTH: f64 = 1.35;
const NARROW: f64 = 1.12;

/// Of a bracket that has not closed after so many steps nothing is said.
const STEPS: usize = 24;

/// What is planned for, with which power.
pub(super) struct Search<'a> {
    pub(super) expectation: Expectation,
    pub(super) settings: &'a ComparisonSettings,
}

impl Search<'_> {
    /// What is expected, of which true mean difference, and how far that is from the null.
    pub(super) fn case(&self, effect: f64) -> (Expectation, f64, f64) {
        match self.expectation {
            Expectation::NoRegression { .. } => (self.expectation, -effect, effect),
            Expectation::Improvement { min_gain } => (self.expectation, effect, effect - min_gain),
            Expectation::NonInferiority { .. } => {
                (Expectation::NonInferiority { margin: effect }, 0.0, effect)
            }
            Expectation::Equivalence { .. } => (Expectation::Equivalence { margin: effect }, 0.0, effect),
        }
    }

    /// The effect of which nothing is shown yet.
    pub(super) fn offset(&self) -> f64 {
        match self.expectation {
            Expectation::Improvement { min_gain } => min_gain,
            Expectation::NoRegression { .. }
            | Expectation::NonInferiority { .. }
            | Expectation::Equivalence { .. } => 0.0,
        }
    }

    /// The quantile of the power that each claim needs: of two that must hold each may be missed half as often.
    pub(super) fn quantile(&self) -> f64 {
        normal_quantile(self.expectation.power_of_claim(self.settings.power))
    }

    /// Two values close to each other of which the first has too little power and the second enough, as far as few
    /// samples tell; nothing where no value has it.
    pub(super) fn bracket(
        &self,
        start: f64,
        least: f64,
        most: f64,
        settled: &dyn Fn(f64) -> f64,
        power: &dyn Fn(f64, u64) -> Result<f64, Exhausted>,
    ) -> Result<Option<[f64; 2]>, Exhausted> {
        // Of 0 and of what is not finite nothing grows.
        if !(start > 0.0 && start.is_finite()) {
            return Ok(None);
        }
        let enough = |value: f64| Ok(power(value, FEW)? >= self.settings.power);
        let (mut low, mut high) = (start, start);
        if enough(start)? {
            for _ in 0..STEPS {
                low = settled(low / GROWTH);
                if low <= least || !enough(low)? {
                    break;
                }
                high = low;
            }
        } else {
            for step in 0.. {
                low = high;
                high = settled(high * GROWTH).max(settled(low + least));
                if high > most || step == STEPS {
                    return Ok(None);
                }
                if enough(high)? {
                    break;
                }
            }
        }
        while high > low * NARROW && high > low + least {
            let middle = settled((low.max(high / 4.0) * high).sqrt());
            if middle <= low || middle >= high {
                break;
            }
            if enough(middle)? { high = middle } else { low = middle }
        }
        Ok(Some([low.max(least), high]))
    }

    /// Where the power is the one asked for, between two values or a little beside them: probits of the power lie on
    /// a line over what `scaled` makes of the values, as steep as for a normal mean or, where they jump, steeper.
    pub(super) fn crossing(
        &self,
        [low, high]: [f64; 2],
        power: &dyn Fn(f64) -> Result<f64, Exhausted>,
        scaled: &dyn Fn(f64) -> f64,
    ) -> Result<f64, Exhausted> {
        let probit = |value| Ok(normal_quantile(power(value)?.clamp(0.001, 0.999)));
        let (low, high) = ((scaled(low), probit(low)?), (scaled(high), probit(high)?));
        let wished = normal_quantile(self.settings.power);
        let middle = f64::midpoint(low.0, high.0);
        let normal = (normal_quantile(1.0 - self.settings.confidence.tail()) + self.quantile()) / middle;
        let apart = high.0 - low.0;
        let slope = if apart > 0.0 { ((high.1 - low.1) / apart).max(normal) } else { normal };
        let crossing = middle + (wished - f64::midpoint(low.1, high.1)) / slope;
        Ok(crossing.clamp(low.0 / GROWTH, high.0 * GROWTH))
    }
}
