//! The configurations of a spec by name, as they are written.

use super::keys::RawConfiguration;
use crate::mapping::{FromNode, Reader, Spanned};
use crate::spec::scalar::Name;
use crate::yaml::Node;

/// The mapping from names to configurations. A configuration that cannot be read still has a name.
pub(in crate::spec) struct RawConfigurations(
    pub(in crate::spec) Vec<(Spanned<Name>, Option<RawConfiguration>)>,
);

impl FromNode for RawConfigurations {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from names to configurations")?;
        if entries.is_empty() {
            return reader.refuse(node.span, "no configuration: nothing would be measured");
        }
        // Whoever names a configuration whose name is refused is not told that it does not exist.
        Name::of_all(entries, reader).map(Self)
    }
}

impl RawConfigurations {
    pub(in crate::spec) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.0.clone()).collect()
    }
}
