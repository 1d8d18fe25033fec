//! What a judge is asked about.

use super::file::Description;
use super::request::Request;
use crate::collection::{Document, Query};

/// A document that is to be graded for a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What is asked.
    pub query: Query,
    /// The document; its text is what is shown of it.
    pub document: Document,
}

impl Pair {
    /// Bytes of what a judge is asked about it, about: how to answer, fences and the model's own template included.
    #[must_use]
    pub fn prompt_bytes(&self, judge: &Description) -> u64 {
        (judge.prompt.len() + self.query.text.len() + self.document.text.len()) as u64 + 500
    }

    /// What a judge is asked about it.
    #[must_use]
    pub fn request(&self, judge: &Description) -> Request {
        judge.request_about(&self.query, &self.document)
    }
}
