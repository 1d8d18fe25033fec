//! The collection in numbers, and errors in its judgments.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::documents::DocumentStats;
use crate::health::collection::{Collection, Judgments, Query};
use crate::health::model::{CollectionFacts, Example, Finding, Severity, Spread, choose};
use crate::health::shingles::Words;
use crate::health::words::counted;

/// A metadata key with more values than this names queries, not segments.
const SEGMENTS: usize = 50;

/// The collection in numbers.
pub(super) fn facts(
    collection: &Collection,
    relevant_from: i32,
    seen: Option<&DocumentStats>,
) -> CollectionFacts {
    let qrels = collection.qrels();
    let judgments = || qrels.iter().map(|(_, judgments)| judgments);
    let documents: HashSet<&str> = judgments().flat_map(Judgments::iter).map(|(id, _)| id).collect();
    let per_query: Vec<usize> = judgments().map(|judged| relevant(judged, relevant_from)).collect();
    let words = |query: &Query| Words::new([query.text.as_str()]).len();
    CollectionFacts {
        queries: if qrels.is_empty() { 0 } else { collection.queries().len() },
        unjudged_queries: collection.unjudged_queries(),
        unanswerable: collection.unanswerable().len(),
        query_words: Spread::new(collection.queries().iter().map(words)),
        documents: seen.map(|seen| seen.documents),
        document_words: seen.map(|seen| seen.words),
        judgments: qrels.len(),
        judged_documents: documents.len(),
        relevant_from,
        relevant: per_query.iter().sum(),
        judgments_per_query: Spread::new(judgments().map(Judgments::len)),
        relevant_per_query: Spread::new(per_query),
    }
}

fn relevant(judgments: &Judgments, relevant_from: i32) -> usize {
    judgments.grades().filter(|&grade| grade >= relevant_from).count()
}

/// Judgments that no retriever can meet, and queries and segments that nothing can answer.
pub(super) fn findings(
    collection: &Collection,
    relevant_from: i32,
    seen: Option<&DocumentStats>,
) -> Vec<Finding> {
    if collection.qrels().is_empty() {
        let nothing = Finding::new(
            (Severity::Problem, "no-judgments"),
            "nothing is judged: no metric has a value".into(),
            1,
            [],
            "judge the first documents of a retriever: `rankgate pool` prints them",
        );
        return nothing.into_iter().collect();
    }
    let missing = seen.and_then(|seen| missing(collection, relevant_from, &seen.missing));
    missing.into_iter().chain(without_relevant(collection, relevant_from)).collect()
}

/// Judged documents that no retriever can find.
fn missing(collection: &Collection, relevant_from: i32, missing: &[String]) -> Option<Finding> {
    let gone: HashSet<&str> = missing.iter().map(String::as_str).collect();
    let mut lost: BTreeMap<&str, &str> = BTreeMap::new();
    let mut relevant = 0;
    for (query, judgments) in collection.qrels().iter() {
        for (document, grade) in judgments.iter().filter(|(document, _)| gone.contains(document)) {
            lost.entry(document).or_insert(query);
            relevant += usize::from(grade >= relevant_from);
        }
    }
    let severity = if relevant > 0 { Severity::Problem } else { Severity::Warning };
    Finding::new(
        (severity, "missing-documents"),
        format!(
            "{} not in the corpus, with {} that no retriever can meet",
            counted(missing.len(), "judged document is", "judged documents are"),
            counted(relevant, "relevant judgment", "relevant judgments"),
        ),
        missing.len(),
        lost.iter().map(|(document, query)| Example::new(*document, "", format!("judged for {query}"))),
        "add the documents, or drop their judgments: recall cannot reach 1 and every score is too low",
    )
}

/// Queries without a relevant document, and segments that have no others.
fn without_relevant(collection: &Collection, relevant_from: i32) -> Vec<Finding> {
    let is_dead = |query: &Query| {
        collection.judgments(&query.id).is_some_and(|judged| relevant(judged, relevant_from) == 0)
    };
    let dead: Vec<&Query> = collection.queries().iter().filter(|query| is_dead(query)).collect();
    let queries = Finding::new(
        (Severity::Warning, "queries-without-relevant"),
        format!(
            "{} of {} judged queries {} 0 whatever is returned",
            dead.len(),
            collection.queries().len(),
            choose(
                dead.len(),
                "has no relevant document: it scores",
                "have no relevant document: they score"
            )
        ),
        dead.len(),
        dead.iter().map(|query| Example::new(&query.id, &query.text, "")),
        "judge more documents for them, or leave them out with `skip-queries-without-relevant: true`",
    );
    let mut segments: BTreeMap<&String, BTreeMap<String, bool>> = BTreeMap::new();
    for query in collection.queries() {
        for key in query.metadata.keys() {
            for value in query.segments(key) {
                *segments.entry(key).or_default().entry(value).or_insert(true) &= is_dead(query);
            }
        }
    }
    segments.retain(|_, values| values.len() <= SEGMENTS);
    let of_key = |(key, values): (_, &BTreeMap<String, bool>)| -> BTreeSet<String> {
        values.iter().filter(|(_, dead)| **dead).map(|(value, _)| format!("{key}: {value}")).collect()
    };
    let segments: BTreeSet<String> = segments.iter().flat_map(of_key).collect();
    let segments = Finding::new(
        (Severity::Warning, "dead-segments"),
        format!(
            "{} no query with a relevant document",
            counted(segments.len(), "segment has", "segments have")
        ),
        segments.len(),
        segments.iter().map(|segment| Example::new(segment, "", "")),
        "judge relevant documents for these queries: a gate on the segment is an error",
    );
    queries.into_iter().chain(segments).collect()
}
