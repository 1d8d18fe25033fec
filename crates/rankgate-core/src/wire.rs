//! Hits as other programs write them in JSON.

use serde_json::Value as Json;

use crate::error::Quoted;

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

/// A number about an answer.
///
/// # Errors
/// What is not a number.
pub fn score(name: &str, value: &Json) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("the score {} is not a number", Quoted(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
