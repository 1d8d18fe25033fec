//! One ranking from several.

use std::collections::BTreeMap;

/// Adds up 1 / (60 + rank) over the rankings; equal sums by id.
///
/// G. Cormack, C. Clarke and S. Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank
/// Learning Methods, SIGIR 2009.
pub fn reciprocal_ranks<'a>(rankings: &[Vec<(&'a str, f32)>]) -> Vec<(&'a str, f32)> {
    let mut sums = BTreeMap::<&str, f32>::new();
    for ranking in rankings {
        for (rank, &(id, _)) in (1_u16..).zip(ranking) {
            *sums.entry(id).or_default() += 1.0 / (60.0 + f32::from(rank));
        }
    }
    let mut fused: Vec<(&str, f32)> = sums.into_iter().collect();
    // By id they are sorted already, and the sort is stable.
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_good_ranks_are_better_than_one_best() {
        let by_words = vec![("a", 9.0), ("c", 8.0), ("b", 7.0)];
        let by_meaning = vec![("d", 0.9), ("c", 0.8)];
        let fused = reciprocal_ranks(&[by_words, by_meaning]);
        assert_eq!(fused.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["c", "a", "d", "b"]);
        assert_eq!(fused[0].1, 2.0 / 62.0);
    }
}
