//! `ground-truth:`: where the true nearest neighbours of the queries come from.

use super::names::Names;
use super::scalar::Reference;
use super::template::{InputFile, PathTemplate};
use crate::mapping::{Reader, Rule, mapping};

mapping! {
    /// The true nearest neighbours of the queries, by which `NN@k` judges an index: those that a
    /// configuration finds, or those in a file.
    pub(super) struct RawNeighbours as "`ground-truth`" {
        /// The configuration that searches exactly.
        "reference" => reference: Reference,
        /// A run file of neighbours, which may have distances as scores.
        "file" => file: InputFile,
    }
    rules: [Rule::ExactlyOne(&["reference", "file"])]
}

/// Where the true nearest neighbours of the queries come from, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NeighboursPlan {
    /// A configuration of the spec that searches exactly.
    Reference(String),
    /// A file.
    File(PathTemplate),
}

impl NeighboursPlan {
    /// The configuration that searches exactly.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Reference(name) => Some(name),
            Self::File(_) => None,
        }
    }
}

impl RawNeighbours {
    /// The plan; `None` where something is wrong, which has been reported.
    pub(super) fn check(self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<NeighboursPlan> {
        if let Some(reference) = self.reference.field_value() {
            return names.check(&reference.value.0, reference.at, reader).map(NeighboursPlan::Reference);
        }
        self.file.into_value().map(|file| NeighboursPlan::File(file.0))
    }
}
