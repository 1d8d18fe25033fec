//! The metadata of documents under some keys, by document.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Corpus, Document, Metadata};
use crate::error::Quoted;
use crate::parents::Parents;
use crate::{Error, Result};

/// By the ids of all documents.
pub type DocumentFields = BTreeMap<String, Metadata>;

/// The same for each list of keys that metrics needed so far, read once.
#[derive(Debug, Default)]
pub(super) struct Fields(Mutex<Vec<FieldsOfKeys>>);

type FieldsOfKeys = (Vec<Cow<'static, str>>, Result<Arc<DocumentFields>>);

impl Fields {
    /// What documents say under these keys.
    pub(super) fn get(
        &self,
        keys: &[Cow<'static, str>],
        corpus: impl FnOnce() -> Result<DocumentFields>,
    ) -> Result<Arc<DocumentFields>> {
        // A second thread waits instead of reading the same file.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, fields)) = all.iter().find(|(known, _)| known == keys) {
            return fields.clone();
        }
        let fields = corpus().map(Arc::new);
        all.push((keys.to_vec(), fields.clone()));
        fields
    }
}

/// That nothing is known under a key.
pub fn no_document_has(key: &str) -> Error {
    Error::invalid(format!("no document has {} in its metadata", Quoted(key)))
}

/// Reads the corpus once. Where it holds chunks, a document has what its chunks say of it.
pub(super) fn read(
    corpus: &Corpus,
    keys: &[Cow<'static, str>],
    parents: Option<&Parents>,
) -> Result<DocumentFields> {
    let mut fields = DocumentFields::new();
    let of_keys = |Document { id, mut metadata, .. }: Document| {
        metadata.retain(|key, _| keys.iter().any(|wanted| wanted == key));
        (id, metadata)
    };
    corpus.each(of_keys, |(id, metadata)| {
        fields.insert(id, metadata);
        true
    })?;
    if let Some(parents) = parents {
        let documents = of_documents(&fields, parents)?;
        fields.extend(documents);
    }
    Ok(fields)
}

/// What the chunks of each document say of it.
///
/// # Errors
/// Two chunks of one document that say different things.
fn of_documents(chunks: &DocumentFields, parents: &Parents) -> Result<DocumentFields> {
    let mut documents = DocumentFields::new();
    let mut said_by: HashMap<(&str, &str), &str> = HashMap::new();
    for (chunk, metadata) in chunks {
        let Ok(document) = parents.document(chunk) else { continue };
        let known = documents.entry(document.to_owned()).or_default();
        for (key, value) in metadata.iter().filter(|(_, value)| !value.is_null()) {
            let first = *said_by.entry((document, key)).or_insert(chunk);
            let held = known.entry(key.clone()).or_insert_with(|| value.clone());
            if held != value {
                return Err(Error::invalid(format!(
                    "document {}: {} is {held} by its chunk {} and {value} by its chunk {}",
                    Quoted(document),
                    Quoted(key),
                    Quoted(first),
                    Quoted(chunk)
                )));
            }
        }
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chunk(id: &str, metadata: serde_json::Value) -> Document {
        let metadata = metadata.as_object().unwrap().clone();
        metadata
            .into_iter()
            .fold(Document::new(id, "text"), |document, (key, value)| document.with(key, value))
    }

    #[test]
    fn the_corpus_is_read_once_for_the_same_keys() {
        let corpus = Corpus::in_memory([chunk("faq", json!({"tenant": "acme"}))]);
        let (all, keys) = (Fields::default(), ["tenant", "level"].map(Cow::Borrowed));
        let first = all.get(&keys, || read(&corpus, &keys, None)).unwrap();
        assert_eq!(json!(first["faq"]), json!({"tenant": "acme"}));
        let again = all.get(&keys, || Err(Error::invalid("read again"))).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert!(all.get(&keys[..1], || Err(Error::invalid("read again"))).is_err());
    }

    fn fields(chunks: impl IntoIterator<Item = Document>) -> Result<DocumentFields> {
        let parents = Parents::pattern(r"^(.+)#\d+$").unwrap();
        let keys = ["tenant", "year"].map(Cow::Borrowed);
        read(&Corpus::in_memory(chunks), &keys, Some(&parents))
    }

    #[test]
    fn a_document_has_the_metadata_of_its_chunks() {
        let found = fields([
            chunk("faq#1", json!({"tenant": "acme", "page": 1})),
            chunk("faq#2", json!({"tenant": "acme", "year": 2026, "page": 2})),
            chunk("news#1", json!({"tenant": null})),
            chunk("other", json!({"tenant": "globex"})),
        ])
        .unwrap();
        assert_eq!(json!(found["faq"]), json!({"tenant": "acme", "year": 2026}));
        // Of a document that nobody says anything of nothing is known.
        assert_eq!(json!(found["news"]), json!({}));
        assert_eq!(json!(found["other"]), json!({"tenant": "globex"}));
    }

    #[test]
    fn chunks_that_contradict_each_other_are_an_error() {
        let chunks = [
            chunk("faq#1", json!({"year": 2026})),
            chunk("faq#2", json!({"tenant": "acme", "year": 2026})),
            chunk("faq#3", json!({"tenant": "globex"})),
        ];
        assert_eq!(
            fields(chunks).unwrap_err().to_string(),
            "document `faq`: `tenant` is \"acme\" by its chunk `faq#2` and \"globex\" by its chunk `faq#3`"
        );
    }
}
