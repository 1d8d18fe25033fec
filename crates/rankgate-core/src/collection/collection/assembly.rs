//! Collections put together, checked, and taken apart again.

use std::sync::Arc;

use super::{Collection, Computed, Inner};
use crate::collection::parts::{Parts, two_queries};
use crate::collection::{Query, answerable};
use crate::error::Quoted;
use crate::order;
use crate::words::agree;
use crate::{Error, Result};

impl Collection {
    /// What this one was put together from.
    pub(in crate::collection) fn parts(&self) -> Parts {
        let Inner { parts, queries, unjudged, unanswerable, .. } = &*self.inner;
        // Where nothing is judged, all of them are asked.
        let unjudged = if parts.qrels.is_empty() { &[] } else { unjudged.as_slice() };
        let queries = queries.iter().chain(unjudged).chain(unanswerable).cloned().collect();
        Parts { queries, names_unjudged: false, ..parts.clone() }
    }

    pub(in crate::collection) fn from_parts(mut parts: Parts) -> Result<Self> {
        if let Some(unjudged) = parts.unjudged() {
            parts.warnings.insert(0, unjudged);
        }
        let mut queries = std::mem::take(&mut parts.queries);
        let Parts { qrels, warnings, expected, names_unjudged, .. } = &mut parts;
        order::sort_by(&mut queries, |a, b| a.id.cmp(&b.id));
        if queries.is_empty() {
            return Err(Error::invalid("the collection has no query"));
        }
        if queries[0].id.is_empty() {
            return Err(Error::invalid("a query has an empty id"));
        }
        if let Some(pair) = queries.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(two_queries(&pair[0].id));
        }
        let position = |id: &str| queries.binary_search_by(|query| query.id.as_str().cmp(id));
        if let Some(unknown) = qrels.queries().find(|id| position(id).is_err()) {
            let unknown = Quoted(unknown);
            return Err(Error::invalid(format!(
                "judgments of {unknown}, which is no query of the collection"
            )));
        }
        answerable::check(&queries, qrels)?;
        let unanswerable: Vec<Query> = queries.extract_if(.., |query| query.is_unanswerable()).collect();
        let mut unjudged: Vec<Query> =
            queries.extract_if(.., |query| qrels.judgments(&query.id).is_none()).collect();
        if qrels.is_empty() {
            queries.clone_from(&unjudged);
        }
        unjudged.shrink_to_fit();
        if *names_unjudged {
            expected.extend(unjudged.iter().map(|query| query.id.clone()));
        }
        expected.retain(|id| qrels.judgments(id).is_none());
        expected.retain(|id| unanswerable.binary_search_by(|query| query.id.cmp(id)).is_err());
        let without_text = queries.iter().filter(|query| query.text.is_empty()).count();
        if without_text > 0 && without_text < queries.len() {
            warnings.push(format!(
                "{without_text} of {} queries {} no text",
                queries.len(),
                agree(without_text, "has", "have")
            ));
        }
        let mut to_ask = Vec::new();
        if !unanswerable.is_empty() {
            to_ask = queries.iter().chain(&unanswerable).cloned().collect();
            order::sort_by(&mut to_ask, |a, b| a.id.cmp(&b.id));
        }
        let computed = Computed::default();
        let inner = Inner { parts, queries, unjudged, unanswerable, to_ask, parents: None, computed };
        Ok(Self { inner: Arc::new(inner) })
    }
}
