//! Bootstrap intervals: percentile and studentised.

use super::Bootstrap;
use crate::stats::{Confidence, Interval, NoInterval};
use crate::words::keywords;

keywords! {
    /// A way to read an interval off the resamples.
    pub enum BootstrapInterval {
        /// Order statistics of the resampled means.
        Percentile = "percentile",
        /// Order statistics of the resampled t statistics, times the observed standard error.
        Studentised = "studentised",
    }
}

impl Bootstrap {
    /// The two-sided interval of the mean difference, unadjusted for other comparisons.
    ///
    /// # Errors
    ///
    /// When the data or the resamples cannot support this kind of interval: all differences equal, too few
    /// resamples for the confidence, or too many without spread (studentised).
    ///
    /// # Source
    ///
    /// Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 12 and 13.
    pub fn interval(&self, kind: BootstrapInterval, confidence: Confidence) -> Result<Interval, NoInterval> {
        if self.units == 1 {
            return Err(NoInterval::OneValue);
        }
        let Some(spread) = &self.spread else { return Err(NoInterval::NoVariance) };
        let rank = confidence.tail_rank(self.resamples());
        match kind {
            BootstrapInterval::Percentile => self.percentiles(rank, self.resamples() + 1 - rank),
            BootstrapInterval::Studentised => self.studentised_limits(rank, spread.standard_error),
        }
    }

    /// The means of the given ranks, counted from 1.
    fn percentiles(&self, low: u64, high: u64) -> Result<Interval, NoInterval> {
        let resamples = self.resamples();
        if low < 1 || high > resamples {
            return Err(NoInterval::TooFewResamples);
        }
        let at = |rank: u64| self.mean + self.shifts[rank as usize - 1];
        Ok(Interval { low: at(low), high: at(high) })
    }

    fn studentised_limits(&self, rank: u64, error: f64) -> Result<Interval, NoInterval> {
        if rank < 1 {
            return Err(NoInterval::TooFewResamples);
        }
        // A resample without spread has an infinite t, on whichever side makes the interval wider.
        let infinite = self.resamples() - self.studentised.len() as u64;
        let Some(beyond) = rank.checked_sub(infinite).filter(|&beyond| beyond > 0) else {
            return Err(NoInterval::DegenerateResamples);
        };
        let beyond = beyond as usize;
        let largest = self.studentised[self.studentised.len() - beyond];
        let smallest = self.studentised[beyond - 1];
        Ok(Interval { low: self.mean - largest * error, high: self.mean - smallest * error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::PairedT;

    /// Shifts -below..=above, `ties` of them more at 0; t statistics 1, 4, 9 and on, `flat` resamples without
    /// one.
    fn bootstrap(below: i32, ties: usize, above: i32, flat: usize) -> Bootstrap {
        let mut shifts: Vec<f64> = (-below..=above).filter(|&shift| shift != 0).map(f64::from).collect();
        shifts.splice(below as usize..below as usize, vec![0.0; ties]);
        let studentised = (1..=shifts.len() - flat).map(|i| (i * i) as f64).collect();
        Bootstrap {
            mean: 100.0,
            units: 10,
            spread: Some(PairedT { mean: 100.0, standard_error: 0.5, freedom: 9 }),
            shifts,
            studentised,
            wins: 0,
        }
    }

    fn limits(of: &Bootstrap, kind: BootstrapInterval) -> Result<(f64, f64), NoInterval> {
        of.interval(kind, Confidence::default()).map(|interval| (interval.low, interval.high))
    }

    #[test]
    fn percentiles_are_order_statistics() {
        // 0.025 of 79 + 1 is 2: the second smallest and the second largest
        assert_eq!(limits(&bootstrap(39, 1, 39, 0), BootstrapInterval::Percentile), Ok((62.0, 138.0)));
        // of 39 + 1 it is 1: the smallest and the largest
        assert_eq!(limits(&bootstrap(30, 0, 9, 0), BootstrapInterval::Percentile), Ok((70.0, 109.0)));
        let few = bootstrap(19, 0, 19, 0);
        assert_eq!(limits(&few, BootstrapInterval::Percentile), Err(NoInterval::TooFewResamples));
        assert_eq!(few.percentiles(1, 39), Err(NoInterval::TooFewResamples));
        assert!(few.percentiles(1, 38).is_ok());
    }

    #[test]
    fn studentised_limits_are_order_statistics_of_t() {
        // the second smallest and the second largest of 79, 4 and 78^2, times 0.5
        let all = bootstrap(39, 1, 39, 0);
        assert_eq!(limits(&all, BootstrapInterval::Studentised), Ok((100.0 - 3042.0, 98.0)));
        // one without spread is beyond both ends: the first and the last of the 78 others
        let one = bootstrap(39, 1, 39, 1);
        assert_eq!(limits(&one, BootstrapInterval::Studentised), Ok((100.0 - 3042.0, 99.5)));
        let two = bootstrap(39, 1, 39, 2);
        assert_eq!(limits(&two, BootstrapInterval::Studentised), Err(NoInterval::DegenerateResamples));
        let few = bootstrap(19, 0, 19, 0);
        assert_eq!(limits(&few, BootstrapInterval::Studentised), Err(NoInterval::TooFewResamples));
    }

    #[test]
    fn one_value_or_no_spread_has_no_interval() {
        let one = Bootstrap { units: 1, ..bootstrap(39, 1, 39, 0) };
        assert_eq!(limits(&one, BootstrapInterval::Percentile), Err(NoInterval::OneValue));
        let equal = Bootstrap { spread: None, ..bootstrap(39, 1, 39, 0) };
        assert_eq!(limits(&equal, BootstrapInterval::Percentile), Err(NoInterval::NoVariance));
    }
}
