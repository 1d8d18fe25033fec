//! The test of one loss.

use rankgate_core::Result;
use rankgate_core::metric::Metric;
use rankgate_core::stats::{
    Claim, Differences, Direction, PairedT, PermutationOptions, Robustness, Stream, permutation_test,
};

/// Above this p-value of Student's t a loss is not tested any further.
const SCREEN: f64 = 0.1;
const RESAMPLES: u64 = 9_999;
const MOST_RESAMPLES: u64 = 99_999;

/// How alarms are decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The one-sided level of the first ranking; that of the k-th is a k-th of it.
    pub alpha: f64,
    /// Smaller losses raise no alarm, in the metric's own unit.
    pub smallest_loss: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { alpha: 0.05, smallest_loss: 0.002 }
    }
}

impl Rules {
    /// The level of the k-th ranking, from 1.
    pub(crate) fn level(&self, k: usize) -> f64 {
        self.alpha / k.max(1) as f64
    }
}

/// The one-sided p-value of a loss: that of the paired permutation test, or of the unseen query if that is larger.
///
/// The permutation test assumes that differences are symmetric. If a change helps few queries much and hurts many a little,
/// the permutation test alone raises false alarms; one more query, which gains what the others lack, prevents them.
pub(crate) fn p_of_loss(
    differences: Differences,
    metric: &str,
    stream: Stream,
    levels: &[f64],
) -> Result<f64> {
    if differences.mean() >= 0.0 {
        return Ok(1.0);
    }
    let screened = PairedT::new(&differences).map(|t| t.p(0.0, Direction::Less));
    if let Some(p) = screened.filter(|p| *p > SCREEN) {
        return Ok(p);
    }
    let options = PermutationOptions {
        resamples: RESAMPLES,
        most_resamples: MOST_RESAMPLES,
        levels: levels.to_vec(),
        stream,
        ..PermutationOptions::default()
    };
    let permuted = permutation_test(&differences, 0.0, &options)?.p(Direction::Less);
    let differences = match metric.parse::<Metric>() {
        Ok(metric) => differences.within(&metric.range()),
        Err(_) => differences,
    };
    let loss = Claim { null: 0.0, direction: Direction::Less };
    let unseen = differences.unseen_p(loss, Robustness::Standard, &stream);
    Ok(unseen.map_or(permuted, |unseen| unseen.max(permuted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_of_both_p_values_counts() {
        // All of 60 queries at 1/2 lose 1/20: the permutation test gives 2^-60. One more query gains
        // (60/4 + 1) / (60/2 + 1) = 16/31, and undoes the loss in (1 + 0.05 / (16/31))^-60 of all weighings.
        let differences = Differences::new(&[0.5; 60], &[0.45; 60]).unwrap();
        let p = p_of_loss(differences, "nDCG@10", Stream::new(1), &[0.025]).unwrap();
        let expected = (1.0_f64 + 0.05 / (16.0 / 31.0)).powi(-60);
        assert!((p / expected - 1.0).abs() < 1e-9, "{p} {expected}");
        let gain = Differences::new(&[0.5; 60], &[0.55; 60]).unwrap();
        assert_eq!(p_of_loss(gain, "nDCG@10", Stream::new(1), &[0.025]).unwrap(), 1.0);
    }
}
