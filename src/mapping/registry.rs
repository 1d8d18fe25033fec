//! What names in a spec may mean.

use std::collections::BTreeSet;

use crate::metric::MetricRegistry;

/// The names that a spec may use: retrievers and metrics.
///
/// ```
/// use rankgate::spec::Registry;
///
/// let mut registry = Registry::new();
/// registry.retriever("mine");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// The metrics that gates may name.
    pub metrics: MetricRegistry,
    pub(crate) retrievers: BTreeSet<String>,
    pub(crate) any_retriever: bool,
    pub(crate) without_gates: bool,
    pub(crate) absent_runs: bool,
    /// Features of rankgate that are not compiled.
    pub(crate) missing_features: BTreeSet<&'static str>,
}

impl Registry {
    /// The built-in metrics, and no retriever.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes `retriever: name` known.
    pub fn retriever(&mut self, name: impl Into<String>) -> &mut Self {
        self.retrievers.insert(name.into());
        self
    }

    /// Takes any name of a retriever, for commands that read a spec without running it.
    pub fn any_retriever(&mut self) -> &mut Self {
        self.any_retriever = true;
        self
    }

    /// Takes specs without a gate, which can be measured and can never fail.
    pub fn without_gates(&mut self) -> &mut Self {
        self.without_gates = true;
        self
    }

    /// Takes specs whose `run:` files are not there, for commands that read nothing of them.
    pub fn absent_runs(&mut self) -> &mut Self {
        self.absent_runs = true;
        self
    }

    /// Makes each key that needs this feature of rankgate an error.
    pub fn without_feature(&mut self, feature: &'static str) -> &mut Self {
        self.missing_features.insert(feature);
        self
    }
}
