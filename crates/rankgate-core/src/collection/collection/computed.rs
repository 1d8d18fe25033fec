//! What is computed of a collection once somebody asks: hashes and ids.

use std::sync::OnceLock;

use super::Collection;
use crate::Result;
use crate::collection::CorpusIds;

/// What is computed of a collection once somebody asks.
#[derive(Debug, Default)]
pub(super) struct Computed {
    /// Hashes of queries and judgments: every golden run of a collection has them.
    pub(super) hashes: [OnceLock<String>; 2],
    /// The ids of the documents.
    ids: OnceLock<CorpusIds>,
}

/// Whoever takes a copy changes it: what is computed of the one is not true of the other.
impl Clone for Computed {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[doc(hidden)]
impl Collection {
    /// The ids of its documents, read once; `None` without any.
    ///
    /// # Errors
    ///
    /// A corpus that cannot be read.
    pub fn corpus_ids(&self) -> Result<Option<&CorpusIds>> {
        let Some(corpus) = &self.inner.parts.corpus else { return Ok(None) };
        if self.inner.computed.ids.get().is_none() {
            // Two threads that read it at once read the same.
            let ids = CorpusIds::read(corpus, self.inner.parents.as_deref())?;
            return Ok(Some(self.inner.computed.ids.get_or_init(|| ids)));
        }
        Ok(self.inner.computed.ids.get())
    }

    /// [`Qrels::sha256`] of its judgments.
    pub fn judgments_sha256(&self) -> String {
        self.inner.computed.hashes[1].get_or_init(|| self.qrels().sha256()).clone()
    }
}
