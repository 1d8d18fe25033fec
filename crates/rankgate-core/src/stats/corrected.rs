//! A mean over queries that a model judged, corrected by those of them that people judged as well.

use std::collections::BTreeMap;

use super::distribution::{t_cdf, t_quantile};
use super::sum::total;
use super::{Confidence, Direction, Interval, NoInterval};
use crate::json::write_json;
use crate::{Error, Result};

/// Skewness is taken for as much smaller as if so many more units without any had been drawn: that of few units is
/// mostly chance.
const UNSKEWED: f64 = 20.0;
/// Variances below this share of the squares they are of are rounding noise.
const NOISE: f64 = 1e-24;

/// The mean score of all queries by people's judgments, estimated from a model's scores of all of them and from
/// people's of a random sample.
///
/// The model's mean is moved by how much people score the drawn queries higher or lower than it does. A model that
/// is lenient, severe or no good widens the interval; it does not move its middle away from the truth. The
/// interval is Student's, with one degree of freedom less than there are drawn units: in small samples it is an
/// approximation. Comparisons are corrected as means are, from paired differences.
///
/// # Source
///
/// The regression estimator of two-phase sampling with a slope of 1 (Cochran, "Sampling Techniques", 1977,
/// chapter 12): with `N` units, of which `n` were drawn without replacement, the variance is `S²(y) / N + (1/n -
/// 1/N) S²(y - f)`, for people's scores `y` and the model's `f`. Where `f` varies less in the sample than over all
/// units, both squares are raised by `b² (S²_N(f) - S²_n(f))`, `b` being the slope of `y` or of `y - f` in `f`: the
/// regression estimator of a variance (Isaki, "Variance estimation using auxiliary information", JASA 78, 1983),
/// which here never lowers it. Where the drawn units are skewed, Student's quantile q is raised by |k| (1 + 2 q²) / 6 on
/// the side where the interval would miss more often, `k` being the skewness of the estimate (Johnson, "Modified t
/// tests and confidence intervals for asymmetrical populations", JASA 73, 1978), from that of the units, which is taken
/// for n / (n + 20) of what it is: that of few units is mostly chance. Prediction-powered inference (Angelopoulos et al., 2023) with `lambda = (N - n) / N`
/// has the same value.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CorrectedMean {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom: drawn units less one.
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
    /// Standard deviations between all units: of people's scores, and of what people score higher than the model.
    spreads: [f64; 2],
    /// Third central moments of the same, as far as they are believed.
    cubes: [f64; 2],
}

write_json!(struct CorrectedMean {
    value, standard_error, freedom, units, drawn, uncorrected, leniency, leniency_error, spreads, cubes
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

    /// The variance between units.
    fn square(&self) -> f64 {
        let squares = total(self.apart.iter().map(|apart| apart * apart));
        if squares <= self.noise { 0.0 } else { squares / (self.apart.len() as f64 - 1.0) }
    }
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
    /// assert!((corrected.value - (0.65 - 0.4 / 3.0)).abs() < 1e-12);
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
        let mut units: BTreeMap<&G, Unit> = BTreeMap::new();
        for ((model, people), group) in model.iter().zip(people).zip(groups) {
            let unit = units.entry(group).or_default();
            unit.size += 1.0;
            unit.model += model;
            unit.people += people.unwrap_or(0.0);
            unit.drawn += f64::from(u8::from(people.is_some()));
        }
        Self::of_units(&units.into_values().collect::<Vec<_>>())
    }

    fn of_units(units: &[Unit]) -> Result<Self> {
        if units.iter().any(|unit| unit.drawn > 0.0 && unit.drawn < unit.size) {
            return Err(Error::invalid("people judged some queries of a group and not the others"));
        }
        let drawn: Vec<Unit> = units.iter().copied().filter(|unit| unit.drawn > 0.0).collect();
        if drawn.len() < 2 {
            return Err(Error::invalid(
                "two drawn queries are needed at least, to know how much people and the model differ",
            ));
        }
        let people = Deviations::from_units(&drawn, |unit| unit.people);
        let model = Deviations::from_units(&drawn, |unit| unit.model);
        let correction = Deviations::from_units(&drawn, |unit| unit.people - unit.model);
        let all = Deviations::from_units(units, |unit| unit.model);
        // What a sample that holds too few of what the model scores high, or low, does not show of the spreads.
        let missing = (all.square() - model.square()).max(0.0);
        // Of a model that scored all drawn units alike nothing is known: as of one that knows nothing.
        let slope = if model.square() > 0.0 { correction.product(&model) / model.square() } else { -1.0 };
        let spread = |seen: f64, slope: f64| (seen + slope * slope * missing).sqrt();
        let spreads = [spread(people.square(), 1.0 + slope), spread(correction.square(), slope)];
        let believed = drawn.len() as f64 / (drawn.len() as f64 + UNSKEWED);
        let cubes = [&people, &correction].map(|one| one.cube() * believed);
        let (uncorrected, leniency) = (all.mean, -correction.mean);
        let value = uncorrected - leniency;
        let mut corrected = Self {
            value,
            standard_error: 0.0,
            freedom: drawn.len() - 1,
            units: units.len(),
            drawn: drawn.len(),
            uncorrected,
            leniency,
            leniency_error: (correction.square() / drawn.len() as f64).sqrt(),
            spreads,
            cubes,
        };
        corrected.standard_error = corrected.error_of(drawn.len());
        Ok(corrected)
    }

    /// The standard error if so many units had been drawn.
    fn error_of(&self, drawn: usize) -> f64 {
        let [people, correction] = self.spreads;
        let (drawn, units) = (drawn as f64, self.units as f64);
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
        let skewness = (people / all + (1.0 / squared - 1.0 / all) * correction) / error.powi(3);
        match direction {
            Direction::Greater => (-skewness).max(0.0),
            Direction::Less => skewness.max(0.0),
        }
    }

    /// How far from the value the limit lies, on the side that shows `direction`, if so many units had been drawn.
    fn half(&self, drawn: usize, direction: Direction, confidence: Confidence) -> f64 {
        let quantile = t_quantile(1.0 - confidence.tail(), drawn - 1);
        let skew = self.skew_of(drawn, direction);
        (quantile + skew * (1.0 + 2.0 * quantile * quantile) / 6.0) * self.error_of(drawn)
    }

    /// The two-sided interval of the mean over queries like these.
    ///
    /// # Errors
    ///
    /// When neither people's scores nor what the model lacks differ between drawn units.
    pub fn interval(&self, confidence: Confidence) -> std::result::Result<Interval, NoInterval> {
        if self.standard_error == 0.0 {
            return Err(NoInterval::NoVariance);
        }
        let half = |direction| self.half(self.drawn, direction, confidence);
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
        let half = t_quantile(1.0 - confidence.tail(), self.freedom) * self.leniency_error;
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
            0.0 if beyond > 0.0 => 0.0,
            0.0 => 1.0,
            error => t_cdf(-unskewed(beyond / error, self.skew_of(self.drawn, direction)), self.freedom),
        }
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
        self.settled_by(self.units, limit, confidence)
    }

    fn settled_by(&self, drawn: usize, limit: f64, confidence: Confidence) -> bool {
        let direction = if limit < self.value { Direction::Greater } else { Direction::Less };
        self.half(drawn, direction, confidence) <= (self.value - limit).abs()
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
    use super::*;

    /// People's scores of the units whose bit is set.
    fn drawn(people: &[f64], bits: u32) -> Vec<Option<f64>> {
        people.iter().enumerate().map(|(at, score)| (bits >> at & 1 == 1).then_some(*score)).collect()
    }

    #[test]
    fn it_is_what_the_formula_says() {
        // By hand: f = .5 .7 .2 .9 .4, y = .4 . .1 .9 .; mean f .54; y - f = -.1, -.1, 0, mean -.0667;
        // S2(y - f) = .0033333; y = .4 .1 .9, mean .46667, S2 = .163333;
        // variance .163333 / 5 + (1/3 - 1/5) .0033333 = .0331111.
        let corrected =
            CorrectedMean::new(&[0.5, 0.7, 0.2, 0.9, 0.4], &[Some(0.4), None, Some(0.1), Some(0.9), None])
                .unwrap();
        assert!((corrected.value - (0.54 - 0.2 / 3.0)).abs() < 1e-12);
        assert!((corrected.standard_error - 0.033_111_111_f64.sqrt()).abs() < 1e-8);
        assert_eq!((corrected.freedom, corrected.units, corrected.drawn), (2, 5, 3));
        // 4.302653 is the 97.5% point of t with 2 degrees of freedom. Third moments .0105926 and .0000741, of which 3/23 are
        // believed: (.0105926 / 25 + (1/9 - 1/25) .0000741) 3/23 = .00005596, over .0331111^1.5 a skewness of 0.0092867 to
        // the right, on which side the point is raised by 0.0092867 (1 + 2 4.302653²) / 6.
        let interval = corrected.interval(Confidence::default()).unwrap();
        assert!((corrected.value - interval.low - 4.302_653 * corrected.standard_error).abs() < 1e-6);
        assert!((interval.high - corrected.value - 4.361508 * corrected.standard_error).abs() < 1e-6);
        assert!((corrected.p(interval.low, Direction::Greater) - 0.025).abs() < 1e-9);
        assert!((corrected.p(interval.high, Direction::Less) - 0.025).abs() < 1e-9);
        let leniency = corrected.leniency_interval(Confidence::default()).unwrap();
        let half = 4.302_653 * (0.01_f64 / 9.0).sqrt();
        assert!((leniency.low - (0.2 / 3.0 - half)).abs() < 1e-6, "{leniency:?}");
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
    fn over_all_draws_it_is_unbiased_and_its_sampling_variance_is_exact() {
        let model = [0.9, 0.3, 0.55, 0.8, 0.1, 0.62, 0.4];
        let people = [0.7, 0.35, 0.5, 1.0, 0.0, 0.2, 0.45];
        let truth = people.iter().sum::<f64>() / 7.0;
        for size in 2..=6 {
            let mut all = Vec::new();
            for bits in (0_u32..1 << 7).filter(|bits| bits.count_ones() == size) {
                all.push(CorrectedMean::new(&model, &drawn(&people, bits)).unwrap());
            }
            let draws = all.len() as f64;
            let mean = all.iter().map(|one| one.value).sum::<f64>() / draws;
            assert!((mean - truth).abs() < 1e-12, "{size}");
            // The share of the variance that the draw adds, against what the values of all draws vary by.
            let varies = all.iter().map(|one| (one.value - truth).powi(2)).sum::<f64>() / draws;
            let share = f64::from(size) * (1.0 / f64::from(size) - 1.0 / 7.0);
            let of_draw = |one: &CorrectedMean| share * one.leniency_error.powi(2);
            let told = all.iter().map(of_draw).sum::<f64>() / draws;
            assert!((varies - told).abs() < 1e-12, "{size}: {varies} {told}");
        }
    }

    #[test]
    fn its_value_is_that_of_prediction_powered_inference() {
        // ppi-python 0.2.3, `ppi_mean_pointestimate(y, f, f_unlabelled, lam=15/23)`: .53038043
        let model: Vec<f64> = (0..23).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
        let said = |(at, score): (usize, &f64)| {
            (at % 3 == 0).then(|| (score * 0.8 + (at % 7) as f64 / 20.0).min(1.0))
        };
        let people: Vec<Option<f64>> = model.iter().enumerate().map(said).collect();
        let corrected = CorrectedMean::new(&model, &people).unwrap();
        assert_eq!((corrected.drawn, corrected.units), (8, 23));
        assert!((corrected.value - 0.530_380_43).abs() < 1e-8, "{}", corrected.value);
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
        let people = [0.1, 0.2, 0.0, 0.1, 0.4, 0.0, 0.0, 0.0];
        // By hand: S2(f) of all .267857, of the drawn .2; S2(y) .023, its slope in f .3; S2(y - f) .103, slope -.7:
        // (.023 + .09 .067857) / 8 + (1/5 - 1/8) (.103 + .49 .067857) = .01385714.
        let corrected = CorrectedMean::new(&model, &drawn(&people, 0b1_1111)).unwrap();
        assert!((corrected.standard_error.powi(2) - 0.013_857_14).abs() < 1e-8);
        // The leniency is that of the drawn ones: .103 / 5.
        assert!((corrected.leniency_error.powi(2) - 0.0206).abs() < 1e-12);
        // Without one that the model scores high it is a model that knows nothing, slope -1: S2(y) .0066667,
        // .0066667 / 8 + (1/4 - 1/8) (.0066667 + .267857) = .03514881.
        let corrected = CorrectedMean::new(&model, &drawn(&people, 0b1111)).unwrap();
        assert!((corrected.standard_error.powi(2) - 0.035_148_81).abs() < 1e-8);
        // A sample that holds too many of them narrows nothing: half of four, S2(f) .333333.
        // S2(y) .0291667, S2(y - f) of .1 .2 -.6 -1 .3291667: / 8 + / 8.
        let corrected = CorrectedMean::new(&model, &drawn(&people, 0b11_0011)).unwrap();
        assert!((corrected.standard_error.powi(2) - 0.044_791_67).abs() < 1e-8);
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
        let half_of = |drawn: usize| one.half(drawn, Direction::Greater, confidence);
        assert!(half_of(needed) <= 0.93 * half && half_of(needed - 1) > 0.93 * half, "{needed}");
        assert_eq!(one.units_needed(one.value - 1.1 * half, confidence), None);
        assert_eq!(one.units_needed(one.value, confidence), None);
        // People's own spread over all 162 is what is left then.
        let left = half_of(162);
        assert!(one.settled_by_all(one.value - 1.01 * left, confidence));
        let left_above = one.half(162, Direction::Less, confidence);
        assert!(!one.settled_by_all(one.value + 0.99 * left_above, confidence));
        assert_eq!(one.units_needed(one.value + 0.99 * left_above, confidence), None);
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
