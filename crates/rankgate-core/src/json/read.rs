//! What this crate wrote as JSON, read back.
//!
//! A derived reader is compiled for every format and twice for every kind of map; of a model of so many types that was
//! a fifth of what the crate's users compile. These readers know one kind of tree, and say where in it something is
//! wrong.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde_json::{Map, Value};

use super::Distinct;
use crate::error::Quoted;

/// What JSON can be read as; the macro `as_json` says it of a type, and lets serde read it by this.
pub trait FromJson: Sized {
    fn from_json(value: Value) -> Result<Self, JsonError>;

    /// What it is where an object has no such key, if that says something.
    fn absent() -> Option<Self> {
        None
    }
}

/// Why a tree cannot be read, and where: keys and places, the outermost last.
#[derive(Debug)]
pub struct JsonError {
    place: Vec<String>,
    why: String,
}

impl JsonError {
    pub fn new(why: impl fmt::Display) -> Self {
        Self { place: Vec::new(), why: why.to_string() }
    }

    /// The value is another one than `expected`.
    fn instead(value: &Value, expected: &str) -> Self {
        let found = match value {
            Value::Null => Unexpected::Other("null"),
            Value::Bool(yes) => Unexpected::Bool(*yes),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Self::new(format_args!("invalid type: {found}, expected {expected}"))
    }

    fn within(mut self, key: &str) -> Self {
        self.place.push(key.to_owned());
        self
    }

    /// In a list, at this place.
    fn at(mut self, place: usize) -> Self {
        self.place.push(format!("[{place}]"));
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.place.iter().rev().enumerate() {
            let dot = if at == 0 || place.starts_with('[') { "" } else { "." };
            write!(f, "{dot}{place}")?;
        }
        let colon = if self.place.is_empty() { "" } else { ": " };
        write!(f, "{colon}{}", self.why)
    }
}

/// The keys of an object, each taken out as it is read; the rest is of a later version.
pub struct Fields(Map<String, Value>);

impl Fields {
    pub fn from_object(value: Value) -> Result<Self, JsonError> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(JsonError::instead(&other, "an object")),
        }
    }

    /// The same of an object that may have these keys and no others.
    pub fn from_object_with(value: Value, known: &[&str]) -> Result<Self, JsonError> {
        let fields = Self::from_object(value)?;
        match fields.0.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(fields),
            Some(key) => {
                let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                Err(JsonError::new(format_args!("unknown field {}, expected one of {known}", Quoted(key))))
            }
        }
    }

    /// The value under a key.
    pub fn take<T: FromJson>(&mut self, key: &str) -> Result<T, JsonError> {
        match self.0.remove(key) {
            Some(value) => read_under(key, value),
            None => match T::absent() {
                Some(absent) => Ok(absent),
                None => Err(JsonError::new(format_args!("missing field `{key}`"))),
            },
        }
    }

    /// The value under a key that may be left out.
    pub fn take_or_default<T: FromJson + Default>(&mut self, key: &str) -> Result<T, JsonError> {
        match self.0.remove(key) {
            Some(value) => read_under(key, value),
            None => Ok(T::default()),
        }
    }

    /// The rest.
    pub fn rest(self) -> Value {
        Value::Object(self.0)
    }
}

fn items(value: Value) -> Result<Vec<Value>, JsonError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(JsonError::instead(&other, "a sequence")),
    }
}

fn read_under<T: FromJson>(key: &str, value: Value) -> Result<T, JsonError> {
    match T::from_json(value) {
        Err(error) => Err(error.within(key)),
        read => read,
    }
}

/// Which variant of an enum a value is, and what it holds: `"name"` or `{"name": ...}`.
pub fn variant(value: Value) -> Result<(String, Value), JsonError> {
    match value {
        Value::String(name) => Ok((name, Value::Null)),
        Value::Object(map) if map.len() == 1 => {
            map.into_iter().next().ok_or_else(|| JsonError::new("an object without a key"))
        }
        other => Err(JsonError::instead(&other, "a word or an object with one key")),
    }
}

/// A variant that there is none of.
pub fn unknown(name: &str, known: &[&str]) -> JsonError {
    JsonError::new(format_args!("{} is none of {}", Quoted(name), known.join(", ")))
}

/// The half of `as_json` for types that are only read.
#[macro_export]
#[doc(hidden)]
macro_rules! read_json {
    (struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::read_json!(@struct $name of { $($fields)* });
    };
    (strict struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::read_json!(@struct $name known { $($fields)* });
    };
    (@struct $name:ident $open:ident {
        $($(#[$only:meta])* $field:ident $(= $key:literal)? $(: $default:ident)?
        $(? $(@ $spared:tt)?)?),* $(,)?
    }) => {
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $name {
            #[inline] // compiled where something reads it: tests read few of the reports that they write
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::JsonError> {
                let mut fields = $crate::internal::json::read_json!(
                    @$open value $($crate::internal::json::write_json!(@key $field $($key)?),)*
                )?;
                Ok(Self {$(
                    $(#[$only])*
                    $field: $crate::internal::json::read_json!(
                        @take fields $crate::internal::json::write_json!(@key $field $($key)?),
                        $($default)? $(? $($spared)?)?
                    )?,
                )*})
            }
        }
        $crate::internal::json::read_json!(@serde $name);
    };
    (enum $name:ident { $(
        $word:literal => $variant:ident
        $({ $($field:ident $(? $(@ $spared:tt)?)?),+ })? $(($($part:ident),+))?,
    )+ }) => {
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $name {
            #[inline]
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::JsonError> {
                let (name, held) = $crate::internal::json::variant(value)?;
                match name.as_str() {
                    $($word => $crate::internal::json::read_json!(
                        @held held $variant $({ $($field $(? $($spared)?)?),+ })? $(($($part),+))?
                    ),)+
                    _ => Err($crate::internal::json::unknown(&name, &[$($word),+])),
                }
            }
        }
        $crate::internal::json::read_json!(@serde $name);
    };
    (@of $value:ident $($key:expr,)*) => { $crate::internal::json::Fields::from_object($value) };
    (@known $value:ident $($key:expr,)*) => { $crate::internal::json::Fields::from_object_with($value, &[$($key),*]) };
    (@take $fields:ident $key:expr,) => { $fields.take($key) };
    (@take $fields:ident $key:expr, $default:tt) => { $fields.take_or_default($key) };
    (@held $held:ident $variant:ident) => {
        <() as $crate::internal::json::FromJson>::from_json($held).map(|()| Self::$variant)
    };
    (@held $held:ident $variant:ident { $($field:ident $(? $(@ $spared:tt)?)?),+ }) => {{
        let mut fields = $crate::internal::json::Fields::from_object($held)?;
        Ok(Self::$variant {$(
            $field: $crate::internal::json::read_json!(@take fields stringify!($field), $(? $($spared)?)?)?,
        )+})
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
pub use read_json;

/// Reads a tree of any format that tells what it holds, and that of it.
pub fn deserialize<'de, T: FromJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let Distinct(value) = Distinct::deserialize(deserializer)?;
    T::from_json(value).map_err(D::Error::custom)
}

impl FromJson for String {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(JsonError::instead(&other, "a string")),
        }
    }
}

impl FromJson for Value {
    fn from_json(value: Value) -> Result<Self, JsonError> {
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
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::JsonError> {
                <Self as ::serde::Deserialize>::deserialize(value).map_err($crate::internal::json::JsonError::new)
            }
        }
    )+};
}
pub use read_by_serde;

read_by_serde! { (), bool, u8, u32, u64, usize, i32, i64, f64 }

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value) -> Result<Self, JsonError> {
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
    fn from_json(value: Value) -> Result<Self, JsonError> {
        T::from_json(value).map(Self::new)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let items = items(value)?;
        let mut list = Self::with_capacity(items.len());
        for item in items {
            match T::from_json(item) {
                Ok(item) => list.push(item),
                Err(error) => return Err(error.at(list.len())),
            }
        }
        Ok(list)
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let items = Vec::from_json(value)?;
        let count = items.len();
        items.try_into().map_err(|_| JsonError::new(format_args!("invalid length {count}, expected {N}")))
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let [first, second] = <[Value; 2]>::from_json(value)?;
        Ok((A::from_json(first)?, B::from_json(second)?))
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(value: Value) -> Result<Self, JsonError> {
        let mut map = Self::new();
        for (key, value) in Fields::from_object(value)?.0 {
            let value = read_under(&key, value)?;
            map.insert(key, value);
        }
        Ok(map)
    }
}
