//! What a corrected mean shows: limits, p-values, and how many units more would do.

use super::constant::ConstantCorrection;
use super::{CorrectedMean, believed};
use crate::stats::distribution::{t_cdf, t_quantile};
use crate::stats::{Confidence, Direction, Interval, NoInterval};

/// The smallest level that a limit is looked for at, and halvings that find it to the last digit that matters.
const LEAST_LEVEL: f64 = 1e-100;
const HALVINGS: usize = 60;

impl CorrectedMean {
    /// How wide the interval of the usual confidence is; where there is none, as wide as can be.
    pub(super) fn width(&self) -> f64 {
        self.interval(Confidence::default()).map_or(f64::INFINITY, |interval| interval.high - interval.low)
    }

    /// The standard error if so many units had been drawn.
    pub(super) fn error_of(&self, drawn: usize) -> f64 {
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
        (-direction.sign() * skewness).max(0.0)
    }

    /// How far from the value the limit at a one-sided level lies, on the side that shows `direction`, if so many units had
    /// been drawn.
    pub(super) fn half(&self, drawn: usize, direction: Direction, level: f64) -> f64 {
        let freedom = drawn - (self.drawn - self.freedom);
        let quantile = -t_quantile(level, freedom);
        let skew = self.skew_of(drawn, direction);
        let error = self.error_of(drawn);
        let raised = quantile + skew * (1.0 + 2.0 * quantile * quantile) / 6.0;
        let times = |spread: f64| if spread > 0.0 { raised * spread } else { 0.0 };
        let student = times(error);
        let apart = self.constant.and_then(|constant| constant.apart(drawn as f64, direction, level));
        let Some(apart) = apart else { return student };
        // Of what varies between all units, and of what may be wrong among the undrawn ones.
        let spread = self.spreads[0] / (self.units as f64).sqrt();
        // Where the spread of people's scores stands in for them, queries beyond these are in it.
        let share = if spread > 0.0 { 1.0 - drawn as f64 / self.units as f64 } else { 1.0 };
        student.max(times(spread) + share * apart)
    }

    /// The same if people had judged one unit more, which differs by so much from what the others suggest; nothing where the
    /// limits leave room for such a unit already.
    ///
    /// ```
    /// use rankgate::stats::CorrectedMean;
    ///
    /// // The model scores all alike, so people's mean of .5 counts alone. With one more of .1 it is (.4 + .6 + .5 + .1) / 4.
    /// let people = [Some(0.4), Some(0.6), Some(0.5), None];
    /// let corrected = CorrectedMean::new(&[1.0; 4], &people)?;
    /// assert!((corrected.with_one_more(-0.4).unwrap().value - 0.4).abs() < 1e-12);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn with_one_more(&self, apart: f64) -> Option<Self> {
        if self.constant.is_some_and(|constant| constant.ends.is_some()) {
            return None;
        }
        let (before, after) = (self.drawn as f64, (self.drawn + 1) as f64);
        let shift = apart / after;
        let [mut spreads, mut cubes] = [self.spreads, self.cubes];
        for (spread, cube) in spreads.iter_mut().zip(&mut cubes) {
            let (squares, third) = ((before - 1.0) * *spread * *spread, *cube / believed(before));
            *spread = ((squares + apart * apart * before / after) / before).sqrt();
            let cubed = before * (third - shift.powi(3)) - 3.0 * shift * squares + (apart - shift).powi(3);
            *cube = cubed / after * believed(after);
        }
        let (drawn, freedom) = (self.drawn + 1, self.freedom + 1);
        let units = self.units.max(drawn);
        let mut more = Self { value: self.value + shift, spreads, cubes, drawn, freedom, units, ..*self };
        more.standard_error = more.error_of(drawn);
        Some(more)
    }

    /// Whether people's scores of the drawn units are all the same, and all that is known.
    pub(in crate::stats) fn is_people_alone_without_spread(&self) -> bool {
        self.standard_error == 0.0
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

    /// The one-sided p-value against a mean of `null`; without spread 0 where the value is on the tested side.
    pub fn p(&self, null: f64, direction: Direction) -> f64 {
        let beyond = direction.sign() * (self.value - null);
        match self.standard_error {
            _ if self.constant.is_some_and(|constant| constant.ends.is_some()) => {
                self.level_of(beyond, direction)
            }
            0.0 if beyond > 0.0 => 0.0,
            0.0 => 1.0,
            error => t_cdf(-unskewed(beyond / error, self.skew_of(self.drawn, direction)), self.freedom),
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
