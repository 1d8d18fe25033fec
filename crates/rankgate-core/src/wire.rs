//! Hits as other programs write them in JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::error::Quoted;
use crate::order;

/// An id: text, or a whole number as its decimal text.
///
/// Other numbers are no ids: `1e3` or `1.50` could be written in several ways.
pub fn id(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// What a hit says of its document: an object. Of values that no attribute can be tested by it is kept that they were there.
///
/// # Errors
/// What is no object, without a snippet.
pub fn metadata(value: Option<&Json>) -> Result<Option<BTreeMap<String, Json>>, &'static str> {
    let given = match value {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Object(given)) => given,
        Some(_) => return Err("has `metadata` that are no object of values by key"),
    };
    let kept = |value: &Json| if is_testable(value) { value.clone() } else { Json::Object(Map::new()) };
    let all = given.iter().filter(|(_, value)| !value.is_null());
    let all = order::map(all.map(|(key, value)| (key.clone(), kept(value))));
    Ok((!all.is_empty()).then_some(all))
}

/// Whether a value of metadata is one that attributes are tested by: a text, a number, true or false, or a list of such values.
pub fn is_testable(value: &Json) -> bool {
    match value {
        Json::String(text) => text.len() <= LONGEST_VALUE,
        Json::Array(items) => {
            items.len() <= LONGEST_VALUE && items.iter().all(|item| !item.is_array() && !item.is_object())
        }
        other => !other.is_object(),
    }
}

/// A number about an answer.
///
/// # Errors
/// What is not a number.
pub fn score(name: &str, value: &Json) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("the score {} is not a number", Quoted(name)))
}

/// Bytes of a value of metadata, and items of a list, beyond which it is not kept.
pub const LONGEST_VALUE: usize = 1000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_are_an_object_and_what_cannot_be_tested_leaves_its_key() {
        assert_eq!(metadata(None), Ok(None));
        for nothing in [json!(null), json!({}), json!({"tenant": null})] {
            assert_eq!(metadata(Some(&nothing)), Ok(None), "{nothing}");
        }
        for wrong in [json!(["tenant"]), json!("B"), json!(5), json!(false)] {
            let why = "has `metadata` that are no object of values by key";
            assert_eq!(metadata(Some(&wrong)), Err(why), "{wrong}");
        }
        let long = "x".repeat(LONGEST_VALUE + 1);
        let given = json!({"a": "x", "b": [1, true], "c": {"x": 1}, "d": long, "e": [[1]]});
        let kept = metadata(Some(&given)).unwrap().unwrap();
        let expected = json!({"a": "x", "b": [1, true], "c": {}, "d": {}, "e": {}});
        assert_eq!(json!(kept), expected);
        let testable: Vec<&str> =
            kept.iter().filter(|(_, value)| is_testable(value)).map(|(key, _)| key.as_str()).collect();
        assert_eq!(testable, ["a", "b"]);
    }

    #[test]
    fn ids_are_text_or_whole_numbers() {
        for (value, expected) in [
            (json!("d1"), Some("d1")),
            (json!(17), Some("17")),
            (json!(-1), Some("-1")),
            (json!(u64::MAX), Some("18446744073709551615")),
            (json!(1.0), None),
            (json!(true), None),
            (json!(null), None),
            (json!(["d1"]), None),
        ] {
            assert_eq!(id(&value).as_deref(), expected, "{value}");
        }
        // More than 64 bits would be rounded.
        assert_eq!(id(&serde_json::from_str("18446744073709551616").unwrap()), None);
    }
}
