//! From what each ranking says of a document to its fused score.

use std::collections::BTreeMap;

use super::{Fusion, FusionMethod, Norm};
use crate::run::Hit;
use crate::stats;

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
            let numbers = self.numbers(ranking, hits, candidates).map_err(|why| (ranking, why))?;
            for (hit, number) in hits.iter().zip(numbers) {
                parts.entry(&hit.id).or_default().push((ranking, number));
            }
            if let Some(number) = self.of_unranked(ranking, hits.len(), candidates) {
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
                let why = format!("the fused score of {} is too large", crate::error::Quoted(id));
                return Err((parts.first().map_or(0, |part| part.0), why));
            }
            // 0 and -0 tie, and are shown alike.
            fused.push(Hit::new(id, score + 0.0));
        }
        fused.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(fused)
    }

    /// What a ranking says of its documents, in its order.
    fn numbers(&self, ranking: usize, hits: &[Hit], candidates: usize) -> Result<Vec<f64>, String> {
        if let Some(norm) = self.norm(ranking) {
            return norm.apply(hits, candidates);
        }
        let parameter = self.parameter();
        let by_rank = |rank: usize| {
            let position = rank as f64;
            match self.method {
                FusionMethod::Rrf => 1.0 / (parameter + position),
                FusionMethod::Rbc => (1.0 - parameter) * parameter.powf(position - 1.0),
                FusionMethod::Borda => (candidates - rank + 1) as f64,
                _ => 1.0 / (position * position),
            }
        };
        Ok((1..=hits.len()).map(by_rank).collect())
    }

    /// What a ranking says of documents that it lacks, where it says anything.
    fn of_unranked(&self, ranking: usize, ranked: usize, candidates: usize) -> Option<f64> {
        match (self.method, self.norm(ranking)) {
            // The mean of the points that the ranking left.
            (FusionMethod::Borda, _) => Some((candidates - ranked + 1) as f64 / 2.0),
            (_, Some(Norm::Borda)) => Some(Norm::borda_of_unranked(ranked, candidates)),
            _ => None,
        }
    }

    fn score(&self, parts: &[Part]) -> f64 {
        let weight = |ranking: usize| self.weights.get(ranking).copied().unwrap_or(1.0);
        let numbers = || parts.iter().map(|(_, number)| *number);
        let sum = || exact_sum(numbers());
        let weighted_sum = || exact_sum(parts.iter().map(|(ranking, number)| weight(*ranking) * number));
        let count = parts.len() as f64;
        match self.method {
            FusionMethod::Rrf | FusionMethod::Borda | FusionMethod::Weighted => weighted_sum(),
            FusionMethod::Rbc | FusionMethod::CombSum => sum(),
            FusionMethod::Isr => sum() * count,
            FusionMethod::LogIsr => sum() * count.ln(),
            FusionMethod::LognIsr => sum() * (count + self.parameter()).ln(),
            FusionMethod::CombMnz => sum() * exact_sum(parts.iter().map(|(ranking, _)| weight(*ranking))),
            FusionMethod::CombGmnz => sum() * count.powf(self.parameter()),
            FusionMethod::CombAnz => sum() / count,
            FusionMethod::CombMax => numbers().fold(f64::NEG_INFINITY, f64::max),
            FusionMethod::CombMin => numbers().fold(f64::INFINITY, f64::min),
            FusionMethod::CombMed => median(numbers().collect()),
            FusionMethod::Mixed => weighted_sum() * count.sqrt(),
        }
    }

    fn parameter(&self) -> f64 {
        let default = self.method.parameter().and_then(|parameter| parameter.default);
        self.parameter.or(default).unwrap_or(0.0)
    }
}

/// Rounded once, so that documents with the same numbers tie, whichever rankings they have them from.
fn exact_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    // What has no sum is infinite, and reported as too large.
    stats::sum(&numbers.collect::<Vec<f64>>()).unwrap_or(f64::INFINITY)
}

/// The middle number, or the mean of the two in the middle.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() % 2 {
        1 => numbers[middle],
        _ => (numbers[middle - 1] + numbers[middle]) / 2.0,
    }
}
