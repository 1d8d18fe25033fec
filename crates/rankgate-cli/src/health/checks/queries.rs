//! Errors in queries by themselves.

use crate::health::collection::{Collection, Query};
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::Words;

/// What to tell about the queries.
pub(super) fn findings(collection: &Collection) -> Vec<Finding> {
    without_text(collection.queries()).into_iter().chain(unjudged(collection)).collect()
}

fn without_text(queries: &[Query]) -> Option<Finding> {
    let without: Vec<&Query> =
        queries.iter().filter(|query| Words::new([query.text.as_str()]).is_empty()).collect();
    // Judgments alone are enough for runs that exist.
    let (severity, advice) = match without.len() == queries.len() {
        true => (Severity::Fact, "frozen runs can be scored all the same"),
        false => (Severity::Problem, "add their texts: a retriever is asked for nothing, and scored for it"),
    };
    (!without.is_empty()).then(|| Finding {
        severity,
        code: "queries-without-text".into(),
        message: format!(
            "{} of {} queries {} no word in the text",
            without.len(),
            queries.len(),
            choose(without.len(), "has", "have")
        ),
        count: without.len(),
        examples: without
            .iter()
            .take(Example::MOST)
            .map(|query| Example::new(&query.id, &query.text, ""))
            .collect(),
        advice: advice.into(),
    })
}

fn unjudged(collection: &Collection) -> Option<Finding> {
    let unjudged = collection.without_judgments();
    if unjudged.is_empty() || collection.qrels().is_empty() {
        return None;
    }
    Some(Finding {
        severity: Severity::Fact,
        code: "queries-without-judgments".into(),
        message: format!(
            "{} of {} queries {} no judgments and {} not asked",
            unjudged.len(),
            unjudged.len() + collection.queries().len(),
            choose(unjudged.len(), "has", "have"),
            choose(unjudged.len(), "is", "are")
        ),
        count: unjudged.len(),
        examples: unjudged
            .iter()
            .take(Example::MOST)
            .map(|query| Example::new(&query.id, &query.text, ""))
            .collect(),
        advice: String::new(),
    })
}
