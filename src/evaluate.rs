//! A retriever asked every judged query, and its answers judged.

use std::sync::OnceLock;
use std::thread;

use crate::analysis::equal_scores;
use crate::collection::{Collection, Query};
use crate::evaluation::{Evaluation, Judging, runs};
use crate::progress::{Lines, Observer, Watched};
use crate::retriever::{Asking, BoxError, Retriever, ask_borrowed, retriever_fn};
use crate::run::Hit;
use crate::{Error, Result};

/// Asks `retrieve` every judged query of `collection` for `depth` documents and judges the answers.
///
/// The closure is called from several threads at once. Documents are ranked by score, highest first. Metrics
/// with a cutoff deeper than `depth` cannot be computed from the result.
///
/// # Errors
/// The first query, by id, on which the closure returned an error, panicked, or returned what
/// cannot be ranked (a document twice, a score that is not a number).
pub fn evaluate<F>(collection: &Collection, depth: usize, retrieve: F) -> Result<Evaluation>
where
    F: Fn(&Query, usize) -> Result<Vec<Hit>, BoxError> + Send + Sync,
{
    evaluate_retriever(collection, depth, &retriever_fn(retrieve))
}

/// Asks a retriever every judged query of `collection` for `depth` documents and judges the answers; there is no time
/// limit.
///
/// Under `cargo test` lines on standard error say how far it is, where it takes longer than two seconds.
///
/// # Errors
/// As for [`evaluate`]; a depth of 0.
pub fn evaluate_retriever(
    collection: &Collection,
    depth: usize,
    retriever: &dyn Retriever,
) -> Result<Evaluation> {
    if depth == 0 {
        return Err(Error::invalid("a depth of 0 asks for nothing"));
    }
    let queries = collection.queries_to_ask();
    let thread = thread::current();
    let what = format!("{}: asking the retriever", thread.name().unwrap_or("evaluation"));
    let lines = lines().map(|lines| lines as &dyn Observer);
    let watched = Watched::units(lines, what, queries.len(), ["query", "queries"]);
    let answers =
        ask_borrowed(retriever, queries, Asking::to_depth(depth), &|answered| watched.advance(answered))?;
    drop(watched);
    let runs = runs(collection.queries_to_ask(), answers.passes)?;
    let evaluation = Evaluation::of_passes(collection, Judging::default(), runs)?;
    answers.warnings.iter().cloned().chain(equal_scores(&evaluation)).for_each(|warning| warn(&warning));
    Ok(evaluation.asked_for(depth).with_latency(answers.latency))
}

/// On standard error, which a test that fails shows.
#[expect(clippy::print_stderr, reason = "a plain test has no other place for it")]
fn warn(warning: &str) {
    eprintln!("warning: {warning}");
}

/// Who writes about long evaluations, where cargo runs the test or nextest does.
fn lines() -> Option<&'static Lines> {
    static LINES: OnceLock<Option<Lines>> = OnceLock::new();
    let is_told = || std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|folder| !folder.is_empty());
    LINES.get_or_init(|| is_told().then(Lines::new)).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::CollectionBuilder;

    /// Three judged queries, one without a relevant document, and one that nobody judged.
    fn collection() -> Collection {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one").with("kind", "a"), [("d1", 2), ("d2", 0), ("d3", -1)]);
        builder.add_query(Query::new("q2", "two").with("kind", "b"), [("d1", 1)]);
        builder.add_query(Query::new("q3", "three").with("kind", "b"), [("d1", 0)]);
        builder.add_query(Query::new("q4", "four"), [] as [(&str, i32); 0]);
        builder.build().unwrap()
    }

    #[test]
    fn the_highest_score_is_first_wherever_it_stands_in_the_list() {
        let answer = |_: &Query, _| Ok(vec![Hit::new("d1", 0.1), Hit::new("d2", 9.0)]);
        let evaluation = evaluate(&collection(), 10, answer).unwrap();
        assert_eq!(evaluation.scores("RR").unwrap(), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn an_error_of_the_retriever_is_an_error_and_not_a_score() {
        let answer = |query: &Query, _| match &*query.id {
            "q2" => Err("connection refused".into()),
            _ => Ok(vec![]),
        };
        let error = evaluate(&collection(), 10, answer).unwrap_err();
        assert_eq!(error.to_string(), "query `q2`: connection refused\nits text: `two`");
    }

    #[test]
    fn a_cutoff_deeper_than_what_was_asked_for_is_an_error() {
        let evaluation = evaluate(&collection(), 10, |_, _| Ok(vec![])).unwrap();
        let error = evaluation.value("R@100").unwrap_err().to_string();
        assert_eq!(error, "R@100 looks at 100 documents and only 10 were asked for");
    }
}
