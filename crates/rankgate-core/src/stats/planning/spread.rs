//! How well so few units show how much all of them vary.

use crate::stats::{Confidence, Differences, Interval, unseen_limits};

impl Differences {
    /// The limits of the variance of units, as multiples of the observed one, each at half of the error rate. A number of
    /// units that is planned for grows with the variance, and so lies between the same multiples of itself.
    ///
    /// They are those of a mean of squared deviations, beside which one more unit deviates by nothing, or by as much as
    /// scores let it ([`unseen_limits`]): that large deviations are rare and were not seen is what a spread of few units
    /// hides. Nothing where scores have no range, or units do not vary.
    ///
    /// ```
    /// use rankgate::stats::{Confidence, Differences};
    ///
    /// let scores: Vec<f64> = (0..40).map(|at| f64::from(at * 7 % 11) / 10.0).collect();
    /// let differences = Differences::new(&[0.5; 40], &scores)?.within(&(0.0..=1.0));
    /// let limits = differences.spread_limits(Confidence::default()).unwrap();
    /// assert!(0.5 < limits.low && limits.low < 1.0 && 1.0 < limits.high && limits.high < 2.5, "{limits:?}");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn spread_limits(&self, confidence: Confidence) -> Option<Interval> {
        let mean = self.mean();
        // What is only the rounding of differences that are alike is no deviation.
        let noise = self.noise() * self.queries() as f64;
        let square = |(sum, &size): (&f64, &u32)| {
            let deviation = sum - f64::from(size) * mean;
            if deviation.abs() <= noise { 0.0 } else { deviation * deviation }
        };
        let squares: Vec<f64> = self.sums().iter().zip(self.sizes()).map(square).collect();
        let observed = squares.iter().sum::<f64>() / squares.len() as f64;
        let largest_unit = f64::from(self.sizes().iter().copied().max().unwrap_or(1));
        let largest = (self.largest_loss()? * largest_unit).powi(2);
        let largest = squares.iter().copied().fold(largest, f64::max);
        let Interval { low, high } = unseen_limits(&squares, 0.0..=largest, confidence).ok()?;
        (observed > 0.0).then(|| Interval { low: low / observed, high: high / observed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(differences: &[f64]) -> Option<Interval> {
        let candidate: Vec<f64> = differences.iter().map(|difference| 0.5 + difference).collect();
        let baseline = vec![0.5; differences.len()];
        let all = Differences::new(&baseline, &candidate).unwrap().within(&(0.0..=1.0));
        all.spread_limits(Confidence::default())
    }

    /// Of deviations that are all alike the squares are: one more unit deviates by nothing or by 1, and has a share of
    /// 1 - .025^(1/n) at most (Clopper and Pearson).
    #[test]
    fn units_that_deviate_alike_may_hide_one_that_deviates_by_all() {
        for n in [10, 40, 200] {
            let alternating: Vec<f64> = (0..n).map(|at| if at % 2 == 0 { 0.1 } else { -0.1 }).collect();
            let hidden = 1.0 - 0.025_f64.powf(1.0 / f64::from(n));
            let Interval { low, high } = limits(&alternating).unwrap();
            assert!((low - (1.0 - hidden)).abs() < 1e-9, "{n}: {low}");
            assert!((high - (1.0 - hidden + hidden / 0.01)).abs() < 1e-6, "{n}: {high}");
        }
    }

    #[test]
    fn nothing_is_said_of_units_that_do_not_vary_or_have_no_range() {
        assert_eq!(limits(&[0.1; 30]), None);
        let without_range = Differences::new(&[0.0; 3], &[0.0, 1.0, 4.0]).unwrap();
        assert_eq!(without_range.spread_limits(Confidence::default()), None);
    }
}
