//! Whether anything that a configuration returned was judged.

use crate::collection::Collection;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::{Error, Result};

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
         as {}",
        Quoted(returned),
        Quoted(judged)
    ))
}

/// A judged document of the query: one with the highest grade.
fn judged_of<'a>(collection: &'a Collection, query: &str) -> Option<&'a str> {
    collection.judgments(query)?.iter().max_by_key(|(_, grade)| *grade).map(|(document, _)| document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
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
}
