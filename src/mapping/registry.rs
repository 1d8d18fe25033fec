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
    /// Why `http:` cannot be used here.
    pub(crate) http: Option<String>,
}

/// Why a key that needs a feature cannot be used, and how the author of the spec turns the feature on; `None`
/// where it is compiled.
macro_rules! missing {
    ($feature:tt) => {
        (!cfg!(feature = $feature)).then_some(concat!(
            "it needs rankgate's feature `",
            $feature,
            "`: write `features = [\"",
            $feature,
            "\"]` beside rankgate in Cargo.toml, or install the command without `--no-default-features`"
        ))
    };
}
pub(crate) use missing;

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

    /// Makes `http:` an error that says `why`, such as the feature to enable.
    pub fn unavailable_http(&mut self, why: impl Into<String>) -> &mut Self {
        self.http = Some(why.into());
        self
    }
}
