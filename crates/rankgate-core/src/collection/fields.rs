//! The metadata of documents under some keys, by document.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Corpus, Document, Metadata};
use crate::error::Quoted;
use crate::{Error, Result};

/// By the ids of all documents.
pub type DocumentFields = BTreeMap<String, Metadata>;

/// The same for the keys that metrics needed so far.
#[derive(Debug, Default)]
pub(super) struct Fields(Mutex<Vec<FieldsOfKeys>>);

/// The metadata under one list of keys, read once.
#[derive(Debug)]
struct FieldsOfKeys {
    keys: Vec<Cow<'static, str>>,
    fields: Result<Arc<DocumentFields>>,
}

impl Fields {
    pub(super) fn get(
        &self,
        keys: &[Cow<'static, str>],
        corpus: impl FnOnce() -> Result<DocumentFields>,
    ) -> Result<Arc<DocumentFields>> {
        // A second thread waits instead of reading the same file.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|known| known.keys == keys) {
            return known.fields.clone();
        }
        let fields = corpus().map(Arc::new);
        all.push(FieldsOfKeys { keys: keys.to_vec(), fields: fields.clone() });
        fields
    }
}

/// Reads the corpus once. A key that no document has is an error: it is misspelt, or the corpus is another one.
pub(super) fn read(corpus: &Corpus, keys: &[Cow<'static, str>]) -> Result<DocumentFields> {
    let mut fields = DocumentFields::new();
    let of_keys = |Document { id, mut metadata, .. }: Document| {
        metadata.retain(|key, _| keys.iter().any(|wanted| wanted == key));
        (id, metadata)
    };
    corpus.each(of_keys, |(id, metadata)| {
        fields.insert(id, metadata);
        true
    })?;
    match keys.iter().find(|key| !fields.values().any(|metadata| metadata.contains_key(key.as_ref()))) {
        None => Ok(fields),
        Some(key) => Err(Error::invalid(format!("no document has {} in its metadata", Quoted(key)))),
    }
}
