//! `segment:` of gates: the queries that they are about.

use crate::gate::Segment;
use crate::mapping::{FromNode, Reader};
use crate::yaml::Node;

/// Bytes of a segment's key and of its value.
const LONGEST: usize = 200;

impl FromNode for Segment {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a metadata key with its value, such as `{category: billing}`")?;
        let [entry] = entries else {
            return reader
                .refuse(node.span, format!("a segment is one key with its value, not {}", entries.len()));
        };
        if entry.key.text.is_empty() {
            return reader.refuse(entry.key.span, "this key is empty");
        }
        let value = reader.text(&entry.value, "a value")?;
        if entry.key.text.len().max(value.len()) > LONGEST {
            // They become part of the test's name.
            return reader.refuse(node.span, format!("a segment's key and value have up to {LONGEST} bytes"));
        }
        Some(Self::new(&*entry.key.text, value))
    }
}
