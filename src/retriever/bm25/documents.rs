//! What of a document is searched.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::collection::Document;
use crate::error::Quoted;
use crate::{Error, Result};

/// So many metadata keys are named where a field is none of them.
const KEYS_NAMED: usize = 20;

/// What a document has to say in a field: nothing, one text, or those of a list.
pub(super) fn texts<'d>(document: &'d Document, field: &str) -> Result<Vec<Cow<'d, str>>> {
    match field {
        "title" => Ok(document.title.iter().map(Cow::from).collect()),
        "text" => Ok(vec![Cow::from(&document.text)]),
        key => match document.metadata.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => {
                values.iter().filter_map(|value| scalar(value, &document.id, key).transpose()).collect()
            }
            Some(value) => Ok(scalar(value, &document.id, key)?.into_iter().collect()),
        },
    }
}

fn scalar<'v>(value: &'v Value, document: &str, field: &str) -> Result<Option<Cow<'v, str>>> {
    let what = match value {
        Value::Null => return Ok(None),
        Value::String(text) => return Ok(Some(Cow::from(text))),
        Value::Bool(_) | Value::Number(_) => return Ok(Some(Cow::from(value.to_string()))),
        Value::Array(_) => "a list in a list",
        Value::Object(_) => "an object",
    };
    Err(Error::invalid(format!(
        "document {}: field {} holds {what}; text, numbers, truth values and lists of them can be searched",
        Quoted(document),
        Quoted(field)
    )))
}

/// What the documents have in the way of fields.
#[derive(Default)]
pub(super) struct FieldNames {
    title: bool,
    metadata: BTreeSet<String>,
}

impl FieldNames {
    pub(super) fn add(&mut self, document: &Document) {
        self.title |= document.title.is_some();
        for (key, value) in &document.metadata {
            if !value.is_null() && !self.metadata.contains(key) {
                self.metadata.insert(key.clone());
            }
        }
    }

    /// That each of these fields is one that some document has.
    pub(super) fn check<'f>(&self, fields: impl IntoIterator<Item = &'f str>) -> Result<()> {
        let known = |name: &str| match name {
            "title" => self.title,
            "text" => true,
            key => self.metadata.contains(key),
        };
        let Some(unknown) = fields.into_iter().find(|field| !known(field)) else { return Ok(()) };
        let title = self.title.then_some("title");
        let keys = self.metadata.iter().map(String::as_str);
        let mut names: Vec<_> = title.into_iter().chain(["text"]).chain(keys).collect();
        let more = if names.len() > KEYS_NAMED { ", ..." } else { "" };
        names.truncate(KEYS_NAMED);
        let names = names.iter().map(|name| Quoted(name).to_string()).collect::<Vec<_>>().join(", ");
        Err(Error::invalid(format!(
            "no document has the field {}; fields are {names}{more}",
            Quoted(unknown)
        )))
    }
}
