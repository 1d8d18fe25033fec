//! JSON in which no object has a key twice.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::Quoted;

/// A JSON value. A key that occurs twice in an object is an error, where serde_json keeps the last one
/// without a word: of two lists of hits either could be the answer.
pub struct Distinct(pub Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

macro_rules! scalars {
    ($($visit:ident: $scalar:ty),+) => {$(
        fn $visit<E>(self, value: $scalar) -> Result<Value, E> {
            Ok(value.into())
        }
    )+};
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    scalars! {
        visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str, visit_string: String
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Distinct(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Distinct(value))) = entries.next_entry::<String, _>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{} occurs twice", Quoted(&key))));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_serde_json_reads_it() {
        for text in [
            "null",
            "[true, 0, -1, 18446744073709551615, 18446744073709551616, 0.1, 1e-310, -0.0]",
            r#"{"a": {"a": [{"a": "\u00e9\n"}, {"a": "x"}]}, "b": [], "": {}}"#,
        ] {
            let Distinct(value) = serde_json::from_str(text).unwrap();
            assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn a_key_that_occurs_twice_is_an_error_at_any_depth() {
        for text in [r#"{"hits": [1], "hits": []}"#, r#"[{"x": {"hits": 1, "h\u0069ts": 1}}]"#] {
            let error = serde_json::from_str::<Distinct>(text).err().unwrap().to_string();
            assert!(error.starts_with("`hits` occurs twice at line 1 column "), "{error}");
        }
    }
}
