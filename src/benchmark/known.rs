//! Whether what a configuration returns belongs to the collection at all.
//!
//! A retriever that returns the wrong field as the document's id finds nothing, and would be scored as
//! if it were merely bad.

use std::collections::HashSet;

use crate::Result;
use crate::collection::Collection;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::run::Hit;

use super::pair::ranking;

/// Results of each query that are looked at: enough to tell, and few of a thousand.
const TOP: usize = 20;

/// What is wrong with the returned ids where there is a corpus and most of them are not in it.
///
/// Documents that somebody judged count as known, so that the corpus is only read where most are not,
/// and no further than is needed.
///
/// # Errors
/// A corpus that cannot be read.
pub(super) fn strangers(evaluation: &Evaluation) -> Result<Option<String>> {
    let collection = evaluation.collection();
    let mut unknown: HashSet<&str> = returned(evaluation).map(|hit| hit.id.as_str()).collect();
    let all = unknown.len();
    let most = |unknown: &HashSet<&str>| unknown.len() * 2 > all;
    for (_, judgments) in collection.qrels().iter() {
        for (document, _) in judgments.iter() {
            unknown.remove(document);
        }
    }
    let Ok(corpus) = collection.corpus() else { return Ok(None) };
    if !most(&unknown) {
        return Ok(None);
    }
    let mut example = None;
    for document in corpus.documents()? {
        let document = document?;
        unknown.remove(document.id.as_str());
        if !most(&unknown) {
            return Ok(None);
        }
        example.get_or_insert(document.id);
    }
    let theirs = returned(evaluation).map(|hit| hit.id.as_str()).find(|id| unknown.contains(id));
    Ok(Some(format!(
        "{} of the {all} documents in the top {TOP} of the queries are not in the corpus: there are ids such as \
         {}, and the corpus has ids such as {}",
        unknown.len(),
        Quoted(theirs.unwrap_or_default()),
        Quoted(example.as_deref().unwrap_or_default()),
    )))
}

/// What to say where documents were returned and not one of them was judged.
pub(crate) fn nothing_judged(evaluation: &Evaluation) -> Option<String> {
    let collection = evaluation.collection();
    let judged_one = |query: &str, hit: &Hit| {
        collection.judgments(query).is_some_and(|judgments| judgments.grade(&hit.id).is_some())
    };
    let mut example = None;
    for query in evaluation.queries() {
        for pass in 0..evaluation.passes() {
            for hit in ranking(evaluation, pass, &query.id) {
                if judged_one(&query.id, hit) {
                    return None;
                }
                example.get_or_insert((query.id.as_str(), hit.id.as_str()));
            }
        }
    }
    let (query, returned) = example?;
    let judged = judged_of(collection, query)?;
    Some(format!(
        "not one of the results was judged, and so nothing but the ids was looked at: there are ids such as \
         {}, and the judgments have ids such as {}",
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
fn returned(evaluation: &Evaluation) -> impl Iterator<Item = &Hit> {
    evaluation.queries().iter().flat_map(move |query| {
        (0..evaluation.passes()).flat_map(move |pass| ranking(evaluation, pass, &query.id).iter().take(TOP))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CollectionBuilder, Document, Query, Run};

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
            "2 of the 3 documents in the top 20 of the queries are not in the corpus: there are ids such as `x`, \
             and the corpus has ids such as `d1`"
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
