//! The configurations of a spec by name, as they are written.

use serde_json::{Value as Json, json};

use super::keys::RawConfiguration;
use crate::mapping::{FromNode, Reader, Spanned};
use crate::spec::scalar::Name;
use crate::yaml::{Node, Value};

/// The mapping from names to configurations. A configuration that cannot be read still has a name.
pub(in crate::spec) struct RawConfigurations(
    pub(in crate::spec) Vec<(Spanned<Name>, Option<RawConfiguration>)>,
);

impl FromNode for RawConfigurations {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from names to configurations");
        };
        if entries.is_empty() {
            return reader.refuse(node.span, "no configuration: nothing would be measured");
        }
        let mut configurations = Vec::with_capacity(entries.len());
        let mut named = true;
        for entry in entries.iter() {
            let name = Name::check(&entry.key.text, entry.key.span, reader);
            let configuration = reader.read(&entry.value);
            match name {
                Some(value) => configurations.push((Spanned { at: entry.key.span, value }, configuration)),
                None => named = false,
            }
        }
        // Whoever names a configuration whose name is refused is not told that it does not exist.
        named.then_some(Self(configurations))
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": Name::schema(),
            "additionalProperties": RawConfiguration::schema(),
        })
    }
}

impl RawConfigurations {
    pub(in crate::spec) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.0.clone()).collect()
    }
}
