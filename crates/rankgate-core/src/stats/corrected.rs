//! A mean over queries that a model judged, corrected by those of them that people judged as well.

mod constant;
mod limits;
#[cfg(test)]
mod tests;
mod units;

use std::ops::RangeInclusive;

use self::constant::ConstantCorrection;
use self::units::{Deviations, Unit, units_of};
use crate::Result;

/// Skewness is taken for as much smaller as if so many more units without any had been drawn: that of few units is
/// mostly chance.
const UNSKEWED: f64 = 20.0;
/// A residual is nothing where so little of its unit's weight is left beside the line that it fixes.
const LEAST_FREE: f64 = 1e-9;
/// Units without which no line leaves a degree of freedom.
const LINE: usize = 3;
/// Variances below this share of the squares they are of are rounding noise.
const NOISE: f64 = 1e-24;

/// The mean score of all queries by people's judgments, estimated from a model's scores of all of them and from
/// people's of a random sample.
///
/// People's mean of the drawn queries is moved by how much the model scores all queries higher or lower than the drawn
/// ones, times the weight that the drawn queries give the model. A model that is lenient, severe or no good widens the
/// interval; it does not move its middle away from the truth. One that is no good weighs about 0, and costs next to
/// nothing. The interval is Student's: in small samples it is an approximation. Comparisons are corrected as means are, from
/// paired differences.
///
/// # Source
///
/// The regression estimator of double sampling (Cochran, "Sampling Techniques", 1977, section 12.6): with `N` units, of
/// which `n` were drawn without replacement, the weight is the slope `L = s_fy / s_ff` of people's scores `y` in the
/// model's `f` over the drawn ones. The variance is `S²(y) / N + (1/n - 1/N) mean e²`, `e` being the residuals of that
/// line, each divided by 1 less its leverage (HC3: MacKinnon and White, 1985), with `n - 2` degrees of freedom. Where the
/// model scores all drawn units alike, or one unit alone fixes the slope, the weight is 0: that of people alone, with
/// `n - 1`. Where `f` varies less in the sample than over all units, `S²(y)` is raised by `L² (S²_N(f) - S²_n(f))` (Isaki,
/// "Variance estimation using auxiliary information", JASA 78, 1983). Where the drawn units are skewed, Student's quantile
/// q is raised by |k| (1 + 2 q²) / 6 on the side where the interval would miss more often, `k` being the skewness of the
/// estimate (Johnson, "Modified t tests and confidence intervals for asymmetrical populations", JASA 73, 1978), from that
/// of the units, which is taken for n / (n + 20) of what it is: that of few units is mostly chance. Prediction-powered
/// inference (Angelopoulos et al., 2023) with `lambda = L (N - n) / N` has the same value.
///
/// Where people and the model differ by the same on all drawn units, the sample shows no error of the model, and no spread of
/// errors. The model then has the weight 1. [With a range](Self::within) the limits leave room for the unseen query among the
/// units that were not drawn, at the worst that the model can be wrong ([`mean_interval`](super::mean_interval) of people's
/// scores less the model's). Where all were drawn and have one score, the limits are those of people's scores.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CorrectedMean {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// What the model's scores count for, 1 being as much as people's: the slope of people's in them.
    pub weight: f64,
    /// Degrees of freedom: drawn units less two, less one where the weight is 0 for want of a slope.
    pub freedom: usize,
    /// Queries, or groups of them, that the model scored.
    pub units: usize,
    /// Of these, those that people scored as well.
    pub drawn: usize,
    /// The model's own mean over all queries.
    pub uncorrected: f64,
    /// How much higher than people the model scores the drawn queries, on average.
    pub leniency: f64,
    /// Standard error of the leniency.
    pub leniency_error: f64,
    /// Standard deviations between all units: of people's scores, and of the residuals.
    spreads: [f64; 2],
    /// Third central moments of the same, as far as they are believed.
    cubes: [f64; 2],
    /// Where people and the model differ by the same on all drawn units.
    constant: Option<ConstantCorrection>,
}

/// The share of a skewness that so many units show which is believed.
fn believed(units: f64) -> f64 {
    units / (units + UNSKEWED)
}

impl CorrectedMean {
    /// Corrects the mean of a model's scores by people's, which are there for the queries that were drawn.
    ///
    /// # Errors
    ///
    /// Scores that are not finite, slices of different lengths, fewer than two drawn queries.
    ///
    /// ```
    /// use rankgate::stats::CorrectedMean;
    ///
    /// let model = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
    /// let people = [Some(0.7), None, None, Some(0.5), None, Some(0.3)];
    /// let corrected = CorrectedMean::new(&model, &people)?;
    /// assert!((corrected.uncorrected - 0.65).abs() < 1e-12);
    /// assert!((corrected.leniency - (0.2 + 0.1 + 0.1) / 3.0).abs() < 1e-12);
    /// // On the drawn queries people's scores rise by 15/19 of the model's: of deviations .1 over .38/3. Their mean of .5 moves
    /// // by that share of how much the model's mean moves from the drawn queries, 1.9/3, to all, .65.
    /// assert!((corrected.weight - 15.0 / 19.0).abs() < 1e-12);
    /// assert!((corrected.value - (0.5 + 15.0 / 19.0 * (0.65 - 1.9 / 3.0))).abs() < 1e-12);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn new(model: &[f64], people: &[Option<f64>]) -> Result<Self> {
        Self::grouped(model, people, &(0..model.len()).collect::<Vec<_>>())
    }

    /// The same of groups of queries, which are drawn as a whole.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); a group of which some queries were drawn and some were not.
    pub fn grouped<G: Ord>(model: &[f64], people: &[Option<f64>], groups: &[G]) -> Result<Self> {
        Ok(Self::of_units(&units_of(model, people, groups)?))
    }

    fn of_units(units: &[Unit]) -> Self {
        let drawn: Vec<Unit> = units.iter().copied().filter(|unit| unit.drawn > 0.0).collect();
        let people = Deviations::from_units(&drawn, |unit| unit.people);
        let model = Deviations::from_units(&drawn, |unit| unit.model);
        let correction = Deviations::from_units(&drawn, |unit| unit.people - unit.model);
        let all = Deviations::from_units(units, |unit| unit.model);
        let undrawn: Vec<Unit> = units.iter().copied().filter(|unit| unit.drawn == 0.0).collect();
        let constant = ConstantCorrection::from_units(&drawn, &undrawn, correction.mean);
        let has_line = constant.is_none() && drawn.len() >= LINE && model.square() > 0.0;
        let slope = if has_line { people.product(&model) / model.square() } else { 0.0 };
        let residuals = if has_line { people.residuals(slope, &model) } else { None };
        let (weight, freedom) = match (&residuals, &constant) {
            (Some(_), _) => (slope, drawn.len() - 2),
            (None, Some(_)) => (1.0, drawn.len() - 1),
            (None, None) => (0.0, drawn.len() - 1),
        };
        let alone = if constant.is_some() { &correction } else { &people };
        // What a sample that holds too few of what the model scores high, or low, does not show of people's spread.
        let missing = (all.square() - model.square()).max(0.0);
        let spread = residuals.as_ref().map_or_else(|| alone.square(), Deviations::mean_square);
        let spreads = [(people.square() + weight * weight * missing).sqrt(), spread.sqrt()];
        let believed = believed(drawn.len() as f64);
        let cubes = [&people, residuals.as_ref().unwrap_or(alone)].map(|one| one.cube() * believed);
        let mut corrected = Self {
            value: people.mean + weight * (all.mean - model.mean),
            standard_error: 0.0,
            weight,
            freedom,
            units: units.len(),
            drawn: drawn.len(),
            uncorrected: all.mean,
            leniency: -correction.mean,
            leniency_error: (correction.square() / drawn.len() as f64).sqrt(),
            spreads,
            cubes,
            constant,
        };
        corrected.standard_error = corrected.error_of(drawn.len());
        corrected
    }

    /// The same for scores that cannot be outside of a range.
    ///
    /// It matters where people and the model differ by the same on all drawn units: what is not drawn may be anywhere in the
    /// range. Where that is wider than what people alone leave open, the model's weight is 0.
    ///
    /// # Errors
    ///
    /// As [`grouped`](Self::grouped).
    ///
    /// ```
    /// use rankgate::stats::{Confidence, CorrectedMean};
    ///
    /// // A model that was never seen to be wrong, on 40 of 100 queries that all have 1.
    /// let people: Vec<Option<f64>> = (0..100).map(|at| (at < 40).then_some(1.0)).collect();
    /// let queries: Vec<usize> = (0..100).collect();
    /// let corrected = CorrectedMean::within(&[1.0; 100], &people, &queries, &(0.0..=1.0))?;
    /// let interval = corrected.interval(Confidence::default()).unwrap();
    /// // A share of 1 - .025^(1/40) of queries like these may have 0.
    /// assert!((interval.low - 0.025f64.powf(1.0 / 40.0)).abs() < 1e-9 && interval.high == 1.0);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn within<G: Ord>(
        model: &[f64],
        people: &[Option<f64>],
        groups: &[G],
        range: &RangeInclusive<f64>,
    ) -> Result<Self> {
        let of = |model: &[f64]| Self::grouped(model, people, groups).map(|one| one.with_ends(range));
        let one = of(model)?;
        if one.constant.is_none_or(|constant| constant.ends.is_none()) {
            return Ok(one);
        }
        Ok(one.or_alone(of(&vec![0.0; model.len()])?))
    }

    /// People alone, where that is narrower than the room for what a model may have wrong that was never seen to be.
    fn or_alone(self, alone: Self) -> Self {
        let Self { uncorrected, leniency, leniency_error, .. } = self;
        let alone = Self { weight: 0.0, uncorrected, leniency, leniency_error, ..alone };
        let is_bounded = self.constant.is_some_and(|constant| constant.ends.is_some());
        if is_bounded && alone.width() < self.width() { alone } else { self }
    }

    /// With what units that were not drawn can have, where that is bounded.
    fn with_ends(mut self, range: &RangeInclusive<f64>) -> Self {
        let ends = [*range.start(), *range.end()];
        if let Some(constant) = self.constant.as_mut().filter(|_| ends.iter().all(|end| end.is_finite())) {
            constant.ends = Some(ends);
        }
        self
    }
}
