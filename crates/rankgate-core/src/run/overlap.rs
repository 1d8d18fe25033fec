//! How alike two rankings are, whatever their documents are worth.

use foldhash::fast::RandomState;

/// Ranks by document, keyed anew in every process: nothing depends on the order that this gives.
type Ranks<'a> = std::collections::HashMap<&'a str, usize, RandomState>;

/// The share of documents that two rankings have in common among their first `cutoff`.
///
/// The documents in both tops, over the size of the larger top: `cutoff`, or less where both rankings
/// are shorter. Between 0 and 1; 1 where both are empty, since they are the same, and for a cutoff of 0.
/// A ranking holds no document twice.
///
/// ```
/// use rankgate::run::overlap;
///
/// assert_eq!(overlap(&["a", "b", "c"], &["b", "a", "x"], 2), 1.0);
/// assert_eq!(overlap(&["a", "b", "c"], &["b", "a", "x"], 3), 2.0 / 3.0);
/// ```
pub fn overlap(one: &[&str], two: &[&str], cutoff: usize) -> f64 {
    let top = |ranking: &[&str]| ranking.len().min(cutoff);
    Agreement::between(&one[..top(one)], &two[..top(two)]).overlap(cutoff)
}

/// Rank-biased overlap of two rankings, extrapolated from what both show.
///
/// `p`, between 0 and 1, is the chance that a reader goes on to the next rank: at 0.9 the first ten
/// ranks carry 86% of the weight. Between 0 (nothing in common) and 1 (the same order); 1 where both
/// are empty, 0 where one is. The rankings may differ in length, and hold no document twice; outside
/// its range `p` acts as the nearer end, where 0 looks at the first rank only and 1 at the sets only.
///
/// # Source
///
/// Webber, Moffat and Zobel, "A Similarity Measure for Indefinite Rankings", ACM TOIS 28(4), 2010,
/// equation 32 (`RBO_ext`). The reference is the Python package `rbo`.
///
/// ```
/// use rankgate::run::rank_biased_overlap;
///
/// let overlap = rank_biased_overlap(&["a", "b", "c", "d"], &["b", "a", "c", "d"], 0.9);
/// assert!((overlap - 0.9).abs() < 1e-12); // all but the weight of the first rank
/// ```
pub fn rank_biased_overlap(one: &[&str], two: &[&str], p: f64) -> f64 {
    Agreement::between(one, two).rank_biased_overlap(p)
}

/// How far two rankings agree at every depth: all that is to be known of how alike they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    shorter: usize,
    /// At each depth down to the end of the longer ranking, how many documents both hold that deep and one
    /// of them no higher: at most 2.
    common: Box<[u8]>,
}

impl Agreement {
    /// Of two lengths and, for each document that both rankings hold, its two ranks from 1.
    pub fn new(lengths: [usize; 2], ranks: impl IntoIterator<Item = [usize; 2]>) -> Self {
        let [one, two] = lengths;
        let mut common = vec![0_u8; one.max(two)];
        for [one, two] in ranks {
            if let Some(count) = common.get_mut(one.max(two) - 1) {
                *count = count.saturating_add(1);
            }
        }
        Self { shorter: one.min(two), common: common.into() }
    }

    /// Of two rankings.
    pub fn between(one: &[&str], two: &[&str]) -> Self {
        let ranks: Ranks<'_> = one.iter().copied().zip(1..).collect();
        let both = two.iter().zip(1..).filter_map(|(document, rank)| Some([*ranks.get(document)?, rank]));
        Self::new([one.len(), two.len()], both)
    }

    /// See [`overlap`].
    pub fn overlap(&self, cutoff: usize) -> f64 {
        let larger = self.common.len().min(cutoff);
        if larger == 0 {
            return 1.0;
        }
        self.common[..larger].iter().map(|count| usize::from(*count)).sum::<usize>() as f64 / larger as f64
    }

    /// See [`rank_biased_overlap`].
    pub fn rank_biased_overlap(&self, p: f64) -> f64 {
        if self.shorter == 0 {
            return if self.common.is_empty() { 1.0 } else { 0.0 };
        }
        let p = if p > 0.0 { p.min(1.0) } else { 0.0 };
        let (s, l) = (self.shorter as f64, self.common.len() as f64);
        // Documents that both hold down to the present depth, and down to the end of the shorter one.
        let (mut common, mut at_end) = (0.0, 0.0);
        // p^(depth - 1), so that no power is divided by p again.
        let (mut weight, mut sum) = (1.0, 0.0);
        for (index, count) in self.common.iter().enumerate() {
            let depth = index as f64 + 1.0;
            common += f64::from(*count);
            if index < self.shorter {
                at_end = common;
                sum += common / depth * weight;
            } else {
                // The shorter ranking is taken to go on with the share that it has shown.
                sum += (common / depth + at_end * (depth - s) / (s * depth)) * weight;
            }
            weight *= p;
        }
        let rest = ((common - at_end) / l + at_end / s) * weight;
        ((1.0 - p) * sum + rest).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<&str> {
        text.split("").filter(|letter| !letter.is_empty()).collect()
    }

    #[test]
    fn rank_biased_overlap_is_the_papers() {
        // p = 0.9. By hand from equation 32 where the working is given; all of them are what the Python
        // package rbo 0.1.3 prints: RankingSimilarity(list(one), list(two)).rbo_ext(p=0.9).
        for (one, two, expected) in [
            ("abc", "abc", 1.0),
            ("abc", "xyz", 0.0),
            ("abcd", "bacd", 0.9), // agreement 0, 1, 1, 1: 0.1 (0.9 + 0.81 + 0.729) + 0.9^4
            ("a", "ba", 0.45),     // agreement 0, 1/2: 0.1 * 0.9 / 2 + 0.81 / 2
            ("ab", "abcd", 1.0),   // the shorter one shows no disagreement
            ("abcde", "abdcf", 0.84178),
            ("abcdefg", "cab", 0.855),
            ("abcdefghij", "jihgfedcba", 0.511_607_565_642_857_3),
        ] {
            let (one, two) = (letters(one), letters(two));
            for found in [rank_biased_overlap(&one, &two, 0.9), rank_biased_overlap(&two, &one, 0.9)] {
                assert!((found - expected).abs() < 1e-12, "{one:?} {two:?}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_ends_of_p_and_empty_rankings_are_numbers() {
        let (one, two) = (letters("abc"), letters("acx"));
        for (p, expected) in [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, 2.0 / 3.0), (2.0, 2.0 / 3.0)] {
            assert_eq!(rank_biased_overlap(&one, &two, p), expected, "{p}");
        }
        assert_eq!(rank_biased_overlap(&[], &[], 0.9), 1.0);
        assert_eq!(rank_biased_overlap(&one, &[], 0.9), 0.0);
    }

    #[test]
    fn overlap_is_counted_over_the_larger_top() {
        // counted by hand
        for (one, two, cutoff, expected) in [
            ("abc", "cab", 3, 1.0),
            ("abc", "cab", 1, 0.0),
            ("abc", "cab", 2, 0.5),
            ("abcd", "abxy", 4, 0.5),
            ("abc", "abc", 10, 1.0),
            ("abcd", "ab", 10, 0.5),
            ("abc", "", 10, 0.0),
            ("", "", 10, 1.0),
            ("abc", "xyz", 0, 1.0),
        ] {
            assert_eq!(overlap(&letters(one), &letters(two), cutoff), expected, "{one} {two} {cutoff}");
            assert_eq!(overlap(&letters(two), &letters(one), cutoff), expected, "{two} {one} {cutoff}");
        }
    }
}
