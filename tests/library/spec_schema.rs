//! The JSON Schema accepts what the parser accepts.
//!
//! (`pattern` is left to `python3 -m jsonschema`, with which the schema and the specs here were checked as
//! well.)

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

#[path = "../schema/mod.rs"]
mod schema;

use std::path::PathBuf;

use self::schema::faults;
use rankgate::spec::{Registry, SPEC_SCHEMA, SUITE_SCHEMA, Spec, SuiteSpec};
use serde_json::Value;

fn specs(folder: &str) -> Vec<(PathBuf, Result<Value, String>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).map_err(|error| error.to_string())
    };
    files.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn schema_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_the_parser_accepts_the_schema_accepts() {
    let mut registry = Registry::new();
    registry.retriever("mine").retriever("big");
    let (schema, specs) = (schema_of(SPEC_SCHEMA), specs("tests/specs/benchmarks"));
    assert_eq!(specs.len(), 3);
    for (path, value) in specs {
        if let Err(error) = Spec::load(&path, &registry) {
            panic!("{error}");
        }
        assert_eq!(faults(&schema, &value.unwrap()), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn what_the_schema_can_see_it_refuses() {
    // Of the wrong specs those that are YAML; the others need more than a schema can say: arithmetic,
    // other files, keys that exclude each other, the names of metrics, configurations and gates.
    let beyond = [
        "depth",
        "gates_of_nothing",
        "latency_of_files",
        "latency_twice",
        "names",
        "no_gate",
        "same_gate_twice",
        "shares",
        "synthetic",
        "wide",
    ];
    let schema = schema_of(SPEC_SCHEMA);
    let mut taken: Vec<String> = Vec::new();
    for (path, value) in specs("tests/spec_errors") {
        if value.is_ok_and(|value| faults(&schema, &value).is_empty()) {
            taken.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    taken.sort();
    assert_eq!(taken, beyond);
}

#[test]
fn the_schema_of_suites_takes_what_their_parser_takes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        let text = format!(
            "version: 1\nbenchmark: {name}\ncollection: {{inline: {{queries: [{{id: q, text: x, relevant: [d]}}]}}}}\n\
             configurations: {{old: {{retriever: old}}, new: {{retriever: new}}}}\nmetrics: [RR@10]\n"
        );
        std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
    }
    let mut registry = Registry::new();
    registry.retriever("old").retriever("new");
    let head = "version: 1\nsuite: all\nbenchmarks: [one.yaml, two.yaml, three.yaml]\n";
    let gate =
        "thresholds: [{metric: RR@10, min: 0.5, for: [new], bound: lower, level: advisory, name: goal}]\n";
    let compared =
        |more: &str| format!("comparisons: [{{candidate: new, baseline: old, metrics: [RR@10], {more}}}]\n");
    for (text, taken) in [
        (gate.to_owned(), true),
        (format!("metrics: [RR@10]\n{gate}"), true),
        (compared("expect: improvement, margin: 0.01, unjudged: worst"), true),
        (format!("{}statistics: {{confidence: 0.9}}\n", compared("margin: 0.01")), true),
        (String::new(), false),
        (format!("weights: equal\n{gate}"), false),
        (format!("{gate}statistics: {{group-by: user}}\n"), false),
        (compared("segment: {a: b}"), false),
        ("thresholds: [{metric: RR@10, min: 0.5, segment: {a: b}}]\n".to_owned(), false),
        (format!("golden: x\n{gate}"), false),
    ] {
        let text = format!("{head}{text}");
        let path = folder.path().join("all.yaml");
        std::fs::write(&path, &text).unwrap();
        let value: Value = serde_yaml::from_str(&text).unwrap();
        let (read, seen) = (SuiteSpec::load(&path, &registry), faults(&schema_of(SUITE_SCHEMA), &value));
        assert_eq!((read.is_ok(), seen.is_empty()), (taken, taken), "{text}{seen:?}");
    }
}

#[test]
fn every_key_is_documented() {
    fn check(schema: &Value, path: &str) {
        for (key, value) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            assert!(value["description"].as_str().is_some_and(|text| text.len() > 10), "{path}");
            check(value, &path);
            check(&value["items"], &path);
            check(&value["additionalProperties"], &path);
        }
    }
    check(&schema_of(SPEC_SCHEMA), "");
    check(&schema_of(SUITE_SCHEMA), "");
}
