//! What a spec with `http:` says where rankgate was built without it.

#![cfg(not(feature = "http"))]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use rankgate::benchmark::{Benchmark, Registry};

#[test]
fn the_error_names_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    let spec = "version: 1\nbenchmark: bench\n\
                collection: {inline: {queries: [{id: q1, text: a, relevant: [d1]}]}}\n\
                configurations: {service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}}\n\
                thresholds: [{metric: AP, min: 0.1}]\n";
    std::fs::write(&path, spec).unwrap();
    let error = Benchmark::open(&path, &Registry::new()).err().unwrap().to_string();
    assert!(error.starts_with("`http` cannot be used here\n"), "{error}");
    assert!(error.ends_with("= help: it needs rankgate's feature `http`"), "{error}");
}
