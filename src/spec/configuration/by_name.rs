//! The configurations of a spec by name, as they are written.

use serde_json::{Value as Json, json};

use super::keys::RawConfiguration;
use crate::mapping::{FromNode, Reader, Spanned};
use crate::spec::scalar::Name;
use crate::yaml::{Node, Span, Value};

/// More configurations are a mistake, or an attack.
const MOST: usize = 1000;

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
        if entries.len() > MOST {
            return reader.refuse(node.span, format!("more than {MOST} configurations"));
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
            "maxProperties": MOST,
            "propertyNames": Name::schema(),
            "additionalProperties": RawConfiguration::schema(),
        })
    }
}

impl RawConfigurations {
    pub(in crate::spec) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.0.clone()).collect()
    }

    /// The stages that configurations declare, each with its configuration and its place.
    pub(in crate::spec) fn stages(&self) -> Vec<(String, String, Span)> {
        let mut stages = Vec::new();
        for (name, raw) in &self.0 {
            let declared = raw.iter().flat_map(RawConfiguration::stage_names);
            stages.extend(declared.map(|(stage, at)| (name.value.0.clone(), stage, at)));
        }
        stages
    }

    /// Each fusion's name with its place and the names of what it is made of.
    pub(in crate::spec) fn fusions(&self) -> Vec<(&str, Span, Vec<&str>)> {
        let mut fusions = Vec::new();
        for (name, raw) in &self.0 {
            if let Some(fuse) = raw.as_ref().and_then(|raw| raw.fuse.value()) {
                fusions.push((&*name.value.0, name.at, fuse.0.iter().map(|one| &*one.value.0).collect()));
            }
        }
        fusions
    }

    /// How many results of each ranking fusions take, with the places that say so.
    pub(in crate::spec) fn depths(&self) -> impl Iterator<Item = (usize, Span)> {
        let raw = self.0.iter().filter_map(|(_, raw)| raw.as_ref());
        raw.filter_map(|raw| raw.depth.field_value()).map(|given| (given.value.0, given.at))
    }
}
