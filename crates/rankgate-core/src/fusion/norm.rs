//! Normalisations: how the scores of a ranking become comparable with those of another.

use crate::run::Hit;
use crate::words::keywords;

keywords! {
    /// How the scores of one query in one ranking become comparable with those of another ranking.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Norm {
        /// (score - lowest) / (highest - lowest), from 0 to 1; 1 where all are equal.
        #[default]
        MinMax = "min-max",
        /// (highest - score) / (highest - lowest): for distances, whose best is the lowest.
        MinMaxInverted = "min-max-inverted",
        /// score / highest.
        Max = "max",
        /// (score - lowest) / the sum of these differences; equal shares where all are equal.
        Sum = "sum",
        /// (score - mean) / standard deviation; 0 where all are equal.
        ZScore = "z-score",
        /// 1 - (rank - 1) / number of documents.
        Rank = "rank",
        /// 1 - (rank - 1) / number of candidates; documents that the ranking lacks share what remains.
        Borda = "borda",
        /// The score itself.
        None = "none",
    }
}

impl Norm {
    /// Whether it looks at ranks alone, so that scores are not needed.
    #[must_use]
    pub fn is_by_rank(self) -> bool {
        matches!(self, Self::Rank | Self::Borda)
    }

    /// The normalised scores of a ranking, in its order; of [`Norm::Borda`] without the documents that it lacks.
    ///
    /// # Errors
    /// Why these scores cannot be normalised so.
    pub(super) fn apply(self, hits: &[Hit], candidates: usize) -> Result<Vec<f64>, String> {
        let by_rank = |all: usize| (0..hits.len()).map(|at| 1.0 - at as f64 / all as f64).collect();
        match self {
            Self::Rank => return Ok(by_rank(hits.len())),
            Self::Borda => return Ok(by_rank(candidates)),
            _ => self.check_scores(hits)?,
        }
        let scores = || hits.iter().map(|hit| hit.score);
        let (lowest, highest) =
            (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
        let count = hits.len() as f64;
        let all_equal = lowest == highest;
        let normalised: Vec<f64> = match self {
            Self::MinMax | Self::MinMaxInverted if all_equal => vec![1.0; hits.len()],
            Self::MinMax => scores().map(|score| (score - lowest) / (highest - lowest)).collect(),
            Self::MinMaxInverted => scores().map(|score| (highest - score) / (highest - lowest)).collect(),
            Self::Max if highest <= 0.0 && !hits.is_empty() => {
                return Err(format!(
                    "its highest score is {highest}, and `norm: max` divides by a positive one"
                ));
            }
            Self::Max => scores().map(|score| score / highest).collect(),
            Self::Sum if all_equal => vec![1.0 / count; hits.len()],
            Self::Sum => {
                let scores = scaled(hits);
                let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
                let sum: f64 = scores.iter().map(|score| score - lowest).sum();
                scores.iter().map(|score| (score - lowest) / sum).collect()
            }
            Self::ZScore if all_equal => vec![0.0; hits.len()],
            Self::ZScore => {
                let scores = scaled(hits);
                let mean = scores.iter().sum::<f64>() / count;
                let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
                scores.iter().map(|score| (score - mean) / variance.sqrt()).collect()
            }
            Self::Rank | Self::Borda | Self::None => scores().collect(),
        };
        match normalised.iter().all(|score| score.is_finite()) {
            true => Ok(normalised),
            false => Err("its scores lie too far apart to be normalised".to_owned()),
        }
    }

    /// What an unranked document has under [`Norm::Borda`], given the ranked ones and the candidates.
    pub(super) fn borda_of_unranked(ranked: usize, candidates: usize) -> f64 {
        0.5 - (ranked as f64 - 1.0) / (2.0 * candidates as f64)
    }

    /// Checks that scores are numbers which say the same order as the ranks.
    fn check_scores(self, hits: &[Hit]) -> Result<(), String> {
        if let Some(hit) = hits.iter().find(|hit| !hit.score.is_finite()) {
            return Err(format!("the score of {} is {}", crate::error::Quoted(&hit.id), hit.score));
        }
        let contradicts = |pair: &[Hit]| match self {
            Self::MinMaxInverted => pair[0].score > pair[1].score,
            _ => pair[0].score < pair[1].score,
        };
        let Some(at) = hits.windows(2).position(contradicts) else { return Ok(()) };
        let (first, second) = (hits[at].score, hits[at + 1].score);
        let rank = at + 1;
        Err(match self {
            Self::MinMaxInverted => format!(
                "its scores fall from rank {rank} ({first}) to rank {} ({second}), and norm `min-max-inverted` is for distances, \
                 which rise: if the ranks of the file are right, read it by them (`order: rank`, `--order rank`)",
                rank + 1
            ),
            _ => format!(
                "its scores rise from rank {rank} ({first}) to rank {} ({second}), so they contradict its order: fuse by \
                 ranks, as method `rrf` does, or use norm `min-max-inverted` for distances",
                rank + 1
            ),
        })
    }
}

/// The scores times a power of two that brings the largest of them near 1. Neither their sum nor their squares leave the
/// range of numbers then, and what is a ratio of them keeps its bits.
fn scaled(hits: &[Hit]) -> Vec<f64> {
    let largest = hits.iter().map(|hit| hit.score.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return hits.iter().map(|hit| hit.score).collect();
    }
    // In two steps: the power itself may leave the range.
    let power = -(largest.log2().floor() as i32);
    let (half, rest) = (2_f64.powi(power / 2), 2_f64.powi(power - power / 2));
    hits.iter().map(|hit| hit.score * half * rest).collect()
}
