//! A gate of a kind that this build does not know: kept as it was written.

pub(crate) mod message;

use serde_json::Value;

use crate::json::{ToJson, Tree};

use super::Kind;

/// A finding of a kind that this build does not know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownFinding {
    /// The kind's name.
    pub kind: String,
    /// Its fields as they were written; an object without `kind`.
    pub fields: Value,
    /// What the writer says of the gate; empty where it says nothing.
    pub message: String,
    /// What the writer says should be known before its verdict is believed.
    pub cautions: Vec<String>,
}

#[doc(hidden)]
impl ToJson for UnknownFinding {
    fn to_json(&self) -> Tree<'_> {
        let fields = self.fields.as_object().into_iter().flatten();
        let fields = fields.map(|(key, value)| (key.as_str(), value as &dyn ToJson));
        Tree::Object([("kind", &self.kind as &dyn ToJson)].into_iter().chain(fields).collect())
    }
}

impl Kind for UnknownFinding {}
