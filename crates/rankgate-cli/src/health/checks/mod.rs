//! The health of a collection: what to know of it before a number from it is trusted.
//!
//! [`examine`] reads the documents once or twice and never holds them all; what it keeps is about a hundred
//! bytes a document. What needs configurations (how much of what they return was judged, which gates these
//! queries cannot decide) is added by `lint`.
//!
//! | file | holds |
//! |---|---|
//! | `words` | a text as words |
//! | `likeness` | fingerprints of texts, and which texts say the same |
//! | `copied`, `spans` | queries inside documents, and long parts of them |
//! | `languages` | queries in another language than their relevant documents |
//! | `documents` | one pass over the documents, and a second one for what it found |
//! | `repeats` | documents and queries that are there more than once |
//! | `shared` | queries that want the same documents |
//! | `identical` | queries that are documents |
//! | `judgments`, `queries` | the other checks |

mod copied;
mod documents;
mod identical;
mod judgments;
mod languages;
mod likeness;
mod queries;
mod repeats;
mod shared;
mod spans;

pub(crate) use identical::{CODE as QUERIES_ARE_DOCUMENTS, note as told_identical, relevant_to_itself};
pub(crate) use shared::CODE as QUERIES_SHARE_RELEVANT;

use crate::health::Result;
use crate::health::collection::Collection;
use crate::health::model::{Finding, Health, SCHEMA, Severity};

/// Examines queries, judgments and documents.
///
/// `subject` is what the collection is called in the result, such as its folder; `relevant_from` the lowest
/// grade that counts as relevant, 1 by default elsewhere.
///
/// # Errors
///
/// A corpus that cannot be read.
pub fn examine(subject: &str, collection: &Collection, relevant_from: i32) -> Result<Health> {
    let seen = documents::read(collection, relevant_from)?;
    let mut findings = Vec::new();
    findings.extend(judgments::findings(collection, relevant_from, seen.as_ref()));
    findings.extend(queries::findings(collection));
    if let Some(seen) = &seen {
        findings.extend(copied::findings(collection, &seen.copies));
        let copied = |query: usize| seen.copies.get(query).is_some_and(copied::Copies::is_copied);
        findings.extend(spans::finding(collection, &seen.spans, copied));
        findings.extend(languages::finding(collection, &seen.languages));
        findings.extend(documents::findings(seen));
    }
    findings.extend(identical::finding(collection, seen.as_ref()));
    findings.extend(repeats::findings(collection, seen.as_ref()));
    findings.extend(shared::finding(collection, relevant_from));
    findings.extend(collection.warnings().iter().map(|warning| Finding {
        severity: Severity::Caution,
        code: "file-warning".into(),
        message: warning.clone(),
        count: 1,
        examples: Vec::new(),
        advice: String::new(),
    }));
    let mut health = Health {
        schema: SCHEMA,
        subject: subject.to_owned(),
        collection: judgments::facts(collection, relevant_from, seen.as_ref()),
        resolution: None,
        findings,
    };
    health.order();
    Ok(health)
}
