//! What specs may name beyond what is built in.

use crate::metric::MetricRegistry;
use crate::retriever::Factories;

/// Retrievers and metrics that were registered from Rust.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Retriever factories by name.
    pub retrievers: Factories,
    /// Metrics by name, the built-in ones included.
    pub metrics: MetricRegistry,
}

impl Registry {
    /// The built-in metrics and no retriever of one's own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
