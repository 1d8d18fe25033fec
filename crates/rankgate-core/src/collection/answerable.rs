//! What contradicts the mark of an unanswerable query.

use crate::collection::query::UNANSWERABLE;
use crate::collection::{Judgments, Metadata, Qrels, Query};
use crate::error::Quoted;
use crate::{Error, Result};

/// What is wrong with the mark in metadata, if anything is.
pub fn mark_fault(metadata: &Metadata) -> Option<String> {
    let value = metadata.get(UNANSWERABLE).filter(|value| !value.is_boolean())?;
    Some(format!("`{UNANSWERABLE}` is `{value}`: true or false was expected"))
}

/// Refuses marks that are neither true nor false, and unanswerable queries with a relevant document: whether the mark or
/// the judgment is wrong, one of them would be lost.
pub(super) fn check(queries: &[Query], qrels: &Qrels) -> Result<()> {
    for query in queries {
        if let Some(fault) = mark_fault(&query.metadata) {
            return Err(Error::invalid(format!("query {}: {fault}", Quoted(&query.id))));
        }
        if !query.is_unanswerable() {
            continue;
        }
        let relevant = |judgments: &Judgments| {
            let mut judged = judgments.iter();
            judged.find(|(_, grade)| *grade > 0).map(|(document, grade)| (document.to_owned(), grade))
        };
        let Some((document, grade)) = qrels.judgments(&query.id).and_then(relevant) else { continue };
        let at = qrels.origin(&query.id, &document).map_or(String::new(), |at| format!("{at}: "));
        return Err(Error::invalid(format!(
            "{at}query {} is marked as unanswerable, and document {} has grade {grade} for it: take out the mark or the \
             judgment",
            Quoted(&query.id),
            Quoted(&document)
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::collection::{Collection, CollectionBuilder, Query};

    const UNJUDGED: [(&str, i32); 0] = [];

    fn ids(queries: &[Query]) -> Vec<&str> {
        queries.iter().map(|query| query.id.as_str()).collect()
    }

    #[test]
    fn unanswerable_queries_are_asked_and_are_none_of_the_judged_ones() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q2", "b"), [("d1", 1)]);
        builder.add_query(Query::new("q1", "a").with("unanswerable", true), UNJUDGED);
        builder.add_query(Query::new("q3", "c").with("unanswerable", true), [("d1", 0)]);
        builder.add_query(Query::new("q4", "d").with("unanswerable", false), UNJUDGED);
        let collection = builder.build().unwrap();
        assert_eq!(ids(collection.queries()), ["q2"]);
        assert_eq!(ids(collection.unanswerable()), ["q1", "q3"]);
        assert_eq!(ids(collection.queries_to_ask()), ["q1", "q2", "q3"]);
        assert_eq!(ids(collection.without_judgments()), ["q4"]);
        assert_eq!(ids(&collection.lacking_judgments().cloned().collect::<Vec<_>>()), ["q4"]);
        assert_eq!(collection.query("q1").unwrap().text, "a");
    }

    #[test]
    fn they_are_saved_and_counted_in_the_hash() {
        let collection = |text: &str| {
            let mut builder = CollectionBuilder::new();
            builder.add_query(Query::new("q1", "a"), [("d1", 1)]);
            builder.add_query(Query::new("q2", text).with("unanswerable", true), UNJUDGED);
            builder.build().unwrap()
        };
        assert_ne!(collection("b").queries_sha256(), collection("c").queries_sha256());
        let folder = tempfile::tempdir().unwrap();
        collection("b").save_beir(folder.path(), "test").unwrap();
        assert_eq!(
            Collection::beir(folder.path(), "test").unwrap().unanswerable(),
            collection("b").unanswerable()
        );
    }

    #[test]
    fn what_contradicts_itself_is_an_error_with_its_place() {
        let line = |rest: &str| {
            format!("{{\"id\": \"q1\", \"text\": \"a\"}}\n{{\"id\": \"q2\", \"text\": \"b\", {rest}}}")
        };
        for (rest, expected) in [
            (
                r#""unanswerable": true, "relevant": ["d1"]"#,
                "a.jsonl:2: query `q2` is marked as unanswerable, and document `d1` has grade 1 for it: take out the mark or \
                 the judgment",
            ),
            (
                r#""unanswerable": "no""#,
                "a.jsonl:2: query `q2`: `unanswerable` is `\"no\"`: true or false was expected",
            ),
        ] {
            let error = Collection::parse_jsonl("a.jsonl", line(rest).as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "a").with("unanswerable", json!(1)), UNJUDGED);
        let error = builder.build().unwrap_err().to_string();
        assert_eq!(error, "query `q1`: `unanswerable` is `1`: true or false was expected");
    }
}
