//! What is computed of a collection once somebody asks: hashes, ids, and what its documents say.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::Collection;
use crate::Result;
use crate::collection::CorpusIds;
use crate::collection::fields::{self, DocumentFields, Fields};

/// What is computed of a collection once somebody asks.
#[derive(Debug, Default)]
pub(super) struct Computed {
    /// Hashes of queries and judgments: every golden run of a collection has them.
    pub(super) hashes: [OnceLock<String>; 2],
    /// The ids of the documents.
    ids: OnceLock<CorpusIds>,
    /// What they say of themselves under the keys of their metadata that somebody asked for.
    fields: Arc<Fields>,
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

    /// What its documents say under these keys of their metadata, by document; read once for each list of keys.
    ///
    /// # Errors
    ///
    /// A collection without documents, documents that cannot be read, a key that none of them has.
    pub fn document_fields(&self, keys: &[Cow<'static, str>]) -> Result<Arc<DocumentFields>> {
        let fields = self.known_document_fields(keys)?;
        let has = |key: &str| fields.values().any(|metadata| metadata.contains_key(key));
        match keys.iter().find(|key| !has(key)) {
            Some(key) => Err(fields::no_document_has(key)),
            None => Ok(fields),
        }
    }

    /// The same where hits may have a key that no document has.
    ///
    /// # Errors
    ///
    /// A collection without documents, documents that cannot be read.
    #[doc(hidden)]
    pub fn known_document_fields(&self, keys: &[Cow<'static, str>]) -> Result<Arc<DocumentFields>> {
        self.inner.computed.fields.get(keys, || fields::read(self.corpus()?, keys, self.parents()))
    }

    /// [`Qrels::sha256`] of its judgments.
    pub fn judgments_sha256(&self) -> String {
        self.inner.computed.hashes[1].get_or_init(|| self.qrels().sha256()).clone()
    }
}
