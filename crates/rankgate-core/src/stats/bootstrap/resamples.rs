//! The resamples of one metric.

use super::draw;
use crate::stats::{Differences, PairedT, Stream};
use crate::{Error, Result};

/// Fewer resamples say nothing, more would take hundreds of megabytes.
const RESAMPLES: std::ops::RangeInclusive<u64> = 99..=1_000_000;

/// What resampling the units of one metric gave.
///
/// ```
/// use rankgate::stats::{Bootstrap, Confidence, Differences, Stream};
///
/// let differences = Differences::new(&[0.1, 0.4, 0.3, 0.5, 0.2], &[0.3, 0.5, 0.6, 0.4, 0.6])?;
/// let bootstrap = Bootstrap::new(&differences, 9_999, &Stream::new(1))?;
/// let interval = bootstrap.interval(Confidence::default()).unwrap();
/// assert!(interval.low < 0.18 && 0.18 < interval.high);
/// assert!(bootstrap.win_share() > 0.95);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bootstrap {
    pub(super) mean: f64,
    pub(super) units: usize,
    pub(super) spread: Option<PairedT>,
    /// Resampled means less the observed one, ascending; those within rounding of 0 are 0.
    pub(super) shifts: Vec<f64>,
    /// Resampled shifts over their standard errors, ascending, without those that have no spread.
    pub(super) studentised: Vec<f64>,
    /// How many resamples have a mean above 0.
    pub(super) wins: u64,
}

impl Bootstrap {
    /// Resamples the units of one metric; metrics over the same units see the same resamples of a stream.
    ///
    /// # Errors
    ///
    /// When resamples are not from 99 to 1,000,000.
    pub fn new(differences: &Differences, resamples: u64, stream: &Stream) -> Result<Self> {
        if !RESAMPLES.contains(&resamples) {
            let (least, most) = (RESAMPLES.start(), RESAMPLES.end());
            return Err(Error::invalid(format!(
                "a bootstrap takes {least} to {most} resamples, not {resamples}"
            )));
        }
        Ok(draw::resample(differences, resamples, stream))
    }

    /// How many resamples there are.
    pub fn resamples(&self) -> u64 {
        self.shifts.len() as u64
    }

    /// The share of resamples in which the candidate scores higher: a description, not a p-value.
    pub fn win_share(&self) -> f64 {
        self.wins as f64 / self.shifts.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Confidence, Direction, Interval, NoInterval};

    fn differences(values: &[f64]) -> Differences {
        Differences::new(&vec![0.0; values.len()], values).unwrap()
    }

    fn wave(units: u32, step: u32) -> Differences {
        differences(&(0..units).map(|i| f64::from(i * step % 101) / 101.0 - 0.45).collect::<Vec<_>>())
    }

    fn bytes(bootstrap: &Bootstrap) -> Vec<u64> {
        bootstrap.shifts.iter().chain(&bootstrap.studentised).map(|value| value.to_bits()).collect()
    }

    #[test]
    fn threads_change_nothing() {
        let metric = wave(70, 7);
        let drawn = |threads, seed| {
            let stream = Stream::new(seed);
            bytes(&crate::threads::within(threads, || Bootstrap::new(&metric, 999, &stream)).unwrap())
        };
        assert_eq!(drawn(1, 4), drawn(3, 4));
        assert_ne!(drawn(1, 4), drawn(1, 5));
    }

    #[test]
    fn groups_of_one_query_are_queries() {
        let scores: Vec<f64> = wave(40, 7).sums().to_vec();
        let groups: Vec<usize> = (0..40).collect();
        let grouped = Differences::grouped(&[0.0; 40], &scores, &groups).unwrap();
        let stream = Stream::new(4);
        let single = Bootstrap::new(&differences(&scores), 999, &stream).unwrap();
        assert_eq!(bytes(&Bootstrap::new(&grouped, 999, &stream).unwrap()), bytes(&single));
    }

    #[test]
    fn groups_are_resampled_whole() {
        // one group of 3 and one of 1: four equally likely resamples, means .3, .3, .4 (twice), .7
        let grouped = Differences::grouped(&[0.0; 4], &[0.2, 0.3, 0.4, 0.7], &["a", "a", "a", "b"]).unwrap();
        let bootstrap = Bootstrap::new(&grouped, 9_999, &Stream::new(4)).unwrap();
        let share = |mean: f64| {
            let near = bootstrap.shifts.iter().filter(|&&shift| (0.4 + shift - mean).abs() < 1e-12);
            near.count() as f64 / 9_999.0
        };
        // four standard errors
        for (mean, chance) in [(0.3, 0.25), (0.4, 0.5), (0.7, 0.25)] {
            assert!((share(mean) - chance).abs() < 0.02, "{mean}: {}", share(mean));
        }
    }

    #[test]
    fn degenerate_data_is_refused() {
        let confidence = Confidence::default();
        let one = differences(&[0.3]);
        let equal = differences(&[0.3; 9]);
        let still = differences(&[0.0; 9]);
        let lone = differences(&[0.0, 0.0, 0.0, 0.0, 0.5]);
        let stream = Stream::new(1);
        for (differences, reason) in
            [(&one, NoInterval::OneValue), (&equal, NoInterval::NoVariance), (&still, NoInterval::NoVariance)]
        {
            let bootstrap = Bootstrap::new(differences, 999, &stream).unwrap();
            assert_eq!(bootstrap.interval(confidence), Err(reason));
            assert_eq!((bootstrap.p_two_sided(), bootstrap.p(0.0, Direction::Less)), (None, None));
        }
        let Interval { low, high } =
            Bootstrap::new(&lone, 999, &stream).unwrap().interval(confidence).unwrap();
        assert!(low <= 0.1 && 0.1 <= high, "{low} {high}");
        let few = Bootstrap::new(&wave(30, 7), 99, &stream).unwrap();
        assert_eq!(few.interval(Confidence::new(0.999).unwrap()), Err(NoInterval::TooFewResamples));
        assert!(Bootstrap::new(&lone, 98, &stream).is_err());
    }

    #[test]
    fn p_values_follow_the_t_test_on_well_behaved_data() {
        let differences = wave(400, 7);
        let t = PairedT::new(&differences).unwrap();
        let bootstrap = Bootstrap::new(&differences, 9_999, &Stream::new(2)).unwrap();
        for (null, direction) in [
            (0.0, Direction::Greater),
            (0.0, Direction::Less),
            (0.02, Direction::Less),
            (0.1, Direction::Greater),
        ] {
            let (expected, p) = (t.p(null, direction), bootstrap.p(null, direction).unwrap());
            assert!((p - expected).abs() < 0.02, "{null} {direction:?}: {p} {expected}");
        }
        let expected = 2.0 * t.p(0.0, Direction::Greater).min(t.p(0.0, Direction::Less));
        let p = bootstrap.p_two_sided().unwrap();
        assert!((p - expected).abs() < 0.03, "{p} {expected}");
        let interval = t.interval(Confidence::default()).unwrap();
        let Interval { low, high } = bootstrap.interval(Confidence::default()).unwrap();
        assert!((low - interval.low).abs() < 0.003 && (high - interval.high).abs() < 0.003);
    }
}
