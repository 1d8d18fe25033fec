//! The paired t test and its interval.

use super::distribution::{t_cdf, t_quantile};
use super::sum::total;
use super::{Confidence, Differences, Direction, Interval, NoInterval};

/// Standard deviations below this are rounding noise of equal differences: half a unit of the exact
/// sums.
const NOISE: f64 = 1.0 / (1u64 << 45) as f64;

/// Student's paired t test of a mean difference.
///
/// With grouped queries the standard error is that of a cluster sample, with one degree of freedom less
/// than there are groups.
///
/// ```
/// use rankgate::stats::{Confidence, Differences, Direction, PairedT};
///
/// let differences = Differences::new(&[0.2, 0.5, 0.4, 0.9], &[0.3, 0.4, 0.6, 0.9])?;
/// let t = PairedT::new(&differences).unwrap();
/// assert!((t.p(0.0, Direction::Greater) - 0.2475).abs() < 1e-4);
/// let interval = t.interval(Confidence::default()).unwrap();
/// assert!(interval.low < 0.0 && 0.2 < interval.high);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairedT {
    /// The mean difference.
    pub mean: f64,
    /// The standard error of the mean; 0 when all differences are equal.
    pub standard_error: f64,
    /// Degrees of freedom: units less one; of several collections Satterthwaite's.
    pub freedom: usize,
}

impl PairedT {
    /// The test of these differences; nothing for a single unit, which does not show how much units vary.
    pub fn new(differences: &Differences) -> Option<Self> {
        if differences.len() < 2 {
            return None;
        }
        if !differences.strata.is_empty() {
            return Self::stratified(differences);
        }
        let units = differences.len() as f64;
        let squares = total(differences.deviations().into_iter().map(|deviation| deviation * deviation));
        let deviation = (squares / (units - 1.0)).sqrt();
        let deviation = if deviation < NOISE { 0.0 } else { deviation };
        Some(Self {
            mean: differences.mean(),
            standard_error: deviation * units.sqrt() / differences.queries() as f64,
            freedom: differences.len() - 1,
        })
    }

    /// Of several collections: their variances add up, and the degrees of freedom are Satterthwaite's (1946),
    /// rounded down. Nothing where one of them is a single unit.
    fn stratified(differences: &Differences) -> Option<Self> {
        let (deviations, queries) = (differences.deviations(), differences.queries() as f64);
        let (mut variance, mut over_freedom) = (0.0, 0.0);
        for units in differences.strata() {
            let (own, freedom) = (units.len() as f64, units.len() as f64 - 1.0);
            if freedom < 1.0 {
                return None;
            }
            let size = f64::from(differences.sizes[units.start]);
            let squares = total(deviations[units].iter().map(|deviation| deviation * deviation));
            if (squares / freedom).sqrt() / size >= NOISE {
                let part = own / freedom * squares / (queries * queries);
                variance += part;
                over_freedom += part * part / freedom;
            }
        }
        let all = differences.len() - differences.strata.len();
        let freedom = if variance > 0.0 { variance * variance / over_freedom } else { all as f64 };
        // Rounding must not take one off where they are equal.
        let freedom = ((freedom * (1.0 + 1e-12)) as usize).clamp(1, all);
        Some(Self { mean: differences.mean(), standard_error: variance.sqrt(), freedom })
    }

    /// The standard deviation of the units' differences per query, such that the standard error is this
    /// over the square root of the number of units.
    pub fn standard_deviation(&self) -> f64 {
        self.standard_error * (self.freedom as f64 + 1.0).sqrt()
    }

    /// The t statistic against a mean of `null`; nothing without spread.
    pub fn statistic(&self, null: f64) -> Option<f64> {
        (self.standard_error > 0.0).then(|| (self.mean - null) / self.standard_error)
    }

    /// The one-sided p-value against a mean of `null`. Without spread it is the limit as the spread
    /// vanishes: 0 where the mean is on the tested side of the null, else 1.
    pub fn p(&self, null: f64, direction: Direction) -> f64 {
        let towards = direction.sign();
        match self.statistic(null) {
            Some(statistic) => t_cdf(-towards * statistic, self.freedom),
            None if towards * (self.mean - null) > NOISE => 0.0,
            None => 1.0,
        }
    }

    /// The two-sided interval of the mean difference.
    ///
    /// # Errors
    ///
    /// When all differences are equal.
    pub fn interval(&self, confidence: Confidence) -> Result<Interval, NoInterval> {
        if self.standard_error == 0.0 {
            return Err(NoInterval::NoVariance);
        }
        let half = t_quantile(1.0 - confidence.tail(), self.freedom) * self.standard_error;
        Ok(Interval { low: self.mean - half, high: self.mean + half })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouped_queries_have_the_standard_error_of_a_cluster_sample() {
        // G/(G-1) * sum over groups of (sum of the group's residuals)^2 / N^2, by hand
        let d = [0.1, 0.3, -0.2, 0.4, 0.0, 0.25, 0.1];
        let groups = [1, 1, 2, 3, 3, 3, 4];
        let differences = Differences::grouped(&[0.0; 7], &d, &groups).unwrap();
        let t = PairedT::new(&differences).unwrap();
        let mean: f64 = 0.95 / 7.0;
        let residuals = [0.4 - 2.0 * mean, -0.2 - mean, 0.65 - 3.0 * mean, 0.1 - mean];
        let squares: f64 = residuals.iter().map(|r| r * r).sum();
        let expected = (4.0 / 3.0 * squares / 49.0).sqrt();
        assert!((t.standard_error - expected).abs() < 1e-15 && t.freedom == 3, "{t:?}");
    }

    #[test]
    fn equal_differences_have_no_t() {
        // .1 with and without rounding noise
        let differences = Differences::new(&[0.6, 0.0, 0.3], &[0.7, 0.1, 0.4]).unwrap();
        let t = PairedT::new(&differences).unwrap();
        assert_eq!((t.standard_error, t.statistic(0.0)), (0.0, None));
        assert_eq!(t.interval(Confidence::default()), Err(NoInterval::NoVariance));
        for (null, greater, less) in [(0.0, 0.0, 1.0), (0.2, 1.0, 0.0), (0.1, 1.0, 1.0)] {
            assert_eq!(
                (t.p(null, Direction::Greater), t.p(null, Direction::Less)),
                (greater, less),
                "{null}"
            );
        }
    }

    #[test]
    fn one_unit_has_no_t() {
        assert!(PairedT::new(&Differences::new(&[0.5], &[0.7]).unwrap()).is_none());
        assert!(PairedT::new(&Differences::grouped(&[0.5, 0.4], &[0.7, 0.4], &[1, 1]).unwrap()).is_none());
    }
}
