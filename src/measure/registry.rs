//! Names in specs beyond the built-in ones.

use crate::metric::MetricRegistry;
use crate::retriever::Factories;
use crate::spec;

/// Retrievers and metrics that were registered from Rust.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Retriever factories by name.
    pub retrievers: Factories,
    /// Metrics by name, the built-in ones included.
    pub metrics: MetricRegistry,
    /// What specs may name beside these. A gate that needs a retriever or a run that is not there is an error.
    pub names: spec::Registry,
}

impl Registry {
    /// The built-in metrics and no retriever of one's own.
    pub fn new() -> Self {
        Self::default()
    }
}
