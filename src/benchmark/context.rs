//! Where a benchmark is carried out.

use std::path::{Path, PathBuf};

use crate::golden::{Bless, Site};
use crate::run::Cache;

use super::model::Report;

/// Everything around a benchmark that its spec does not say.
#[derive(Debug)]
pub(crate) struct Context {
    /// The crate or folder that paths are shown relative to.
    pub(crate) root: PathBuf,
    /// Where reports go: `target/rankgate`.
    pub(crate) output: PathBuf,
    /// Whether golden files are written.
    pub(crate) bless: Bless,
    /// The user's crate, for snapshots; `None` outside a test.
    pub(crate) site: Option<Site>,
    /// Shared with the other processes of this test run; `None` when one process runs all.
    pub(crate) cache: Option<Cache>,
    /// The command that runs these gates again.
    pub(crate) command: String,
    /// How the report's measurements of a configuration are written down under `golden/`. Handed
    /// in, because renderings stand above this folder.
    pub(crate) snapshot: fn(&Report, &str) -> Option<String>,
}

impl Context {
    /// A path as messages show it: relative to the root where it lies inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string().replace('\\', "/")
    }
}
