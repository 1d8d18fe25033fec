//! What a spec says that needs a feature which rankgate was built without.

#![cfg(not(all(feature = "http", feature = "judge")))]

use rankgate::benchmark::{Benchmark, Registry};

const SPEC: &str = "version: 1
benchmark: bench
collection: {inline: {queries: [{id: q1, text: a, relevant: [d1]}]}}
thresholds: [{metric: AP, min: 0.1}]
configurations:
";

/// A feature, whether it is on, and what needs it, from line 6 of a file on.
const NEEDED: [(&str, bool, &str); 4] = [
    (
        "http",
        cfg!(feature = "http"),
        "  service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}",
    ),
    (
        "judge",
        cfg!(feature = "judge"),
        "  one: {command: [./search]}\njudge: {model: tiny, judgments: j.jsonl}",
    ),
    (
        "judge",
        cfg!(feature = "judge"),
        "  one: {command: [./search]}\n  two: {command: [./search]}\ncomparisons: [{candidate: two, baseline: one, metric: Faithfulness}]",
    ),
    (
        // Before it is said that there is no such file.
        "judge",
        cfg!(feature = "judge"),
        "  one: {command: [./search], answers: nowhere.jsonl}",
    ),
];

#[test]
fn errors_name_the_line_the_key_and_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    for (feature, _, text) in NEEDED.iter().filter(|(_, is_on, _)| !is_on) {
        let text = format!("{SPEC}{text}\n");
        std::fs::write(&path, &text).unwrap();
        let error = Benchmark::open(&path, &Registry::new()).err().unwrap().to_string();
        let (what, key) = match *feature {
            "judge" if text.contains("answers") => ("`answers`", "answers: "),
            "judge" if text.contains("Faithfulness") => ("Faithfulness", "Faithfulness"),
            "http" => ("`http`", "http: "),
            _ => ("`judge`", "judge: "),
        };
        let line = 1 + text.lines().position(|line| line.contains(key)).unwrap();
        assert!(error.starts_with(&format!("{what} cannot be used here\n")), "{error}");
        assert!(error.contains(&format!("bench.yaml:{line}:")), "{error}");
        let help = format!(
            "= help: it needs rankgate's feature `{feature}`: write `features = [\"{feature}\"]` beside rankgate in Cargo.toml, \
             or install the command without `--no-default-features`"
        );
        assert!(error.ends_with(&help), "{error}");
    }
}

/// By a file of the command's tests, in a spec as well.
#[cfg(not(feature = "zstd"))]
#[test]
fn what_is_compressed_with_zstd_names_the_feature() {
    use rankgate::{Order, Qrels, Run};

    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cli");
    let said = "it is compressed with zstd, which takes the feature `zstd` of rankgate: add it in Cargo.toml, decompress the \
                file (`zstd -d`), or use gzip";
    let (run, qrels) = (data.join("new.run.zst"), data.join("qrels.txt.zst"));
    let error = Run::read(&run, Order::Score).unwrap_err().to_string();
    assert_eq!(error, format!("{}: {said}", run.display()));
    let error = Qrels::read(&qrels).unwrap_err().to_string();
    assert_eq!(error, format!("{}: {said}", qrels.display()));
    let folder = tempfile::tempdir().unwrap();
    let error = Run::default().write_trec(folder.path().join("a.run.zst"), "t").unwrap_err().to_string();
    assert!(error.contains("takes the feature `zstd` of rankgate"), "{error}");
}
