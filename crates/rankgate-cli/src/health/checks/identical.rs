//! Queries whose ids are those of documents: where they are documents, one finds itself first.

use super::documents::DocumentStats;
use crate::health::collection::{Collection, Query};
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

/// Queries whose relevant document is themselves, where it is taken out: no ranking can find it.
pub(crate) fn relevant_to_itself(collection: &Collection, relevant_from: i32) -> Option<Finding> {
    let is_own = |id: &str| collection.grade(id, id).is_some_and(|grade| grade >= relevant_from);
    let own: Vec<_> = collection.queries().iter().filter(|query| is_own(&query.id)).collect();
    let example = |query: &&Query| Example::new(&query.id, &query.text, "judged relevant to itself");
    let count = own.len();
    (count > 0).then(|| Finding {
        severity: Severity::Caution,
        code: "relevant-to-itself".into(),
        message: format!(
            "{count} {} judged relevant to {}, and `exclude-identical-ids` takes that document out",
            choose(count, "query is", "queries are"),
            choose(count, "itself", "themselves")
        ),
        count,
        examples: own.iter().take(Example::MOST).map(example).collect(),
        advice: "remove these judgments, or leave out `exclude-identical-ids`".into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::health::{Severity, examine};
    use rankgate::{CollectionBuilder, Document, Query};

    #[test]
    fn judgments_of_a_query_for_itself_are_found() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("1", "a"), [("1", 1), ("9", 1)]);
        builder.add_query(Query::new("2", "b"), [("2", 0), ("9", 1)]);
        let found = super::relevant_to_itself(&builder.build().unwrap(), 1).unwrap();
        assert_eq!(
            (found.count, found.message.as_str()),
            (1, "1 query is judged relevant to itself, and `exclude-identical-ids` takes that document out")
        );
    }

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
