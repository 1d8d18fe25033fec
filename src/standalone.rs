//! A benchmark outside of `cargo test`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Result;
use crate::benchmark::{Benchmark, Context, Registry};
use crate::golden::Bless;
use crate::report;

impl Benchmark {
    /// Reads a spec to carry it out outside of `cargo test`. Golden files are compared with and
    /// never written; the report is returned and not written.
    ///
    /// # Errors
    /// Everything that is wrong with the spec, each with its place in the file.
    pub fn open(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let context = Context {
            root: std::env::current_dir().unwrap_or_default(),
            output: PathBuf::from("target/rankgate"),
            bless: Bless::NEVER,
            site: None,
            cache: None,
            command: "cargo test".to_owned(),
            snapshot: report::snapshot_of,
        };
        Self::load(path.as_ref(), registry, Arc::new(context))
    }
}
