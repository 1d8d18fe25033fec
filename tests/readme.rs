//! What the README says is so.

#![expect(clippy::unwrap_used, reason = "a test fails where the README is not as it should be")]

use std::path::Path;

use rankgate::metric::{Definition, catalogue};
use rankgate::spec::{Registry, Spec, json_schema};

const README: &str = include_str!("../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_spec_in_it_parses() {
    let mut registry = Registry::new();
    registry.any_retriever().builtin("bm25");
    let mut specs = 0;
    for yaml in blocks("yaml").into_iter().filter(|block| block.contains("version: 1")) {
        // Paths in it are meant against a folder beside the shipped collection.
        let spec = Spec::parse(Path::new("examples/readme.yaml"), yaml, &registry);
        assert!(spec.is_ok(), "{}", spec.unwrap_err());
        specs += 1;
    }
    assert!(specs >= 2, "the README shows {specs} specs");
}

#[test]
fn its_ten_lines_are_those_of_the_crate_that_the_spawned_tests_run() {
    let lines = blocks("rust,ignore").into_iter().find(|block| block.contains("harness!")).unwrap();
    let theirs = lines.replace("my_search::Mine", "fixture::Words").replace("\"mine\"", "\"words\"");
    let ours = include_str!("fixture/tests/retrieval.rs");
    assert_eq!(theirs.trim_start_matches("// tests/retrieval.rs\n"), ours);
    assert!(ours.lines().count() <= 10);
}

#[test]
fn its_table_of_metrics_is_the_catalogue() {
    for definition in catalogue() {
        let row = row(definition);
        assert!(README.contains(&row), "the README lacks this row:\n{row}");
    }
}

fn row(definition: &Definition) -> String {
    let code =
        |names: Vec<String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let patterns = code(definition.patterns().iter().map(|&pattern| pattern.to_owned()).collect());
    format!("| {patterns} | {} | {} |", code(definition.aliases()), definition.summary())
}

#[test]
fn it_names_every_key_of_a_spec() {
    let schema = json_schema();
    let mut keys = Vec::new();
    collect(&schema, &mut keys);
    keys.sort();
    keys.dedup();
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        assert!(README.contains(&key), "the README does not mention the key `{key}`");
    }
}

fn collect(schema: &serde_json::Value, keys: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(object) => {
            if let Some(serde_json::Value::Object(properties)) = object.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| collect(value, keys));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}
