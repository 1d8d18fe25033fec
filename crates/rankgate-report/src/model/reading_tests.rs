//! Whatever the report's schema, made from the types, allows is read and comes back as it was.

use serde_json::Value;

use super::Report;
use maker::Maker;

#[path = "../../../../tests/schema/maker.rs"]
mod maker;

const SCHEMA: &str = include_str!("../../schemas/report.json");

/// Where two trees differ, by their paths.
fn differences(path: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let (a, b) = (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
                differences(&format!("{path}/{key}"), a, b, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}/{at}"), a, b, found);
            }
        }
        (a, b) if a == b => {}
        // What says nothing, or what goes without saying, is left out.
        (Value::String(word), Value::Null) if path.ends_with("/unjudged_as") && word == "zero" => {}
        (Value::Null, Value::Array(list)) | (Value::Array(list), Value::Null) if list.is_empty() => {}
        (Value::Object(map), Value::Null) if map.is_empty() => {}
        // What is said of a gate is made when a report is written.
        (Value::String(_), Value::Null) if path.ends_with("/message") || path.ends_with("/short_message") => {
        }
        (Value::Array(_), Value::Null) if path.starts_with("/gates/") && path.matches('/').count() == 3 => {
            assert!(path.ends_with("/warnings"), "{path}");
        }
        _ => found.push(format!("{path}: {before} became {after}")),
    }
}

#[test]
fn whatever_the_schema_allows_is_read_and_written_as_it_was() {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let defs = schema.as_object_mut().unwrap().remove("$defs").unwrap();
    let Value::Object(defs) = defs else { panic!("definitions") };
    let most = defs.values().chain([&schema]).map(alternatives).max().unwrap();
    assert!(most > 5, "{most}");
    let mut maker = Maker { defs, alternative: 0, full: true };
    for full in [true, false] {
        for alternative in 0..most {
            (maker.full, maker.alternative) = (full, alternative);
            let made = maker.make(&schema, 0);
            let read: Report =
                serde_json::from_value(made.clone()).unwrap_or_else(|error| panic!("{error}: {made}"));
            let mut found = Vec::new();
            differences("", &made, &serde_json::to_value(&read).unwrap(), &mut found);
            assert!(found.is_empty(), "alternative {alternative}, full {full}: {found:#?}");
        }
    }
}

/// The most alternatives there are in one place.
fn alternatives(schema: &Value) -> usize {
    match schema {
        Value::Object(parts) => parts
            .iter()
            .map(|(key, part)| match (key.as_str(), part) {
                ("oneOf" | "anyOf" | "enum", Value::Array(list)) => list.len().max(alternatives(part)),
                _ => alternatives(part),
            })
            .max()
            .unwrap_or(0),
        Value::Array(list) => list.iter().map(alternatives).max().unwrap_or(0),
        _ => 0,
    }
}
