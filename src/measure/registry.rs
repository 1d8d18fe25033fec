//! Names in specs beyond the built-in ones.

use crate::metric::MetricRegistry;
use crate::retriever::Factories;

/// Retrievers and metrics that were registered from Rust.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Retriever factories by name.
    pub retrievers: Factories,
    /// Metrics by name, the built-in ones included.
    pub metrics: MetricRegistry,
    any_retriever: bool,
    absent_runs: bool,
}

impl Registry {
    /// The built-in metrics and no retriever of one's own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes specs with any name in `retriever:`: a gate that needs an unregistered one is
    /// errors, the others are decided.
    pub fn any_retriever(&mut self) -> &mut Self {
        self.any_retriever = true;
        self
    }

    pub(crate) fn takes_any_retriever(&self) -> bool {
        self.any_retriever
    }

    /// Takes specs whose `run:` files are not there: a gate that needs one is an error.
    pub fn absent_runs(&mut self) -> &mut Self {
        self.absent_runs = true;
        self
    }

    pub(crate) fn takes_absent_runs(&self) -> bool {
        self.absent_runs
    }
}
