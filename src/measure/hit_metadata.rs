//! What hits say of their documents, held against the corpus.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::collection::{Collection, DocumentFields, Metadata};
use crate::error::Quoted;
use crate::{Error, Result};

use super::Cache;

impl Cache {
    /// The keys of documents' metadata that attributes and metrics need.
    pub(super) fn metadata_keys(&self) -> BTreeSet<&str> {
        let of_attributes = self.spec.attributes.iter().flat_map(|attribute| attribute.keys());
        let of_metrics = self.spec.metrics.iter().flat_map(|metric| metric.requirements().metadata);
        of_attributes.chain(of_metrics).map(AsRef::as_ref).collect()
    }

    /// What hits say of documents, with what the corpus says of the same ones; `None` where they say nothing.
    ///
    /// # Errors
    /// A hit that says something else than the corpus.
    pub(super) fn checked_hit_metadata(
        &self,
        collection: &Collection,
        said: BTreeMap<String, Metadata>,
    ) -> Result<Option<Arc<DocumentFields>>> {
        if said.is_empty() {
            return Ok(None);
        }
        let keys: Vec<Cow<'static, str>> =
            self.metadata_keys().into_iter().map(|key| Cow::Owned(key.to_owned())).collect();
        let corpus = match collection.corpus() {
            Ok(_) => Some(collection.document_fields(&keys)?),
            Err(_) => None,
        };
        let mut all = DocumentFields::new();
        for (id, said) in said {
            let mut known = corpus.as_ref().and_then(|corpus| corpus.get(&id)).cloned().unwrap_or_default();
            for (key, value) in said {
                match known.get(&key).filter(|known| !known.is_null()) {
                    Some(known) if *known != value => {
                        let (id, key) = (Quoted(&id), Quoted(&key));
                        return Err(Error::invalid(format!(
                            "document {id}: {key} is {value} by its hit and {known} by the corpus; one of them is wrong, and no \
                             attribute can be tested by it"
                        )));
                    }
                    Some(_) => {}
                    None => {
                        known.insert(key, value);
                    }
                }
            }
            all.insert(id, known);
        }
        Ok(Some(Arc::new(all)))
    }
}
