//! The JSON Schema accepts what the parser accepts.
//!
//! [`faults`] knows the keywords that the schema uses and panics at any other, so that none can be
//! passed over. (`pattern` is left to `python3 -m jsonschema`, with which the schema and the specs
//! here were checked as well.)

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::PathBuf;

use rankgate::spec::{Registry, Spec, json_schema};
use serde_json::{Value, json};

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
        assert_eq!(faults(&schema, &value.unwrap(), ""), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn what_the_schema_can_see_it_refuses() {
    // Of the wrong specs those that are YAML; the others need more than a schema can say: arithmetic,
    // other files, the names of metrics, configurations and gates.
    let beyond =
        ["collection_pins", "depth", "gates_of_nothing", "names", "no_gate", "same_gate_twice", "wide"];
    let schema = json_schema();
    for (path, value) in specs("tests/spec_errors") {
        let Ok(value) = value else { continue };
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(faults(&schema, &value, "").is_empty(), beyond.contains(&name), "{name}");
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

/// Where a value is not what a schema says.
fn faults(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let Value::Object(keywords) = schema else {
        return if *schema == json!(true) { vec![] } else { vec![format!("{path}: nothing may be here")] };
    };
    let mut found = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("{path}: {what}"));
        }
    };
    let length = |value: &Value| match value {
        Value::String(text) => Some(text.chars().count() as u64),
        Value::Array(items) => Some(items.len() as u64),
        Value::Object(entries) => Some(entries.len() as u64),
        _ => None,
    };
    let list = |value: &Value| value.as_array().unwrap().clone();
    let holds = |schema: &Value| faults(schema, value, path).is_empty();
    let mut nested = Vec::new();
    for (keyword, expected) in keywords {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "examples" | "pattern" | "then" => {}
            "type" => {
                let types = if expected.is_array() { list(expected) } else { vec![expected.clone()] };
                check(
                    types.iter().any(|name| is_a(name.as_str().unwrap(), value)),
                    &format!("not of type {expected}"),
                );
            }
            "const" => check(value == expected, &format!("not {expected}")),
            "enum" => check(list(expected).contains(value), &format!("not one of {expected}")),
            "minimum" => check(value.as_f64().is_none_or(|n| n >= expected.as_f64().unwrap()), keyword),
            "maximum" => check(value.as_f64().is_none_or(|n| n <= expected.as_f64().unwrap()), keyword),
            "exclusiveMaximum" => {
                check(value.as_f64().is_none_or(|n| n < expected.as_f64().unwrap()), keyword)
            }
            "minLength" | "minItems" | "minProperties" => {
                check(length(value).is_none_or(|n| n >= expected.as_u64().unwrap()), keyword);
            }
            "maxLength" | "maxItems" | "maxProperties" => {
                check(length(value).is_none_or(|n| n <= expected.as_u64().unwrap()), keyword);
            }
            "uniqueItems" => check(
                value
                    .as_array()
                    .is_none_or(|items| items.iter().enumerate().all(|(i, item)| !items[..i].contains(item))),
                keyword,
            ),
            "required" => check(
                value.as_object().is_none_or(|entries| {
                    list(expected).iter().all(|key| entries.contains_key(key.as_str().unwrap()))
                }),
                &format!("{expected} are required"),
            ),
            "anyOf" => check(list(expected).iter().any(holds), keyword),
            "oneOf" => check(list(expected).iter().filter(|schema| holds(schema)).count() == 1, keyword),
            "allOf" => nested.extend(list(expected).iter().flat_map(|schema| faults(schema, value, path))),
            "not" => check(!holds(expected), keyword),
            "if" => {
                if holds(expected) {
                    nested.extend(faults(&schema["then"], value, path));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    nested.extend(faults(expected, item, &format!("{path}/{index}")));
                }
            }
            "properties" => {
                for (key, schema) in expected.as_object().unwrap() {
                    let member = value.as_object().and_then(|entries| entries.get(key));
                    nested.extend(
                        member
                            .into_iter()
                            .flat_map(|member| faults(schema, member, &format!("{path}/{key}"))),
                    );
                }
            }
            "additionalProperties" => {
                let known = |key: &str| schema["properties"].get(key).is_some();
                for (key, member) in value.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
                    nested.extend(faults(expected, member, &format!("{path}/{key}")));
                }
            }
            "propertyNames" => {
                for key in value.as_object().into_iter().flatten().map(|(key, _)| key) {
                    nested.extend(faults(expected, &json!(key), &format!("{path}/{key}")));
                }
            }
            "dependentSchemas" => {
                for (key, schema) in expected.as_object().unwrap() {
                    if value.as_object().is_some_and(|entries| entries.contains_key(key)) {
                        nested.extend(faults(schema, value, path));
                    }
                }
            }
            other => panic!("the keyword `{other}` is not known here"),
        }
    }
    found.extend(nested);
    found
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("the type `{other}` is not known here"),
    }
}
