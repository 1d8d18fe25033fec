//! Documents by what their metadata say, and which of them a metric counts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Evaluation;
use crate::Result;
use crate::collection::{DocumentFields, Metadata, Passage};
use crate::metric::{Metric, RankedQuery};
use crate::model::DocumentMove;

impl Evaluation {
    /// Hands over a query with all that a metric needs of metadata.
    pub(super) fn with_metadata<T>(
        &self,
        metric: &Metric,
        asked: RankedQuery<'_>,
        then: impl FnOnce(&RankedQuery<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(name) = metric.requirements().attribute else { return then(&asked) };
        let attribute = self.collection.attribute(name)?;
        let fields = self.fields(attribute.keys())?;
        then(&asked.with_attribute(attribute, |id| self.metadata(&fields, id)))
    }

    /// What the corpus says under some keys; nothing where there is none and hits say it. What hits say has been held against
    /// the corpus, and may be under keys that no document has.
    fn fields(&self, keys: &[Cow<'static, str>]) -> Result<Arc<DocumentFields>> {
        match (self.collection.corpus(), &self.inputs.hit_metadata) {
            (Err(_), Some(_)) => Ok(Arc::default()),
            (Ok(_), Some(_)) => self.collection.known_document_fields(keys),
            (_, None) => self.collection.document_fields(keys),
        }
    }

    /// What is known of a document, by its hit and the corpus, or by the corpus alone.
    fn metadata<'f>(&'f self, fields: &'f DocumentFields, id: &str) -> Option<&'f Metadata> {
        let of_hit = self.inputs.hit_metadata.as_ref().and_then(|all| all.get(id));
        of_hit.or_else(|| metadata(fields, id))
    }

    /// The documents within its cutoff that a metric of an attribute counts in one pass, by rank; none of another metric.
    pub(crate) fn counted_documents(
        &self,
        metric: &Metric,
        pass: usize,
        query: usize,
    ) -> Result<Vec<DocumentMove>> {
        let (Some(pass), Some(name)) = (self.passes.get(pass), metric.requirements().attribute) else {
            return Ok(Vec::new());
        };
        let keys = self.collection.attribute(name)?.keys();
        let Some(asked) = self.ranked_query(pass, query)? else { return Ok(Vec::new()) };
        let cutoff = metric.cutoff().unwrap_or(usize::MAX);
        self.with_metadata(metric, asked, |asked| {
            let counted = asked.documents_with_attribute(cutoff)?.into_iter();
            let counted = counted.map(|(rank, document)| DocumentMove {
                document: document.id.to_owned(),
                metadata: values(document.metadata, keys.iter().map(AsRef::as_ref)),
                to: Some(rank),
                ..DocumentMove::default()
            });
            Ok(counted.collect())
        })
    }

    /// What the metadata of a query say under the keys that a metric compares documents with.
    pub(crate) fn compared_metadata(&self, metric: &Metric, query: usize) -> Vec<[String; 2]> {
        let attribute = metric.requirements().attribute.and_then(|name| self.collection.attribute(name).ok());
        let keys = attribute.map(crate::metric::Attribute::query_keys).unwrap_or_default();
        values(&self.queries[query].metadata, keys.into_iter())
    }
}

/// The values under some keys, as text.
fn values<'k>(metadata: &BTreeMap<String, Value>, keys: impl Iterator<Item = &'k str>) -> Vec<[String; 2]> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    keys.filter_map(|key| Some([key.to_owned(), text(metadata.get(key)?)])).collect()
}

/// What is known of a document, or of the document that a passage is of.
fn metadata<'f>(fields: &'f DocumentFields, id: &str) -> Option<&'f Metadata> {
    fields.get(id).or_else(|| fields.get(&Passage::parse(id)?.document))
}
