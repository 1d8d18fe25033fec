//! Rankings judged: by which rules, and of which queries.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::collection::{Collection, Query};
use crate::error::Quoted;
use crate::metric::{JudgedRanking, Metric};
use crate::run::{Hit, Run};
use crate::words::agree;
use crate::{Error, Result};

/// How rankings are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judging {
    /// Lowest grade that binary metrics count as relevant; 1 by default.
    pub relevant_from: i32,
    /// Leave out queries that have no relevant document instead of scoring them 0.
    pub skip_queries_without_relevant: bool,
    /// Take a retrieved document out whose id is that of its query, as BEIR does where queries are documents
    /// (ArguAna, Quora).
    pub exclude_identical_ids: bool,
}

impl Default for Judging {
    fn default() -> Self {
        Self { relevant_from: 1, skip_queries_without_relevant: false, exclude_identical_ids: false }
    }
}

/// Whether in one of these rankings' judgments there is anything that a metric of relevance could find.
pub fn findable<R: Borrow<JudgedRanking>>(metric: &Metric, rankings: impl Iterator<Item = R>) -> Result<()> {
    let (mut queries, mut lowest) = (0, 1);
    for ranking in rankings {
        let ranking = ranking.borrow();
        match metric.finds_from(ranking) {
            Some(grade) if ranking.relevant(grade) == 0 => (queries, lowest) = (queries + 1, grade),
            _ => return Ok(()),
        }
    }
    let whose = agree(queries, "the one query", "any of the");
    let count = if queries == 1 { String::new() } else { format!(" {queries} queries") };
    Err(Error::invalid(format!(
        "{metric} has nothing to find, and would be the same whatever is returned: no document of grade \
         {lowest} or more was judged for {whose}{count}"
    )))
}

/// A run that has nothing to do with the judgments: an id of each tells how they differ.
pub fn foreign_run(name: &str, query: Option<&str>, judged: Option<&str>) -> Error {
    match query {
        None => Error::invalid(format!("{name} is empty: it answers no query")),
        Some(query) => Error::invalid(format!(
            "{name} answers none of the judged queries: it has ids such as {}, the judgments have ids such \
             as {}",
            Quoted(query),
            Quoted(judged.unwrap_or("none")),
        )),
    }
}

/// How many judged queries of a collection have a document of grade 1 or more, whatever counts as relevant today.
pub fn judgeable(collection: &Collection) -> usize {
    collection.queries().iter().filter(|query| is_judgeable(collection, &query.id, 1)).count()
}

/// The queries that are evaluated, of which there is at least one.
pub(super) fn evaluated(collection: &Collection, judging: Judging) -> Result<Arc<[Query]>> {
    let queries: Arc<[Query]> = match judging.skip_queries_without_relevant {
        false => collection.queries().into(),
        true => collection
            .queries()
            .iter()
            .filter(|query| is_judgeable(collection, &query.id, judging.relevant_from))
            .cloned()
            .collect(),
    };
    if queries.is_empty() {
        let message = match collection.queries().len() {
            0 if !collection.unanswerable().is_empty() => {
                "all queries are unanswerable: add some that have an answer, as a system that never answers is perfect on \
                 the others"
                    .to_owned()
            }
            0 => "no query is judged: there is nothing to evaluate".to_owned(),
            all => format!(
                "not one of the {all} judged queries has a document of grade {} or more, and those without \
                 are left out: there is nothing to evaluate",
                judging.relevant_from
            ),
        };
        return Err(Error::invalid(message));
    }
    Ok(queries)
}

/// How many queries of a run nobody judged.
///
/// # Errors
/// When nobody judged any: the run belongs to another collection.
pub(super) fn check_overlap(collection: &Collection, queries: &[&str]) -> Result<usize> {
    let unjudged = queries.iter().filter(|id| collection.query(id).is_none()).count();
    if unjudged == queries.len() {
        let judged = collection.queries_to_ask().first().map(|query| query.id.as_str());
        return Err(foreign_run("the run", queries.first().copied(), judged));
    }
    Ok(unjudged)
}

pub(super) fn has_identical((query, hits): (&str, &[Hit])) -> bool {
    hits.iter().any(|hit| hit.id == query)
}

pub(super) fn judge(
    collection: &Collection,
    run: &Run,
    query: &str,
    judging: Judging,
) -> Result<Arc<JudgedRanking>> {
    let hits = run.ranking(query).unwrap_or_default();
    let (ranked, judged) = grades(collection, hits, query)?;
    let ranking = JudgedRanking::new(ranked, judged)
        .with_max_grade(collection.qrels().max_grade())
        .with_relevant_from(judging.relevant_from);
    Ok(Arc::new(match collection.qrels().subtopics(query) {
        Some(subtopics) => {
            ranking.with_subtopics(subtopics, |rank| hits.get(rank - 1).map_or("", |hit| &hit.id))
        }
        None => ranking,
    }))
}

/// The grades of a ranking, and those of all that was judged for its query: by ids, or where judgments are of spans by
/// what the passages cover.
pub(super) fn grades(
    collection: &Collection,
    hits: &[Hit],
    query: &str,
) -> Result<(Vec<Option<i32>>, Vec<i32>)> {
    if let Some(passages) = collection.passages() {
        let named = |error| Error::invalid(format!("query {}: {error}", Quoted(query)));
        return passages.judge(query, hits.iter().map(|hit| hit.id.as_str())).map_err(named);
    }
    let judgments = collection.judgments(query);
    let grade = |hit: &Hit| judgments.and_then(|judgments| judgments.grade(&hit.id));
    let judged = judgments.map(|judgments| judgments.grades().collect()).unwrap_or_default();
    Ok((hits.iter().map(grade).collect(), judged))
}

fn is_judgeable(collection: &Collection, query: &str, relevant_from: i32) -> bool {
    collection
        .judgments(query)
        .is_some_and(|judgments| judgments.grades().any(|grade| grade >= relevant_from))
}
