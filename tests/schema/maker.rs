//! Values that a JSON Schema allows, made for tests.

use serde_json::{Map, Value, json};

/// Values that a schema allows: of several alternatives the one of this number, of what may be left out all or nothing.
pub(crate) struct Maker {
    pub(crate) defs: Map<String, Value>,
    pub(crate) alternative: usize,
    pub(crate) full: bool,
}

impl Maker {
    pub(crate) fn make(&self, schema: &Value, depth: usize) -> Value {
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
