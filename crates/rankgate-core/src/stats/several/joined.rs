//! One set of differences of several collections, of which each has its share of the mean.

use crate::stats::Differences;
use crate::stats::differences::is_score;
use crate::stats::fixed::Fixed;
use crate::stats::sum::total;
use crate::{Error, Result};

/// Queries are counted so often at most, all together: counts of subsets have 32 bits.
const MOST: f64 = (1_u64 << 31) as f64;

/// How many whole numbers are tried before counts are rounded.
const TRIED: u32 = 1 << 19;

impl Differences {
    /// Joins the differences of several collections, each with its weight in the mean: the mean is that of the
    /// collections' means. Random signs are given to units as everywhere, and a mean that is tested against is
    /// taken from all collections alike; resamples are drawn within each collection, whose variances add up.
    ///
    /// It counts each query as often as its collection's weight over its number of queries asks for: with the weight 1
    /// of one of two collections and 100 and 300 queries 3 times and once. Counts are whole numbers, up to 2^31 all
    /// together; where none are in these proportions they are rounded, which moves no weight by more than a hundred
    /// thousandth of itself as long as no collection has over 20,000 queries times its share of the mean.
    ///
    /// # Errors
    ///
    /// When there is no collection, one is itself joined, or a weight is not above 0.
    ///
    /// ```
    /// use rankgate::stats::Differences;
    ///
    /// let few = Differences::new(&[0.0, 0.0], &[0.5, 0.25])?;
    /// let many = Differences::new(&[0.0; 4], &[0.0, 0.0, 0.0, -0.25])?;
    /// let joined = Differences::joined(&[(&few, 1.0), (&many, 1.0)])?;
    /// assert_eq!(joined.mean(), (0.375 - 0.0625) / 2.0);
    /// assert_eq!(joined.sizes(), [2, 2, 1, 1, 1, 1]);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn joined(parts: &[(&Self, f64)]) -> Result<Self> {
        if parts.is_empty() {
            return Err(Error::invalid("there are no collections to join"));
        }
        if parts.iter().any(|(part, _)| !part.strata.is_empty()) {
            return Err(Error::invalid("joined collections cannot be joined again"));
        }
        if let Some((_, weight)) = parts.iter().find(|(_, weight)| !(*weight > 0.0 && is_score(*weight))) {
            return Err(Error::invalid(format!("a weight is above 0, not {weight}")));
        }
        let per_query: Vec<f64> = parts.iter().map(|(part, weight)| weight / part.queries as f64).collect();
        let queries: Vec<f64> = parts.iter().map(|(part, _)| part.queries as f64).collect();
        let counts = integer_weights(&per_query, &queries);
        let mut joined = Self {
            sums: Vec::new(),
            sizes: Vec::new(),
            fixed: Fixed::new(&[], 0.0),
            largest: 0.0,
            queries: 0,
            baseline_mean: 0.0,
            candidate_mean: 0.0,
            mean: 0.0,
            strata: Vec::with_capacity(parts.len()),
            extremes: parts.iter().flat_map(|(part, _)| part.extremes.clone()).collect(),
        };
        for ((part, _), &count) in parts.iter().zip(&counts) {
            joined.sums.extend(part.sums.iter().map(|sum| sum * f64::from(count)));
            joined.sizes.extend(part.sizes.iter().map(|size| size * count));
            joined.largest = joined.largest.max(part.largest * f64::from(count));
            joined.queries += part.queries * count as usize;
            joined.strata.push(joined.sums.len());
        }
        let share = |(part, count): (&(&Self, f64), &u32)| {
            part.0.queries as f64 * f64::from(*count) / joined.queries as f64
        };
        let shares: Vec<f64> = parts.iter().zip(&counts).map(share).collect();
        let mean = |of: fn(&Self) -> f64| {
            total(parts.iter().zip(&shares).map(|((part, _), share)| of(part) * share))
        };
        (joined.baseline_mean, joined.candidate_mean) =
            (mean(Self::baseline_mean), mean(Self::candidate_mean));
        joined.mean = mean(Self::mean);
        joined.fixed = Fixed::new(&joined.sums, joined.largest);
        joined.mean = joined.settled(joined.mean);
        Ok(joined)
    }
}

/// How often a query of each collection counts, in whole numbers: exactly in proportion where small ones are, else
/// rounded.
fn integer_weights(per_query: &[f64], queries: &[f64]) -> Vec<u32> {
    let least = per_query.iter().copied().fold(f64::INFINITY, f64::min);
    let ratios: Vec<f64> = per_query.iter().map(|one| one / least).collect();
    let all: f64 = ratios.iter().zip(queries).map(|(ratio, queries)| ratio * queries).sum();
    let most = MOST / all;
    // Not even once for the smallest weight is there room, or it is so small that its ratio is no number.
    if !(most >= 1.0 && all.is_finite()) {
        return rounded_weights(per_query, queries);
    }
    let exact = |times: f64| {
        ratios.iter().all(|ratio| {
            let count = ratio * times;
            (count - count.round()).abs() <= 1e-9 * count
        })
    };
    let mut tried = (1..=TRIED).map(f64::from).take_while(|&times| times <= most);
    let times = tried.find(|&times| exact(times)).unwrap_or(most);
    ratios.iter().map(|ratio| ((ratio * times).round() as u32).max(1)).collect()
}

/// The same of weights that are too far apart: a query of the smallest counts once, and more than it should.
fn rounded_weights(per_query: &[f64], queries: &[f64]) -> Vec<u32> {
    let largest = per_query.iter().copied().fold(0.0, f64::max);
    let shares: Vec<f64> = per_query.iter().map(|one| one / largest).collect();
    let all: f64 = shares.iter().zip(queries).map(|(share, queries)| share * queries).sum();
    shares.iter().map(|share| ((share * (MOST / all)).round() as u32).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{
        Bootstrap, Confidence, Direction, PairedT, PermutationOptions, Stream, dual_interval,
        permutation_test,
    };

    fn differences(values: &[f64]) -> Differences {
        Differences::new(&vec![0.0; values.len()], values).unwrap()
    }

    const PARTS: [&[f64]; 3] =
        [&[0.5, -0.1, 0.3, 0.25], &[0.2, 0.1, -0.4, 0.0, 0.15, 0.3], &[0.1, 0.7, -0.2]];

    fn three() -> Differences {
        let parts = PARTS.map(differences);
        Differences::joined(&parts.iter().map(|part| (part, 1.0)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn counts_are_in_proportion() {
        assert_eq!(integer_weights(&[1.0 / 100.0, 1.0 / 300.0], &[100.0, 300.0]), [3, 1]);
        assert_eq!(integer_weights(&[2.0 / 50.0, 1.0 / 50.0], &[50.0, 50.0]), [2, 1]);
        // lcm(4, 6, 3) = 12
        assert_eq!(integer_weights(&[0.25, 1.0 / 6.0, 1.0 / 3.0], &[4.0, 6.0, 3.0]), [3, 2, 4]);
        // a common multiple of 256,397,400
        let queries = [50.0, 323.0, 300.0, 648.0, 49.0];
        let counts = integer_weights(&queries.map(|n| 1.0 / n), &queries);
        for (count, n) in counts.iter().zip(queries) {
            assert!((f64::from(*count) * n / (f64::from(counts[0]) * 50.0) - 1.0).abs() < 1e-5, "{counts:?}");
        }
        assert!(
            counts.iter().zip(queries).map(|(count, n)| f64::from(*count) * n).sum::<f64>() < 2f64.powi(32)
        );
    }

    #[test]
    fn weights_that_are_far_apart_fit_into_counts() {
        for least in [1e-6, 1e-9, 1e-17, 1e-300, 1e-310, f64::from_bits(1)] {
            let queries = [20.0, 20.0, 30.0];
            let counts = integer_weights(&[least / 20.0, 0.5 / 20.0, 0.5 / 30.0], &queries);
            let all: f64 = counts.iter().zip(queries).map(|(count, n)| f64::from(*count) * n).sum();
            assert!(all < 2f64.powi(32), "{least}: {counts:?}");
            let shares = [1, 2].map(|at| f64::from(counts[at]) * queries[at] / all);
            assert!(shares.iter().all(|share| (share - 0.5).abs() < 1e-5), "{least}: {counts:?}");
        }
        // Of a collection that all but does not count, nothing is said by chance either.
        let (lost, won) = (differences(&[-1.0; 20]), differences(&[0.5; 20]));
        let joined = Differences::joined(&[(&lost, 1e-300), (&won, 0.5), (&won, 0.5)]).unwrap();
        assert!((joined.mean() - 0.5).abs() < 1e-6);
        let interval = dual_interval(&joined, Confidence::default(), &PermutationOptions::default()).unwrap();
        assert!((interval.low - 0.5).abs() < 1e-6 && (interval.high - 0.5).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn the_macro_test_counts_every_sign_vector() {
        // all 2^13 sign vectors of the differences over 3 n_k, by hand
        let joined = three();
        let scaled: Vec<f64> =
            PARTS.iter().flat_map(|part| part.iter().map(|d| d / (3.0 * part.len() as f64))).collect();
        let observed: f64 = scaled.iter().sum();
        assert!((joined.mean() - observed).abs() < 1e-15);
        for null in [0.0, -0.02, 0.05] {
            let shifted: Vec<f64> = PARTS
                .iter()
                .flat_map(|part| part.iter().map(|d| (d - null) / (3.0 * part.len() as f64)))
                .collect();
            let (mut greater, mut less) = (0, 0);
            for signs in 0_u32..1 << shifted.len() {
                let sum: f64 = shifted
                    .iter()
                    .enumerate()
                    .map(|(at, d)| if signs >> at & 1 == 1 { -d } else { *d })
                    .sum();
                greater += u32::from(sum >= observed - null - 1e-12);
                less += u32::from(sum <= observed - null + 1e-12);
            }
            let test = permutation_test(&joined, null, &PermutationOptions::default()).unwrap();
            assert_eq!(
                (test.p_greater, test.p_less),
                (f64::from(greater) / 8192.0, f64::from(less) / 8192.0),
                "{null}"
            );
        }
    }

    #[test]
    fn the_interval_holds_what_the_test_does_not_reject() {
        let joined = three();
        let interval = dual_interval(&joined, Confidence::default(), &PermutationOptions::default()).unwrap();
        let p = |null: f64, direction| {
            permutation_test(&joined, null, &PermutationOptions::default()).unwrap().p(direction)
        };
        assert!(p(interval.low - 1e-6, Direction::Greater) <= 0.025);
        assert!(p(interval.low + 1e-6, Direction::Greater) > 0.025);
        assert!(p(interval.high + 1e-6, Direction::Less) <= 0.025);
        assert!(p(interval.high - 1e-6, Direction::Less) > 0.025);
    }

    #[test]
    fn variances_of_collections_add_up() {
        let joined = three();
        let t = PairedT::new(&joined).unwrap();
        let parts: Vec<PairedT> =
            PARTS.iter().map(|part| PairedT::new(&differences(part)).unwrap()).collect();
        let variances: Vec<f64> = parts.iter().map(|t| (t.standard_error / 3.0).powi(2)).collect();
        let variance: f64 = variances.iter().sum();
        assert!((t.standard_error - variance.sqrt()).abs() < 1e-15);
        let over: f64 = variances.iter().zip(&parts).map(|(v, t)| v * v / t.freedom as f64).sum();
        assert_eq!(t.freedom, (variance * variance / over) as usize);
        // Equal ones have the freedom of all.
        let alike = differences(&[0.1, 0.2, -0.1]);
        let twice = Differences::joined(&[(&alike, 1.0), (&alike, 1.0)]).unwrap();
        assert_eq!(PairedT::new(&twice).unwrap().freedom, 4);
        // One query does not show how much queries vary.
        assert!(
            PairedT::new(&Differences::joined(&[(&alike, 1.0), (&differences(&[0.5]), 1.0)]).unwrap())
                .is_none()
        );
    }

    #[test]
    fn resamples_stay_within_their_collection() {
        // Collections that do not vary have no spread, however far apart they are.
        let (low, high) = (differences(&[0.1; 5]), differences(&[0.9; 3]));
        let joined = Differences::joined(&[(&low, 1.0), (&high, 1.0)]).unwrap();
        let bootstrap = Bootstrap::new(&joined, 999, &Stream::new(1)).unwrap();
        assert_eq!(bootstrap.p(0.0, Direction::Greater), None);
        // The standard deviation of resampled means is that of the collections' (with n for n - 1).
        let joined = three();
        let bootstrap = Bootstrap::new(&joined, 99_999, &Stream::new(1)).unwrap();
        let expected: f64 = PARTS
            .iter()
            .map(|part| {
                let (n, mean) = (part.len() as f64, part.iter().sum::<f64>() / part.len() as f64);
                part.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n * n) / 9.0
            })
            .sum();
        let interval = bootstrap.interval(Confidence::new(0.6827).unwrap()).unwrap();
        assert!(((interval.high - interval.low) / 2.0 / expected.sqrt() - 1.0).abs() < 0.03, "{interval:?}");
    }

    #[test]
    fn what_cannot_be_joined_is_an_error() {
        let one = differences(&[0.1, 0.2]);
        let joined = Differences::joined(&[(&one, 1.0)]).unwrap();
        for parts in [vec![], vec![(&joined, 1.0)], vec![(&one, 0.0)], vec![(&one, f64::NAN)]] {
            assert!(Differences::joined(&parts).is_err());
        }
    }
}
