//! Checks of a collection. [`examine`] reads the documents once or twice and never holds them all: it keeps about a
//! hundred bytes of each.

mod copied;
mod documents;
mod judgments;
mod likeness;
mod repeats;

use crate::health::Result;
use crate::health::collection::Collection;
use crate::health::model::{Finding, Health, SCHEMA, Severity};

/// Checks queries, judgments and documents. `subject` is the name of the collection in the result; grades from
/// `relevant_from` count as relevant.
///
/// # Errors
///
/// A corpus that cannot be read.
pub fn examine(subject: &str, collection: &Collection, relevant_from: i32) -> Result<Health> {
    let seen = documents::read(collection, relevant_from)?;
    let mut findings = judgments::findings(collection, relevant_from, seen.as_ref());
    if let Some(seen) = &seen {
        findings.extend(copied::findings(collection, &seen.copies));
        findings.extend(documents::repeated_ids(seen));
    }
    findings.extend(repeats::findings(collection, seen.as_ref()));
    findings.extend(
        collection.warnings().iter().filter_map(|warning| {
            Finding::new((Severity::Warning, "file-warning"), warning.clone(), 1, [], "")
        }),
    );
    findings.sort_by_key(|finding| finding.severity);
    let collection = judgments::facts(collection, relevant_from, seen.as_ref());
    Ok(Health { schema: SCHEMA, subject: subject.to_owned(), collection, findings })
}
