//! A question for a judge.

use super::item::Description;
use super::request::Request;
use crate::collection::{Document, Query};

/// A document that is to be graded for a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The query.
    pub query: Query,
    /// The document; its text is the shown part.
    pub document: Document,
}

impl Pair {
    /// Approximate bytes of the judge's prompt: instructions, fences and the model's own template included.
    #[must_use]
    pub fn prompt_bytes(&self, judge: &Description) -> u64 {
        (judge.prompt.len() + self.query.in_conversation().len() + self.document.text.len()) as u64 + 500
    }

    /// The judge's prompt about it.
    #[must_use]
    pub fn request(&self, judge: &Description) -> Request {
        judge.request_about(&self.query, &self.document)
    }
}
