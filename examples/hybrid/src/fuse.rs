//! One ranking from several.

use std::collections::BTreeMap;

/// Adds up 1 / (60 + rank) over the rankings; equal sums by id.
///
/// G. Cormack, C. Clarke and S. Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank
/// Learning Methods, SIGIR 2009.
pub fn reciprocal_ranks<'a>(rankings: &[Vec<&'a str>]) -> Vec<(&'a str, f64)> {
    let mut sums = BTreeMap::<&str, f64>::new();
    for ranking in rankings {
        for (rank, id) in (1..).zip(ranking) {
            *sums.entry(id).or_default() += 1.0 / (60.0 + f64::from(rank));
        }
    }
    let mut fused: Vec<(&str, f64)> = sums.into_iter().collect();
    // By id they are sorted already, and the sort is stable.
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused
}
