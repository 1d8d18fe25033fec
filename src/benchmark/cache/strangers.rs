//! Whether what a configuration returns belongs to the collection at all.
//!
//! A retriever that returns the wrong field as the document's id finds nothing, and would be scored as
//! if it were merely bad.

use std::collections::HashMap;

use crate::Result;
use crate::collection::Qrels;
use crate::error::Quoted;
use crate::evaluation::Evaluation;

/// Results of each query that are looked at: enough to tell, and few of a thousand.
const TOP: usize = 20;

/// What is wrong with the results where there is a corpus and most of them are not in it.
///
/// Documents that somebody judged count as known, and so do those that a model judged as they are in the corpus
/// (`by_model`), so that it is only read where most are neither, and no further than is needed.
///
/// # Errors
/// A corpus that cannot be read.
pub(crate) fn strangers(evaluation: &Evaluation, by_model: Option<&Qrels>) -> Result<Option<String>> {
    let collection = evaluation.collection();
    // How often each was returned: a few foreign documents may be most of what every query gets.
    let mut unknown: HashMap<&str, usize> = HashMap::new();
    for id in returned(evaluation) {
        *unknown.entry(id).or_default() += 1;
    }
    let all: usize = unknown.values().sum();
    let mut strange = all;
    for (_, judgments) in [collection.qrels()].into_iter().chain(by_model).flat_map(Qrels::iter) {
        for (document, _) in judgments.unordered() {
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
            let found = strangers(&evaluation(ids, corpus), None).unwrap();
            assert_eq!(found.is_none(), fine, "{ids:?}: {found:?}");
            assert_eq!(
                strangers(&evaluation(ids, None), None).unwrap(),
                None,
                "without a corpus nobody knows"
            );
        }
        assert_eq!(
            strangers(&evaluation(&["d1", "x", "y"], corpus), None).unwrap().unwrap(),
            "2 of the 3 results in the top 20 of the queries are not in the corpus: there are ids such as `x`, and \
             the corpus has ids such as `d1`"
        );
        let mut by_model = Qrels::new();
        by_model.insert("q9", "x", 0).unwrap();
        assert_eq!(strangers(&evaluation(&["d1", "x", "y"], corpus), Some(&by_model)).unwrap(), None);
    }
}
