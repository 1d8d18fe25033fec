//! A JSON Schema validator for tests: it knows the keywords that our schemas use and panics at any other,
//! so that none can be passed over.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use serde_json::{Value, json};

/// Where a value is not what a schema says.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    faults_at(schema, schema, value, "")
}

fn faults_at(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
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
    let holds = |schema: &Value| faults_at(root, schema, value, path).is_empty();
    let mut nested = Vec::new();
    for (keyword, expected) in keywords {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "default" | "title" | "description" | "examples" | "format"
            | "pattern" | "then" => {}
            "$ref" => {
                let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                nested.extend(faults_at(root, root.pointer(pointer).unwrap(), value, path));
            }
            "prefixItems" => {
                for (index, (schema, item)) in
                    list(expected).iter().zip(value.as_array().into_iter().flatten()).enumerate()
                {
                    nested.extend(faults_at(root, schema, item, &format!("{path}/{index}")));
                }
            }
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
            "exclusiveMinimum" => {
                check(value.as_f64().is_none_or(|n| n > expected.as_f64().unwrap()), keyword)
            }
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
            "allOf" => {
                nested.extend(list(expected).iter().flat_map(|schema| faults_at(root, schema, value, path)))
            }
            "not" => check(!holds(expected), keyword),
            "if" => {
                if holds(expected) {
                    nested.extend(faults_at(root, &schema["then"], value, path));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    nested.extend(faults_at(root, expected, item, &format!("{path}/{index}")));
                }
            }
            "properties" => {
                for (key, schema) in expected.as_object().unwrap() {
                    let member = value.as_object().and_then(|entries| entries.get(key));
                    nested.extend(
                        member
                            .into_iter()
                            .flat_map(|member| faults_at(root, schema, member, &format!("{path}/{key}"))),
                    );
                }
            }
            "additionalProperties" => {
                let known = |key: &str| schema["properties"].get(key).is_some();
                for (key, member) in value.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
                    nested.extend(faults_at(root, expected, member, &format!("{path}/{key}")));
                }
            }
            "propertyNames" => {
                for key in value.as_object().into_iter().flatten().map(|(key, _)| key) {
                    nested.extend(faults_at(root, expected, &json!(key), &format!("{path}/{key}")));
                }
            }
            "dependentSchemas" => {
                for (key, schema) in expected.as_object().unwrap() {
                    if value.as_object().is_some_and(|entries| entries.contains_key(key)) {
                        nested.extend(faults_at(root, schema, value, path));
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
