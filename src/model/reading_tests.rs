//! What is read of a report is listed by hand (`as_json`): whatever the report's schema, made from the types, allows
//! must come back as it was.

#![cfg(all(feature = "latency", feature = "suites"))]

use serde_json::{Map, Value, json};

use super::Report;

const SCHEMA: &str = include_str!("../../schemas/report.json");

/// Values that a schema allows: of several alternatives the one of this number, of what may be left out all or nothing.
struct Maker {
    defs: Map<String, Value>,
    alternative: usize,
    full: bool,
}

impl Maker {
    fn make(&self, schema: &Value, depth: usize) -> Value {
        let Some(schema) = schema.as_object() else { return json!("anything") };
        let mut made = Map::new();
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema.get("enum") {
            return self.chosen(values).clone();
        }
        if let Some(reference) = schema.get("$ref") {
            let name = reference.as_str().unwrap().rsplit('/').next().unwrap();
            match self.make(&self.defs[name], depth + 1) {
                Value::Object(parts) => made.extend(parts),
                other => return other,
            }
        }
        for key in ["oneOf", "anyOf"] {
            let Some(alternatives) = schema.get(key) else { continue };
            match self.make(self.alternative_of(alternatives, depth), depth + 1) {
                Value::Object(parts) => made.extend(parts),
                other => return other,
            }
        }
        if let Some(properties) = schema.get("properties") {
            let required = schema.get("required").and_then(Value::as_array);
            for (name, property) in properties.as_object().unwrap() {
                let needed = required.is_some_and(|required| required.iter().any(|one| one == name));
                if needed || self.full {
                    made.insert(name.clone(), self.make(property, depth + 1));
                }
            }
            return Value::Object(made);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            if self.full {
                made.insert("key".to_owned(), self.make(values, depth + 1));
            }
            return Value::Object(made);
        }
        match schema.get("type") {
            None => Value::Object(made),
            Some(Value::Array(types)) if self.full => self.of_type(&types[0], schema, depth),
            Some(Value::Array(_)) => Value::Null,
            Some(kind) => self.of_type(kind, schema, depth),
        }
    }

    fn chosen<'s>(&self, alternatives: &'s Value) -> &'s Value {
        let alternatives = alternatives.as_array().unwrap();
        &alternatives[self.alternative % alternatives.len()]
    }

    /// Nothing, where that is possible and wanted; a type within itself ends with the first alternative.
    fn alternative_of<'s>(&self, alternatives: &'s Value, depth: usize) -> &'s Value {
        let null = json!({"type": "null"});
        let list = alternatives.as_array().unwrap();
        match list.iter().find(|one| **one == null) {
            Some(nothing) if !self.full || depth > 40 => nothing,
            Some(_) => list.iter().find(|one| **one != null).unwrap(),
            None => self.chosen(alternatives),
        }
    }

    fn of_type(&self, kind: &Value, schema: &Map<String, Value>, depth: usize) -> Value {
        match kind.as_str().unwrap() {
            "string" if schema.contains_key("pattern") => json!("p95"),
            "string" => json!("text"),
            "number" => json!(0.25),
            "integer" => json!(3),
            "boolean" => json!(true),
            "null" => Value::Null,
            "object" if self.full => json!({"key": "text"}),
            "object" => json!({}),
            "array" => match (schema.get("prefixItems"), schema.get("items")) {
                (Some(items), _) => {
                    items.as_array().unwrap().iter().map(|item| self.make(item, depth + 1)).collect()
                }
                (None, Some(item)) => {
                    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                    let count = least.max(u64::from(self.full && depth < 40));
                    (0..count).map(|_| self.make(item, depth + 1)).collect()
                }
                (None, None) => json!([]),
            },
            other => panic!("a type that nobody knows: {other}"),
        }
    }
}

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
