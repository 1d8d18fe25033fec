//! Every pair of several configurations, adjusted for all pairs.

use super::permutation::unlikely;
use super::{Confidence, Differences, PermutationOptions, Stream, max_t, tukey_hsd};
use crate::Result;
use crate::words::keywords;

keywords! {
    /// How every two of several configurations are compared with each other.
    pub enum PairsTest {
        /// Randomised Tukey HSD: each query's scores are permuted among all configurations, and a difference is held
        /// against the largest between any two. One yardstick for all pairs.
        Tukey = "tukey" => "randomised Tukey HSD",
        /// Each pair's t statistic is held against the largest of all, under one random sign per query for all
        /// pairs. Each pair has its own spread.
        MaxT = "max-t" => "max-T",
    }
}

/// The p-value of one pair of configurations.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ComparedPair {
    /// The positions of the two configurations, the earlier first.
    pub pair: (usize, usize),
    /// The second's mean score less the first's.
    pub difference: f64,
    /// The two-sided p-value, adjusted for all pairs.
    pub p: f64,
    /// How many random rearrangements it is counted from, not counting the observed one; nothing when all were
    /// listed.
    pub resamples: Option<u64>,
}

impl ComparedPair {
    /// Whether it is certain on which side of a level the exact p-value lies, but for a risk of 1 in 1,000.
    #[must_use]
    pub fn is_settled(&self, level: f64) -> bool {
        self.resamples.is_none_or(|resamples| {
            let drawn = (self.p * (resamples + 1) as f64).round() - 1.0;
            level >= 1.0 || unlikely(drawn, resamples as f64, level)
        })
    }
}

/// Resamples of Tukey's test: so many, and where a p-value is too close to the level to tell, so many.
const RESAMPLES: [u64; 2] = [9_999, 99_999];

/// Which of several configurations differ, each compared with each, with the error rate kept over all pairs.
///
/// `configurations` holds each one's scores, one per unit, in the order of the units' sorted ids. Random
/// rearrangements go on while a p-value is too close to 1 less the confidence to tell on which side it is.
///
/// # Errors
///
/// When there are fewer than two configurations, they differ in their number of units, there are none, or a score
/// is not finite or over 1e75 in magnitude.
///
/// ```
/// use rankgate::stats::{Confidence, PairsTest, Stream, compare_pairs};
///
/// let a: &[f64] = &[0.7, 0.3, 0.2, 0.6, 0.4];
/// let b: &[f64] = &[0.5, 0.1, 0.0, 0.2, 0.4];
/// let c: &[f64] = &[0.0, 0.0, 0.2, 0.1, 0.3];
/// let test = PairsTest::Tukey;
/// let pairs = compare_pairs(&[a, b, c], test, Confidence::default(), &Stream::new(1))?;
/// assert_eq!((pairs[1].pair, pairs[1].p), ((0, 2), 264.0 / 7776.0));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare_pairs(
    configurations: &[&[f64]],
    test: PairsTest,
    confidence: Confidence,
    stream: &Stream,
) -> Result<Vec<ComparedPair>> {
    match test {
        PairsTest::Tukey => {
            let [some, more] = RESAMPLES;
            let pairs = tukey_hsd(configurations, some, stream)?;
            if pairs.iter().all(|pair| pair.is_settled(confidence.alpha())) {
                return Ok(pairs);
            }
            // The first resamples of more are the same ones.
            tukey_hsd(configurations, more, stream)
        }
        PairsTest::MaxT => by_max_t(configurations, confidence.alpha(), stream),
    }
}

fn by_max_t(configurations: &[&[f64]], level: f64, stream: &Stream) -> Result<Vec<ComparedPair>> {
    let later = |first| (first + 1..configurations.len()).map(move |second| (first, second));
    let pairs: Vec<(usize, usize)> = (0..configurations.len()).flat_map(later).collect();
    let differences = pairs
        .iter()
        .map(|&(first, second)| Differences::new(configurations[first], configurations[second]))
        .collect::<Result<Vec<_>>>()?;
    let options = PermutationOptions { levels: vec![level], stream: *stream, ..Default::default() };
    let family = max_t(&differences.iter().collect::<Vec<_>>(), None, &options)?;
    let of_pair = |((pair, differences), p): (((usize, usize), &Differences), f64)| ComparedPair {
        pair,
        difference: differences.mean(),
        p,
        resamples: family.resamples,
    };
    Ok(pairs.into_iter().zip(&differences).zip(family.step_down).map(of_pair).collect())
}
