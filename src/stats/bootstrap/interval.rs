//! Bootstrap intervals: percentile, BCa and studentised.

use std::fmt;

use serde::Serialize;

use super::Bootstrap;
use crate::stats::distribution::{normal_cdf, normal_quantile};
use crate::stats::{Confidence, Interval, NoInterval};

/// A way to read an interval off the resamples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootstrapInterval {
    /// Order statistics of the resampled means.
    Percentile,
    /// Percentiles corrected for bias and acceleration (Efron 1987).
    Bca,
    /// Order statistics of the resampled t statistics, times the observed standard error.
    Studentised,
}

impl fmt::Display for BootstrapInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Percentile => "percentile",
            Self::Bca => "bca",
            Self::Studentised => "studentised",
        })
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
