//! The bootstrap's p-values.

use super::Bootstrap;
use crate::stats::Direction;

/// Two t statistics this close, relative to their size, tie.
const NOISE: f64 = 1e-10;

impl Bootstrap {
    /// The two-sided p-value against a mean difference of 0: the share of resamples whose t statistic about
    /// the observed mean is at least as large as the observed one about 0. Nothing where the differences have
    /// no spread.
    ///
    /// # Source
    ///
    /// Sakai, "Evaluating Evaluation Metrics Based on the Bootstrap", 2006.
    #[must_use]
    pub fn p_two_sided(&self) -> Option<f64> {
        let observed = self.spread?.statistic(0.0)?.abs();
        let reach = observed - NOISE * observed;
        let above = self.studentised.len() - self.studentised.partition_point(|&t| t < reach);
        let below = self.studentised.partition_point(|&t| t <= -reach);
        // At 0 both sides are everything.
        let beyond = if reach == 0.0 { self.studentised.len() } else { above + below };
        Some(self.share(beyond))
    }

    /// The one-sided p-value against a mean difference of `null`; nothing where the differences have no
    /// spread.
    #[must_use]
    pub fn p(&self, null: f64, direction: Direction) -> Option<f64> {
        let observed = self.spread?.statistic(null)?;
        let noise = NOISE * observed.abs();
        let beyond = match direction {
            Direction::Greater => {
                self.studentised.len() - self.studentised.partition_point(|&t| t < observed - noise)
            }
            Direction::Less => self.studentised.partition_point(|&t| t <= observed + noise),
        };
        Some(self.share(beyond))
    }

    /// Resamples without spread count as more extreme than anything.
    fn share(&self, beyond: usize) -> f64 {
        let infinite = self.shifts.len() - self.studentised.len();
        (beyond + infinite + 1) as f64 / (self.shifts.len() + 1) as f64
    }
}
