//! Whether what a configuration returns belongs to the collection at all.
//!
//! A retriever that returns the wrong field as the document's id finds nothing, and would be scored as
//! if it were merely bad.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::Result;
use crate::collection::CorpusIds;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::words::agree;

use super::coverage::ForeignDocuments;

/// Results of each query that are looked at: enough to tell, and few of a thousand.
const TOP: usize = 20;
/// Ids that are named.
const NAMED: usize = 5;

/// The results that belong to no document of the corpus.
///
/// Documents that somebody judged count as known, so `ids` are read only where other documents remain. Without ids none counts as foreign.
///
/// # Errors
/// Those of `ids`.
pub fn foreign_documents<'a>(
    evaluation: &Evaluation,
    ids: impl FnOnce() -> Result<Option<&'a CorpusIds>>,
) -> Result<ForeignDocuments> {
    // How often each was returned: a few foreign documents may be most of what every query gets.
    let mut unknown: HashMap<&str, usize> = HashMap::new();
    for (_, id) in returned(evaluation) {
        *unknown.entry(id).or_default() += 1;
    }
    let mut found = ForeignDocuments { results: unknown.values().sum(), ..ForeignDocuments::default() };
    for (_, judgments) in evaluation.collection().qrels().iter() {
        for (document, _) in judgments.unordered() {
            unknown.remove(document);
        }
    }
    if unknown.is_empty() {
        return Ok(found);
    }
    let Some(ids) = ids()? else { return Ok(found) };
    unknown.retain(|id, _| !ids.contains(id));
    found.unknown = unknown.values().sum();
    if found.unknown > 0 {
        ids.example().clone_into(&mut found.example);
    }
    let (mut named, mut queries) = (HashSet::new(), BTreeSet::new());
    for (query, id) in returned(evaluation).filter(|(_, id)| unknown.contains_key(id)) {
        queries.insert(query);
        if named.len() < NAMED && named.insert(id) {
            found.ids.push(id.to_owned());
        }
    }
    found.queries = queries.into_iter().map(str::to_owned).collect();
    Ok(found)
}

/// The error where most results are foreign documents.
pub fn mostly(foreign_documents: &ForeignDocuments) -> Option<String> {
    let ForeignDocuments { results, unknown, ids, example, .. } = foreign_documents;
    (unknown * 2 > *results).then(|| {
        let named: Vec<String> = ids.iter().map(|id| Quoted(id).to_string()).collect();
        let more = if ids.len() == NAMED { ", ..." } else { "" };
        format!(
            "{unknown} of the {results} results in the top {TOP} of the queries are not in the corpus: {}{more} {} of no \
             document, and the corpus has ids such as {}",
            named.join(", "),
            agree(ids.len(), "is the id", "are ids"),
            Quoted(example),
        )
    })
}

/// What was returned first for each evaluated query, in their order, with the query's id.
fn returned(evaluation: &Evaluation) -> impl Iterator<Item = (&str, &str)> {
    evaluation.queries().iter().flat_map(move |query| {
        let of_pass = move |pass| evaluation.top(pass, &query.id, TOP);
        (0..evaluation.passes()).flat_map(of_pass).map(move |id| (query.id.as_str(), id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Document, Query};
    use crate::run::{Hit, Run};

    fn evaluation(ids: &[&str], documents: Option<&[&str]>) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("judged-0", 0), ("judged-1", 1)]);
        for id in documents.unwrap_or_default() {
            builder.add_document(Document::new(*id, "text"));
        }
        let hits = ids.iter().map(|id| Hit::new(*id, 1.0)).collect();
        Evaluation::of_run(&builder.build().unwrap(), Run::from_rankings([("q1", hits)]).unwrap()).unwrap()
    }

    /// How many results are strangers, and what is said where most are.
    fn found(evaluation: &Evaluation) -> (usize, Option<String>) {
        let found = foreign_documents(evaluation, || evaluation.collection().corpus_ids()).unwrap();
        assert_eq!(found.unknown > 0, !found.queries.is_empty());
        (found.unknown, mostly(&found))
    }

    #[test]
    fn most_of_what_is_returned_is_in_the_corpus_or_judged() {
        let corpus = Some(&["d1", "d2", "judged-1"][..]);
        for (ids, strange) in [
            (&["d1", "d2"][..], 0),
            (&["d1", "x"], 1),
            (&["d1", "x", "y"], 2),
            (&["judged-0", "x"], 1),
            (&["x"], 1),
            (&[], 0),
        ] {
            let (unknown, said) = found(&evaluation(ids, corpus));
            assert_eq!((unknown, said.is_some()), (strange, strange * 2 > ids.len()), "{ids:?}: {said:?}");
            assert_eq!(found(&evaluation(ids, None)).0, 0, "without a corpus nobody knows");
        }
        assert_eq!(
            found(&evaluation(&["d1", "x", "y"], corpus)).1.unwrap(),
            "2 of the 3 results in the top 20 of the queries are not in the corpus: `x`, `y` are ids of no document, \
             and the corpus has ids such as `d1`"
        );
        for (ids, named) in [
            (&["x"][..], "corpus: `x` is the id of no document"),
            (&["0", "1", "2", "3", "4", "5"], "corpus: `0`, `1`, `2`, `3`, `4`, ... are ids of no document"),
        ] {
            let said = found(&evaluation(ids, corpus)).1.unwrap();
            assert!(said.contains(named), "{said}");
        }
    }
}
