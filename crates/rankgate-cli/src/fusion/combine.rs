//! From what each ranking says of a document to its fused score.

use std::collections::BTreeMap;

use rankgate::{Hit, stats};

use super::{Fusion, Method};

/// What a ranking says of a document: which ranking, and the number.
type Part = (usize, f64);

impl Fusion {
    /// The fused ranking, or the ranking that cannot be fused and why; the settings have been checked.
    pub(super) fn combine(&self, rankings: &[&[Hit]]) -> Result<Vec<Hit>, (usize, String)> {
        let mut parts: BTreeMap<&str, Vec<Part>> = BTreeMap::new();
        for hit in rankings.iter().copied().flatten() {
            parts.entry(&hit.id).or_default();
        }
        let candidates = parts.len();
        for (ranking, hits) in rankings.iter().enumerate() {
            let numbers = self.numbers(hits, candidates).map_err(|why| (ranking, why))?;
            for (hit, number) in hits.iter().zip(numbers) {
                parts.entry(&hit.id).or_default().push((ranking, number));
            }
            if self.method == Method::Borda {
                // The mean of the points that the ranking left.
                let number = (candidates - hits.len() + 1) as f64 / 2.0;
                let lacking =
                    parts.values_mut().filter(|parts| parts.last().is_none_or(|last| last.0 != ranking));
                lacking.for_each(|parts| parts.push((ranking, number)));
            }
        }
        let mut fused: Vec<Hit> = Vec::with_capacity(candidates);
        // The highest id first; the sort is stable.
        for (id, parts) in parts.into_iter().rev() {
            let score = self.score(&parts);
            if !score.is_finite() {
                let why = format!("the fused score of `{id}` is too large");
                return Err((parts.first().map_or(0, |part| part.0), why));
            }
            // 0 and -0 tie, and are shown alike.
            fused.push(Hit::new(id, score + 0.0));
        }
        fused.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(fused)
    }

    /// What a ranking says of its documents, in its order.
    fn numbers(&self, hits: &[Hit], candidates: usize) -> Result<Vec<f64>, String> {
        let ranks = 1..=hits.len();
        match self.method {
            Method::Rrf => Ok(ranks.map(|rank| 1.0 / (self.k + rank as f64)).collect()),
            Method::Borda => Ok(ranks.map(|rank| (candidates - rank + 1) as f64).collect()),
            Method::CombSum | Method::CombMnz | Method::Weighted => self.norm.apply(hits),
        }
    }

    fn score(&self, parts: &[Part]) -> f64 {
        let weight = |ranking: usize| self.weights.get(ranking).copied().unwrap_or(1.0);
        match self.method {
            Method::CombMnz => {
                exact_sum(parts.iter().map(|(_, number)| *number))
                    * exact_sum(parts.iter().map(|(ranking, _)| weight(*ranking)))
            }
            Method::Rrf | Method::Borda | Method::CombSum | Method::Weighted => {
                exact_sum(parts.iter().map(|(ranking, number)| weight(*ranking) * number))
            }
        }
    }
}

/// Rounded once, so that documents with the same numbers tie, whichever rankings they have them from.
fn exact_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    // What has no sum is infinite, and reported as too large.
    stats::sum(&numbers.collect::<Vec<f64>>()).unwrap_or(f64::INFINITY)
}
