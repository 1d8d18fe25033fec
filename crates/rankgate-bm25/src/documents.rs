//! What of a document is searched.

use std::borrow::Cow;

use serde_json::Value;

use crate::collection::Document;
use crate::error::Quoted;
use crate::{Error, Result};

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
