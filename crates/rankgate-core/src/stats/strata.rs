//! Whether values of two groups differ, where groups are exchangeable within strata.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use rand::RngExt;

use super::{Stream, StreamRng};

/// Arrangements of groups that are counted one by one.
const MOST_EXACT: f64 = 100_000.0;
/// Random ones beyond that.
const RESAMPLES: u64 = 9_999;
/// Sums that differ by less are the same.
const EQUAL: f64 = 1e-12;

/// The two-sided p-value of the permutation test on the sum of the second group's values.
///
/// Each stratum holds values with whether they are of the second group. Under the hypothesis which values of a stratum
/// are of that group is chance, however many they are. Up to 100,000 arrangements are counted, and the p-value is exact. Beyond that
/// 9,999 random ones are drawn, and the p-value counts the observed one among them (Phipson and Smyth, 2010). None where no
/// stratum has both groups.
///
/// ```
/// use rankgate::stats::{Stream, stratified_permutation_test};
///
/// // Of six values those of the second group are the three largest: one of the 20 ways to choose three, and its mirror image.
/// let stratum: Vec<(bool, f64)> = (0..6).map(|at| (at >= 3, f64::from(at))).collect();
/// let p = stratified_permutation_test(&[stratum], &Stream::new(1)).unwrap();
/// assert!((p - 2.0 / 20.0).abs() < 1e-12);
/// ```
#[must_use]
#[inline]
pub fn stratified_permutation_test(strata: &[Vec<(bool, f64)>], stream: &Stream) -> Option<f64> {
    let both = |stratum: &&Vec<(bool, f64)>| {
        let second = stratum.iter().filter(|(second, _)| *second).count();
        second > 0 && second < stratum.len()
    };
    let strata: Vec<Stratum> = strata.iter().filter(both).map(|stratum| Stratum::new(stratum)).collect();
    if strata.is_empty() {
        return None;
    }
    let observed: f64 = strata.iter().map(|stratum| stratum.observed).sum::<f64>().abs();
    let scale: f64 = strata.iter().flat_map(|stratum| &stratum.values).map(|value| value.abs()).sum();
    let reaches = |sum: f64| sum.abs() >= observed - EQUAL * scale.max(1.0);
    if strata.iter().map(Stratum::arrangements).product::<f64>() <= MOST_EXACT {
        let mut sums = vec![0.0];
        for stratum in &strata {
            let own = stratum.sums();
            sums = sums.iter().flat_map(|before| own.iter().map(move |own| before + own)).collect();
        }
        let reached = sums.iter().filter(|sum| reaches(**sum)).count();
        return Some(reached as f64 / sums.len() as f64);
    }
    let mut random = stream.rng(0);
    let mut strata = strata;
    let mut drawn = || strata.iter_mut().map(|stratum| stratum.draw(&mut random)).sum::<f64>();
    let reached = (0..RESAMPLES).filter(|_| reaches(drawn())).count();
    Some((reached as f64 + 1.0) / (RESAMPLES as f64 + 1.0))
}

/// Values that are exchangeable, less their mean, and how many of them are of the second group.
struct Stratum {
    values: Vec<f64>,
    second: usize,
    observed: f64,
}

impl Stratum {
    #[inline]
    fn new(values: &[(bool, f64)]) -> Self {
        let mean = values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64;
        let second = values.iter().filter(|(second, _)| *second);
        Self {
            second: second.clone().count(),
            observed: second.map(|(_, value)| value - mean).sum(),
            values: values.iter().map(|(_, value)| value - mean).collect(),
        }
    }

    /// In how many ways so many of the values can be chosen.
    #[inline]
    fn arrangements(&self) -> f64 {
        (0..self.second).map(|at| (self.values.len() - at) as f64 / (at + 1) as f64).product()
    }

    /// The sum of each choice.
    #[inline]
    fn sums(&self) -> Vec<f64> {
        // By how many were chosen.
        let mut chosen = vec![vec![0.0]];
        chosen.resize(self.second + 1, Vec::new());
        for value in &self.values {
            for count in (0..self.second).rev() {
                let with: Vec<f64> = chosen[count].iter().map(|sum| sum + value).collect();
                chosen[count + 1].extend(with);
            }
        }
        chosen.pop().unwrap_or_default()
    }

    /// The sum of a random choice.
    #[inline]
    fn draw(&mut self, random: &mut StreamRng) -> f64 {
        for at in 0..self.second {
            let other = random.random_range(at..self.values.len());
            self.values.swap(at, other);
        }
        self.values[..self.second].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(strata: &[Vec<(bool, f64)>]) -> f64 {
        stratified_permutation_test(strata, &Stream::new(1)).unwrap()
    }

    #[test]
    fn pairs_are_signs() {
        // Five pairs that all rise: 2 of 2^5 sign vectors are as far out.
        let pairs: Vec<_> = (1..=5).map(|at| vec![(false, 0.0), (true, f64::from(at))]).collect();
        assert!((p(&pairs) - 2.0 / 32.0).abs() < 1e-12);
        // A stratum of one group says nothing.
        let mut more = pairs.clone();
        more.push(vec![(true, 9.0), (true, 1.0)]);
        assert!((p(&more) - p(&pairs)).abs() < 1e-12);
        assert_eq!(stratified_permutation_test(&[vec![(true, 1.0)]], &Stream::new(1)), None);
    }

    #[test]
    fn equal_values_show_nothing() {
        let stratum = |of: f64| (0..30).map(|at| (at % 2 == 0, of)).collect::<Vec<_>>();
        assert!((p(&[stratum(0.3), stratum(1.0)]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn random_arrangements_agree_with_the_hypergeometric_distribution() {
        // 0 and 1: the number of ones among 20 of 40 values, of which 16 are ones; 12 or more, or 4 or fewer. SciPy 1.17.1:
        // 2 * hypergeom.sf(11, 40, 16, 20) = 0.022477
        let stratum: Vec<(bool, f64)> =
            (0..40).map(|at| (at < 20, f64::from(u8::from(!(12..36).contains(&at))))).collect();
        let found = p(&[stratum]);
        assert!((found - 0.0225).abs() < 0.005, "{found}");
    }
}
