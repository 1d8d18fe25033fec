//! Rates: how large one can be, by how often the event was seen.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Steps of a bisection between 0 and 1: then its ends are neighbours.
const STEPS: usize = 60;
/// More queries are never needed.
const MOST: usize = 100_000_000;

/// How likely at most so many events are in so many trials at this rate: the p-value of the hypothesis that the rate is
/// larger.
#[expect(clippy::expect_used, reason = "the rate is between 0 and 1")]
pub(super) fn tail(events: usize, trials: usize, rate: f64) -> f64 {
    if trials == 0 || events >= trials {
        return 1.0;
    }
    Binomial::new(rate.clamp(0.0, 1.0), trials as u64).expect("a probability").cdf(events as u64)
}

/// The largest rate that so many events in so many trials leave possible: the upper limit of Clopper and Pearson (1934),
/// on one side. 1 without trials.
pub(crate) fn upper_limit(events: usize, trials: usize, alpha: f64) -> f64 {
    if events >= trials {
        return 1.0;
    }
    let (mut low, mut high) = (events as f64 / trials as f64, 1.0);
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if tail(events, trials, middle) > alpha { low = middle } else { high = middle }
    }
    high
}

/// The lower limit likewise; 0 without events.
pub(super) fn lower_limit(events: usize, trials: usize, alpha: f64) -> f64 {
    if trials == 0 { 0.0 } else { 1.0 - upper_limit(trials - events, trials, alpha) }
}

/// The most events in so many trials that still show a rate of at most `rate`; `None` where not even none does.
pub(super) fn most_events(trials: usize, rate: f64, alpha: f64) -> Option<usize> {
    (0..trials).take_while(|events| tail(*events, trials, rate) <= alpha).last()
}

/// The fewest trials without an event that show a rate of at most `rate`.
pub(super) fn fewest_trials(rate: f64, alpha: f64) -> usize {
    let shows = |trials: usize| tail(0, trials, rate) <= alpha;
    let (mut low, mut high) = (0, 1);
    while !shows(high) && high < MOST {
        (low, high) = (high, high * 2);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if shows(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
    }

    #[test]
    fn limits_are_those_of_clopper_and_pearson() {
        // Without events (1 - rate)^n = alpha; the others by SciPy 1.17, stats.beta.ppf(0.95, k + 1, n - k).
        close(upper_limit(0, 59, 0.05), 1.0 - 0.05f64.powf(1.0 / 59.0));
        close(upper_limit(2, 60, 0.05), 0.101_235_894_924_161_63);
        close(upper_limit(30, 100, 0.025), 0.399_814_676_179_804_1);
        close(lower_limit(5, 60, 0.05), 0.033_410_632_369_750_89);
        assert_eq!(
            (upper_limit(0, 0, 0.05), upper_limit(7, 7, 0.05), lower_limit(0, 7, 0.05)),
            (1.0, 1.0, 0.0)
        );
    }

    #[test]
    fn so_many_trials_show_a_rate() {
        // 0.95^59 = 0.0485, 0.95^58 = 0.0510; 0.98^149 = 0.0493, 0.98^148 = 0.0503; 0.99^299 = 0.0495, 0.99^298 = 0.0500.
        for (rate, trials) in [(0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299)] {
            assert_eq!(fewest_trials(rate, 0.05), trials, "{rate}");
            assert_eq!(most_events(trials, rate, 0.05), Some(0), "{rate}");
            assert_eq!(most_events(trials - 1, rate, 0.05), None, "{rate}");
        }
        // SciPy 1.17, stats.binom.cdf: of 100 at 0.1, 0.0237 for 4 and 0.0576 for 5.
        assert_eq!(most_events(100, 0.1, 0.05), Some(4));
        assert_eq!(most_events(0, 0.1, 0.05), None);
    }
}
