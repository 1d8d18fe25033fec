//! Queries without a reference answer, where gates are on metrics that take one.

use crate::collection::{Collection, Query};
use crate::model::{Example, Finding, Severity, choose};

use super::Linting;

impl Linting<'_> {
    /// Queries that such metrics leave out of their means.
    pub(super) fn reference_findings(&self, collection: &Collection) -> Option<Finding> {
        let metrics: Vec<String> =
            self.inspection.metrics_of_references().iter().map(ToString::to_string).collect();
        let has_none =
            |query: &&Query| query.metadata.get("reference").is_none_or(serde_json::Value::is_null);
        let without: Vec<&Query> = collection.queries().iter().filter(has_none).collect();
        if metrics.is_empty() || without.is_empty() {
            return None;
        }
        let example = |query: &&Query| Example::new(&query.id, &query.text, "");
        let has =
            choose(without.len(), "query has no `reference`: it is", "queries have no `reference`: they are");
        Some(Finding {
            severity: Severity::Caution,
            code: "queries-without-reference".to_owned(),
            message: format!("{} {has} in no mean of {}", without.len(), metrics.join(", ")),
            count: without.len(),
            examples: without.iter().take(Example::MOST).map(example).collect(),
            advice: "write a reference answer, or a list of its claims, into the metadata of the query"
                .to_owned(),
        })
    }
}
