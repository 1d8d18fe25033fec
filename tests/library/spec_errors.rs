//! Every way in which a spec can be wrong, and what is said of it.
//!
//! Each file of `tests/spec_errors/` is a wrong spec; what is said of it is under `tests/library/snapshots/`.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::metric::Metric;
use rankgate::spec::{Registry, Spec};

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.metrics.register(Metric::custom("Utility@5", 0.0..=10.0, |_| 0.0).unwrap()).unwrap();
    registry.retriever("mine").retriever("theirs");
    registry
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let folder = Path::new("tests/spec_errors");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    // Addresses are read by the feature's client.
    files.retain(|path| cfg!(feature = "http") || !path.ends_with("http.yaml"));
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    for file in files {
        let path = file.to_str().unwrap().replace('\\', "/");
        let error = Spec::load(&path, &registry()).expect_err(&path);
        assert!(error.yaml_problems().is_some(), "{path}: {error}");
        insta::assert_snapshot!(file.file_stem().unwrap().to_str().unwrap(), error);
    }
}
