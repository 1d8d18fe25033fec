//! A mean over queries that a model judged, corrected by those of them that people judged as well.

mod strata;

use std::ops::RangeInclusive;

use self::strata::StrataMoments;
use super::distribution::{normal_cdf, normal_quantile, t_cdf, t_quantile};
use super::sum::total;
use super::{Confidence, Direction, Interval, NoInterval};
use crate::json::write_json;
use crate::order;
use crate::{Error, Result};

/// Skewness is taken for as much smaller as if so many more units without any had been drawn: that of few units is
/// mostly chance.
const UNSKEWED: f64 = 20.0;
/// Corrections that differ by less are the same.
const EQUAL: f64 = 1e-12;
/// A residual is nothing where so little of its unit's weight is left beside the line that it fixes.
const LEAST_FREE: f64 = 1e-9;
/// Units without which no line leaves a degree of freedom.
const LINE: usize = 3;
/// The smallest level that a limit is looked for at, and halvings that find it to the last digit that matters.
const LEAST_LEVEL: f64 = 1e-100;
const HALVINGS: usize = 60;
/// Variances below this share of the squares they are of are rounding noise.
const NOISE: f64 = 1e-24;
/// Limits that hold at every look are as near as they can be at about so many drawn units.
const PLANNED: usize = 60;
/// At the default confidence: the variance of the mixture that is tightest at a variance, as a multiple of that,
/// -2 ln(.05) + ln(1 - 2 ln(.05)).
const MIXTURE: f64 = 7.936;

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
/// [`at_every_look`](Self::at_every_look) makes limits that hold however often they are looked at while people judge: those of
/// Robbins's normal mixture ("Statistical methods related to the law of the iterated logarithm", Annals of Mathematical
/// Statistics 41, 1970). With the variance v of the estimate and r² of the mixture, the limit of a two-sided level a is where
/// those of the fixed sample are at z² = (1 + v / r²) (-2 ln a + ln(1 + r² / v)); what is done for small and skewed samples is
/// done at that level.
///
/// Where people and the model differ by the same on all drawn units, the sample shows no error of the model, and no spread of
/// errors. The model then has the weight 1. [With a range](Self::within) the limits leave room for the unseen query among the
/// units that were not drawn, at the worst that the model can be wrong ([`unseen_limits`](super::unseen_limits) of people's
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
    /// Where the model's errors were carried over from other items: the skewness of the estimate.
    carried: Option<f64>,
    /// Whether it may be looked at while people judge.
    sequential: bool,
    /// Of a stratified sample.
    strata: Option<StrataMoments>,
}

/// What people score higher than the model, where that is the same on all drawn units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ConstantCorrection {
    correction: f64,
    /// The lowest and the highest score that the model gives a unit which was not drawn; where all were drawn and it scores
    /// them alike, that score, as one more unit would have it.
    undrawn: [f64; 2],
    /// The least and the most that an undrawn unit can have; nothing where there is no range.
    ends: Option<[f64; 2]>,
}

impl ConstantCorrection {
    fn from_units(drawn: &[Unit], undrawn: &[Unit], mean: f64) -> Option<Self> {
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
    fn apart(&self, drawn: f64, direction: Direction, level: f64) -> Option<f64> {
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

write_json!(struct CorrectedMean {
    value, standard_error, weight, freedom, units, drawn, uncorrected, leniency, leniency_error
});

/// A query, or a group of them: how many they are, and the sums of their scores.
#[derive(Clone, Copy, Default)]
struct Unit {
    size: f64,
    model: f64,
    people: f64,
    drawn: f64,
}

/// A mean per query, and by how much the sums of units differ from their share of it.
struct Deviations {
    mean: f64,
    /// In units of one query, so that units of one query are what they are.
    apart: Vec<f64>,
    /// A sum of squares up to this is rounding noise.
    noise: f64,
}

impl Deviations {
    fn from_units(units: &[Unit], value: impl Fn(&Unit) -> f64) -> Self {
        let size = total(units.iter().map(|unit| unit.size));
        let mean = total(units.iter().map(&value)) / size;
        let per_unit = size / units.len() as f64;
        let apart = units.iter().map(|unit| (value(unit) - mean * unit.size) / per_unit).collect();
        let scale = total(units.iter().map(|unit| (unit.people.abs() + unit.model.abs()).powi(2)));
        Self { mean, apart, noise: NOISE * scale / (per_unit * per_unit) }
    }

    /// The mean product with what other values of the same units deviate by.
    fn product(&self, other: &Self) -> f64 {
        total(self.apart.iter().zip(&other.apart).map(|(a, b)| a * b)) / (self.apart.len() as f64 - 1.0)
    }

    /// The third central moment of units.
    fn cube(&self) -> f64 {
        total(self.apart.iter().map(|apart| apart.powi(3))) / self.apart.len() as f64
    }

    /// What is left of it by a line of this slope in other values of the same units, if no residual vanishes because it alone
    /// fixes the line. Each is divided by 1 less its leverage.
    fn residuals(&self, slope: f64, other: &Self) -> Option<Self> {
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
    fn mean_square(&self) -> f64 {
        let squares = total(self.apart.iter().map(|apart| apart * apart));
        if squares <= self.noise { 0.0 } else { squares / self.apart.len() as f64 }
    }

    /// The variance between units.
    fn square(&self) -> f64 {
        let squares = total(self.apart.iter().map(|apart| apart * apart));
        if squares <= self.noise { 0.0 } else { squares / (self.apart.len() as f64 - 1.0) }
    }
}

/// Queries as units, in the order of their groups.
fn units_of<G: Ord>(model: &[f64], people: &[Option<f64>], groups: &[G]) -> Result<Vec<Unit>> {
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
        let believed = drawn.len() as f64 / (drawn.len() as f64 + UNSKEWED);
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
            carried: None,
            sequential: false,
            strata: None,
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

    /// A value by the errors that the model made elsewhere, and by its scores alone; its standard error and skewness; of how many
    /// units, and how many of these have items that people judged.
    pub(super) fn calibrated(
        (value, uncorrected): (f64, f64),
        (standard_error, skewness): (f64, f64),
        (units, drawn): (usize, usize),
    ) -> Self {
        Self {
            value,
            standard_error,
            weight: 1.0,
            freedom: drawn - 1,
            units,
            drawn,
            uncorrected,
            leniency: uncorrected - value,
            leniency_error: 0.0,
            spreads: [0.0; 2],
            cubes: [0.0; 2],
            constant: None,
            carried: Some(skewness),
            sequential: false,
            strata: None,
        }
    }

    /// The same with limits and p-values that hold however often they are looked at while more units are drawn, in an order
    /// that was fixed before: whoever stops when a verdict is there has it falsely no more often. They are wider than those of
    /// a sample whose size was fixed before.
    ///
    /// ```
    /// use rankgate::stats::{Confidence, CorrectedMean};
    ///
    /// let model: Vec<f64> = (0..162).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
    /// let people: Vec<Option<f64>> =
    ///     model.iter().enumerate().map(|(at, score)| (at < 40).then_some((score + f64::from(at as u32 % 3) / 10.0) / 1.2)).collect();
    /// let fixed = CorrectedMean::new(&model, &people)?;
    /// let half = |one: CorrectedMean| one.interval(Confidence::default()).map(|limits| one.value - limits.low).unwrap();
    /// let times = half(fixed.at_every_look()) / half(fixed);
    /// assert!(1.4 < times && times < 1.7, "{times}");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn at_every_look(self) -> Self {
        Self { sequential: true, ..self }
    }

    /// The variance of so many drawn units over that of the mixture.
    fn over_mixture(&self, drawn: usize) -> f64 {
        let planned = PLANNED.min(self.units);
        let (here, there) = (self.error_of(drawn).powi(2), self.error_of(planned).powi(2));
        let times = if there > 0.0 { here / there } else { planned as f64 / drawn as f64 };
        times / MIXTURE
    }

    /// The one-sided level at which limits of a fixed sample hold at every look.
    fn level_at(&self, drawn: usize, level: f64) -> f64 {
        if !self.sequential {
            return level;
        }
        let over = self.over_mixture(drawn);
        let squared = (1.0 + over) * (-2.0 * (2.0 * level).ln() + (1.0 + 1.0 / over).ln());
        normal_cdf(-squared.max(0.0).sqrt())
    }

    /// The one-sided p-value at every look that is this one of a fixed sample: what [`level_at`](Self::level_at) undoes.
    fn p_at(&self, p: f64) -> f64 {
        if !self.sequential || p >= 0.5 {
            return p;
        }
        let over = self.over_mixture(self.drawn);
        let z = normal_quantile(p);
        let both = (-0.5 * (z * z / (1.0 + over) - (1.0 + 1.0 / over).ln())).exp();
        (both / 2.0).min(0.5)
    }

    /// The standard deviation between units of what the model's scores leave of people's.
    pub(super) fn residual_spread(&self) -> f64 {
        self.spreads[1]
    }

    /// With what units that were not drawn can have, where that is bounded.
    fn with_ends(mut self, range: &RangeInclusive<f64>) -> Self {
        let ends = [*range.start(), *range.end()];
        if let Some(constant) = self.constant.as_mut().filter(|_| ends.iter().all(|end| end.is_finite())) {
            constant.ends = Some(ends);
        }
        self
    }

    /// How wide the interval of the usual confidence is; where there is none, as wide as can be.
    fn width(&self) -> f64 {
        self.interval(Confidence::default()).map_or(f64::INFINITY, |interval| interval.high - interval.low)
    }

    /// The standard error if so many units had been drawn.
    fn error_of(&self, drawn: usize) -> f64 {
        if self.carried.is_some() {
            return self.standard_error;
        }
        let [people, correction] = self.spreads;
        let (drawn, units) = (drawn as f64, self.units as f64);
        if let Some(strata) = self.strata {
            let residuals = correction * correction / drawn - strata.all[0] / units;
            return (people * people / units + residuals.max(0.0)).sqrt();
        }
        (people * people / units + (1.0 / drawn - 1.0 / units) * correction * correction).sqrt()
    }

    /// How far Student's quantile is raised on the side of `direction`'s limit if so many units had been drawn: the lower
    /// one for [`Direction::Greater`].
    fn skew_of(&self, drawn: usize, direction: Direction) -> f64 {
        let [people, correction] = self.cubes;
        let (squared, all, error) =
            ((drawn * drawn) as f64, (self.units * self.units) as f64, self.error_of(drawn));
        if error == 0.0 {
            return 0.0;
        }
        let cube = match self.strata {
            Some(strata) => people / all + correction / squared - strata.all[1] / all,
            None => people / all + (1.0 / squared - 1.0 / all) * correction,
        };
        let skewness = self.carried.unwrap_or(cube / error.powi(3));
        match direction {
            Direction::Greater => (-skewness).max(0.0),
            Direction::Less => skewness.max(0.0),
        }
    }

    /// How far from the value the limit at a one-sided level lies, on the side that shows `direction`, if so many units had
    /// been drawn.
    fn half(&self, drawn: usize, direction: Direction, level: f64) -> f64 {
        let level = self.level_at(drawn, level);
        let freedom = match self.strata {
            Some(_) => (self.freedom * drawn / self.drawn).max(1),
            None => drawn - (self.drawn - self.freedom),
        };
        let quantile = -t_quantile(level, freedom);
        let skew = self.skew_of(drawn, direction);
        let error = self.error_of(drawn);
        let raised = quantile + skew * (1.0 + 2.0 * quantile * quantile) / 6.0;
        let times = |spread: f64| if spread > 0.0 { raised * spread } else { 0.0 };
        let student = times(error);
        // In strata an error shows at least as often as in so many units drawn from all.
        let rate = self.strata.map_or(1.0, |strata| strata.least_rate);
        let apart = self.constant.and_then(|constant| constant.apart(rate * drawn as f64, direction, level));
        let Some(apart) = apart else { return student };
        // Of what varies between all units, and of what may be wrong among the undrawn ones.
        let spread = self.spreads[0] / (self.units as f64).sqrt();
        // Where the spread of people's scores stands in for them, queries beyond these are in it.
        let share = if spread > 0.0 { 1.0 - drawn as f64 / self.units as f64 } else { 1.0 };
        student.max(times(spread) + share * apart)
    }

    /// Whether nothing but its single value is known of it.
    fn is_without_spread(&self) -> bool {
        let bounded = |constant: ConstantCorrection| {
            constant.ends.is_some() && constant.undrawn[0] <= constant.undrawn[1]
        };
        self.standard_error == 0.0 && !self.constant.is_some_and(bounded)
    }

    /// The two-sided interval of the mean over queries like these.
    ///
    /// # Errors
    ///
    /// When neither people's scores nor what the model lacks differ between drawn units.
    pub fn interval(&self, confidence: Confidence) -> std::result::Result<Interval, NoInterval> {
        if self.is_without_spread() {
            return Err(NoInterval::NoVariance);
        }
        let half = |direction| self.half(self.drawn, direction, confidence.tail());
        Ok(Interval { low: self.value - half(Direction::Greater), high: self.value + half(Direction::Less) })
    }

    /// The same of the leniency.
    ///
    /// # Errors
    ///
    /// When what the model scores higher is the same on all drawn units.
    pub fn leniency_interval(&self, confidence: Confidence) -> std::result::Result<Interval, NoInterval> {
        if self.leniency_error == 0.0 {
            return Err(NoInterval::NoVariance);
        }
        let half = t_quantile(1.0 - confidence.tail(), self.drawn - 1) * self.leniency_error;
        Ok(Interval { low: self.leniency - half, high: self.leniency + half })
    }

    /// The one-sided p-value against a mean of `null`; without spread 0 where the value is on the tested side.
    #[must_use]
    pub fn p(&self, null: f64, direction: Direction) -> f64 {
        let towards = match direction {
            Direction::Greater => 1.0,
            Direction::Less => -1.0,
        };
        let beyond = towards * (self.value - null);
        match self.standard_error {
            _ if self.constant.is_some_and(|constant| constant.ends.is_some()) => {
                self.level_of(beyond, direction)
            }
            0.0 if beyond > 0.0 => 0.0,
            0.0 => 1.0,
            error => {
                let fixed =
                    t_cdf(-unskewed(beyond / error, self.skew_of(self.drawn, direction)), self.freedom);
                self.p_at(fixed)
            }
        }
    }

    /// The level whose limit is so far from the value.
    fn level_of(&self, beyond: f64, direction: Direction) -> f64 {
        let (mut low, mut high) = (LEAST_LEVEL.ln(), 0.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.half(self.drawn, direction, middle.exp()) > beyond { low = middle } else { high = middle }
        }
        high.exp()
    }

    /// How many units people would have to judge in all before an interval about this value ended at `limit`;
    /// nothing where judging all of them would not do ([`settled_by_all`](Self::settled_by_all)), or where the
    /// interval ends there already.
    #[must_use]
    pub fn units_needed(&self, limit: f64, confidence: Confidence) -> Option<usize> {
        if self.settled_by(self.drawn, limit, confidence) || !self.settled_by_all(limit, confidence) {
            return None;
        }
        let (mut few, mut enough) = (self.drawn, self.units);
        while enough - few > 1 {
            let middle = usize::midpoint(few, enough);
            if self.settled_by(middle, limit, confidence) { enough = middle } else { few = middle }
        }
        Some(enough)
    }

    /// Whether an interval about this value would end at `limit`, or before, if people judged all units.
    #[must_use]
    pub fn settled_by_all(&self, limit: f64, confidence: Confidence) -> bool {
        // Other judgments would be another estimate.
        self.carried.is_none() && self.settled_by(self.units, limit, confidence)
    }

    fn settled_by(&self, drawn: usize, limit: f64, confidence: Confidence) -> bool {
        let direction = if limit < self.value { Direction::Greater } else { Direction::Less };
        self.half(drawn, direction, confidence.tail()) <= (self.value - limit).abs()
    }
}

/// The quantile that is `t` after it is raised for a skewness: t = q + skew (1 + 2 q²) / 6, without the square below 0,
/// where nothing is shown.
fn unskewed(t: f64, skew: f64) -> f64 {
    let (square, beyond) = (skew / 3.0, t - skew / 6.0);
    if beyond <= 0.0 || square == 0.0 {
        return beyond;
    }
    // The positive root, in the form that loses no digits where the square is small.
    2.0 * beyond / (1.0 + (1.0 + 4.0 * square * beyond).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::unseen_limits;
    use super::*;

    /// People's scores of the units whose bit is set.
    fn drawn(people: &[f64], bits: u32) -> Vec<Option<f64>> {
        people.iter().enumerate().map(|(at, score)| (bits >> at & 1 == 1).then_some(*score)).collect()
    }

    /// What the formulas give for a sample: weight, value, standard error and limits.
    fn check(model: &[f64], people: &[Option<f64>], expected: [f64; 5]) -> CorrectedMean {
        let one = CorrectedMean::new(model, people).unwrap();
        let Interval { low, high } = one.interval(Confidence::default()).unwrap();
        let found = [one.weight, one.value, one.standard_error, low, high];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        for (null, direction) in [(low, Direction::Greater), (high, Direction::Less)] {
            assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
        }
        one
    }

    #[test]
    fn it_is_the_regression_estimator_of_double_sampling() {
        // statsmodels 0.15.0: the slope of `OLS(y, f)` and its `resid_press`, e / (1 - h); ppi-python 0.2.3:
        // `ppi_mean_pointestimate(y, f, f_unlabelled, lam=slope * 2/7)`; SciPy 1.17.1 `t.ppf` with 3 degrees of freedom.
        let model = [0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.3];
        let people = [Some(0.4), None, Some(0.1), Some(0.9), Some(0.5), None, Some(0.15)];
        let expected = [
            1.136_986_301_369_863_1,
            0.471_722_113_502_935_4,
            0.124_258_033_717_205_53,
            0.076_277_59,
            0.881_547_5,
        ];
        let one = check(&model, &people, expected);
        assert_eq!((one.freedom, one.units, one.drawn), (3, 7, 5));
        // f is .5, .2, .9, .4, .3 there, y .4, .1, .9, .5, .15: .25 in all higher.
        assert!((one.leniency - 0.05).abs() < 1e-12);
        let model: Vec<f64> = (0..23).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
        let said = |(at, score): (usize, &f64)| {
            (at % 3 == 0).then(|| (score * 0.8 + (at % 7) as f64 / 20.0).min(1.0))
        };
        let people: Vec<Option<f64>> = model.iter().enumerate().map(said).collect();
        let expected = [
            0.758_333_333_333_333_3,
            0.501_590_579_710_144_9,
            0.069_134_494_102_653_97,
            0.328_106_12,
            0.670_756_59,
        ];
        check(&model, &people, expected);
    }

    #[test]
    fn rare_low_scores_move_the_lower_limit_and_not_the_upper_one() {
        let people: Vec<f64> = (0..40).map(|at| if at % 10 == 0 { 0.1 } else { 0.8 }).collect();
        let all: Vec<Option<f64>> = people.iter().copied().map(Some).collect();
        let one = CorrectedMean::new(&[1.0; 40], &all).unwrap();
        let confidence = Confidence::default();
        let interval = one.interval(confidence).unwrap();
        let student = t_quantile(0.975, 39) * one.standard_error;
        assert!((interval.high - one.value - student).abs() < 1e-12);
        // Four of 40 are -.63 from the mean, the others .07: third moment -.024696 over .21^3 is a skewness of -2.6667 (that
        // of a proportion of .1, (1 - 2p) / sqrt(pq)), of which 40/60 are believed; the standard error has 39 for 40.
        let skew = 2.666_667 * (40.0 / 60.0) / 40_f64.sqrt() * (39.0_f64 / 40.0).powf(1.5);
        let quantile = t_quantile(0.975, 39);
        let raised = (quantile + skew * (1.0 + 2.0 * quantile * quantile) / 6.0) * one.standard_error;
        assert!((one.value - interval.low - raised).abs() < 1e-7);
        for (null, direction) in [(interval.low, Direction::Greater), (interval.high, Direction::Less)] {
            assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
        }
        // The p-value falls with the null all the way, and is above one half where nothing is shown.
        let p: Vec<f64> = (0..=80).map(|at| one.p(0.4 + f64::from(at) / 100.0, Direction::Greater)).collect();
        assert!(p.is_sorted() && p[0] < 1e-6 && p[80] > 0.99, "{p:?}");
        assert!(one.p(one.value, Direction::Greater) > 0.5);
    }

    #[test]
    fn a_judge_on_a_line_with_people_is_everybody_whatever_is_drawn() {
        let model = [0.9, 0.3, 0.55, 0.8, 0.1, 0.62, 0.4];
        let people = model.map(|score| 0.15 + 0.5 * score);
        let truth = people.iter().sum::<f64>() / 7.0;
        for bits in (0_u32..1 << 7).filter(|bits| bits.count_ones() >= 3) {
            let one = CorrectedMean::new(&model, &drawn(&people, bits)).unwrap();
            assert!((one.value - truth).abs() < 1e-12 && (one.weight - 0.5).abs() < 1e-12, "{bits:b}");
        }
    }

    #[test]
    fn the_bias_over_all_draws_is_far_below_the_standard_error() {
        // Cochran 1977, 7.8: the bias of a regression estimate is of the order of 1/n of the standard error.
        let model = [0.9, 0.3, 0.55, 0.8, 0.1, 0.62, 0.4, 0.7, 0.2];
        let people = [0.7, 0.35, 0.5, 1.0, 0.0, 0.2, 0.45, 0.9, 0.3];
        let truth = people.iter().sum::<f64>() / 9.0;
        for size in 5..=8 {
            let all: Vec<CorrectedMean> = (0_u32..1 << 9)
                .filter(|bits| bits.count_ones() == size)
                .map(|bits| CorrectedMean::new(&model, &drawn(&people, bits)).unwrap())
                .collect();
            let of =
                |value: &dyn Fn(&CorrectedMean) -> f64| all.iter().map(value).sum::<f64>() / all.len() as f64;
            let (bias, error) = (of(&|one| one.value) - truth, of(&|one| one.standard_error));
            assert!(bias.abs() < 0.1 * error, "{size}: {bias} {error}");
        }
    }

    #[test]
    fn where_no_error_was_seen_the_undrawn_may_hold_the_worst() {
        let people: Vec<f64> = (0..100).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
        let sample: Vec<Option<f64>> =
            people.iter().enumerate().map(|(at, score)| (at < 40).then_some(*score)).collect();
        let seen = CorrectedMean::new(&people, &sample).unwrap();
        let one = seen.with_ends(&(0.0..=1.0));
        let (narrow, wide) = (seen.interval(Confidence::default()), one.interval(Confidence::default()));
        let (narrow, wide) = (narrow.unwrap(), wide.unwrap());
        // Of the 60 others 1 - .025^(1/40) may be wrong: lower by as much as the model's highest score of them, or higher by
        // 1 less its lowest.
        let share = 0.6 * (1.0 - 0.025_f64.powf(1.0 / 40.0));
        let of = |pick: fn(f64, f64) -> f64| people[40..].iter().copied().reduce(pick).unwrap();
        assert!((narrow.low - wide.low - share * of(f64::max)).abs() < 1e-12, "{wide:?}");
        assert!((wide.high - narrow.high - share * (1.0 - of(f64::min))).abs() < 1e-12, "{wide:?}");
        for (null, direction) in [(wide.low, Direction::Greater), (wide.high, Direction::Less)] {
            assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
        }
        // As many as make the interval end at the limit, and one less does not.
        let limit = one.value - 0.9 * (one.value - wide.low);
        let needed = one.units_needed(limit, Confidence::default()).unwrap();
        let half_of = |drawn: usize| one.half(drawn, Direction::Greater, 0.025);
        assert!(half_of(needed) <= one.value - limit && half_of(needed - 1) > one.value - limit);
        // Where many errors are seen, a range changes nothing, and neither does one without ends.
        let other: Vec<f64> =
            people.iter().enumerate().map(|(at, score)| score + 0.1 * (at % 2) as f64).collect();
        let other = CorrectedMean::new(&other, &sample).unwrap();
        assert_eq!(other.with_ends(&(0.0..=1.0)), other);
        assert_eq!(seen.with_ends(&(0.0..=f64::INFINITY)), seen);
    }

    #[test]
    fn a_judge_that_was_never_seen_to_be_wrong_costs_no_more_than_people_alone() {
        // Differences within .1, and a judge that was never wrong: what it may be unseen, 2 of 2, is wider than people's own.
        let people: Vec<f64> = (0..400).map(|at| f64::from(at * 37 % 41) / 200.0 - 0.1).collect();
        let sample: Vec<Option<f64>> =
            people.iter().enumerate().map(|(at, score)| (at < 40).then_some(*score)).collect();
        let units: Vec<usize> = (0..400).collect();
        let one = CorrectedMean::within(&people, &sample, &units, &(-1.0..=1.0)).unwrap();
        let alone = CorrectedMean::new(&[0.0; 400], &sample).unwrap();
        assert_eq!((one.weight, one.value, one.width()), (0.0, alone.value, alone.width()));
        // What the model says by itself, and how far from people, stays.
        assert!(one.leniency == 0.0 && one.uncorrected != 0.0);
    }

    #[test]
    fn a_perfect_pipeline_and_a_perfect_judge_have_limits() {
        let sample: Vec<Option<f64>> = (0..200).map(|at| (at < 38).then_some(1.0)).collect();
        let one = CorrectedMean::new(&[1.0; 200], &sample).unwrap().with_ends(&(0.0..=1.0));
        // What Clopper and Pearson say of 38 of 38.
        let low = 0.025_f64.powf(1.0 / 38.0);
        let interval = one.interval(Confidence::default()).unwrap();
        assert!((interval.low - low).abs() < 1e-10 && interval.high == 1.0, "{interval:?}");
        assert!((one.p(low, Direction::Greater) - 0.025).abs() < 1e-9);
        assert!((one.p(0.5, Direction::Greater) - 0.5_f64.powi(38)).abs() < 1e-20);
        assert!(one.p(1.0, Direction::Greater) > 1.0 - 1e-9);
    }

    /// z² = (1 + v / r²) (-2 ln .05 + ln(1 + r² / v)) with r² = 7.936 v at 60 of 162 units, where Student's quantile is about z.
    #[test]
    fn limits_at_every_look_by_hand() {
        let people: Vec<f64> = (0..162).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
        let sample: Vec<Option<f64>> =
            people.iter().enumerate().map(|(at, score)| (at < 60).then_some(*score)).collect();
        let fixed = CorrectedMean::new(&[0.5; 162], &sample).unwrap();
        let one = fixed.at_every_look();
        let Interval { low, high } = one.interval(Confidence::default()).unwrap();
        // (1 + 1 / 7.936) (5.991465 + ln 8.936) = 9.2124, z = 3.0352; t with 59 degrees of freedom at Phi(-3.0352) = .0012019
        let quantile = -t_quantile(0.001_201_9, 59);
        assert!((one.value - low - quantile * one.standard_error).abs() < 3e-2 * one.standard_error, "{low}");
        assert!((3.1..3.3).contains(&((high - one.value) / one.standard_error)), "{high}");
        for (null, direction) in [(low, Direction::Greater), (high, Direction::Less)] {
            assert!((one.p(null, direction) - 0.025).abs() < 1e-6, "{direction:?}");
        }
        // A p-value falls with the null all the way, and is above that of a fixed sample.
        let p = |at: i32| one.p(f64::from(at) / 100.0, Direction::Greater);
        assert!(
            (20..80)
                .all(|at| p(at) <= p(at + 1) && p(at) >= fixed.p(f64::from(at) / 100.0, Direction::Greater))
        );
        // What it takes to end at a limit is what ends there.
        let limit = one.value - 0.9 * (one.value - low);
        let needed = one.units_needed(limit, Confidence::default()).unwrap();
        let half_of = |drawn: usize| one.half(drawn, Direction::Greater, 0.025);
        assert!(half_of(needed) <= one.value - limit && half_of(needed - 1) > one.value - limit);
    }

    #[test]
    fn a_slope_that_one_unit_fixes_is_none() {
        let people = [Some(0.4), Some(0.6), Some(0.1), Some(0.9), None, None];
        let alone = CorrectedMean::new(&[0.0; 6], &people).unwrap();
        let one = CorrectedMean::new(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0], &people).unwrap();
        assert_eq!((one.weight, one.freedom, one.value), (0.0, 3, alone.value));
        assert_eq!(one.standard_error, alone.standard_error);
        // Two drawn units leave no line either.
        let two = CorrectedMean::new(&[0.1, 0.5, 0.9], &[Some(0.2), Some(0.8), None]).unwrap();
        assert_eq!((two.weight, two.freedom, two.value), (0.0, 1, 0.5));
    }

    #[test]
    fn a_constant_judge_is_people_alone_and_a_perfect_one_is_everybody() {
        let people = [0.2, 0.9, 0.4, 0.6, 0.7, 0.1];
        let few = drawn(&people, 0b01_0111);
        let constant = CorrectedMean::new(&[0.5; 6], &few).unwrap();
        let alone: f64 = (0.2 + 0.9 + 0.4 + 0.7) / 4.0;
        assert!((constant.value - alone).abs() < 1e-12);
        // S2 / n of the drawn scores
        let squares: f64 = [0.2, 0.9, 0.4, 0.7].iter().map(|score| (score - alone).powi(2)).sum();
        assert!((constant.standard_error - (squares / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        let perfect = CorrectedMean::new(&people, &few).unwrap();
        assert!((perfect.value - people.iter().sum::<f64>() / 6.0).abs() < 1e-12);
        assert_eq!((perfect.leniency, perfect.leniency_error), (0.0, 0.0));
        assert_eq!(perfect.leniency_interval(Confidence::default()), Err(NoInterval::NoVariance));
        assert!((perfect.standard_error - (squares / 3.0 / 6.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_sample_that_lacks_what_the_model_scores_high_is_not_taken_for_all_there_is() {
        let model = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        let people = [0.1, 0.2, 0.0, 0.1, 0.4, 0.3, 0.1, 0.0];
        let some = |bits| drawn(&people, bits);
        // statsmodels and SciPy, as above: S2(f) of all .267857, which is more than .266667 of the drawn.
        let expected = [0.25, 0.193_75, 0.055_708_494_843_311_2, 0.039_078_42, 0.350_776_47];
        check(&model, &some(0b11_1111), expected);
        // A sample that holds more of what the model scores high than there is narrows nothing: S2(f) .3.
        let expected =
            [0.166_666_666_666_666_6, 0.162_5, 0.061_237_243_569_579_45, -0.008_130_87, 0.332_521_85];
        check(&model, &some(0b111_0111), expected);
        // Of a sample in which the model scores all alike it is people alone: .0066667 / 4.
        let corrected = CorrectedMean::new(&model, &some(0b1111)).unwrap();
        assert!((corrected.standard_error.powi(2) - 0.001_666_667).abs() < 1e-8);
        assert_eq!(corrected.weight, 0.0);
    }

    #[test]
    fn groups_are_drawn_as_a_whole() {
        let model = [0.5, 0.5, 0.2, 0.8, 0.8, 0.3, 0.1];
        let people = [Some(0.4), Some(0.6), None, Some(0.9), Some(0.5), None, Some(0.1)];
        let groups = ["a", "a", "b", "c", "c", "b", "d"];
        let one = CorrectedMean::grouped(&model, &people, &groups).unwrap();
        assert_eq!((one.units, one.drawn), (4, 3));
        // y - f of a, c, d: 0 of 2, -.2 of 2, 0 of 1: -.04 a query
        assert!((one.leniency - 0.04).abs() < 1e-12);
        // residuals .08, -.12, .04 over 5/3 queries a group: squares .0224 / 2.7778 / 2
        let spread = 0.0224_f64 / (25.0 / 9.0) / 2.0;
        assert!((one.leniency_error - (spread / 3.0).sqrt()).abs() < 1e-12);
        let of_single = CorrectedMean::grouped(&model, &people, &[0, 1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(of_single, CorrectedMean::new(&model, &people).unwrap());
        let error = CorrectedMean::grouped(&model, &people, &["a"; 7]).unwrap_err().to_string();
        assert_eq!(error, "people judged some queries of a group and not the others");
    }

    #[test]
    fn more_judged_queries_settle_what_is_near() {
        let model: Vec<f64> = (0..162).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
        let people: Vec<f64> = model
            .iter()
            .enumerate()
            .map(|(at, score)| (score * 0.8 + (at % 7) as f64 / 20.0).min(1.0))
            .collect();
        let sample: Vec<Option<f64>> =
            people.iter().enumerate().map(|(at, score)| (at % 8 == 0).then_some(*score)).collect();
        let one = CorrectedMean::new(&model, &sample).unwrap();
        let confidence = Confidence::default();
        let half = one.value - one.interval(confidence).unwrap().low;
        // As many as make the interval end at the limit, and one less does not.
        let limit = one.value - 0.93 * half;
        let needed = one.units_needed(limit, confidence).unwrap();
        let half_of = |drawn: usize| one.half(drawn, Direction::Greater, confidence.tail());
        assert!(half_of(needed) <= 0.93 * half && half_of(needed - 1) > 0.93 * half, "{needed}");
        assert_eq!(one.units_needed(one.value - 1.1 * half, confidence), None);
        assert_eq!(one.units_needed(one.value, confidence), None);
        // People's own spread over all 162 is what is left then.
        let left = half_of(162);
        assert!(one.settled_by_all(one.value - 1.01 * left, confidence));
        let left_above = one.half(162, Direction::Less, confidence.tail());
        assert!(!one.settled_by_all(one.value + 0.99 * left_above, confidence));
        assert_eq!(one.units_needed(one.value + 0.99 * left_above, confidence), None);
    }

    #[test]
    fn one_score_of_all_units_has_the_limits_of_the_unseen_query() {
        let queries: Vec<usize> = (0..30).collect();
        for (model, people) in [(1.0, 1.0), (0.4, 1.0), (0.0, 0.0), (1.0, 0.5)] {
            let scores = vec![Some(people); 30];
            let one = CorrectedMean::within(&[model; 30], &scores, &queries, &(0.0..=1.0)).unwrap();
            let Interval { low, high } = one.interval(Confidence::default()).unwrap();
            let expected = unseen_limits(&[people; 30], 0.0..=1.0, Confidence::default()).unwrap();
            assert!(
                (low - expected.low).abs() < 1e-12 && (high - expected.high).abs() < 1e-12,
                "{low} {high}"
            );
            // Clopper and Pearson of 30 of 30: .025^(1/30).
            assert!(people < 1.0 || (low - 0.884_297).abs() < 1e-6);
            let p = one.p(low, Direction::Greater);
            assert!((p - 0.025).abs() < 1e-6 || people == 0.0, "{p}");
        }
        let flat = CorrectedMean::new(&[1.0; 30], &[Some(1.0); 30]).unwrap();
        assert_eq!(flat.interval(Confidence::default()), Err(NoInterval::NoVariance), "without a range");
    }

    #[test]
    fn what_cannot_be_corrected_is_an_error() {
        let error = |model: &[f64], people: &[Option<f64>]| {
            CorrectedMean::new(model, people).unwrap_err().to_string()
        };
        assert!(error(&[0.1, 0.2], &[Some(0.1), None]).starts_with("two drawn queries"));
        assert!(error(&[0.1, f64::NAN], &[Some(0.1), Some(0.2)]).contains("not NaN"));
        assert!(error(&[0.1, 0.2], &[Some(0.1)]).contains("of 2 queries"));
        let flat = CorrectedMean::new(&[0.5; 3], &[Some(0.5), Some(0.5), None]).unwrap();
        assert_eq!(flat.interval(Confidence::default()), Err(NoInterval::NoVariance));
        assert_eq!((flat.p(0.4, Direction::Greater), flat.p(0.5, Direction::Greater)), (0.0, 1.0));
    }
}
