//! Where a benchmark is carried out.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::cache::Cache;
use crate::golden::{Bless, Site, VARIABLE};
use crate::progress::Observer;

/// Everything around a benchmark that its spec does not say.
pub(crate) struct Context {
    /// The workspace or folder that paths are shown relative to.
    pub(crate) root: PathBuf,
    /// The crate that the spec belongs to, which golden files name it relative to.
    pub(crate) home: PathBuf,
    /// Where reports go: `target/rankgate`.
    pub(crate) output: PathBuf,
    /// Whether golden files are written.
    pub(crate) bless: Bless,
    /// Whether the last test run speaks for retrievers that are not registered here.
    pub(crate) recorded: bool,
    /// The user's crate, for snapshots; `None` outside a test.
    pub(crate) site: Option<Site>,
    /// The file of the user's test, as insta writes it down.
    pub(crate) source: String,
    /// Shared with the other processes of this test run; `None` when one process runs all.
    pub(crate) cache: Option<Cache>,
    /// What accepts what was seen.
    pub(crate) accept: Accept,
    /// Whether renderings of the report are written, so that messages may point at them.
    pub(crate) reports: bool,
    /// Who watches.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// The measured commit, once it was needed.
    pub(crate) commit: OnceLock<Option<String>>,
}

/// The command that writes golden files.
#[derive(Clone, Debug)]
pub(crate) enum Accept {
    /// For tests: the environment says how.
    Test(String),
    /// Is there for nothing else.
    Command(String),
}

impl Accept {
    /// What moves the golden files.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Test(test) => format!("{VARIABLE}=1 {test}"),
            Self::Command(command) => command.clone(),
        }
    }
}

/// What pytest calls a run that blesses.
const PYTEST: &str = " --rankgate-bless";

/// The command that blesses, with an option of it. Those of pytest bless by themselves, and have one prefix.
pub fn with_option(command: &str, option: &str) -> String {
    match without_blessing(command) {
        Some(pytest) => format!("{pytest}{PYTEST}-{option}"),
        None => format!("{command} --{option}"),
    }
}

/// The command that only decides, where that which blesses is one of pytest's.
pub fn without_blessing(command: &str) -> Option<&str> {
    command.strip_suffix(PYTEST)
}

impl Context {
    /// A path as messages show it: relative to the root where it lies inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        below(&self.root, path)
    }

    /// What runs a gate of a spec again, once its name stands behind it. What pytest calls a test does not begin so.
    pub(crate) fn rerun(&self, spec: &Path) -> Option<String> {
        match &self.accept {
            Accept::Test(test) => Some(format!("{test} --")),
            Accept::Command(command) if without_blessing(command).is_some() => None,
            Accept::Command(_) => Some(format!("rankgate run {} --filter", self.shown(spec))),
        }
    }

    /// The spec's path as golden files name it, independent of the current folder.
    pub(crate) fn input_file(&self, spec: &Path) -> String {
        below(&self.home, &self.root.join(spec))
    }

    /// Where the page of a benchmark's report is once it was written, as messages show it.
    pub(crate) fn page(&self, benchmark: &str) -> String {
        self.shown(&report_file(&self.output, benchmark, "html"))
    }

    pub(crate) fn observer(&self) -> Option<&dyn Observer> {
        self.observer.as_deref()
    }
}

/// Where a rendering of a benchmark's report stands.
pub(crate) fn report_file(output: &Path, benchmark: &str, ending: &str) -> PathBuf {
    output.join(benchmark).join(format!("report.{ending}"))
}

fn below(root: &Path, path: &Path) -> String {
    let path = normalize_path(path);
    path.strip_prefix(root).unwrap_or(&path).display().to_string().replace('\\', "/")
}

/// The path without `x/..` in it, as people would write it. Where `x` is a symbolic link the result
/// would be another file: it is for showing, not for opening.
pub(crate) fn normalize_path(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_straight() {
        for (path, shown) in [
            ("examples/../golden/x.snap", "golden/x.snap"),
            ("../golden/./x", "../golden/x"),
            ("/a/b/../../c", "/c"),
            ("a", "a"),
        ] {
            assert_eq!(normalize_path(Path::new(path)), Path::new(shown), "{path}");
        }
    }
}
