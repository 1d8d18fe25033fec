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
        let Inner {
            queries,
            unjudged,
            unanswerable,
            lacking,
            qrels,
            corpus,
            add_corpus,
            warnings,
            passages,
            origins,
            ..
        } = &*self.inner;
        // Where nothing is judged, all of them are asked.
        let unjudged = if qrels.is_empty() { &[] } else { unjudged.as_slice() };
        Parts {
            expected: lacking.clone(),
            queries: queries.iter().chain(unjudged).chain(unanswerable).cloned().collect(),
            qrels: qrels.clone(),
            corpus: corpus.clone(),
            add_corpus: add_corpus.clone(),
            warnings: warnings.clone(),
            passages: passages.clone(),
            names_unjudged: false,
            origins: origins.clone(),
        }
    }

    pub(in crate::collection) fn from_parts(parts: Parts) -> Result<Self> {
        let unjudged = parts.unjudged();
        let Parts {
            mut queries,
            qrels,
            corpus,
            add_corpus,
            warnings,
            passages,
            names_unjudged,
            mut expected,
            origins,
        } = parts;
        let mut warnings: Vec<String> = unjudged.into_iter().chain(warnings).collect();
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
        answerable::check(&queries, &qrels)?;
        let unanswerable: Vec<Query> = queries.extract_if(.., |query| query.is_unanswerable()).collect();
        let mut unjudged: Vec<Query> =
            queries.extract_if(.., |query| qrels.judgments(&query.id).is_none()).collect();
        if qrels.is_empty() {
            queries.clone_from(&unjudged);
        }
        unjudged.shrink_to_fit();
        if names_unjudged {
            expected.extend(unjudged.iter().map(|query| query.id.clone()));
        }
        expected.retain(|id| qrels.judgments(id).is_none());
        expected.retain(|id| unanswerable.binary_search_by(|query| query.id.cmp(id)).is_err());
        let lacking = expected;
        let without_text = queries.iter().filter(|query| query.text.is_empty()).count();
        if without_text > 0 && without_text < queries.len() {
            warnings.push(format!(
                "{without_text} of {} queries {} no text",
                queries.len(),
                agree(without_text, "has", "have")
            ));
        }
        let (parents, computed) = (None, Computed::default());
        let mut to_ask = Vec::new();
        if !unanswerable.is_empty() {
            to_ask = queries.iter().chain(&unanswerable).cloned().collect();
            order::sort_by(&mut to_ask, |a, b| a.id.cmp(&b.id));
        }
        let inner = Inner {
            queries,
            unjudged,
            unanswerable,
            to_ask,
            lacking,
            qrels,
            corpus,
            add_corpus,
            warnings,
            parents,
            passages,
            origins,
            attributes: Arc::default(),
            computed,
        };
        Ok(Self { inner: Arc::new(inner) })
    }
}
