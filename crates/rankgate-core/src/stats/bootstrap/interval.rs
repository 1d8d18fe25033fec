//! The bootstrap's interval: percentiles of the resampled means.

use super::Bootstrap;
use crate::stats::{Confidence, Interval, NoInterval};

impl Bootstrap {
    /// The two-sided interval of the mean difference, unadjusted for other comparisons: order statistics of the resampled
    /// means.
    ///
    /// # Errors
    ///
    /// When the data or the resamples cannot support it: all differences equal, or too few resamples for the confidence.
    ///
    /// # Source
    ///
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
    pub fn interval(&self, confidence: Confidence) -> Result<Interval, NoInterval> {
        if self.units == 1 {
            return Err(NoInterval::OneValue);
        }
        if self.spread.is_none() {
            return Err(NoInterval::NoVariance);
        }
        let (rank, resamples) = (confidence.tail_rank(self.resamples()) as usize, self.shifts.len());
        if rank < 1 {
            return Err(NoInterval::TooFewResamples);
        }
        Ok(Interval {
            low: self.mean + self.shifts[rank - 1],
            high: self.mean + self.shifts[resamples - rank],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::PairedT;

    /// Shifts -below..=above, `ties` of them more at 0.
    fn bootstrap(below: i32, ties: usize, above: i32) -> Bootstrap {
        let mut shifts: Vec<f64> = (-below..=above).filter(|&shift| shift != 0).map(f64::from).collect();
        shifts.splice(below as usize..below as usize, vec![0.0; ties]);
        Bootstrap {
            mean: 100.0,
            units: 10,
            spread: Some(PairedT { mean: 100.0, standard_error: 0.5, freedom: 9 }),
            shifts,
            studentised: Vec::new(),
            wins: 0,
        }
    }

    fn limits(of: &Bootstrap) -> Result<(f64, f64), NoInterval> {
        of.interval(Confidence::default()).map(|interval| (interval.low, interval.high))
    }

    #[test]
    fn percentiles_are_order_statistics() {
        // 0.025 of 79 + 1 is 2: the second smallest and the second largest
        assert_eq!(limits(&bootstrap(39, 1, 39)), Ok((62.0, 138.0)));
        // of 39 + 1 it is 1: the smallest and the largest
        assert_eq!(limits(&bootstrap(30, 0, 9)), Ok((70.0, 109.0)));
        let few = bootstrap(19, 0, 19);
        assert_eq!(limits(&few), Err(NoInterval::TooFewResamples));
    }

    #[test]
    fn one_value_or_no_spread_has_no_interval() {
        let one = Bootstrap { units: 1, ..bootstrap(39, 1, 39) };
        assert_eq!(limits(&one), Err(NoInterval::OneValue));
        let equal = Bootstrap { spread: None, ..bootstrap(39, 1, 39) };
        assert_eq!(limits(&equal), Err(NoInterval::NoVariance));
    }
}
