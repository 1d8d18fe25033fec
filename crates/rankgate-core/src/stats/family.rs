//! Adjusting the questions of a family together.

use super::bounds::Bounds;
use super::{Correction, adjust};
use crate::Result;

/// A one-sided p-value, and where the exact one may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) p: f64,
    pub(super) bounds: Bounds,
}

impl Estimate {
    /// A p-value of which all digits are known.
    pub(super) fn exact(p: f64) -> Self {
        Self { p, bounds: Bounds { low: p, high: p } }
    }

    /// Against so many claims of which one will be picked (Bonferroni).
    pub(super) fn times(self, claims: usize) -> Self {
        let times = |p: f64| (p * claims as f64).min(1.0);
        Self {
            p: times(self.p),
            bounds: Bounds { low: times(self.bounds.low), high: times(self.bounds.high) },
        }
    }

    /// The larger of two p-values.
    pub(super) fn or_larger(self, other: Self) -> Self {
        let bounds = Bounds {
            low: self.bounds.low.max(other.bounds.low),
            high: self.bounds.high.max(other.bounds.high),
        };
        Self { p: self.p.max(other.p), bounds }
    }
}

/// Adjusts p-values; their bounds are adjusted as if all lay low together, then high. That is wide enough,
/// since every correction grows with each p-value.
pub(super) fn adjust_with_bounds(raw: &[Estimate], correction: Correction) -> Result<Vec<Estimate>> {
    let of = |value: fn(&Estimate) -> f64| adjust(&raw.iter().map(value).collect::<Vec<_>>(), correction);
    let (p, low, high) = (of(|raw| raw.p)?, of(|raw| raw.bounds.low)?, of(|raw| raw.bounds.high)?);
    let of_one = |((&p, &low), &high)| Estimate { p, bounds: Bounds { low, high } };
    Ok(p.iter().zip(&low).zip(&high).map(of_one).collect())
}
