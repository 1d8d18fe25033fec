//! A model that differs from people by the same on all units that they judged.

use super::units::Unit;
use crate::stats::Direction;

/// Corrections that differ by less are the same.
const EQUAL: f64 = 1e-12;

/// What people score higher than the model, where that is the same on all drawn units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ConstantCorrection {
    correction: f64,
    /// The lowest and the highest score that the model gives a unit which was not drawn; where all were drawn and it scores
    /// them alike, that score, as one more unit would have it.
    pub(super) undrawn: [f64; 2],
    /// The least and the most that an undrawn unit can have; nothing where there is no range.
    pub(super) ends: Option<[f64; 2]>,
}

impl ConstantCorrection {
    pub(super) fn from_units(drawn: &[Unit], undrawn: &[Unit], mean: f64) -> Option<Self> {
        let correction = |unit: &Unit| (unit.people - unit.model) / unit.size;
        let is_constant = drawn.iter().all(|unit| (correction(unit) - mean).abs() <= EQUAL);
        let bounds = |units: &[Unit]| {
            let model = units.iter().map(|unit| unit.model / unit.size);
            model.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high]: [f64; 2], one| {
                [low.min(one), high.max(one)]
            })
        };
        let bounds = match bounds(drawn) {
            [low, high] if undrawn.is_empty() && high - low <= EQUAL => [low, high],
            _ => bounds(undrawn),
        };
        is_constant.then_some(Self { correction: mean, undrawn: bounds, ends: None })
    }

    /// How far the mean correction of the undrawn units may be from that of so many drawn ones, at a one-sided level: the unseen
    /// query's limit for values that are all the same.
    pub(super) fn apart(&self, drawn: f64, direction: Direction, level: f64) -> Option<f64> {
        let [least, most] = self.ends?;
        let [low, high] = self.undrawn;
        if low > high {
            return None;
        }
        let most_apart = match direction {
            Direction::Greater => self.correction - (least - high),
            Direction::Less => most - low - self.correction,
        };
        Some(most_apart.max(0.0) * (1.0 - level.powf(1.0 / drawn)))
    }
}
