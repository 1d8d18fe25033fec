//! Whether what a configuration returns belongs to the collection at all.
//!
//! A retriever that returns the wrong field as the document's id finds nothing, and would be scored as
//! if it were merely bad.

use std::collections::HashMap;

use crate::collection::Collection;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::{Error, Result};

/// Results of each query that are looked at: enough to tell, and few of a thousand.
const TOP: usize = 20;

/// What is wrong with the results where there is a corpus and most of them are not in it.
///
/// Documents that somebody judged count as known, so that the corpus is only read where most are not,
/// and no further than is needed.
///
/// # Errors
/// A corpus that cannot be read.
pub(super) fn strangers(evaluation: &Evaluation) -> Result<Option<String>> {
    let collection = evaluation.collection();
    // How often each was returned: a few foreign documents may be most of what every query gets.
    let mut unknown: HashMap<&str, usize> = HashMap::new();
    for id in returned(evaluation) {
        *unknown.entry(id).or_default() += 1;
    }
    let all: usize = unknown.values().sum();
    let mut strange = all;
    for (_, judgments) in collection.qrels().iter() {
        for (document, _) in judgments.iter() {
            strange -= unknown.remove(document).unwrap_or(0);
        }
    }
    let Ok(corpus) = collection.corpus() else { return Ok(None) };
    if strange * 2 <= all {
        return Ok(None);
    }
    let mut example = None;
    for document in corpus.documents()? {
        let document = document?;
        strange -= unknown.remove(document.id.as_str()).unwrap_or(0);
        if strange * 2 <= all {
            return Ok(None);
        }
        example.get_or_insert(document.id);
    }
    let theirs = returned(evaluation).find(|id| unknown.contains_key(id));
    Ok(Some(format!(
        "{strange} of the {all} results in the top {TOP} of the queries are not in the corpus: there are ids such \
         as {}, and the corpus has ids such as {}",
        Quoted(theirs.unwrap_or_default()),
        Quoted(example.as_deref().unwrap_or_default()),
    )))
}

/// Refuses a metric of relevance of results of which not one was judged: its 0 would say nothing of them.
pub(crate) fn judged_some(evaluation: &Evaluation, name: &str, metric: &Metric) -> Result<()> {
    match nothing_judged(evaluation).filter(|_| metric.needs_relevance()) {
        None => Ok(()),
        Some(said) => Err(Error::invalid(format!("{metric} of {name} says nothing: {said}"))),
    }
}

/// What to say where documents were returned, for whatever judged query, and not one of them was judged.
pub(crate) fn nothing_judged(evaluation: &Evaluation) -> Option<String> {
    let collection = evaluation.collection();
    let mut example = None;
    let mut results = 0_usize;
    for query in collection.queries() {
        for pass in 0..evaluation.passes() {
            if evaluation.has_judged(pass, &query.id) {
                return None;
            }
            results += evaluation.length(pass, &query.id);
            let first = evaluation.top(pass, &query.id, 1).first().copied();
            example = example.or_else(|| Some((query.id.as_str(), first?)));
        }
    }
    let (query, returned) = example?;
    let judged = judged_of(collection, query)?;
    Some(format!(
        "not one of its {results} results was judged: there are ids such as {}, and the judgments have ids such \
         as {}",
        Quoted(returned),
        Quoted(judged)
    ))
}

/// A judged document of the query: the one with the highest grade.
fn judged_of<'a>(collection: &'a Collection, query: &str) -> Option<&'a str> {
    // Of several equals the first: the order of ids.
    let best = |best: Option<(&'a str, i32)>, next: (&'a str, i32)| match best {
        Some(best) if best.1 >= next.1 => Some(best),
        _ => Some(next),
    };
    collection.judgments(query)?.iter().fold(None, best).map(|(document, _)| document)
}

/// What was returned first for each evaluated query, in their order.
fn returned(evaluation: &Evaluation) -> impl Iterator<Item = &str> {
    evaluation.queries().iter().flat_map(move |query| {
        (0..evaluation.passes()).flat_map(move |pass| evaluation.top(pass, &query.id, TOP))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CollectionBuilder, Document, Hit, Query, Run};

    fn evaluation(ids: &[&str], documents: Option<&[&str]>) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("judged-0", 0), ("judged-1", 1)]);
        for id in documents.unwrap_or_default() {
            builder.add_document(Document::new(*id, "text"));
        }
        let hits = ids.iter().map(|id| Hit::new(*id, 1.0)).collect();
        Evaluation::of_run(&builder.build().unwrap(), Run::from_rankings([("q1", hits)]).unwrap()).unwrap()
    }

    #[test]
    fn most_of_what_is_returned_is_in_the_corpus_or_judged() {
        let corpus = Some(&["d1", "d2", "judged-1"][..]);
        for (ids, fine) in [
            (&["d1", "d2"][..], true),
            (&["d1", "x"], true),
            (&["d1", "x", "y"], false),
            (&["judged-0", "x"], true),
            (&["x"], false),
            (&[], true),
        ] {
            let found = strangers(&evaluation(ids, corpus)).unwrap();
            assert_eq!(found.is_none(), fine, "{ids:?}: {found:?}");
            assert_eq!(strangers(&evaluation(ids, None)).unwrap(), None, "without a corpus nobody knows");
        }
        assert_eq!(
            strangers(&evaluation(&["d1", "x", "y"], corpus)).unwrap().unwrap(),
            "2 of the 3 results in the top 20 of the queries are not in the corpus: there are ids such as `x`, and \
             the corpus has ids such as `d1`"
        );
    }

    #[test]
    fn results_of_which_none_was_judged_are_told() {
        assert_eq!(nothing_judged(&evaluation(&["x", "judged-0"], None)), None);
        assert_eq!(nothing_judged(&evaluation(&[], None)), None, "an empty answer is one");
        let said = nothing_judged(&evaluation(&["x", "y"], None)).unwrap();
        assert!(said.ends_with("ids such as `x`, and the judgments have ids such as `judged-1`"), "{said}");
    }
}
