//! Normalizations: how the scores of a ranking become comparable with those of another.

use clap::ValueEnum;
use rankgate::Hit;

/// How the scores of one query in one ranking become comparable with those of another ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[cfg_attr(test, derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub(crate) enum Norm {
    /// (score - lowest) / (highest - lowest), from 0 to 1; 1 if all are equal
    #[default]
    MinMax,
    /// (score - mean) / standard deviation; 0 if all are equal
    ZScore,
    /// 1 - (rank - 1) / number of documents
    Rank,
}

impl Norm {
    /// The normalized scores of a ranking, in its order.
    ///
    /// # Errors
    /// Why these scores cannot be normalized so.
    pub(super) fn apply(self, hits: &[Hit]) -> Result<Vec<f64>, String> {
        let count = hits.len() as f64;
        if self == Self::Rank {
            return Ok((0..hits.len()).map(|at| 1.0 - at as f64 / count).collect());
        }
        check_scores(hits)?;
        let scores = || hits.iter().map(|hit| hit.score);
        let (lowest, highest) =
            (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
        let normalized: Vec<f64> = match self {
            Self::MinMax if lowest == highest => vec![1.0; hits.len()],
            Self::MinMax => scores().map(|score| (score - lowest) / (highest - lowest)).collect(),
            _ if lowest == highest => vec![0.0; hits.len()],
            _ => {
                let scores = scaled(hits);
                let mean = scores.iter().sum::<f64>() / count;
                let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
                scores.iter().map(|score| (score - mean) / variance.sqrt()).collect()
            }
        };
        match normalized.iter().all(|score| score.is_finite()) {
            true => Ok(normalized),
            false => Err("its scores lie too far apart to be normalized".to_owned()),
        }
    }
}

/// Checks that scores are numbers that give the same order as the ranks.
fn check_scores(hits: &[Hit]) -> Result<(), String> {
    if let Some(hit) = hits.iter().find(|hit| !hit.score.is_finite()) {
        return Err(format!("the score of `{}` is {}", hit.id, hit.score));
    }
    let Some(at) = hits.windows(2).position(|pair| pair[0].score < pair[1].score) else { return Ok(()) };
    let (first, second) = (hits[at].score, hits[at + 1].score);
    let rank = at + 1;
    Err(format!(
        "its scores rise from rank {rank} ({first}) to rank {} ({second}), so they contradict its order: use --method rrf or \
         --norm rank, which look at ranks alone",
        rank + 1
    ))
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
