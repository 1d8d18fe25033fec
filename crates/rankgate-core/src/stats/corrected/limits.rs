//! What a corrected mean shows: limits, p-values, and how many units more would do.

use super::CorrectedMean;
use super::constant::ConstantCorrection;
use crate::stats::distribution::{normal_cdf, normal_quantile, t_cdf, t_quantile};
use crate::stats::{Confidence, Direction, Interval, NoInterval};

/// The smallest level that a limit is looked for at, and halvings that find it to the last digit that matters.
const LEAST_LEVEL: f64 = 1e-100;
const HALVINGS: usize = 60;
/// Limits that hold at every look are as near as they can be at about so many drawn units.
const PLANNED: usize = 60;
/// At the default confidence: the variance of the mixture that is tightest at a variance, as a multiple of that,
/// -2 ln(.05) + ln(1 - 2 ln(.05)).
const MIXTURE: f64 = 7.936;

impl CorrectedMean {
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

    /// How wide the interval of the usual confidence is; where there is none, as wide as can be.
    pub(super) fn width(&self) -> f64 {
        self.interval(Confidence::default()).map_or(f64::INFINITY, |interval| interval.high - interval.low)
    }

    /// The standard error if so many units had been drawn.
    pub(super) fn error_of(&self, drawn: usize) -> f64 {
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
    pub(super) fn half(&self, drawn: usize, direction: Direction, level: f64) -> f64 {
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
        let apart =
            self.constant.and_then(|constant| constant.apart(self.rate() * drawn as f64, direction, level));
        let Some(apart) = apart else { return student };
        // Of what varies between all units, and of what may be wrong among the undrawn ones.
        let spread = self.spreads[0] / (self.units as f64).sqrt();
        // Where the spread of people's scores stands in for them, queries beyond these are in it.
        let share = if spread > 0.0 { 1.0 - drawn as f64 / self.units as f64 } else { 1.0 };
        student.max(times(spread) + share * apart)
    }

    /// The share of the drawn units that would show an error as often, were they drawn from all: in strata it may hide where
    /// they were drawn most sparsely.
    fn rate(&self) -> f64 {
        self.strata.map_or(1.0, |strata| strata.least_rate)
    }

    /// Whether people's scores of the drawn units are all the same, and all that is known.
    pub(in crate::stats) fn is_people_alone_without_spread(&self) -> bool {
        self.standard_error == 0.0 && self.carried.is_none()
    }

    /// The p-value that an unseen query leaves of people's scores of the drawn units, of this one by a sample of all units that
    /// is looked at once.
    pub(in crate::stats) fn unseen_p(&self, p: f64) -> f64 {
        self.p_at(p.powf(self.rate()))
    }

    /// The level at which such a sample has the limit that an unseen query leaves at this level: what
    /// [`unseen_p`](Self::unseen_p) undoes.
    pub(in crate::stats) fn unseen_level(&self, level: f64) -> f64 {
        self.level_at(self.drawn, level).powf(1.0 / self.rate())
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
