//! Queries whose ids are those of documents: where they are documents, one finds itself first.

use super::documents::DocumentStats;
use crate::health::collection::Collection;
use crate::health::model::{Example, Finding, Severity, choose};

/// What this finding is called.
pub(crate) const CODE: &str = "queries-are-documents";

/// What to tell of queries that have a document's id, `exclude` being whether such documents are taken out.
pub(crate) fn note(exclude: bool, same_text: bool) -> (Severity, &'static str) {
    match (exclude, same_text) {
        (true, true) => (Severity::Fact, "the spec takes them out (`exclude-identical-ids`)"),
        (true, false) => (
            Severity::Caution,
            "`exclude-identical-ids` takes documents out that are not the query: leave it out",
        ),
        (false, true) => (
            Severity::Caution,
            "`exclude-identical-ids: true` under `collection:` (`--exclude-identical-ids` of eval and compare) takes \
             them out before scoring, as BEIR does for ArguAna and Quora",
        ),
        (false, false) => (
            Severity::Fact,
            "queries and documents may just be numbered alike; where a query is a document itself, there is \
             `exclude-identical-ids`",
        ),
    }
}

/// Queries with the id of a document, as far as documents have been seen.
pub(super) fn finding(collection: &Collection, seen: Option<&DocumentStats>) -> Option<Finding> {
    let identical = &seen?.identical;
    let same = identical.iter().filter(|(_, same)| *same).count();
    let (all, count) = (collection.queries().len(), identical.len());
    let (severity, advice) = note(false, same > 0);
    let example = |(id, same): &(String, bool)| {
        let text = collection.query(id).map_or("", |query| query.text.as_str());
        Example::new(id, text, if *same { "the same text" } else { "another text" })
    };
    let examples = identical.iter().filter(|(_, is)| *is || same == 0).take(Example::MOST).map(example);
    let texts = match same {
        0 => "with other texts".to_owned(),
        _ => format!("{same} of them with the same text, which a retriever finds first"),
    };
    (count > 0).then(|| Finding {
        severity,
        code: CODE.into(),
        message: format!(
            "{count} of {all} queries {} the id of a document, {texts}",
            choose(count, "has", "have")
        ),
        count,
        examples: examples.collect(),
        advice: advice.into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::health::{Severity, examine};
    use rankgate::{CollectionBuilder, Document, Query};

    #[test]
    fn queries_that_are_documents_are_told_from_those_that_are_numbered_alike() {
        let examined = |text: &str| {
            let mut builder = CollectionBuilder::new();
            builder.add_document(Document::new("1", "School uniforms, should they be banned?"));
            builder.add_document(Document::new("9", "They cost too much"));
            builder.add_query(Query::new("1", text), [("9", 1)]);
            builder.add_query(Query::new("2", "what else"), [("9", 1)]);
            let health = examine("x", &builder.build().unwrap(), 1).unwrap();
            let found = health.findings.into_iter().find(|one| one.code == super::CODE).unwrap();
            (found.severity, found.message)
        };
        assert_eq!(
            examined("school uniforms: should they be banned"),
            (
                Severity::Caution,
                "1 of 2 queries has the id of a document, 1 of them with the same text, which a retriever finds first"
                    .to_owned()
            )
        );
        assert_eq!(
            examined("flutter of wings"),
            (Severity::Fact, "1 of 2 queries has the id of a document, with other texts".to_owned())
        );
    }
}
