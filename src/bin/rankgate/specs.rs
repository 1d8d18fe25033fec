//! Specs as commands open them.

use std::path::Path;

use rankgate::benchmark::{Benchmark, Registry};
use rankgate::spec::{self, ConfigurationSource, Spec};
use rankgate::{BoxError, Hit, Query, Retriever};

/// Whether a path is that of a spec, by its ending.
pub(crate) fn is_spec(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    matches!(extension.as_str(), "yaml" | "yml")
}

/// Opens a spec. What it registers from Rust cannot be asked here: those configurations fail, and say so.
pub(crate) fn open(path: &Path) -> Result<Benchmark, BoxError> {
    let mut names = spec::Registry::new();
    names.any_retriever().builtin("bm25");
    let mut registry = Registry::new();
    // What else is wrong with the spec is said when it is opened.
    if let Ok(spec) = Spec::load(path, &names) {
        for configuration in &spec.configurations {
            if let ConfigurationSource::Retriever { name, .. } = &configuration.source
                && !registry.retrievers.names().any(|known| known == name)
            {
                registry.retrievers.register(name, |_| -> Result<Elsewhere, BoxError> {
                    Err("it is registered from Rust, which `cargo test` runs and this command cannot".into())
                })?;
            }
        }
    }
    Ok(Benchmark::open(path, &registry)?)
}

/// A retriever of the user's own crate.
struct Elsewhere;

impl Retriever for Elsewhere {
    fn retrieve(&self, _: &Query, _: usize) -> Result<Vec<Hit>, BoxError> {
        Err("it cannot be asked here".into())
    }
}
