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
    retrievers: BTreeSet<String>,
    any_retriever: bool,
    without_gates: bool,
    absent_runs: bool,
    /// Why `http:` cannot be used here.
    http: Option<String>,
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

    pub(crate) fn takes_no_gate(&self) -> bool {
        self.without_gates
    }

    /// Takes specs whose `run:` files are not there, for commands that read nothing of them.
    pub fn absent_runs(&mut self) -> &mut Self {
        self.absent_runs = true;
        self
    }

    pub(crate) fn takes_absent_runs(&self) -> bool {
        self.absent_runs
    }

    /// Makes `http:` an error that says `why`, such as the feature to enable.
    pub fn unavailable_http(&mut self, why: impl Into<String>) -> &mut Self {
        self.http = Some(why.into());
        self
    }

    pub(crate) fn knows_retriever(&self, name: &str) -> bool {
        self.any_retriever || self.retrievers.contains(name)
    }

    /// Why `http:` cannot be used, if so.
    pub(crate) fn lacks_http(&self) -> Option<&str> {
        self.http.as_deref()
    }

    pub(crate) fn retrievers(&self) -> impl Iterator<Item = &str> {
        self.retrievers.iter().map(String::as_str)
    }
}
