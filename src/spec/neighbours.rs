//! `ground-truth:`: where the true nearest neighbours of the queries come from.

use super::names::Names;
use super::scalar::{Reference, non_negative};
use super::template::{InputFile, PathTemplate};
use crate::mapping::{FromNode, Reader, Rule, mapping};
use crate::yaml::Node;

mapping! {
    /// The true nearest neighbours of the queries, by which `NN@k` judges an index: those that a
    /// configuration finds, or those in a file.
    pub(super) struct RawNeighbours as "`ground-truth`" {
        /// The configuration that searches exactly.
        "reference" => reference: Reference,
        /// A file of neighbours: `.ivecs`, or a run in any format, which may have
        /// distances as scores.
        "file" => file: InputFile,
        /// Whether queries have filters, so that a list of the file that is shorter than a cutoff has all that can be
        /// found; false by default: then it is an error.
        "filtered" => filtered: bool,
        /// The share of the k-th neighbour's distance by which a document may be farther and still tie with it, such as 1e-6;
        /// only equal distances tie by default.
        "ties" => ties: Tolerance,
    }
    rules: [
        Rule::ExactlyOne(&["reference", "file"]),
        Rule::Beside { key: "filtered", one_of: &["file"], because: "a reference that returns fewer has no more" },
    ]
}

/// A number that is 0 or more.
pub(super) struct Tolerance(f64);

impl FromNode for Tolerance {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        non_negative(node, "a tolerance", reader).map(Self)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "number", "minimum": 0})
    }
}

/// Where the true nearest neighbours of the queries come from, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NeighboursPlan {
    /// Who knows them.
    pub source: NeighboursSource,
    /// The share of a distance by which documents tie with the last of them.
    pub ties: f64,
}

/// Who knows the true nearest neighbours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NeighboursSource {
    /// A configuration of the spec that searches exactly.
    Reference(String),
    /// A file.
    File {
        /// The file.
        path: PathTemplate,
        /// Whether a short list has all that can be found.
        filtered: bool,
    },
}

impl NeighboursPlan {
    /// The configuration that searches exactly.
    pub fn reference(&self) -> Option<&str> {
        match &self.source {
            NeighboursSource::Reference(name) => Some(name),
            NeighboursSource::File { .. } => None,
        }
    }
}

impl RawNeighbours {
    /// The plan; `None` where something is wrong, which has been reported.
    pub(super) fn check(self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<NeighboursPlan> {
        let filtered = self.filtered.into_value().unwrap_or_default();
        let source = if let Some(reference) = self.reference.field_value() {
            let name = names.check(&reference.value.0, reference.at, reader)?;
            NeighboursSource::Reference(name)
        } else {
            NeighboursSource::File { path: self.file.into_value()?.0, filtered }
        };
        let ties = self.ties.into_value().map_or(0.0, |share| share.0);
        Some(NeighboursPlan { source, ties })
    }
}
