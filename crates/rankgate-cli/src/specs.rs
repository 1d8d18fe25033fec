//! Specs as commands open them.

use std::path::Path;

use rankgate::benchmark::{Benchmark, Registry};
use rankgate::standalone::Standalone;

use crate::env;
use crate::progress;
use crate::terminal::Terminal;

/// Whether a path is that of a spec, by its ending.
pub(crate) fn is_spec(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    matches!(extension.as_str(), "yaml" | "yml")
}

/// A registry for specs that name retrievers from Rust, which no command can ask.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.any_retriever();
    registry
}

/// Opens a spec to look into it: for retrievers from Rust the last test run speaks.
pub(crate) fn open(path: &Path) -> rankgate::Result<Benchmark> {
    standalone().open(path)
}

/// The same where nothing but golden runs is read: in a fresh clone the runs of today may not be there.
pub(crate) fn open_for_history(path: &Path) -> rankgate::Result<Benchmark> {
    let mut registry = registry();
    registry.absent_runs();
    standalone().registry(registry).open(path)
}

/// The same where retrievers, programs or services run, which may take long.
pub(crate) fn open_to_ask(path: &Path, terminal: &Terminal) -> rankgate::Result<Benchmark> {
    match progress::of_long_work(terminal) {
        Some(observer) => standalone().observer(observer).open(path),
        None => open(path),
    }
}

/// The same with reports in a folder that somebody named.
pub(crate) fn open_to_ask_below(
    path: &Path,
    output: &Path,
    terminal: &Terminal,
) -> rankgate::Result<Benchmark> {
    let standalone = standalone().output(output);
    match progress::of_long_work(terminal) {
        Some(observer) => standalone.observer(observer).open(path),
        None => standalone.open(path),
    }
}

fn standalone() -> Standalone {
    Standalone::new().registry(registry()).output(env::output()).recorded()
}
