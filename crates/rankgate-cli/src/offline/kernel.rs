//! From the rows of one query to its scores: what every reader, engine and cluster calls.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::offline::error::Quoted;
use crate::offline::evaluation::Judging;
use crate::offline::metric::{JudgedRanking, Metric};
use crate::offline::run::{Order, Ranking, Rows, tied_scores};
use crate::offline::{Error, Result};

/// Scores queries, each from its own rows alone.
///
/// Where rows come from, and how many threads or machines there are, makes no difference: the scores are the same in
/// every bit as those of a file that [`Scoring`](super::Scoring) reads, which scores by this as well.
///
/// ```
/// use rankgate_cli::offline::Kernel;
///
/// let kernel = Kernel::new(["RR".parse()?, "R@2".parse()?]);
/// let scored = kernel.score("q1", &[("d1", 2.0), ("d7", 2.5)], &[("d1", 1), ("d3", 1), ("d4", 0)])?;
/// assert_eq!(scored.scores, [0.5, 0.5]);
/// assert_eq!((scored.retrieved, scored.judged, scored.judged_retrieved), (2, 3, 1));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    metrics: Vec<Metric>,
    judging: Judging,
    order: Order,
    max_grade: i32,
    /// The deepest rank that any metric looks at.
    deepest: usize,
}

/// What one query's rows give: a line of what an engine returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryScores {
    /// By metric, in the order of the kernel's; nothing where the query was not judged.
    pub scores: Vec<f64>,
    /// Documents that were retrieved, without those that were taken out for having the query's id.
    pub retrieved: usize,
    /// Documents that were judged.
    pub judged: usize,
    /// Documents that are both.
    pub judged_retrieved: usize,
    /// Documents within the deepest cutoff that share their score with a neighbour.
    pub tied_scores: usize,
    /// The highest grade; `None` where the query was not judged.
    pub best_grade: Option<i32>,
    /// Whether a document was taken out for having the query's id.
    pub identical: bool,
}

impl Kernel {
    /// By these metrics; one that comes twice counts once. Rankings are ordered by score, and grades from 1 on are
    /// relevant.
    pub fn new(metrics: impl IntoIterator<Item = Metric>) -> Self {
        let mut unique: Vec<Metric> = Vec::new();
        for metric in metrics {
            if !unique.contains(&metric) {
                unique.push(metric);
            }
        }
        let cutoffs = unique.iter().map(|metric| metric.cutoff().unwrap_or(usize::MAX));
        let deepest = cutoffs.max().unwrap_or(usize::MAX);
        Self { metrics: unique, judging: Judging::default(), order: Order::Score, max_grade: 0, deepest }
    }

    /// Which grades are relevant, and whether a document with its query's id is taken out.
    pub fn judging(mut self, judging: Judging) -> Self {
        self.judging = judging;
        self
    }

    /// What the number beside a retrieved document is.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The highest grade of all judgments, which `ERR` scales by; where it is not given, each query's own.
    pub fn max_grade(mut self, grade: i32) -> Self {
        self.max_grade = grade;
        self
    }

    /// The metrics, in the order of [`QueryScores::scores`].
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Scores a query by its retrieved documents, each with its score or, in the [order](Self::order) of ranks, its
    /// rank, and by its judged ones with their grades; both in any order.
    ///
    /// # Errors
    ///
    /// A document that is retrieved or judged twice; a score that is NaN; a rank that comes twice or is no whole
    /// number; what a metric of one's own does not compute.
    pub fn score(
        &self,
        query: &str,
        retrieved: &[(&str, f64)],
        judged: &[(&str, i32)],
    ) -> Result<QueryScores> {
        let mut seen: HashSet<&str, RandomState> = HashSet::default();
        seen.reserve(judged.len());
        for (document, _) in judged {
            if !seen.insert(document) {
                let (query, document) = (Quoted(query), Quoted(document));
                return Err(Error::invalid(format!("query {query}: document {document} is judged twice")));
            }
        }
        let mut rows = Rows::excluding(self.judging.exclude_identical_ids);
        let ranking = rows.rank(query, retrieved, self.order)?;
        if judged.is_empty() {
            let (retrieved, identical) = (ranking.len(), ranking.had_identical());
            return Ok(QueryScores { retrieved, identical, ..QueryScores::default() });
        }
        self.judge(query, &ranking, judged.iter().copied())
    }

    /// The same of a ranking that is being read.
    pub(super) fn judge<'a>(
        &self,
        query: &str,
        ranking: &Ranking<'_>,
        judged: impl Iterator<Item = (&'a str, i32)> + Clone,
    ) -> Result<QueryScores> {
        // To look for the few judged documents is faster than to look at the many retrieved ones.
        let found = judged.clone().filter_map(|(id, grade)| Some((ranking.rank_of(id)?, grade)));
        let mut found: Vec<(usize, i32)> = found.collect();
        found.sort_unstable();
        let grades = judged.map(|(_, grade)| grade).collect();
        let scored = self.judge_found(query, ranking.scores(), &found, grades, ranking.by())?;
        Ok(QueryScores { identical: ranking.had_identical(), ..scored })
    }

    /// The same of the scores of retrieved documents, best first, of those of them that have a grade, with their
    /// ranks, and of the grades of all judged ones.
    pub(super) fn judge_found(
        &self,
        query: &str,
        scores: impl ExactSizeIterator<Item = f64>,
        found: &[(usize, i32)],
        grades: Vec<i32>,
        by: Order,
    ) -> Result<QueryScores> {
        let (retrieved, judged, best_grade) = (scores.len(), grades.len(), grades.iter().copied().max());
        let ranking = JudgedRanking::sparse(retrieved, found, grades)?
            .with_max_grade(self.max_grade)
            .with_relevant_from(self.judging.relevant_from);
        let of_query = |error: Error| Error::invalid(format!("query `{query}`: {error}"));
        let values = self.metrics.iter().map(|metric| metric.try_compute(&ranking).map_err(of_query));
        Ok(QueryScores {
            scores: values.collect::<Result<_>>()?,
            retrieved,
            judged,
            judged_retrieved: ranking.judged_at(retrieved),
            tied_scores: self.ties(scores, by),
            best_grade,
            identical: false,
        })
    }
}

impl Kernel {
    /// Documents within the deepest cutoff that share their score with a neighbour, where scores say the order.
    pub(super) fn ties(&self, scores: impl ExactSizeIterator<Item = f64>, by: Order) -> usize {
        match by {
            Order::Score => tied_scores(scores, self.deepest),
            Order::Rank => 0,
        }
    }
}

impl QueryScores {
    /// The judgments of the query as far as it matters whether there is anything to find.
    pub(super) fn findings(&self, judging: Judging) -> JudgedRanking {
        JudgedRanking::new(Vec::new(), self.best_grade.into_iter().collect())
            .with_relevant_from(judging.relevant_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        Kernel::new(["nDCG@10", "AP"].map(|name| name.parse().unwrap()))
    }

    #[test]
    fn rows_are_ranked_whatever_their_order() {
        // By hand: ties go by id, highest first, so d3 (grade 1) is first and d1 (grade 0) second.
        let expected = kernel().score("q", &[("d3", 1.0), ("d1", 1.0)], &[("d3", 1), ("d1", 0)]).unwrap();
        assert_eq!((&expected.scores[..], expected.tied_scores), (&[1.0, 1.0][..], 2));
        let turned = kernel().score("q", &[("d1", 1.0), ("d3", 1.0)], &[("d1", 0), ("d3", 1)]).unwrap();
        assert_eq!(turned, expected);
        let by_rank = kernel().order(Order::Rank);
        let ranked = by_rank.score("q", &[("d3", 2.0), ("d1", 1.0)], &[("d3", 1), ("d1", 0)]).unwrap();
        assert_eq!((ranked.scores[1], ranked.tied_scores), (0.5, 0));
    }

    #[test]
    fn negative_grades_are_judged() {
        let kernel = Kernel::new(["Judged@10".parse().unwrap()]);
        let scored =
            kernel.score("q", &[("d1", 3.0), ("d2", 2.0), ("d3", 1.0)], &[("d1", -1), ("d2", 0)]).unwrap();
        assert_eq!((scored.scores, scored.judged_retrieved), (vec![2.0 / 3.0], 2));
    }

    #[test]
    fn a_side_without_rows_is_counted_and_no_error() {
        let unanswered = kernel().score("q", &[], &[("d1", 2)]).unwrap();
        assert_eq!(
            (unanswered.scores, unanswered.judged, unanswered.best_grade),
            (vec![0.0, 0.0], 1, Some(2))
        );
        let unjudged = kernel().score("q", &[("d1", 2.0)], &[]).unwrap();
        assert_eq!(unjudged, QueryScores { retrieved: 1, ..QueryScores::default() });
    }

    #[test]
    fn rows_that_cannot_be_ranked_are_errors_with_query_and_document() {
        type Rows<'a> = &'a [(&'a str, f64)];
        let cases: [(Kernel, Rows<'_>, &str); 6] = [
            (kernel(), &[("d1", 1.0), ("d1", 2.0)], "query `q`: document `d1` comes twice"),
            (kernel(), &[("d1", f64::NAN)], "query `q`: the score of document `d1` is NaN"),
            (
                kernel().order(Order::Rank),
                &[("d1", 1.0), ("d2", 1.0)],
                "query `q`: `d1` and `d2` have rank 1",
            ),
            (
                kernel().order(Order::Rank),
                &[("d1", 1.5)],
                "query `q`: the rank, a whole number, of document `d1` is 1.5",
            ),
            (
                kernel().order(Order::Rank),
                &[("d1", f64::INFINITY)],
                "query `q`: the rank, a whole number, of document `d1` is inf",
            ),
            (
                kernel().order(Order::Rank),
                &[("d1", f64::NAN)],
                "query `q`: the rank, a whole number, of document `d1` is NaN",
            ),
        ];
        for (kernel, rows, message) in cases {
            assert_eq!(kernel.score("q", rows, &[("d1", 1)]).unwrap_err().to_string(), message);
        }
        let twice = kernel().score("q", &[], &[("d1", 1), ("d1", 1)]).unwrap_err().to_string();
        assert_eq!(twice, "query `q`: document `d1` is judged twice");
    }
}
