//! What this crate wrote as JSON, read back: reports, and what the processes of a test run tell each other.
//!
//! A derived reader is compiled for every format and twice for every kind of map; of a model of so many types that
//! was a fifth of what the crate's users compile. These readers know one kind of tree, and say where in it
//! something is wrong.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value};

use super::Distinct;
use crate::error::Quoted;

/// What JSON can be read as; the macro `from_json` says it of a type, and lets serde read it by this.
pub trait FromJson: Sized {
    fn from_json(value: Value) -> Result<Self, Unread>;

    /// What it is where an object has no such key, if that says something.
    fn absent() -> Option<Self> {
        None
    }
}

/// Why a tree cannot be read, and where: keys and places, the outermost last.
#[derive(Debug)]
pub struct Unread {
    place: Vec<String>,
    why: String,
}

impl Unread {
    pub fn new(why: impl fmt::Display) -> Self {
        Self { place: Vec::new(), why: why.to_string() }
    }

    /// The value is another one than `expected`.
    fn instead(value: &Value, expected: &str) -> Self {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "sequence",
            Value::Object(_) => "map",
        };
        Self::new(format_args!("invalid type: {found}, expected {expected}"))
    }

    pub fn within(mut self, place: impl Into<String>) -> Self {
        self.place.push(place.into());
        self
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.place.iter().rev().enumerate() {
            let dot = if at == 0 || place.starts_with('[') { "" } else { "." };
            write!(f, "{dot}{place}")?;
        }
        let colon = if self.place.is_empty() { "" } else { ": " };
        write!(f, "{colon}{}", self.why)
    }
}

/// The keys of an object, each taken out as it is read; what is left over is of a later version.
pub struct Fields(Map<String, Value>);

impl Fields {
    pub fn of(value: Value) -> Result<Self, Unread> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(Unread::instead(&other, "an object")),
        }
    }

    /// What is under a key.
    pub fn take<T: FromJson>(&mut self, key: &str) -> Result<T, Unread> {
        match self.0.remove(key) {
            Some(value) => T::from_json(value).map_err(|error| error.within(key)),
            None => T::absent().ok_or_else(|| Unread::new(format_args!("missing field `{key}`"))),
        }
    }

    /// What is under a key that is left out where it says nothing.
    pub fn take_or_default<T: FromJson + Default>(&mut self, key: &str) -> Result<T, Unread> {
        match self.0.remove(key) {
            Some(value) => T::from_json(value).map_err(|error| error.within(key)),
            None => Ok(T::default()),
        }
    }

    /// What is left.
    pub fn rest(self) -> Value {
        Value::Object(self.0)
    }
}

/// Which variant of an enum a value is, and what it holds: `"name"` or `{"name": ...}`.
pub fn variant(value: Value) -> Result<(String, Value), Unread> {
    match value {
        Value::String(name) => Ok((name, Value::Null)),
        Value::Object(map) if map.len() == 1 => {
            map.into_iter().next().ok_or_else(|| Unread::new("an object without a key"))
        }
        other => Err(Unread::instead(&other, "a word or an object with one key")),
    }
}

/// A variant that there is none of.
pub fn unknown(name: &str, known: &[&str]) -> Unread {
    Unread::new(format_args!("{} is none of {}", Quoted(name), known.join(", ")))
}

/// How a type is read back, by JSON's names for its parts, and by serde through that.
///
/// A struct is told by its fields, behind a semicolon those that are left out where they are empty, no or 0; an
/// `Option` may always be left out. `field = "key"` has another name in JSON. An enum is told by its variants, each with
/// its name in JSON.
#[macro_export]
#[doc(hidden)]
macro_rules! from_json {
    (struct $name:ident {
        $($(#[$only:meta])* $needed:ident $(= $key:literal)?),* $(; $($empty:ident),+)?
    }) => {
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $name {
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::Unread> {
                let mut fields = $crate::internal::json::Fields::of(value)?;
                Ok(Self {
                    $($(#[$only])* $needed: fields.take($crate::internal::json::from_json!(@key $needed $($key)?))?,)*
                    $($($empty: fields.take_or_default(stringify!($empty))?,)+)?
                })
            }
        }
        $crate::internal::json::from_json!(@serde $name);
    };
    (enum $name:ident { $($word:literal => $variant:ident $({ $($field:ident),+ })? $(($($part:ident),+))?,)+ }) => {
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $name {
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::Unread> {
                let (name, held) = $crate::internal::json::variant(value)?;
                match name.as_str() {
                    $($word => {
                        $crate::internal::json::from_json!(@held held $variant $({ $($field),+ })? $(($($part),+))?)
                    })+
                    _ => Err($crate::internal::json::unknown(&name, &[$($word),+])),
                }
            }
        }
        $crate::internal::json::from_json!(@serde $name);
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@held $held:ident $variant:ident) => {
        <() as $crate::internal::json::FromJson>::from_json($held).map(|()| Self::$variant)
    };
    (@held $held:ident $variant:ident { $($field:ident),+ }) => {{
        let mut fields = $crate::internal::json::Fields::of($held)?;
        Ok(Self::$variant { $($field: fields.take(stringify!($field))?),+ })
    }};
    (@held $held:ident $variant:ident ($one:ident)) => {
        $crate::internal::json::FromJson::from_json($held).map(Self::$variant)
    };
    (@held $held:ident $variant:ident ($one:ident, $other:ident)) => {
        $crate::internal::json::FromJson::from_json($held).map(|($one, $other)| Self::$variant($one, $other))
    };
    (@serde $name:ident) => {
        #[automatically_derived]
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                $crate::internal::json::deserialize(deserializer)
            }
        }
    };
}
pub use from_json;

/// Reads a tree of any format that tells what it holds, and that of it.
pub fn deserialize<'de, T: FromJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let Distinct(value) = Distinct::deserialize(deserializer)?;
    T::from_json(value).map_err(D::Error::custom)
}

impl FromJson for String {
    fn from_json(value: Value) -> Result<Self, Unread> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(Unread::instead(&other, "a string")),
        }
    }
}

impl FromJson for Value {
    fn from_json(value: Value) -> Result<Self, Unread> {
        Ok(value)
    }
}

/// Types that have readers of serde's, small ones.
#[macro_export]
#[doc(hidden)]
macro_rules! read_by_serde {
    ($($small:ty),+) => {$(
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $small {
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::Unread> {
                <Self as ::serde::Deserialize>::deserialize(value).map_err($crate::internal::json::Unread::new)
            }
        }
    )+};
}
pub use read_by_serde;

read_by_serde! { (), bool, u8, u32, u64, usize, i32, f64 }

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value) -> Result<Self, Unread> {
        match value {
            Value::Null => Ok(None),
            value => T::from_json(value).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: Value) -> Result<Self, Unread> {
        T::from_json(value).map(Self::new)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value) -> Result<Self, Unread> {
        let items = match value {
            Value::Array(items) => items,
            other => return Err(Unread::instead(&other, "a sequence")),
        };
        let mut list = Self::with_capacity(items.len());
        for item in items {
            let at = list.len();
            list.push(T::from_json(item).map_err(|error| error.within(format!("[{at}]")))?);
        }
        Ok(list)
    }
}

impl<T: FromJson> FromJson for [T; 2] {
    fn from_json(value: Value) -> Result<Self, Unread> {
        let items = Vec::from_json(value)?;
        let count = items.len();
        items.try_into().map_err(|_| Unread::new(format_args!("invalid length {count}, expected 2")))
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn from_json(value: Value) -> Result<Self, Unread> {
        let [first, second] = <[Value; 2]>::from_json(value)?;
        Ok((A::from_json(first)?, B::from_json(second)?))
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(value: Value) -> Result<Self, Unread> {
        let mut map = Self::new();
        for (key, value) in Fields::of(value)?.0 {
            let value = T::from_json(value).map_err(|error| error.within(key.as_str()))?;
            map.insert(key, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize)]
    struct Part {
        name: String,
        #[serde(rename = "p50_ms")]
        p50: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<usize>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Kind>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        by_name: BTreeMap<String, [u64; 2]>,
    }

    from_json!(struct Part { name, p50 = "p50_ms", rank; parts, by_name });

    #[derive(Debug, PartialEq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Nothing,
        OneOf(String),
        Two(usize, i32),
        Both { part: Box<Part>, is_so: bool },
    }

    from_json!(enum Kind {
        "nothing" => Nothing,
        "one-of" => OneOf(text),
        "two" => Two(a, b),
        "both" => Both { part, is_so },
    });

    #[test]
    fn what_serde_writes_is_read_back() {
        let inner = Part { name: "inner".to_owned(), p50: -0.0, rank: Some(3), ..Part::default() };
        let parts = vec![
            Kind::Nothing,
            Kind::OneOf("x".to_owned()),
            Kind::Two(1, -2),
            Kind::Both { part: Box::new(inner), is_so: true },
        ];
        let by_name = [("a".to_owned(), [1, u64::MAX])].into();
        let part = Part { name: "outer".to_owned(), p50: 0.1, rank: None, parts, by_name };
        let text = serde_json::to_string(&part).unwrap();
        assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), part);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, why) in [
            ("[]", "invalid type: sequence, expected an object"),
            ("{}", "missing field `name`"),
            (r#"{"name": "a", "p50_ms": null}"#, "p50_ms: invalid type: null, expected f64"),
            (
                r#"{"name": "a", "p50_ms": 1, "rank": -1}"#,
                "rank: invalid value: integer `-1`, expected usize",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [3]}"#,
                "parts[0]: invalid type: number, expected a word or",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": ["none"]}"#,
                "parts[0]: `none` is none of nothing, one-of, two",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [{"two": [1]}]}"#,
                "parts[0]: invalid length 1, expected 2",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [{"both": {"part": {"name": 1}}}]}"#,
                "parts[0].part.name: invalid type: number, expected a string",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "by_name": {"x": [1, "2"]}}"#,
                "by_name.x[1]: invalid type: string",
            ),
            (r#"{"name": "a", "name": "b"}"#, "`name` occurs twice"),
        ] {
            let error = serde_json::from_str::<Part>(text).unwrap_err().to_string();
            assert!(error.starts_with(why), "{text}: {error}");
        }
    }
}
