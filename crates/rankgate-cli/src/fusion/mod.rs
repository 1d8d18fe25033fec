//! Fusion: several rankings of the same queries become one.
//!
//! The methods and normalizations are those of the Python package ranx, and equal to it wherever it defines them. If a case
//! has no definition there, [`Norm`] and [`Fusion`] define it.

mod combine;
mod norm;

use std::collections::BTreeSet;

use clap::ValueEnum;
use rankgate::{Error, Hit, Result, Run};

pub(crate) use norm::Norm;

/// How what a document has in several rankings becomes one score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[cfg_attr(test, derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub(crate) enum Method {
    /// Sum of 1 / (k + rank): reciprocal rank fusion
    #[default]
    Rrf,
    /// Sum of the scores
    CombSum,
    /// Sum of the scores, times the number of rankings with the document
    CombMnz,
    /// Sum of weight times score
    Weighted,
    /// Points by rank, from the number of candidates down to 1; documents that a ranking lacks share its remaining points
    Borda,
}

impl Method {
    /// Returns true if it looks at ranks alone, so that scores are neither needed nor normalized.
    pub(crate) fn is_by_rank(self) -> bool {
        matches!(self, Self::Rrf | Self::Borda)
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// How several rankings become one.
///
/// Documents are ordered by their fused score, the highest first, and equal scores by id, the highest first (bytes), as
/// `trec_eval` orders ties: a fused run that is written and read again has the same order. A document that a ranking lacks
/// gets nothing from it.
#[derive(Clone, Debug)]
pub(crate) struct Fusion {
    pub(crate) method: Method,
    /// How scores are normalized; not used by a method that looks at ranks alone.
    pub(crate) norm: Norm,
    /// A finite weight of at least 0 for each ranking; empty if each is 1.
    pub(crate) weights: Vec<f64>,
    /// What reciprocal rank fusion adds to ranks.
    pub(crate) k: f64,
}

impl Fusion {
    /// Checks that so many rankings can be fused so.
    ///
    /// # Errors
    /// Weights that the method does not take, lacks or cannot use; a negative `k`.
    pub(crate) fn check(&self, rankings: usize) -> Result<()> {
        let invalid = |message: String| Err(Error::invalid(message));
        match self.method {
            Method::CombSum if !self.weights.is_empty() => {
                return invalid("`comb-sum` takes no weights; `weighted` does".to_owned());
            }
            Method::Weighted if self.weights.is_empty() => {
                return invalid("`weighted` needs a weight for each run".to_owned());
            }
            _ => {}
        }
        if !self.weights.is_empty() && self.weights.len() != rankings {
            return invalid(format!("{} weights for {rankings} runs", self.weights.len()));
        }
        if let Some(weight) = self.weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return invalid(format!("a weight is a number of at least 0, not {weight}"));
        }
        if !self.weights.is_empty() && self.weights.iter().all(|weight| *weight == 0.0) {
            return invalid("all weights are 0, so that every document would score 0".to_owned());
        }
        if !(self.k.is_finite() && self.k >= 0.0) {
            return invalid(format!("k is a number of at least 0, not {}", self.k));
        }
        Ok(())
    }

    /// Returns true if rankings are fused by their scores, and not by their order alone.
    fn needs_scores(&self) -> bool {
        !self.method.is_by_rank() && self.norm != Norm::Rank
    }

    /// Fuses runs, given with the names that errors call them by. A query that some of the runs did not answer is fused from
    /// the others.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); scores that cannot be normalized, that contradict the order or are infinite; a run
    /// without scores that is fused by them. The message names the run and the query.
    pub(crate) fn fuse(&self, runs: &[(&str, &Run)]) -> Result<Run> {
        self.check(runs.len())?;
        if let Some((name, _)) = runs.iter().find(|(_, run)| self.needs_scores() && !run.has_scores()) {
            return Err(Error::invalid(format!(
                "`{name}` has no scores, only an order: use --method rrf or --norm rank"
            )));
        }
        let queries: BTreeSet<&str> = runs.iter().flat_map(|(_, run)| run.queries()).collect();
        let fuse = |query: &str| {
            let rankings: Vec<&[Hit]> =
                runs.iter().map(|(_, run)| run.ranking(query).unwrap_or_default()).collect();
            let named = |(at, why): (usize, String)| {
                Error::invalid(format!("`{}`, query `{query}`: {why}", runs[at].0))
            };
            Ok((query.to_owned(), self.combine(&rankings).map_err(named)?))
        };
        Run::from_rankings(queries.into_iter().map(fuse).collect::<Result<Vec<_>>>()?)
    }
}

#[cfg(test)]
mod tests;
