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

/// A spec that is open.
pub(crate) struct Opened {
    pub(crate) benchmark: Benchmark,
    /// The configurations whose retriever is registered from Rust: asking them fails, and says so.
    pub(crate) elsewhere: Vec<String>,
}

/// Opens a spec to carry it out.
pub(crate) fn open(path: &Path) -> Result<Opened, BoxError> {
    let mut registry = Registry::new();
    let mut elsewhere = Vec::new();
    for configuration in load(path)?.configurations {
        let ConfigurationSource::Retriever { name, .. } = configuration.source else { continue };
        if !registry.retrievers.names().any(|known| known == name) {
            registry.retrievers.register(&name, |_| -> Result<Elsewhere, BoxError> {
                Err("it is registered from Rust, which `cargo test` can ask and this command cannot".into())
            })?;
        }
        elsewhere.push(configuration.name);
    }
    Ok(Opened { benchmark: Benchmark::open(path, &registry)?, elsewhere })
}

/// Reads a spec without carrying it out.
pub(crate) fn load(path: &Path) -> Result<Spec, BoxError> {
    let mut names = spec::Registry::new();
    names.any_retriever().builtin("bm25");
    Ok(Spec::load(path, &names)?)
}

/// A retriever of the user's own crate.
struct Elsewhere;

impl Retriever for Elsewhere {
    fn retrieve(&self, _: &Query, _: usize) -> Result<Vec<Hit>, BoxError> {
        Err("it cannot be asked here".into())
    }
}
