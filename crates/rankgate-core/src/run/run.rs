//! One ranked list per query.

use std::collections::{BTreeMap, HashSet};

use crate::run::golden_form::GoldenForm;
use crate::run::reader::Contents;
use crate::run::{Hit, Rising};
use crate::{Error, Result};

/// A run: for each query that was answered, its documents in rank order.
///
/// ```
/// # fn main() -> rankgate::Result<()> {
/// use rankgate::{Hit, Run};
///
/// let run = Run::from_rankings([("q1", vec![Hit::new("d7", 2.5), Hit::new("d1", 2.5)])])?;
/// assert_eq!(run.ranking("q1").map(|hits| hits[0].id.as_str()), Some("d7"));
/// assert_eq!(run.ranking("q2"), None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Run {
    rankings: BTreeMap<String, Vec<Hit>>,
    tag: String,
    comments: Vec<String>,
    /// What its file said beside the rankings.
    rising: Rising,
}

/// Of what they hold; not of how the ranks of a file went with its scores.
impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        (&self.rankings, &self.tag, &self.comments) == (&other.rankings, &other.tag, &other.comments)
    }
}

impl Run {
    /// A run of rankings that are in rank order already, as a retriever answers: the order given is
    /// the order, whatever the scores say.
    ///
    /// # Errors
    ///
    /// A query that comes twice, a document that comes twice for a query, a score that is not a
    /// number (NaN), an empty id.
    pub fn from_rankings<Q: Into<String>>(rankings: impl IntoIterator<Item = (Q, Vec<Hit>)>) -> Result<Self> {
        let mut run = Self::default();
        for (query, hits) in rankings {
            let query = query.into();
            check_ranking(&query, &hits)?;
            if run.rankings.contains_key(&query) {
                return Err(Error::invalid(format!("query `{query}` is answered twice")));
            }
            run.rankings.insert(query, hits);
        }
        Ok(run)
    }

    pub(super) fn from_contents(contents: Contents<(Vec<Hit>, Rising)>) -> Self {
        let Contents { rankings, tag, comments, .. } = contents;
        let rising = rankings.values().map(|(_, rising)| *rising).sum();
        let rankings = rankings.into_iter().map(|(query, (hits, _))| (query, hits)).collect();
        Self { rankings, tag, comments, rising }
    }

    /// The answered queries, ordered by id (bytes).
    pub fn queries(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.rankings.keys().map(String::as_str)
    }

    /// The documents retrieved for a query, in rank order, or `None` where the run has none.
    pub fn ranking(&self, query: &str) -> Option<&[Hit]> {
        self.rankings.get(query).map(Vec::as_slice)
    }

    /// Every answered query with its documents in rank order, ordered by query id (bytes).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[Hit])> + DoubleEndedIterator {
        self.rankings.iter().map(|(query, hits)| (query.as_str(), hits.as_slice()))
    }

    /// How many queries were answered.
    pub fn len(&self) -> usize {
        self.rankings.len()
    }

    /// Whether no query was answered.
    pub fn is_empty(&self) -> bool {
        self.rankings.is_empty()
    }

    /// The name that the run's file gives it in its last column; empty where there is none.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The comment lines at the head of the run's file, without their `# `.
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// Takes the document out of every ranking that has the query's id, and says how many these were.
    ///
    /// ```
    /// # use rankgate::{Hit, Run};
    /// let hits = ["d1", "q1"].map(|id| Hit::new(id, 1.0)).to_vec();
    /// let mut run = Run::from_rankings([("q1", hits)])?;
    /// assert_eq!((run.exclude_identical_ids(), run.ranking("q1").map(<[Hit]>::len)), (1, Some(1)));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn exclude_identical_ids(&mut self) -> usize {
        let mut identical = 0;
        for (query, hits) in &mut self.rankings {
            let before = hits.len();
            hits.retain(|hit| hit.id != *query);
            identical += before - hits.len();
        }
        identical
    }

    /// Cuts every ranking to its first `depth` documents.
    pub fn truncate(&mut self, depth: usize) {
        for hits in self.rankings.values_mut() {
            hits.truncate(depth);
        }
    }

    /// How many documents within `cutoff` share their score with a neighbour in their ranking, so
    /// that their order is a convention: [`tied_scores`] summed over the queries.
    pub fn tied_scores(&self, cutoff: usize) -> usize {
        self.rankings.values().map(|hits| tied_scores(hits.iter().map(|hit| hit.score), cutoff)).sum()
    }
}

#[doc(hidden)]
impl Run {
    /// Puts other hits in the place of those of each query.
    ///
    /// # Errors
    ///
    /// Those of `of_query`.
    pub fn change(&mut self, of_query: impl Fn(&str, Vec<Hit>) -> Result<Vec<Hit>>) -> Result<()> {
        for (query, hits) in &mut self.rankings {
            *hits = of_query(query, std::mem::take(hits))?;
        }
        Ok(())
    }
}

#[doc(hidden)]
impl Run {
    /// Whether scores rise with the ranks in the file that it was read from.
    pub fn rising(&self) -> Rising {
        self.rising
    }

    /// Whether the run's file says that it was blessed or recorded: then its order is that of its ranks.
    pub fn is_golden(&self) -> bool {
        self.comments.first().is_some_and(|line| GoldenForm::from_title(line).is_some())
    }

    /// Whether its scores say more than its order: those of lists without scores are [made of it](score_by_order).
    pub fn has_scores(&self) -> bool {
        // As a golden run has them, which keeps none: they fall by 1, or tie.
        let falls_by_one = |hits: &[Hit]| {
            let falls = |pair: &[Hit]| pair[0].score == pair[1].score || pair[0].score - pair[1].score == 1.0;
            hits[0].score == hits.len() as f64 && hits.windows(2).all(falls)
        };
        let falls_with_rank = |hits: &[Hit]| {
            let rank = |hit: &Hit| hit.score.recip().round();
            let is_by_rank =
                |hit: &Hit| rank(hit) >= 1.0 && hit.score.to_bits() == rank(hit).recip().to_bits();
            hits.iter().all(is_by_rank) && hits.windows(2).all(|pair| rank(&pair[0]) < rank(&pair[1]))
        };
        let rankings = || self.rankings.values().map(Vec::as_slice).filter(|hits| !hits.is_empty());
        let by_order = rankings().all(falls_with_rank) || (self.is_golden() && rankings().all(falls_by_one));
        !(by_order && rankings().any(|hits| hits.len() > 1))
    }

    /// Cuts the results that score below a threshold.
    pub fn cut_below(&mut self, threshold: f64) {
        for hits in self.rankings.values_mut() {
            hits.retain(|hit| hit.score >= threshold);
        }
    }

    /// Adds an empty ranking for each of these queries that has none: it was asked, and nothing was returned.
    pub fn answer_with_nothing<'a>(&mut self, queries: impl IntoIterator<Item = &'a str>) {
        for query in queries {
            if !self.rankings.contains_key(query) {
                self.rankings.insert(query.to_owned(), Vec::new());
            }
        }
    }
}

/// The score of a hit whose list has none: the order is the ranking, and a run file needs numbers
/// that say so.
pub fn score_by_order(position: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no list is as long as 2^53")]
    let rank = (position + 1) as f64;
    rank.recip()
}

/// Checks one ranking as a retriever answered it.
///
/// # Errors
///
/// An empty id, a document that comes twice, a score that is not a number (NaN). The message names
/// the query.
pub fn check_ranking(query: &str, hits: &[Hit]) -> Result<()> {
    if query.is_empty() {
        return Err(Error::invalid("a ranking has an empty query id"));
    }
    let mut seen = HashSet::with_capacity(hits.len());
    for (index, hit) in hits.iter().enumerate() {
        let rank = index + 1;
        if hit.id.is_empty() {
            return Err(Error::invalid(format!(
                "query `{query}`: the document at rank {rank} has an empty id"
            )));
        }
        if hit.score.is_nan() {
            let id = &hit.id;
            return Err(Error::invalid(format!(
                "query `{query}`: the score of document `{id}` at rank {rank} is NaN"
            )));
        }
        if !seen.insert(hit.id.as_str()) {
            let id = &hit.id;
            return Err(Error::invalid(format!(
                "query `{query}`: document `{id}` comes a second time at rank {rank}"
            )));
        }
    }
    Ok(())
}

/// How many of the first `cutoff` scores of a ranking equal the score before or after them; a tie
/// across the cutoff counts, and -0 equals 0.
///
/// ```
/// // Ranks 2 and 3 tie, and rank 4 ties with rank 5 beyond the cutoff.
/// assert_eq!(rankgate::run::tied_scores([9.0, 8.0, 8.0, 7.0, 7.0], 4), 3);
/// ```
pub fn tied_scores(scores: impl IntoIterator<Item = f64>, cutoff: usize) -> usize {
    let mut tied = 0;
    // Nothing equals NaN.
    let (mut before, mut counted) = (f64::NAN, true);
    // The score behind the cutoff says whether the last one before it is tied.
    for (index, score) in scores.into_iter().take(cutoff.saturating_add(1)).enumerate() {
        let ties = score == before;
        tied += usize::from(ties && !counted) + usize::from(ties && index < cutoff);
        (before, counted) = (score, ties);
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(ids: &[(&str, f64)]) -> Vec<Hit> {
        ids.iter().map(|(id, score)| Hit::new(*id, *score)).collect()
    }

    #[test]
    fn scores_by_order_fall() {
        assert!((0..10_000).all(|position| score_by_order(position) > score_by_order(position + 1)));
    }

    #[test]
    fn scores_that_are_made_of_the_order_are_none() {
        let run = |scores: &[f64]| {
            let ids = ["a", "b", "c"];
            let hits = ids.iter().zip(scores).map(|(id, score)| Hit::new(*id, *score)).collect();
            Run::from_rankings([("q1", hits), ("q2", Vec::new())]).unwrap()
        };
        for (scores, expected) in [
            (&[1.0, 0.5, 1.0 / 3.0][..], false),
            // Without the first, which had its query's id.
            (&[0.5, 1.0 / 3.0], false),
            (&[1.0, 0.5, 0.3], true),
            (&[0.9, 0.8, 0.7], true),
            (&[3.0, 2.0, 1.0], true),
            (&[-0.5, -1.0], true),
            (&[0.0, 0.0], true),
            // Nothing tells one score from another.
            (&[1.0], true),
            (&[], true),
        ] {
            assert_eq!(run(scores).has_scores(), expected, "{scores:?}");
        }
    }

    #[test]
    fn a_result_that_scores_as_much_as_the_threshold_stays() {
        let hits = hits(&[("a", 0.5), ("b", 0.35), ("c", 0.349), ("d", 0.4)]);
        let mut run = Run::from_rankings([("q1", hits), ("q2", vec![Hit::new("a", 0.1)])]).unwrap();
        run.cut_below(0.35);
        let left: Vec<&str> = run.ranking("q1").unwrap().iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(left, ["a", "b", "d"], "in the order of the answer");
        assert_eq!(run.ranking("q2"), Some(&[][..]), "it was asked, and nothing is left");
    }

    #[test]
    fn what_cannot_be_a_ranking_is_an_error_that_names_query_and_document() {
        let cases = [
            ("", hits(&[("a", 1.0)]), "a ranking has an empty query id"),
            ("q", hits(&[("a", 1.0), ("", 0.5)]), "query `q`: the document at rank 2 has an empty id"),
            ("q", hits(&[("a", f64::NAN)]), "query `q`: the score of document `a` at rank 1 is NaN"),
            ("q", hits(&[("a", 2.0), ("a", 1.0)]), "query `q`: document `a` comes a second time at rank 2"),
        ];
        for (query, hits, message) in cases {
            assert_eq!(Run::from_rankings([(query, hits)]).unwrap_err().to_string(), message);
        }
        let twice = [("q", hits(&[])), ("q", hits(&[]))];
        assert_eq!(Run::from_rankings(twice).unwrap_err().to_string(), "query `q` is answered twice");
    }

    #[test]
    fn the_order_given_is_the_order_whatever_the_scores_say() {
        let run = Run::from_rankings([("q", hits(&[("a", 1.0), ("b", 2.0)]))]).unwrap();
        assert_eq!(run.ranking("q").unwrap()[0].id, "a");
    }

    #[test]
    fn a_run_is_cut_to_a_depth() {
        let mut run = Run::from_rankings([("q", hits(&[("a", 2.0), ("b", 1.0)]))]).unwrap();
        run.truncate(1);
        assert_eq!(run.ranking("q").unwrap(), hits(&[("a", 2.0)]));
    }

    #[test]
    fn ties_inside_the_cutoff_are_counted() {
        let cases: [(&[f64], usize, usize); 7] = [
            (&[], 10, 0),
            (&[1.0], 10, 0),
            (&[3.0, 2.0, 1.0], 10, 0),
            (&[2.0, 2.0, 1.0], 10, 2),
            (&[0.0, -0.0], 10, 2),
            (&[2.0, 1.0, 1.0], 2, 1),
            (&[f64::INFINITY, f64::INFINITY, 0.0], 1, 1),
        ];
        for (scores, cutoff, expected) in cases {
            assert_eq!(tied_scores(scores.iter().copied(), cutoff), expected, "{scores:?}@{cutoff}");
        }
    }
}
