//! What takes the place of `variants:` without its feature: the key is known, so that it is named where it is refused.

use serde_json::{Value as Json, json};

use super::configuration::Configuration;
use super::read::{FromNode, Reader};
use super::threshold::Names;
use crate::yaml::{Node, Value};

/// The names of the variants, so that nothing is said of gates on them.
pub(super) struct RawVariants(Vec<String>);

impl FromNode for RawVariants {
    fn from_node(node: &Node, _: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else { return Some(Self(Vec::new())) };
        Some(Self(entries.iter().map(|entry| entry.key.text.to_string()).collect()))
    }

    fn schema() -> Json {
        json!({"type": "object"})
    }
}

impl RawVariants {
    pub(super) fn names(&self) -> Vec<String> {
        self.0.clone()
    }

    pub(super) fn check(self, _: &Names<'_>, _: &mut Reader<'_>) -> Option<Vec<Self>> {
        None
    }
}

pub(super) fn under_variants(_: &[Configuration], _: &[RawVariants], _: &[&str]) -> Vec<Configuration> {
    Vec::new()
}
