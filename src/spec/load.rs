//! A spec, read and checked.

use std::path::Path;
use std::sync::Arc;

use super::check::{benchmark_name, check, gate_to_add};
use super::{Registry, Spec};
use crate::Result;
use crate::mapping::Reader;
use crate::yaml::{Found, Problems, Source, parse};

impl Spec {
    /// Reads and checks a file. Neither collection nor runs are read.
    ///
    /// # Errors
    /// A file that cannot be read, is larger than 10 MB or not UTF-8; everything that is wrong with
    /// the spec, as [`Error::yaml_problems`](crate::Error::yaml_problems).
    pub fn load(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let path = path.as_ref();
        Self::from_source(path, &Source::read(path)?, registry)
    }

    /// Checks the text of a spec as if it stood in the file `path`: paths in it are relative to that
    /// file's folder.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(path: &Path, text: &str, registry: &Registry) -> Result<Self> {
        Self::from_source(path, &Source::new(path.display().to_string(), text)?, registry)
    }

    fn from_source(path: &Path, source: &Arc<Source>, registry: &Registry) -> Result<Self> {
        let parsed = parse(source);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut reader = Reader { registry, folder, source, found: parsed.problems };
        let spec = parsed.root.and_then(|root| check(path, &root, &mut reader));
        match spec {
            Some(spec) if reader.found.is_empty() => Ok(spec),
            _ => Err(Problems::new(Arc::clone(source), reader.found).into()),
        }
    }

    /// The benchmark's name, despite other errors in the file; `None` where that cannot be read.
    pub(crate) fn name_in(path: &Path) -> Option<String> {
        let source = Source::read(path).ok()?;
        let registry = Registry::new();
        let folder = Path::new("");
        let reader = Reader { registry: &registry, folder, source: &source, found: Found::default() };
        benchmark_name(&parse(&source).root?, reader)
    }

    /// What one would write to have a gate.
    pub(crate) fn gate_to_add(&self) -> String {
        gate_to_add(&self.metrics)
    }
}
