//! Specs as commands open them.

use std::path::Path;

use rankgate::benchmark::{Benchmark, Registry};
use rankgate::standalone::{Standalone, spec_files};
use rankgate::{Error, ErrorKind};

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
    registry.names.any_retriever();
    registry
}

/// Opens a spec to look into it: for retrievers from Rust the last test run speaks.
pub(crate) fn open(path: &Path) -> rankgate::Result<Benchmark> {
    standalone().open(one_spec(path)?)
}

/// The path, which is not that of a folder: a command that is about one spec does not choose one.
fn one_spec(path: &Path) -> rankgate::Result<&Path> {
    if !path.is_dir() {
        return Ok(path);
    }
    let example = spec_files(path)?.swap_remove(0);
    let message = format!("this is a folder: name one spec of it, such as {}", example.display());
    Err(Error::of_file(ErrorKind::BadInput, path, message))
}

/// The same where nothing but golden runs is read: in a fresh clone the runs of today may not be there.
pub(crate) fn open_for_history(path: &Path) -> rankgate::Result<Benchmark> {
    let mut registry = registry();
    registry.names.absent_runs();
    standalone().registry(registry).open(one_spec(path)?)
}

/// The same where retrievers, programs or services run, which may take long.
pub(crate) fn open_to_ask(path: &Path, terminal: &Terminal) -> rankgate::Result<Benchmark> {
    let mut standalone = standalone();
    standalone.observer = progress::of_long_work(terminal);
    standalone.open(one_spec(path)?)
}

fn standalone() -> Standalone {
    let mut standalone = Standalone::new().registry(registry()).output(env::output());
    standalone.recorded = true;
    standalone
}
