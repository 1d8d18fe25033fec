//! Whether anything that a configuration returned was judged.

use std::collections::BTreeSet;

use crate::collection::Collection;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::words::agree;
use crate::{Error, Result};

/// Ids of no document that are named.
const NAMED: usize = 5;

/// Refuses a metric of relevance of results of which not one was judged: its 0 would say nothing of them.
pub fn judged_some(evaluation: &Evaluation, name: &str, metric: &Metric) -> Result<()> {
    match nothing_judged(evaluation).filter(|_| metric.needs_relevance()) {
        None => Ok(()),
        Some(said) => Err(Error::invalid(format!("{metric} of {name} says nothing: {said}"))),
    }
}

/// The warning where queries have results and none of these results is judged.
pub fn nothing_judged(evaluation: &Evaluation) -> Option<String> {
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
         as {}{}",
        Quoted(returned),
        Quoted(judged),
        unknown_ids(evaluation).map_or(String::new(), |ids| format!("; {ids}"))
    ))
}

/// The first ids in results that no document of the corpus has, few as they may be: ids that are off by one are those of
/// other documents, but for the last.
fn unknown_ids(evaluation: &Evaluation) -> Option<String> {
    let ids = evaluation.collection().corpus_ids().ok().flatten()?;
    let of_query = |query: &str| {
        let of_pass = |pass| evaluation.top(pass, query, evaluation.length(pass, query));
        (0..evaluation.passes()).flat_map(of_pass).find(|id| !ids.contains(id))
    };
    let queries = evaluation.collection().queries().iter();
    let unknown: BTreeSet<&str> = queries.filter_map(|query| of_query(&query.id)).collect();
    let named: Vec<&str> = unknown.iter().copied().take(NAMED).collect();
    (!named.is_empty()).then(|| of_no_document(&named, unknown.len() > NAMED))
}

/// That these are ids of no document, and more of them are there.
pub(super) fn of_no_document<S: AsRef<str>>(ids: &[S], more: bool) -> String {
    let named: Vec<String> = ids.iter().map(|id| Quoted(id.as_ref()).to_string()).collect();
    let more = if more { ", ..." } else { "" };
    format!("{}{more} {} of no document", named.join(", "), agree(ids.len(), "is the id", "are ids"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Document, Query};
    use crate::run::{Hit, Run};

    fn evaluation(ids: &[&str]) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("judged-0", 0), ("judged-1", 1)]);
        let hits = ids.iter().map(|id| Hit::new(*id, 1.0)).collect();
        Evaluation::of_run(&builder.build().unwrap(), Run::from_rankings([("q1", hits)]).unwrap()).unwrap()
    }

    #[test]
    fn results_of_which_none_was_judged_are_told() {
        assert_eq!(nothing_judged(&evaluation(&["x", "judged-0"])), None);
        assert_eq!(nothing_judged(&evaluation(&[])), None, "an empty answer is one");
        let said = nothing_judged(&evaluation(&["x", "y"])).unwrap();
        assert!(said.ends_with("ids such as `x`, and the judgments have ids such as `judged-1`"), "{said}");
    }

    /// Documents 1 to 3, of which 3 is judged, and positions that count from 0.
    #[test]
    fn ids_of_no_document_are_named_though_they_are_few() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "alpha"), [("3", 1)]);
        for id in ["1", "2", "3"] {
            builder.add_document(Document::new(id, "text"));
        }
        let collection = builder.build().unwrap();
        let said = |ids: &[&str]| {
            let hits = ids.iter().map(|id| Hit::new(*id, 1.0)).collect();
            let run = Run::from_rankings([("q1", hits)]).unwrap();
            nothing_judged(&Evaluation::of_run(&collection, run).unwrap()).unwrap()
        };
        let first = "not one of its 3 results was judged: there are ids such as `2`, and the judgments have ids such as `3`";
        assert_eq!(said(&["2", "1", "0"]), format!("{first}; `0` is the id of no document"));
        assert_eq!(said(&["2", "1"]), first.replace("its 3", "its 2"));
    }
}
