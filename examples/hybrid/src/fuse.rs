//! Several rankings as one.

use std::collections::BTreeMap;

/// What is added to ranks.
const K: f64 = 60.0;

/// Reciprocal rank fusion: each page scores the sum of 1 / (60 + rank) over the rankings that have it.
pub fn fuse<'a>(rankings: &[Vec<(&'a str, f32)>], depth: usize) -> Vec<(&'a str, f32)> {
    let mut scores: BTreeMap<&str, f64> = BTreeMap::new();
    for ranking in rankings {
        for (rank, (id, _)) in (1_u16..).zip(ranking) {
            *scores.entry(id).or_default() += 1.0 / (K + f64::from(rank));
        }
    }
    // Of equal scores the highest id comes first, as trec_eval has it; the sort is stable.
    let mut fused: Vec<(&str, f64)> = scores.into_iter().rev().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1));
    fused.into_iter().take(depth).map(|(id, score)| (id, score as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: `b` has 1/62 + 1/61, more than `a` and `c`, which have 1/61 and 1/62.
    #[test]
    fn what_both_found_comes_first() {
        let fused = fuse(&[vec![("a", 9.0), ("b", 8.0)], vec![("b", 0.9), ("c", 0.8)]], 2);
        assert_eq!(fused.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["b", "a"]);
    }
}
