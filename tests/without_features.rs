//! What a spec says that needs a feature which rankgate was built without.

#![cfg(not(feature = "http"))]

use rankgate::benchmark::{Benchmark, Registry};

const SPEC: &str = "version: 1
benchmark: bench
collection: {inline: {queries: [{id: q1, text: a, relevant: [d1]}]}}
thresholds: [{metric: AP, min: 0.1}]
configurations:
  service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}
";

#[test]
fn an_error_names_the_line_the_key_and_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    std::fs::write(&path, SPEC).unwrap();
    let error = Benchmark::open(&path, &Registry::new()).err().unwrap().to_string();
    assert!(error.starts_with("`http` cannot be used here\n") && error.contains("bench.yaml:6:"), "{error}");
    let help = "= help: it needs rankgate's feature `http`: write `features = [\"http\"]` beside rankgate in Cargo.toml, or \
                install the command without `--no-default-features`";
    assert!(error.ends_with(help), "{error}");
}
