//! The JSON Schema accepts what the parser accepts.
//!
//! (`pattern` is left to `python3 -m jsonschema`, with which the schema and the specs here were checked as
//! well.)

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::PathBuf;

use crate::schema::faults;
use rankgate::spec::{Registry, Spec, json_schema};
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

#[test]
fn what_the_parser_accepts_the_schema_accepts() {
    let mut registry = Registry::new();
    registry.retriever("mine").retriever("big").builtin("bm25");
    let (schema, specs) = (json_schema(), specs("tests/specs/benchmarks"));
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
    // other files, the names of metrics, configurations and gates.
    let beyond = [
        "collection_pins",
        "depth",
        "gates_of_nothing",
        "latency_of_files",
        "latency_twice",
        "names",
        "no_gate",
        "same_gate_twice",
        "variants_named",
        "wide",
    ];
    let schema = json_schema();
    for (path, value) in specs("tests/spec_errors") {
        let Ok(value) = value else { continue };
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(faults(&schema, &value).is_empty(), beyond.contains(&name), "{name}");
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
    check(&json_schema(), "");
}
