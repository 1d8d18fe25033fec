//! The one thing every metric is a function of.

use std::sync::{Arc, OnceLock};

use super::diversity::SubtopicJudgments;
use super::gain::Gain;
use crate::{Error, Result};

/// The judged grades of one query's ranking in rank order, with all the grades judged for the query.
///
/// Ranks start at 1. Grades are the qrels' integers: relevant is a grade of at least some `rel`; a
/// grade of 0 or below is judged and not relevant; unjudged documents have no grade at all. A negative
/// grade is never relevant, so a `rel` below 0 acts as 0. `Bpref`, `infAP` and [condensed](Self::without_unjudged)
/// rankings leave negative grades out, as `trec_eval` does.
///
/// Build it once per query and compute all metrics from it. It keeps the judged documents only,
/// so that metrics cost time in those and not in the length of the ranking.
///
/// ```
/// use rankgate::metric::{JudgedRanking, Metric};
///
/// // Ranks 1 to 3 hold a grade 2, an unjudged document and a grade 0; a grade 1 was not retrieved.
/// let ranking = JudgedRanking::new(vec![Some(2), None, Some(0)], vec![2, 1, 0]);
/// assert_eq!((ranking.len(), ranking.relevant(1), ranking.hits(3, 1)), (3, 2, 1));
///
/// let recall: Metric = "R@3".parse()?;
/// assert_eq!(recall.compute(&ranking), 0.5);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct JudgedRanking {
    len: usize,
    /// The documents with a grade, negative ones included, by rank.
    found: Vec<Found>,
    /// All the query's grades, descending.
    grades: Vec<i32>,
    relevant_from: i32,
    max_grade: i32,
    /// The query's judgments by subtopic, where there are any.
    subtopics: Option<Arc<SubtopicJudgments>>,
    /// Per gain, the discounted gain of the ideal ranking at each cutoff, made when first needed.
    ideal: [OnceLock<Box<[f64]>>; Gain::COUNT],
}

/// A document of the ranking that has a grade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    rank: u32,
    pub(super) grade: i32,
    /// Its number among the documents that were judged by subtopic.
    document: u32,
}

/// That of a document without judgments by subtopic.
const NO_DOCUMENT: u32 = u32::MAX;

impl Found {
    fn new(rank: u32, grade: i32) -> Self {
        Self { rank, grade, document: NO_DOCUMENT }
    }

    pub(super) fn rank(self) -> usize {
        self.rank as usize
    }
}

impl JudgedRanking {
    /// Judges a ranking.
    ///
    /// `ranked[i]` is the grade of the document at rank i + 1, `None` where it is unjudged. `judged`
    /// holds the grades of all the query's judged documents, retrieved or not, in any order. A
    /// document that is ranked with a grade has been judged: a grade that `ranked` holds more often
    /// than `judged` does is added to the latter.
    pub fn new(ranked: Vec<Option<i32>>, judged: Vec<i32>) -> Self {
        let found = (1..)
            .zip(&ranked)
            .filter_map(|(rank, grade)| grade.map(|grade| Found::new(rank, grade)))
            .collect();
        Self::build(ranked.len(), found, judged)
    }

    /// Judges a ranking of `len` documents of which only `found` have a grade: rank and grade, by
    /// ascending rank.
    ///
    /// The same as [`new`](Self::new), for callers that have the few judged documents of a long
    /// ranking at hand.
    ///
    /// # Errors
    ///
    /// When ranks do not ascend strictly from 1 to `len`.
    ///
    /// ```
    /// use rankgate::metric::JudgedRanking;
    ///
    /// let ranking = JudgedRanking::sparse(1000, &[(3, 1), (40, 0)], vec![1, 1, 0])?;
    /// assert_eq!((ranking.len(), ranking.first_relevant_rank(1)), (1000, Some(3)));
    /// assert!(JudgedRanking::sparse(2, &[(3, 1)], vec![1]).is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn sparse(len: usize, found: &[(usize, i32)], judged: Vec<i32>) -> Result<Self> {
        let (mut last, mut all) = (0, Vec::with_capacity(found.len()));
        for &(rank, grade) in found {
            if rank <= last || rank > len {
                let message = format!("rank {rank} follows rank {last} in a ranking of length {len}");
                return Err(Error::invalid(message));
            }
            last = rank;
            let rank = u32::try_from(rank)
                .map_err(|_| Error::invalid(format!("rank {rank} is beyond {}", u32::MAX)))?;
            all.push(Found::new(rank, grade));
        }
        Ok(Self::build(len, all, judged))
    }

    fn build(len: usize, found: Vec<Found>, mut grades: Vec<i32>) -> Self {
        descend(&mut grades);
        add_missing(&mut grades, &found);
        Self {
            len,
            found,
            grades,
            relevant_from: 1,
            max_grade: 0,
            subtopics: None,
            ideal: Default::default(),
        }
    }

    /// Sets the largest grade in the whole collection's qrels, which ERR scales by.
    ///
    /// Without it, or where the query itself has a larger one, the query's own largest grade serves.
    #[must_use]
    pub fn with_max_grade(self, max_grade: i32) -> Self {
        Self { max_grade, ..self }
    }

    /// Sets the lowest grade that counts as relevant where a metric does not say (`rel=`); 1 at first.
    #[must_use]
    pub fn with_relevant_from(self, grade: i32) -> Self {
        Self { relevant_from: grade, ..self }
    }

    /// The same with the query's judgments by subtopic, which metrics of diversity need; `document` is the id of the document
    /// at a rank, from 1, that has a grade.
    #[must_use]
    pub fn with_subtopics<'d>(
        mut self,
        judged: impl Into<Arc<SubtopicJudgments>>,
        document: impl Fn(usize) -> &'d str,
    ) -> Self {
        let judged = judged.into();
        for found in &mut self.found {
            let place = judged.position(document(found.rank()));
            found.document = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(NO_DOCUMENT);
        }
        Self { subtopics: Some(judged), ..self }
    }

    /// The query's judgments by subtopic, where there are any.
    pub fn subtopics(&self) -> Option<&SubtopicJudgments> {
        self.subtopics.as_deref()
    }

    /// The first `k` documents that were judged by subtopic: rank, and number among these.
    pub(super) fn documents_with_subtopics(&self, k: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let known = self.top(k).iter().filter(|found| found.document != NO_DOCUMENT);
        known.map(|found| (found.rank(), found.document as usize))
    }

    /// The ranking with its unjudged documents removed and the others moved up, as `trec_eval -J`
    /// does, and with it those of negative grade.
    ///
    /// ```
    /// use rankgate::metric::JudgedRanking;
    ///
    /// let condensed = JudgedRanking::new(vec![None, Some(-1), Some(1)], vec![1, -1]).without_unjudged();
    /// assert_eq!((condensed.len(), condensed.grade_at(1)), (1, Some(1)));
    /// ```
    pub fn without_unjudged(&self) -> Self {
        let judged = self.found.iter().filter(|found| found.grade >= 0);
        let found: Vec<_> = (1..).zip(judged).map(|(rank, found)| Found { rank, ..*found }).collect();
        Self { len: found.len(), found, ..self.clone() }
    }

    /// How many documents were retrieved.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was retrieved.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The grade at a rank, `None` where the document is unjudged or the ranking has no such rank.
    pub fn grade_at(&self, rank: usize) -> Option<i32> {
        let at = self.found.binary_search_by_key(&rank, |found| found.rank()).ok()?;
        Some(self.found[at].grade)
    }

    /// All the grades judged for the query, descending.
    pub fn grades(&self) -> &[i32] {
        &self.grades
    }

    /// The lowest grade that counts as relevant where a metric does not say.
    pub fn relevant_from(&self) -> i32 {
        self.relevant_from
    }

    /// The largest grade of the collection, as far as it is known here; at least 0.
    pub fn max_grade(&self) -> i32 {
        self.max_grade.max(self.best_grade())
    }

    /// R: how many documents of the query are judged relevant, retrieved or not.
    pub fn relevant(&self, rel: i32) -> usize {
        self.count_from(rel.max(0))
    }

    /// N: how many documents of the query are judged and not relevant, retrieved or not.
    pub fn non_relevant(&self, rel: i32) -> usize {
        self.count_from(0) - self.relevant(rel)
    }

    /// How many relevant documents are in the top `k`.
    pub fn hits(&self, k: usize, rel: i32) -> usize {
        self.top(k).iter().filter(|found| found.grade >= rel.max(0)).count()
    }

    /// The rank of the first relevant document, if one was retrieved.
    pub fn first_relevant_rank(&self, rel: i32) -> Option<usize> {
        self.relevant_ranks(rel).next()
    }

    /// The ranks of the relevant documents that were retrieved, ascending.
    pub fn relevant_ranks(&self, rel: i32) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.found.iter().filter(move |found| found.grade >= rel.max(0)).map(|found| found.rank())
    }

    /// How many documents of the top `k` are judged, with whatever grade.
    pub fn judged_at(&self, k: usize) -> usize {
        self.top(k).len()
    }

    /// The documents of the top `k` that have a grade, by rank, negative grades included.
    pub(super) fn top(&self, k: usize) -> &[Found] {
        let within = match self.found.last() {
            Some(last) if last.rank() > k => self.found.partition_point(|found| found.rank() <= k),
            _ => self.found.len(),
        };
        &self.found[..within]
    }

    /// The query's best grade, 0 where nothing is judged better than that.
    pub(super) fn best_grade(&self) -> i32 {
        self.grades.first().copied().unwrap_or(0).max(0)
    }

    /// Discounted gain, divided by `2^gain.scale(best grade)`, of the ideal ranking cut after
    /// `k` documents, over all judged documents of at least grade `from`.
    pub(super) fn ideal(&self, gain: Gain, from: i32, k: usize) -> f64 {
        let sums = self.ideal[gain as usize].get_or_init(|| gain.ideal(&self.grades));
        sums[self.count_from(from.max(1)).min(k)]
    }

    fn count_from(&self, lowest: i32) -> usize {
        self.grades.partition_point(|&grade| grade >= lowest)
    }
}

#[doc(hidden)]
impl JudgedRanking {
    /// The best that the ranking could be were it at most `depth` documents long: below its end, the relevant documents
    /// that it lacks, best first.
    pub fn completed(&self, depth: usize) -> Self {
        let mut retrieved: Vec<i32> = self.found.iter().map(|found| found.grade).collect();
        descend(&mut retrieved);
        let mut retrieved = retrieved.into_iter().peekable();
        let is_missing = |grade: &i32| {
            while retrieved.next_if(|one| one > grade).is_some() {}
            retrieved.next_if_eq(grade).is_none()
        };
        let missing = self.grades.iter().copied().filter(is_missing).take_while(|grade| *grade > 0);
        let ranks = self.len + 1..=depth;
        let below = ranks.filter_map(|rank| u32::try_from(rank).ok()).zip(missing);
        let below = below.map(|(rank, grade)| Found::new(rank, grade));
        Self {
            len: self.len.max(depth.min(self.len + self.grades.len())),
            found: self.found.iter().copied().chain(below).collect(),
            ..self.clone()
        }
    }

    /// The ranking, were the documents at these ranks of the given grade, and so many of the query's in all.
    pub fn assuming(&self, ranks: &[usize], documents: usize, grade: i32) -> Self {
        let at = |rank: &usize| u32::try_from(*rank).ok().map(|rank| Found::new(rank, grade));
        let others = self.found.iter().filter(|found| ranks.binary_search(&found.rank()).is_err());
        let mut found: Vec<Found> = ranks.iter().filter_map(at).chain(others.copied()).collect();
        found.sort_unstable_by_key(|found| found.rank);
        // Where it is the highest grade, they are in order.
        let grades = std::iter::repeat_n(grade, documents).chain(self.grades.iter().copied()).collect();
        Self {
            relevant_from: self.relevant_from,
            max_grade: self.max_grade,
            subtopics: self.subtopics.clone(),
            ..Self::build(self.len, found, grades)
        }
    }
}

fn descend(grades: &mut [i32]) {
    grades.sort_unstable();
    grades.reverse();
}

/// Adds to the query's grades what the ranking holds more often than they do.
///
/// Without it a caller's slip could put more hits in the ranking than there are relevant documents,
/// and recall above 1.
fn add_missing(grades: &mut Vec<i32>, found: &[Found]) {
    let mut ranked: Vec<i32> = found.iter().map(|found| found.grade).collect();
    descend(&mut ranked);
    let mut judged = grades.iter().peekable();
    ranked.retain(|grade| {
        while judged.next_if(|&judged| judged > grade).is_some() {}
        judged.next_if_eq(&grade).is_none()
    });
    if !ranked.is_empty() {
        grades.extend(ranked);
        descend(grades);
    }
}

#[cfg(test)]
impl JudgedRanking {
    /// `"2 - 0"`: a grade 2, an unjudged document, a grade 0; and the grades that were not retrieved.
    pub(super) fn sample(ranked: &str, missed: &[i32]) -> Self {
        let ranked: Vec<Option<i32>> =
            ranked.split_whitespace().map(|grade| (grade != "-").then(|| grade.parse().unwrap())).collect();
        let judged = ranked.iter().flatten().chain(missed).copied().collect();
        Self::new(ranked, judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_completion_has_what_the_ranking_lacks() {
        // In the pool are 3 2 1 1 0, of which 1 and 0 were retrieved.
        let ranking = JudgedRanking::sample("- 1 0", &[3, 2, 1]);
        let grades = |depth: usize| {
            let best = ranking.completed(depth);
            (1..=7).map(|rank| best.grade_at(rank)).collect::<Vec<_>>()
        };
        assert_eq!(grades(3), [None, Some(1), Some(0), None, None, None, None]);
        assert_eq!(grades(5), [None, Some(1), Some(0), Some(3), Some(2), None, None]);
        assert_eq!(grades(usize::MAX), [None, Some(1), Some(0), Some(3), Some(2), Some(1), None]);
    }

    #[test]
    fn counts_are_by_grade_and_rank() {
        let ranking = JudgedRanking::sample("1 - 0 2 -1 3", &[2, 1, 0, 0, -1]);
        // rel, R, N, hits in the top 4, first relevant rank; counted by hand
        for (rel, relevant, non_relevant, hits, first) in [
            (-5, 8, 0, 3, Some(1)),
            (0, 8, 0, 3, Some(1)),
            (1, 5, 3, 2, Some(1)),
            (2, 3, 5, 1, Some(4)),
            (3, 1, 7, 0, Some(6)),
            (4, 0, 8, 0, None),
        ] {
            assert_eq!(ranking.relevant(rel), relevant, "R at rel={rel}");
            assert_eq!(ranking.non_relevant(rel), non_relevant, "N at rel={rel}");
            assert_eq!(ranking.hits(4, rel), hits, "hits at rel={rel}");
            assert_eq!(ranking.first_relevant_rank(rel), first, "first at rel={rel}");
        }
        assert_eq!((ranking.judged_at(2), ranking.judged_at(5), ranking.judged_at(100)), (1, 4, 5));
        assert_eq!(ranking.relevant_ranks(1).collect::<Vec<_>>(), [1, 4, 6]);
    }

    #[test]
    fn unjudged_is_not_grade_zero() {
        let ranking = JudgedRanking::sample("- 0 -1", &[]);
        assert_eq!([0, 1, 2, 3, 4].map(|rank| ranking.grade_at(rank)), [None, None, Some(0), Some(-1), None]);
    }

    #[test]
    fn a_ranked_grade_counts_as_judged_even_where_the_caller_left_it_out() {
        let ranking = JudgedRanking::new(vec![Some(2), Some(1), Some(1), Some(-1)], vec![3, 1]);
        assert_eq!(ranking.grades(), [3, 2, 1, 1, -1]);
    }

    #[test]
    fn sparse_and_dense_rankings_are_the_same() {
        let dense = JudgedRanking::new(vec![None, Some(1), None, Some(0)], vec![0, 1, 2]);
        let sparse = JudgedRanking::sparse(4, &[(2, 1), (4, 0)], vec![2, 1, 0]).unwrap();
        assert_eq!(format!("{dense:?}"), format!("{sparse:?}"));
    }

    #[test]
    fn ranks_that_no_ranking_can_have_are_errors() {
        for (found, message) in [
            (vec![(0, 1)], "rank 0 follows rank 0 in a ranking of length 3"),
            (vec![(2, 1), (2, 1)], "rank 2 follows rank 2 in a ranking of length 3"),
            (vec![(3, 1), (1, 1)], "rank 1 follows rank 3 in a ranking of length 3"),
            (vec![(4, 1)], "rank 4 follows rank 0 in a ranking of length 3"),
        ] {
            assert_eq!(JudgedRanking::sparse(3, &found, vec![]).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn the_largest_grade_is_never_below_the_querys_own() {
        let ranking = JudgedRanking::sample("1", &[3]);
        assert_eq!(ranking.max_grade(), 3);
        assert_eq!(ranking.clone().with_max_grade(4).max_grade(), 4);
        assert_eq!(ranking.with_max_grade(2).max_grade(), 3);
        assert_eq!(JudgedRanking::sample("", &[-2]).max_grade(), 0);
    }

    #[test]
    fn removing_unjudged_documents_moves_the_others_up() {
        let condensed = JudgedRanking::sample("- 2 -1 0 - 1", &[1]).without_unjudged();
        assert_eq!(condensed.len(), 3);
        assert_eq!([1, 2, 3].map(|rank| condensed.grade_at(rank)), [Some(2), Some(0), Some(1)]);
        assert_eq!(condensed.relevant(1), 3);
    }
}
