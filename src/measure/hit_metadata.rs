//! What hits say of their documents, held against the corpus.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::collection::{Collection, DocumentFields, Metadata, no_document_has};
use crate::error::Quoted;
use crate::metric::Metric;
use crate::spec::{Configuration, ConfigurationSource, Spec};
use crate::{Error, Result};

/// The keys of documents' metadata that attributes need.
pub(super) fn metadata_keys(spec: &Spec) -> BTreeSet<&str> {
    spec.attributes.iter().flat_map(|attribute| attribute.keys()).map(AsRef::as_ref).collect()
}

/// The keys of documents' metadata that a metric needs.
fn keys_of<'a>(spec: &'a Spec, metric: &'a Metric) -> &'a [Cow<'static, str>] {
    let named = metric.requirements().attribute;
    let attribute = named.and_then(|name| spec.attributes.iter().find(|one| one.name() == name));
    attribute.map_or(&[], |attribute| attribute.keys())
}

/// Whether hits may say what documents are: of a program, a retriever or a service that has metadata where the spec points.
pub(super) fn has_hits(configuration: &Configuration) -> bool {
    match &configuration.source {
        ConfigurationSource::Http(http) => http.metadata.is_some(),
        ConfigurationSource::Bm25 { .. } => false,
        _ => configuration.is_live(),
    }
}

/// What hits say of documents, with what the corpus says of the same ones; `None` where they say nothing.
///
/// # Errors
/// A hit that says something else than the corpus; a key of a metric that neither a hit nor a document of the corpus has.
pub(super) fn checked_hit_metadata(
    spec: &Spec,
    collection: &Collection,
    said: BTreeMap<String, Metadata>,
) -> Result<Option<Arc<DocumentFields>>> {
    let keys: Vec<Cow<'static, str>> =
        metadata_keys(spec).into_iter().map(|key| Cow::Owned(key.to_owned())).collect();
    if keys.is_empty() {
        return Ok(None);
    }
    let corpus = match collection.corpus() {
        Ok(_) => Some(collection.known_document_fields(&keys)?),
        Err(_) => None,
    };
    if let Some(corpus) = &corpus {
        let has = |key: &str| corpus.values().chain(said.values()).any(|all| all.contains_key(key));
        for metric in &spec.metrics {
            if let Some(key) = keys_of(spec, metric).iter().find(|key| !has(key)) {
                let why = no_document_has(key);
                return Err(Error::invalid(format!(
                    "{metric} needs the documents' metadata: {why}, and no hit brings it"
                )));
            }
        }
    }
    if said.is_empty() {
        return Ok(None);
    }
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
