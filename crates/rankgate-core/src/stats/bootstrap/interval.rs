//! Bootstrap intervals: percentile, BCa and studentised.

use super::Bootstrap;
use crate::stats::distribution::{normal_cdf, normal_quantile};
use crate::stats::{Confidence, Interval, NoInterval};
use crate::words::keywords;

keywords! {
    /// A way to read an interval off the resamples.
    pub enum BootstrapInterval {
        /// Order statistics of the resampled means.
        Percentile = "percentile",
        /// Percentiles corrected for bias and acceleration (Efron 1987).
        Bca = "bca",
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
    /// resamples for the confidence, all resamples on one side (BCa), or too many without spread
    /// (studentised).
    ///
    /// # Source
    ///
    /// Efron, "Better Bootstrap Confidence Intervals", 1987; Efron and Tibshirani, "An Introduction to the
    /// Bootstrap", 1993, chapters 12 to 14.
    pub fn interval(&self, kind: BootstrapInterval, confidence: Confidence) -> Result<Interval, NoInterval> {
        if self.units == 1 {
            return Err(NoInterval::OneValue);
        }
        let Some(spread) = &self.spread else { return Err(NoInterval::NoVariance) };
        let rank = confidence.tail_rank(self.resamples());
        match kind {
            BootstrapInterval::Percentile => self.percentiles(rank, self.resamples() + 1 - rank),
            BootstrapInterval::Bca => {
                let (low, high) = self.bca_shares(confidence)?;
                let resamples = (self.resamples() + 1) as f64;
                let above = ((1.0 - high) * resamples).floor() as u64;
                self.percentiles((low * resamples).floor() as u64, self.resamples() + 1 - above)
            }
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

    /// The shares of resamples below the two BCa limits.
    fn bca_shares(&self, confidence: Confidence) -> Result<(f64, f64), NoInterval> {
        let below = self.shifts.partition_point(|&shift| shift < 0.0);
        let ties = self.shifts.partition_point(|&shift| shift <= 0.0) - below;
        let share = (below as f64 + ties as f64 / 2.0) / self.shifts.len() as f64;
        if share == 0.0 || share == 1.0 {
            return Err(NoInterval::OneSidedResamples);
        }
        let bias = normal_quantile(share);
        let adjusted = |tail: f64| {
            let shifted = bias + normal_quantile(tail);
            let scale = 1.0 - self.acceleration * shifted;
            // Where the scale reaches 0 the transformation has left its domain.
            (scale > 0.0).then(|| normal_cdf(bias + shifted / scale)).ok_or(NoInterval::OneSidedResamples)
        };
        Ok((adjusted(confidence.tail())?, adjusted(1.0 - confidence.tail())?))
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
            acceleration: 0.0,
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
    fn bca_limits_are_percentiles_of_corrected_ranks() {
        // Ranks out of 999 by Python's `statistics.NormalDist`: b = z(share below), and
        // Phi(b + (b + z) / (1 - a (b + z))) of z = -1.96 and 1.96, times 1,000, rounded outwards.
        for (acceleration, low, high) in [(0.0, 13, 957), (0.0393, 20, 968), (0.05, 21, 971)] {
            // 440 below and half of 19 that tie: a share of 449.5 / 999
            let bootstrap = Bootstrap { acceleration, ..bootstrap(440, 19, 540, 0) };
            assert_eq!(bootstrap.resamples(), 999);
            let at = |rank: usize| 100.0 + bootstrap.shifts[rank - 1];
            assert_eq!(limits(&bootstrap, BootstrapInterval::Bca), Ok((at(low), at(high))));
        }
        for one_sided in [bootstrap(0, 0, 99, 0), bootstrap(99, 0, 0, 0)] {
            assert_eq!(limits(&one_sided, BootstrapInterval::Bca), Err(NoInterval::OneSidedResamples));
        }
        // 1 - a (b + z) of z = -1.96 is negative: the transformation has no value
        let bent = Bootstrap { acceleration: -1.0, ..bootstrap(499, 1, 499, 0) };
        assert_eq!(limits(&bent, BootstrapInterval::Bca), Err(NoInterval::OneSidedResamples));
    }

    #[test]
    fn one_value_or_no_spread_has_no_interval() {
        let one = Bootstrap { units: 1, ..bootstrap(39, 1, 39, 0) };
        assert_eq!(limits(&one, BootstrapInterval::Percentile), Err(NoInterval::OneValue));
        let equal = Bootstrap { spread: None, ..bootstrap(39, 1, 39, 0) };
        assert_eq!(limits(&equal, BootstrapInterval::Percentile), Err(NoInterval::NoVariance));
    }
}
