//! Fusion: several rankings of the same queries become one.
//!
//! The methods and normalisations are those of the Python package ranx, and equal to it wherever it defines them; where a case
//! has no definition there, [`Norm`] and [`Fusion`] say what holds here.

mod combine;
mod method;
mod norm;

pub use method::{FusionMethod, Parameter, Weights};
pub use norm::Norm;

use crate::error::Quoted;
use crate::run::{Hit, Run};
use crate::words::counted;
use crate::{Error, Result};

/// How several rankings become one.
///
/// Documents are ordered by their fused score, the highest first, and equal scores by id, the highest first (bytes), as
/// `trec_eval` orders ties: a fused run that is written and read again has the same order. A document that a ranking lacks
/// gets nothing from it.
///
/// ```
/// use rankgate::fusion::{Fusion, FusionMethod, Norm};
/// use rankgate::Hit;
///
/// let words = [Hit::new("a", 9.0), Hit::new("c", 8.0), Hit::new("b", 5.0)];
/// let dense = [Hit::new("d", 0.9), Hit::new("c", 0.8)];
/// let rrf = Fusion::new(FusionMethod::Rrf).fuse_rankings(&[&words, &dense])?;
/// // c: 1 / (60 + 2) twice
/// assert_eq!(rrf[0], Hit::new("c", 2.0 / 62.0));
///
/// let weighted = Fusion::new(FusionMethod::Weighted).with_weights([0.75, 0.25]).with_norm(Norm::MinMax);
/// let fused = weighted.fuse_rankings(&[&words, &dense])?;
/// // a: 0.75 × 1; c: 0.75 × (8 - 5) / (9 - 5); d: 0.25 × 1; b is the last of its ranking
/// assert_eq!(fused, [("a", 0.75), ("c", 0.5625), ("d", 0.25), ("b", 0.0)].map(|(id, score)| Hit::new(id, score)));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fusion {
    /// The method.
    pub method: FusionMethod,
    /// How scores are normalised: one for all rankings, or one for each. Of a method by ranks there is none.
    pub norms: Vec<Norm>,
    /// A finite weight of at least 0 for each ranking; empty where each is 1.
    pub weights: Vec<f64>,
    /// The method's [parameter](FusionMethod::parameter); `None` for its default.
    pub parameter: Option<f64>,
}

impl Fusion {
    /// A fusion by a method, with its defaults: scores are normalised by [`Norm::MinMax`].
    #[must_use]
    pub fn new(method: FusionMethod) -> Self {
        let norms = if method.is_by_rank() { Vec::new() } else { vec![Norm::default()] };
        Self { method, norms, weights: Vec::new(), parameter: None }
    }

    /// The same with one normalisation for all rankings.
    #[must_use]
    pub fn with_norm(self, norm: Norm) -> Self {
        Self { norms: vec![norm], ..self }
    }

    /// The same with weights, one for each ranking.
    #[must_use]
    pub fn with_weights(self, weights: impl IntoIterator<Item = f64>) -> Self {
        Self { weights: weights.into_iter().collect(), ..self }
    }

    /// The same with the method's parameter: `k`, `sigma`, `phi` or `gamma`.
    #[must_use]
    pub fn with_parameter(self, parameter: f64) -> Self {
        Self { parameter: Some(parameter), ..self }
    }

    /// Checks that so many rankings can be fused so.
    ///
    /// # Errors
    /// Fewer than two rankings; weights, normalisations or a parameter that the method does not take, lacks or cannot use.
    pub fn check(&self, rankings: usize) -> Result<()> {
        let invalid = |message: String| Err(Error::invalid(message));
        let method = self.method;
        if rankings < 2 {
            return invalid("a fusion needs at least two rankings".to_owned());
        }
        match method.weights() {
            Weights::Refused if !self.weights.is_empty() => {
                return invalid(format!("`weights` do not go with `{method}`; `weighted` takes them"));
            }
            Weights::Required if self.weights.is_empty() => {
                return invalid(format!("`{method}` needs `weights`, one for each ranking"));
            }
            _ => {}
        }
        if !self.weights.is_empty() && self.weights.len() != rankings {
            return invalid(format!(
                "{} for {rankings} rankings",
                counted(self.weights.len(), "weight", "weights")
            ));
        }
        if let Some(weight) = self.weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return invalid(format!("a weight is a number of at least 0, not {weight}"));
        }
        if !self.weights.is_empty() && self.weights.iter().all(|weight| *weight == 0.0) {
            return invalid("all weights are 0, so that every document would score 0".to_owned());
        }
        if method.is_by_rank() && !self.norms.is_empty() {
            return invalid(format!("`norm` does not go with `{method}`, which looks at ranks alone"));
        }
        if !method.is_by_rank() && self.norms.len() != 1 && self.norms.len() != rankings {
            return invalid(format!(
                "{} for {rankings} rankings",
                counted(self.norms.len(), "normalisation", "normalisations")
            ));
        }
        match (method.parameter(), self.parameter) {
            (None, Some(_)) => invalid(format!("`{method}` has no parameter")),
            (Some(parameter), None) if parameter.default.is_none() => {
                invalid(format!("`{method}` needs `{}`, {}", parameter.name, parameter.range))
            }
            (Some(parameter), Some(value)) if !(value.is_finite() && (parameter.allows)(value)) => {
                invalid(format!("`{}` is {}, not {value}", parameter.name, parameter.range))
            }
            _ => Ok(()),
        }
    }

    /// How the scores of one of the rankings are normalised; `None` where they are not looked at.
    #[must_use]
    pub fn norm(&self, ranking: usize) -> Option<Norm> {
        match &self.norms[..] {
            [norm] => Some(*norm),
            norms => norms.get(ranking).copied(),
        }
    }

    /// Whether one of the rankings is fused by its scores, and not by its order alone.
    #[must_use]
    pub fn needs_scores(&self, ranking: usize) -> bool {
        self.norm(ranking).is_some_and(|norm| !norm.is_by_rank())
    }

    /// Fuses rankings of one query. Each holds its documents best first, none of them twice; any may be empty.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); scores that cannot be normalised, that contradict the order or are infinite. The
    /// message says which ranking, from 1.
    pub fn fuse_rankings(&self, rankings: &[&[Hit]]) -> Result<Vec<Hit>> {
        self.check(rankings.len())?;
        self.combine(rankings)
            .map_err(|(ranking, why)| Error::invalid(format!("ranking {}: {why}", ranking + 1)))
    }

    /// Fuses runs, given with the names that errors call them by. A query that some of the runs did not answer is fused of the
    /// others.
    ///
    /// # Errors
    /// As for [`fuse_rankings`](Self::fuse_rankings), with the run and the query; a run without scores that is fused by them.
    ///
    /// ```
    /// use rankgate::fusion::{Fusion, FusionMethod};
    /// use rankgate::{Hit, Run};
    ///
    /// let words = Run::from_rankings([("q1", vec![Hit::new("a", 2.0), Hit::new("b", 1.0)])])?;
    /// let dense = Run::from_rankings([("q1", vec![Hit::new("b", 0.5)]), ("q2", vec![Hit::new("c", 0.4)])])?;
    /// let fused = Fusion::new(FusionMethod::Isr).fuse(&[("words", &words), ("dense", &dense)])?;
    /// // b: (1/2² + 1/1²) × 2 rankings
    /// assert_eq!(fused.ranking("q1"), Some(&[Hit::new("b", 2.5), Hit::new("a", 1.0)][..]));
    /// assert_eq!(fused.ranking("q2"), Some(&[Hit::new("c", 1.0)][..]));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn fuse(&self, runs: &[(&str, &Run)]) -> Result<Run> {
        self.check(runs.len())?;
        for (at, (name, run)) in runs.iter().enumerate() {
            if self.needs_scores(at) && !run.has_scores() {
                return Err(Error::invalid(format!(
                    "{} has no scores, only an order: fuse by ranks, as method `rrf` or norm `rank` do",
                    Quoted(name)
                )));
            }
        }
        let queries: std::collections::BTreeSet<&str> =
            runs.iter().flat_map(|(_, run)| run.queries()).collect();
        let fuse = |query: &str| {
            let rankings: Vec<&[Hit]> =
                runs.iter().map(|(_, run)| run.ranking(query).unwrap_or_default()).collect();
            let named = |(at, why): (usize, String)| {
                Error::invalid(format!("{}, query {}: {why}", Quoted(runs[at].0), Quoted(query)))
            };
            Ok((query.to_owned(), self.combine(&rankings).map_err(named)?))
        };
        Run::from_rankings(queries.into_iter().map(fuse).collect::<Result<Vec<_>>>()?)
    }
}

/// In a few words: `rrf (k 60)`, `weighted [0.3, 0.7] of min-max`.
impl std::fmt::Display for Fusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.method)?;
        if let Some(parameter) = self.method.parameter()
            && let Some(value) = self.parameter.or(parameter.default)
        {
            write!(f, " ({} {value})", parameter.name)?;
        }
        if !self.weights.is_empty() {
            write!(f, " {:?}", self.weights)?;
        }
        match &self.norms[..] {
            [] => Ok(()),
            norms => {
                let names: Vec<&str> = norms.iter().map(|norm| norm.as_str()).collect();
                write!(f, " of {}", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests;
