//! Runs that are judged while they are read, and what is asked of the rankings that were.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::pass_rankings::{Outline, Outlines, PassRankings};
use super::{Evaluation, Judging, Pass, Reading, check_overlap, evaluated, judge};
use crate::collection::{Collection, Judgments, Query};
use crate::metric::{JudgedRanking, SubtopicJudgments};
use crate::run::{Ranking, Rising, Run, RunReader, tied_scores};
use crate::{Error, Result, Source};

/// What was made of one query's ranking while it was read.
struct Read<T> {
    length: usize,
    /// Whether a document was taken out that has the query's id.
    identical: bool,
    rising: Rising,
    /// Where the query is one of the collection's.
    judged: Option<(JudgedRanking, Outline, T)>,
}

/// A ranking as it is judged, and what is held of it: its first `top` documents and the judged ones.
fn judged_while_read(
    ranking: &Ranking<'_>,
    judgments: &Judgments,
    subtopics: Option<SubtopicJudgments>,
    (max_grade, relevant_from): (i32, i32),
    top: usize,
) -> Result<(JudgedRanking, Outline)> {
    // To look for the few judged documents is faster than to look at the many retrieved ones.
    let found = judgments.unordered().filter_map(|(id, grade)| Some((ranking.rank_of(id)?, grade, id)));
    let mut found: Vec<(usize, i32, &str)> = found.collect();
    found.sort_unstable();
    let grades: Vec<(usize, i32)> = found.iter().map(|&(rank, grade, _)| (rank, grade)).collect();
    let mut judged = JudgedRanking::sparse(ranking.len(), &grades, judgments.grades().collect())?
        .with_max_grade(max_grade)
        .with_relevant_from(relevant_from);
    if let Some(subtopics) = subtopics {
        let id = |rank| found.binary_search_by_key(&rank, |one| one.0).map_or("", |at| found[at].2);
        judged = judged.with_subtopics(subtopics, id);
    }
    let further_down = found.iter().map(|&(rank, _, id)| (rank, id)).filter(|(rank, _)| *rank > top);
    let named = (1..=top).zip(ranking.hits().map(|hit| hit.id)).chain(further_down);
    let outline = Outline {
        length: ranking.len(),
        documents: named.map(|(rank, id)| (Box::from(id), rank as u32)).collect(),
        tied_scores: tied_scores(ranking.scores(), usize::MAX),
    };
    Ok((judged, outline))
}

impl Evaluation {
    fn of_read<T>(
        collection: &Collection,
        judging: Judging,
        top: usize,
        read: Vec<(String, Read<T>)>,
    ) -> Result<(Self, BTreeMap<String, T>)> {
        let unjudged_queries =
            check_overlap(collection, &read.iter().map(|(query, _)| query.as_str()).collect::<Vec<_>>())?;
        let queries = evaluated(collection, judging)?;
        let identical = read.iter().filter(|(_, read)| read.identical).count();
        let rising = read.iter().map(|(_, read)| read.rising).sum();
        let longest = read.iter().map(|(_, read)| read.length).max().unwrap_or(0);
        let nothing = Run::default();
        let unanswered = |query: &Query| judge(collection, &nothing, &query.id, judging);
        let mut judged = Vec::with_capacity(queries.len());
        let (mut by_query, mut rest) = (BTreeMap::new(), BTreeMap::new());
        // Both stand in the order of query ids.
        let mut wanted = queries.iter().peekable();
        for (query, read) in read {
            let Some((ranking, outline, more)) = read.judged else { continue };
            while let Some(before) = wanted.next_if(|wanted| wanted.id < query) {
                judged.push(unanswered(before)?);
            }
            if wanted.next_if(|wanted| wanted.id == query).is_some() {
                judged.push(Arc::new(ranking));
            }
            by_query.insert(query.clone(), outline);
            rest.insert(query, more);
        }
        for query in wanted {
            judged.push(unanswered(query)?);
        }
        let held = PassRankings::Outlines(Arc::new(Outlines { by_query, longest, top }));
        let passes = std::iter::once(Pass { held, judged }).collect();
        let identical_ids = judging.exclude_identical_ids.then_some(identical);
        let read = Reading { unjudged_queries, identical_ids, rising };
        let evaluation = Self::of_judged(collection, queries, passes, read);
        evaluation.check_answers(judging)?;
        Ok((evaluation, rest))
    }

    /// How many documents one pass retrieved for a query, were it one that is left out.
    pub(crate) fn length(&self, pass: usize, query: &str) -> usize {
        self.passes.get(pass).and_then(|pass| pass.held.list(query)).map_or(0, |list| list.length)
    }

    /// Whether one pass retrieved a document that was judged for a query, were it one that is left out.
    pub(crate) fn has_judged(&self, pass: usize, query: &str) -> bool {
        if self.collection.passages().is_some() {
            let place = self.queries.iter().position(|one| one.id == query);
            let ranking = place.and_then(|place| self.judged_in(pass, place));
            return ranking.is_some_and(|ranking| ranking.judged_at(usize::MAX) > 0);
        }
        let judgments = self.collection.judgments(query);
        judgments.is_some_and(|judgments| !self.ranks(pass, query, judgments).is_empty())
    }

    /// Whether the first documents down to a cutoff are held of every ranking.
    pub(crate) fn shows(&self, cutoff: usize) -> bool {
        self.passes.iter().all(|pass| match &pass.held {
            PassRankings::Whole(_) => true,
            PassRankings::Outlines(outlines) => cutoff.min(outlines.longest) <= outlines.top,
        })
    }

    /// Whether any ranking has a document down to a cutoff that nobody judged.
    pub(crate) fn holds_unjudged(&self, cutoff: usize) -> bool {
        let rankings = self.passes.iter().flat_map(|pass| &pass.judged);
        rankings.into_iter().any(|ranking| ranking.judged_at(cutoff) < ranking.len().min(cutoff))
    }

    /// The judged documents that one pass retrieved for a query, with their ranks.
    pub(crate) fn ranks(&self, pass: usize, query: &str, judgments: &Judgments) -> HashMap<&str, usize> {
        let Some(pass) = self.passes.get(pass) else { return HashMap::new() };
        let Some(passages) = self.collection.passages() else { return pass.held.ranks(query, judgments) };
        // Where judgments are of spans: the first passage that covers each.
        let ids = pass.held.top(query, usize::MAX);
        let spans = self.collection.judgments(query).into_iter().flat_map(Judgments::unordered);
        let rank = |span: &str| Some(1 + ids.iter().position(|id| passages.is_covered(span, id))?);
        spans.filter_map(|(span, _)| Some((span, rank(span)?))).collect()
    }

    /// How many documents within `cutoff` share their score with a neighbour, over the evaluated queries;
    /// of several passes in the one that has most. Of a run that was judged while it was read, within the
    /// whole rankings.
    pub(crate) fn tied_scores(&self, cutoff: usize) -> usize {
        let tied = |pass: &Pass| {
            self.queries.iter().map(|query| pass.held.tied_scores(&query.id, cutoff)).sum::<usize>()
        };
        self.passes.iter().map(tied).max().unwrap_or(0)
    }

    /// How many documents the longest ranking has, be its query judged or not.
    pub(crate) fn longest(&self) -> usize {
        self.passes.iter().map(|pass| pass.held.longest()).max().unwrap_or(0)
    }

    /// How many documents the shortest list of a query has, the empty ones left out; `None` where all are empty.
    pub(crate) fn shortest_list(&self, query: &str) -> Option<usize> {
        (0..self.passes()).map(|pass| self.length(pass, query)).filter(|length| *length > 0).min()
    }

    /// How many the longest has.
    pub(crate) fn longest_list(&self, query: &str) -> usize {
        (0..self.passes()).map(|pass| self.length(pass, query)).max().unwrap_or(0)
    }

    /// Whether a pass has a ranking for a query, were it an empty one.
    pub(super) fn answers(&self, query: &str) -> bool {
        self.passes.iter().any(|pass| pass.held.list(query).is_some())
    }
}

#[doc(hidden)]
impl Evaluation {
    /// Judges a run file while it is read. The scores are those of the run [read](Run::read) and
    /// [judged](Self::judged_by); of the rankings only their first `top` documents and the judged ones are
    /// held, and beside them, by query, what `more` makes of each.
    ///
    /// # Errors
    /// A file that cannot be read or is no run; and as for [`of_run`](Self::of_run) and
    /// [`judged_by`](Self::judged_by), naming the file.
    pub fn while_reading<T: Send>(
        collection: &Collection,
        reader: &RunReader,
        from: &Source<'_>,
        judging: Judging,
        top: usize,
        more: impl Fn(&Query, &Ranking<'_>) -> T + Sync,
    ) -> Result<(Self, BTreeMap<String, T>)> {
        let max_grade = collection.qrels().max_grade();
        let reader = reader.clone().exclude_identical_ids(judging.exclude_identical_ids);
        let (read, _) = reader.map_noted(from, |query, ranking| {
            let judged = match (collection.query(query), collection.judgments(query)) {
                (Some(query), Some(judgments)) => {
                    let subtopics = collection.qrels().subtopics(&query.id);
                    let grades = (max_grade, judging.relevant_from);
                    let (judged, outline) = judged_while_read(ranking, judgments, subtopics, grades, top)?;
                    Some((judged, outline, more(query, ranking)))
                }
                _ => None,
            };
            let (length, identical) = (ranking.len(), ranking.had_identical());
            Ok(Read { length, identical, rising: ranking.rising(), judged })
        })?;
        let named = |error| Error::invalid(format!("{}: {error}", from.path().display()));
        Self::of_read(collection, judging, top, read).map_err(named)
    }

    /// The first documents for a query in one pass, at most `count`.
    pub fn top(&self, pass: usize, query: &str, count: usize) -> Vec<&str> {
        self.passes.get(pass).map(|pass| pass.held.top(query, count)).unwrap_or_default()
    }
}
