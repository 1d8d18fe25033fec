//! P-values with where the exact ones may lie, and their adjustment within a family.

use super::{Correction, adjust};
use crate::Result;

/// A p-value, and the bounds of the exact one that it stands for: the same number unless it is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) p: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Estimate {
    pub(super) fn exact(p: f64) -> Self {
        Self { p, low: p, high: p }
    }

    /// Of a simulated p-value, by the levels of which it is settled on which side they lie.
    pub(super) fn simulated(p: f64, is_settled: impl Fn(f64) -> bool) -> Self {
        // Settled levels lie outside an interval around p; each end is found by halving.
        let end = |mut settled: f64| {
            let mut open = p;
            for _ in 0..50 {
                let middle = f64::midpoint(settled, open);
                if is_settled(middle) {
                    settled = middle;
                } else {
                    open = middle;
                }
            }
            open
        };
        Self { p, low: end(0.0), high: end(1.0) }
    }

    /// Against so many claims of which one will be picked (Bonferroni).
    pub(super) fn times(self, claims: usize) -> Self {
        let times = |p: f64| (p * claims as f64).min(1.0);
        Self { p: times(self.p), low: times(self.low), high: times(self.high) }
    }

    /// The larger of two p-values, of tests that both have to show a claim.
    pub(super) fn or_larger(self, other: Self) -> Self {
        Self { p: self.p.max(other.p), low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

/// Adjusts p-values; their bounds are adjusted as if all lay low together, then high. That is wide enough,
/// since every correction grows with each p-value.
pub(super) fn adjust_with_bounds(raw: &[Estimate], correction: Correction) -> Result<Vec<Estimate>> {
    let of = |value: fn(&Estimate) -> f64| adjust(&raw.iter().map(value).collect::<Vec<_>>(), correction);
    let (p, low, high) = (of(|raw| raw.p)?, of(|raw| raw.low)?, of(|raw| raw.high)?);
    Ok(p.iter().zip(&low).zip(&high).map(|((&p, &low), &high)| Estimate { p, low, high }).collect())
}
