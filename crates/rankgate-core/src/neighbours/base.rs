//! The documents among which neighbours are looked for.

use std::fmt;

use crate::collection::CorpusIds;
use crate::error::Quoted;

/// The ids of the documents that a search can find, so that truth about other ones shows.
pub trait Base: Send + Sync + fmt::Debug {
    /// Whether a document has this id.
    fn contains(&self, id: &str) -> bool;

    /// What there is instead of an id that it does not have, as the end of a sentence.
    fn description(&self) -> String;
}

impl Base for CorpusIds {
    fn contains(&self, id: &str) -> bool {
        self.contains(id)
    }

    fn description(&self) -> String {
        format!("the corpus has no such document; its ids are such as {}", Quoted(self.example()))
    }
}
