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

/// How far two rankings agree at every depth: all that is to be known of how alike they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
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
        Self { common: common.into() }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<&str> {
        text.split("").filter(|letter| !letter.is_empty()).collect()
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
