//! What a spec says that needs a feature which rankgate was built without.

#![cfg(not(all(feature = "bm25", feature = "http")))]

use rankgate::benchmark::{Benchmark, Registry};

const SPEC: &str = "version: 1
benchmark: bench
collection: {inline: {queries: [{id: q1, text: a, relevant: [d1]}]}}
thresholds: [{metric: AP, min: 0.1}]
configurations:
";

#[test]
fn an_error_names_the_line_the_word_and_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    // Each with the column of what cannot be used.
    let service = "service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}";
    let words = "words: {builtin: bm25, params: {stemmer: english}}";
    let cases = [("http", cfg!(feature = "http"), service, 13), ("bm25", cfg!(feature = "bm25"), words, 20)];
    for (feature, _, configuration, column) in cases.into_iter().filter(|(_, is_compiled, ..)| !is_compiled) {
        std::fs::write(&path, format!("{SPEC}  {configuration}\n")).unwrap();
        let error = Benchmark::open(&path, &Registry::new()).err().unwrap().to_string();
        assert!(error.starts_with(&format!("`{feature}` cannot be used here\n")), "{error}");
        assert!(error.contains(&format!("bench.yaml:6:{column}\n")), "{error}");
        let help = format!(
            "= help: it needs rankgate's feature `{feature}`: run `cargo add --dev rankgate --features {feature}`, or \
             write `features = [\"{feature}\"]` beside rankgate in Cargo.toml"
        );
        assert!(error.ends_with(&help), "{error}");
    }
}
