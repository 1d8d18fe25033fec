//! The mean at which the unseen query gives a probability.

use super::UnseenQuery;
use crate::stats::distribution::normal_quantile;

/// The part of the range by which a limit may be off.
const PRECISION: f64 = 1e-12;

/// So many means are tried at most; half a dozen are enough.
const STEPS: usize = 200;

impl UnseenQuery<'_> {
    /// The lower limit: the mean whose tail is `level`; `worst` itself where nothing is above it.
    pub(in crate::stats) fn lower_limit(&self, level: f64) -> f64 {
        let (mut low, mut high) = (self.worst, self.means().fold(self.worst, f64::max));
        let precision = PRECISION * (high - low);
        let aim = normal_quantile(level);
        // In normal quantiles the tail is nearly a straight line, through the mean at 0.
        let (center, mut spread) = self.spread();
        let mut mean = center + aim * spread;
        let mut before: Option<[f64; 2]> = None;
        for _ in 0..STEPS {
            if !(low < mean && mean < high) {
                mean = f64::midpoint(low, high);
            }
            if high - low <= precision || mean <= low || mean >= high {
                break;
            }
            let tail = self.tail(mean);
            if tail < level {
                low = mean
            } else {
                high = mean
            }
            let beyond = normal_quantile(tail) - aim;
            if let Some([other, apart]) = before {
                let secant = (mean - other) / (beyond - apart);
                spread = if secant.is_finite() && secant > 0.0 { secant } else { f64::INFINITY };
            }
            // Where the tail is 0 or 1 there is no next point but the middle.
            before = beyond.is_finite().then_some([mean, beyond]);
            let step = if beyond.is_finite() { beyond * spread } else { f64::INFINITY };
            mean -= step;
            if step.abs() <= precision {
                break;
            }
        }
        mean.clamp(low, high)
    }

    /// The centre and the standard deviation of the randomly weighted mean.
    fn spread(&self) -> (f64, f64) {
        let count = self.sums.len() as f64;
        let center = (self.means().sum::<f64>() + self.worst) / (count + 1.0);
        let squares: f64 = self.means().chain([self.worst]).map(|mean| (mean - center).powi(2)).sum();
        (center, (squares / ((count + 1.0) * (count + 2.0))).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Confidence, Interval, mean_interval};

    fn limits(values: &[f64], level: f64) -> Interval {
        mean_interval(values, Confidence::new(level).unwrap(), 0.0..=1.0).unwrap().interval.unwrap()
    }

    #[test]
    fn limits_of_zeros_and_ones_are_clopper_and_pearsons() {
        // statsmodels 0.15 proportion_confint(method="beta")
        for (ones, n, level, expected) in [
            (0, 10, 0.95, [0.0, 0.3084971078187607]),
            (10, 10, 0.95, [0.6915028921812392, 1.0]),
            (7, 20, 0.95, [0.1539092047845412, 0.5921885345328282]),
            (81, 263, 0.9, [0.2610557460091119, 0.35817849557578413]),
            (46, 50, 0.99, [0.7689491503579985, 0.9862315551596988]),
            (6900, 7000, 0.95, [0.9826516502998984, 0.9883618639655204]),
        ] {
            let values: Vec<f64> = (0..n).map(|at| f64::from(u8::from(at < ones))).collect();
            let Interval { low, high } = limits(&values, level);
            assert!((low - expected[0]).abs() < 1e-10 && (high - expected[1]).abs() < 1e-10, "{low} {high}");
        }
    }

    #[test]
    fn equal_values_may_hide_one_end_of_the_range() {
        for n in [1, 2, 38, 7_000] {
            let share = 1.0 - 0.025f64.powf(1.0 / n as f64);
            let Interval { low, high } = limits(&vec![0.3; n], 0.95);
            let expected = [0.3 * (1.0 - share), 1.0 - 0.7 * (1.0 - share)];
            assert!((low - expected[0]).abs() < 1e-11 && (high - expected[1]).abs() < 1e-11, "{n}");
        }
        assert_eq!(limits(&[0.0; 5], 0.95).low, 0.0);
        assert_eq!(limits(&[1.0; 5], 0.95).high, 1.0);
    }

    #[test]
    fn groups_are_weighed_as_a_whole() {
        // `unseen_query` of tests/peers/differential.py: SciPy's quad and brentq on Gil-Pelaez's inversion
        for (sums, sizes, expected) in [
            (&[1.5, 0.25][..], &[2, 2][..], 0.048_412_291_827_592_62),
            (&[1.2, 0.3, 2.9], &[2, 1, 3], 0.125_096_656_657_419_1),
        ] {
            let low = UnseenQuery { sums, sizes, worst: 0.0 }.lower_limit(0.025);
            assert!((low - expected).abs() < 1e-9, "{low}");
        }
    }

    #[test]
    fn an_unseen_group_may_be_as_large_as_the_largest() {
        // 38 groups of one query and one of twelve, all perfect, and another twelve that all fail: with r = (1 - m) / (12 m)
        // the tail is (1 + r)^-38 (1 + 12 r)^-1, as exponentials have it, and .025 at this m. With a group of the average
        // size, 50 / 39, it would be .9046.
        let mut sizes = [1; 39];
        sizes[38] = 12;
        let sums = sizes.map(f64::from);
        let low = UnseenQuery { sums: &sums, sizes: &sizes, worst: 0.0 }.lower_limit(0.025);
        assert!((low - 0.503_371_018_259_760).abs() < 1e-9, "{low}");
        let r = (1.0 - low) / (12.0 * low);
        assert!(((1.0 + r).powi(38) * (1.0 + 12.0 * r) - 40.0).abs() < 1e-6);
    }

    #[test]
    fn a_limit_is_the_mean_with_the_tail() {
        let values: Vec<f64> = (0..60).map(|at| f64::from(at * at % 17) / 17.0).collect();
        for n in [1, 2, 3, 10, 60] {
            for level in [0.5, 0.95, 0.9999] {
                let Interval { low, high } = limits(&values[..n], level);
                let mirrored: Vec<f64> = values[..n].iter().map(|value| 1.0 - value).collect();
                let tail =
                    |values: &[f64], mean| UnseenQuery { sums: values, sizes: &[], worst: 0.0 }.tail(mean);
                for found in [tail(&values[..n], low), tail(&mirrored, 1.0 - high)] {
                    let expected = (1.0 - level) / 2.0;
                    // the first value is 0, than which nothing is worse
                    let least = n == 1 && found == 1.0;
                    assert!(least || (found / expected - 1.0).abs() < 1e-8, "{n}, {level}: {found}");
                }
            }
        }
    }
}
