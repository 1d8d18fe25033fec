//! Queries, or groups of them, as the units of a sample, and how their scores deviate from the mean.

use super::{LEAST_FREE, NOISE};
use crate::stats::sum::total;
use crate::{Error, Result, order};

/// A query, or a group of them: how many they are, and the sums of their scores.
#[derive(Clone, Copy, Default)]
pub(super) struct Unit {
    pub(super) size: f64,
    pub(super) model: f64,
    pub(super) people: f64,
    pub(super) drawn: f64,
}

/// A mean per query, and by how much the sums of units differ from their share of it.
pub(super) struct Deviations {
    pub(super) mean: f64,
    /// In units of one query, so that units of one query are what they are.
    apart: Vec<f64>,
    /// A sum of squares up to this is rounding noise.
    noise: f64,
}

impl Deviations {
    pub(super) fn from_units(units: &[Unit], value: impl Fn(&Unit) -> f64) -> Self {
        let size = total(units.iter().map(|unit| unit.size));
        let mean = total(units.iter().map(&value)) / size;
        let per_unit = size / units.len() as f64;
        let apart = units.iter().map(|unit| (value(unit) - mean * unit.size) / per_unit).collect();
        let scale = total(units.iter().map(|unit| (unit.people.abs() + unit.model.abs()).powi(2)));
        Self { mean, apart, noise: NOISE * scale / (per_unit * per_unit) }
    }

    /// The mean product with what other values of the same units deviate by.
    pub(super) fn product(&self, other: &Self) -> f64 {
        total(self.apart.iter().zip(&other.apart).map(|(a, b)| a * b)) / (self.apart.len() as f64 - 1.0)
    }

    /// The third central moment of units.
    pub(super) fn cube(&self) -> f64 {
        total(self.apart.iter().map(|apart| apart.powi(3))) / self.apart.len() as f64
    }

    /// What is left of it by a line of this slope in other values of the same units, if no residual vanishes because it alone
    /// fixes the line. Each is divided by 1 less its leverage.
    pub(super) fn residuals(&self, slope: f64, other: &Self) -> Option<Self> {
        let (units, square) = (self.apart.len() as f64, other.square());
        let scale = square * (units - 1.0);
        let residual = |(own, other): (&f64, &f64)| {
            let free = 1.0 - 1.0 / units - other * other / scale;
            (free > LEAST_FREE).then(|| (own - slope * other) / free)
        };
        let apart: Option<Vec<f64>> = self.apart.iter().zip(&other.apart).map(residual).collect();
        Some(Self { apart: apart?, ..*self })
    }

    /// The mean square; 0 where it is rounding noise.
    pub(super) fn mean_square(&self) -> f64 {
        let squares = total(self.apart.iter().map(|apart| apart * apart));
        if squares <= self.noise { 0.0 } else { squares / self.apart.len() as f64 }
    }

    /// The variance between units.
    pub(super) fn square(&self) -> f64 {
        let squares = total(self.apart.iter().map(|apart| apart * apart));
        if squares <= self.noise { 0.0 } else { squares / (self.apart.len() as f64 - 1.0) }
    }
}

/// Queries as units, in the order of their groups.
pub(super) fn units_of<G: Ord>(model: &[f64], people: &[Option<f64>], groups: &[G]) -> Result<Vec<Unit>> {
    if people.len() != model.len() || groups.len() != model.len() {
        let message = format!(
            "a model's scores of {} queries cannot be corrected by people's of {} in groups of {}",
            model.len(),
            people.len(),
            groups.len()
        );
        return Err(Error::invalid(message));
    }
    if let Some(score) = model.iter().chain(people.iter().flatten()).find(|score| !score.is_finite()) {
        return Err(Error::invalid(format!("a score must be a finite number, not {score}")));
    }
    let (numbers, count) = order::numbers(groups);
    let mut units = vec![Unit::default(); count];
    for ((model, people), group) in model.iter().zip(people).zip(numbers) {
        let unit = &mut units[group];
        unit.size += 1.0;
        unit.model += model;
        unit.people += people.unwrap_or(0.0);
        unit.drawn += f64::from(u8::from(people.is_some()));
    }
    if units.iter().any(|unit| unit.drawn > 0.0 && unit.drawn < unit.size) {
        return Err(Error::invalid("people judged some queries of a group and not the others"));
    }
    if units.iter().filter(|unit| unit.drawn > 0.0).count() < 2 {
        return Err(Error::invalid(
            "two drawn queries are needed at least, to know how much people and the model differ",
        ));
    }
    Ok(units)
}
