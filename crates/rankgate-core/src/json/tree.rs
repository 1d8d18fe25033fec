//! What this crate writes as JSON, and how it is read back: reports, and what the processes of a test run tell each
//! other.
//!
//! A derived reader is compiled for every format and twice for every kind of map, a derived writer for every format; of
//! a model of so many types that was a fifth of what the crate's users compile, and they waited for what derives it.
//! These readers and writers know one kind of tree, and the readers say where in it something is wrong.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

use super::Distinct;
use crate::error::Quoted;

/// What is written as JSON; the macro `as_json` says it of a type, and lets serde write it by this.
pub trait ToJson {
    fn to_json(&self) -> Tree<'_>;

    /// Whether it may be left out of an object: nothing, no, 0 or empty.
    fn says_nothing(&self) -> bool {
        false
    }
}

/// What is to be written, one level of it: the parts of a list or an object are asked for theirs as they are written.
pub enum Tree<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<&'a dyn ToJson>),
    /// Keys in the order in which they are written.
    Object(Vec<(&'a str, &'a dyn ToJson)>),
    /// What a variant holds, under its name.
    Held(&'a str, Box<Self>),
    Value(&'a Value),
}

/// A field: its key, its value, and whether it is left out where that says nothing.
pub type Field<'a> = (&'a str, &'a dyn ToJson, bool);

impl<'a> Tree<'a> {
    pub fn object(fields: &[Field<'a>]) -> Self {
        let written = fields.iter().filter(|(_, value, spared)| !(*spared && value.says_nothing()));
        Self::Object(written.map(|&(key, value, _)| (key, value)).collect())
    }

    pub fn list<T: ToJson + 'a>(items: impl IntoIterator<Item = &'a T>) -> Self {
        // Of a chain of iterators each type would compile ten functions.
        let mut list: Vec<&dyn ToJson> = Vec::new();
        for item in items {
            list.push(item);
        }
        Self::List(list)
    }

    pub fn held(name: &'a str, what: Self) -> Self {
        Self::Held(name, Box::new(what))
    }

    /// An object that begins with what kind of it this is.
    #[must_use]
    pub fn tagged(self, key: &'static str, kind: &'a &'static str) -> Self {
        match self {
            Self::Object(mut fields) => {
                fields.insert(0, (key, kind));
                Self::Object(fields)
            }
            other => other,
        }
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(yes) => to.serialize_bool(*yes),
            Self::Int(number) => to.serialize_i64(*number),
            Self::UInt(number) => to.serialize_u64(*number),
            Self::Float(number) => to.serialize_f64(*number),
            Self::Text(text) => to.serialize_str(text),
            Self::List(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&item.to_json())?;
                }
                list.end()
            }
            Self::Object(fields) => {
                let mut map = to.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, &value.to_json())?;
                }
                map.end()
            }
            Self::Held(name, what) => {
                let mut map = to.serialize_map(Some(1))?;
                map.serialize_entry(name, what)?;
                map.end()
            }
            Self::Value(value) => value.serialize(to),
        }
    }
}

/// Writes a value in any format.
pub fn serialize<S: Serializer>(value: &dyn ToJson, to: S) -> Result<S::Ok, S::Error> {
    value.to_json().serialize(to)
}

/// What JSON can be read as; the macro `as_json` says it of a type, and lets serde read it by this.
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

    /// The same of an object that may have these keys and no others.
    pub fn known(value: Value, known: &[&str]) -> Result<Self, Unread> {
        let fields = Self::of(value)?;
        match fields.0.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(fields),
            Some(key) => {
                let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                Err(Unread::new(format_args!("unknown field {}, expected one of {known}", Quoted(key))))
            }
        }
    }

    /// What is under a key.
    pub fn take<T: FromJson>(&mut self, key: &str) -> Result<T, Unread> {
        match self.0.remove(key) {
            Some(value) => read_under(key, value),
            None => match T::absent() {
                Some(absent) => Ok(absent),
                None => Err(Unread::new(format_args!("missing field `{key}`"))),
            },
        }
    }

    /// What is under a key that is left out where it says nothing.
    pub fn take_or_default<T: FromJson + Default>(&mut self, key: &str) -> Result<T, Unread> {
        match self.0.remove(key) {
            Some(value) => read_under(key, value),
            None => Ok(T::default()),
        }
    }

    /// What is left.
    pub fn rest(self) -> Value {
        Value::Object(self.0)
    }
}

fn items(value: Value) -> Result<Vec<Value>, Unread> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(Unread::instead(&other, "a sequence")),
    }
}

fn read_under<T: FromJson>(key: &str, value: Value) -> Result<T, Unread> {
    match T::from_json(value) {
        Err(error) => Err(error.within(key)),
        read => read,
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

/// How a type is written as JSON and read back, and by serde through that.
///
/// A struct is told by its fields in the order in which they are written. `field?` is left out where it says nothing;
/// `field: default` is always written and may be absent when it is read, as an `Option` may always be; `field = "key"`
/// has another name in JSON. Of a `strict struct` other keys than these are errors. An enum is told by its variants,
/// each with its name in JSON.
#[macro_export]
#[doc(hidden)]
macro_rules! as_json {
    (strict struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::write_json!(struct $name { $($fields)* });
        $crate::internal::json::read_json!(strict struct $name { $($fields)* });
    };
    ($kind:ident $name:ident { $($parts:tt)* }) => {
        $crate::internal::json::write_json!($kind $name { $($parts)* });
        $crate::internal::json::read_json!($kind $name { $($parts)* });
    };
}
pub use as_json;

/// The half of `as_json` for what is only written.
#[macro_export]
#[doc(hidden)]
macro_rules! write_json {
    (struct $name:ident {
        $($(#[$only:meta])* $field:ident $(= $key:literal)? $(: $default:ident)? $(? $(@ $spared:tt)?)?),* $(,)?
    }) => {
        #[doc(hidden)]
        impl $crate::internal::json::ToJson for $name {
            fn to_json(&self) -> $crate::internal::json::Tree<'_> {
                $crate::internal::json::Tree::object(&[$(
                    $(#[$only])*
                    (
                        $crate::internal::json::write_json!(@key $field $($key)?),
                        &self.$field,
                        $crate::internal::json::write_json!(@spared $(? $($spared)?)?),
                    ),
                )*])
            }
        }
        $crate::internal::json::write_json!(@serde $name);
    };
    (enum $name:ident { $(
        $word:literal => $variant:ident
        $({ $($field:ident $(? $(@ $spared:tt)?)?),+ })? $(($($part:ident),+))?,
    )+ }) => {
        #[doc(hidden)]
        impl $crate::internal::json::ToJson for $name {
            fn to_json(&self) -> $crate::internal::json::Tree<'_> {
                match self {$(
                    Self::$variant $({ $($field),+ })? $(($($part),+))? => $crate::internal::json::write_json!(
                        @held $word $({ $($field $(? $($spared)?)?),+ })? $(($($part),+))?
                    ),
                )+}
            }
        }
        $crate::internal::json::write_json!(@serde $name);
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@spared) => { false };
    (@spared ?) => { true };
    (@held $word:literal) => { $crate::internal::json::Tree::Text(::std::borrow::Cow::Borrowed($word)) };
    (@held $word:literal { $($field:ident $(? $(@ $spared:tt)?)?),+ }) => {
        $crate::internal::json::Tree::held($word, $crate::internal::json::Tree::object(&[$(
            (stringify!($field), $field, $crate::internal::json::write_json!(@spared $(? $($spared)?)?)),
        )+]))
    };
    (@held $word:literal ($one:ident)) => {
        $crate::internal::json::Tree::held($word, $crate::internal::json::ToJson::to_json($one))
    };
    (@held $word:literal ($($part:ident),+)) => {
        $crate::internal::json::Tree::held($word, $crate::internal::json::Tree::List(vec![$($part),+]))
    };
    (@serde $name:ident) => {
        #[automatically_derived]
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::internal::json::serialize(self, serializer)
            }
        }
    };
}
pub use write_json;

/// The half of `as_json` for what is only read.
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
        $($(#[$only:meta])* $field:ident $(= $key:literal)? $(: $default:ident)? $(? $(@ $spared:tt)?)?),* $(,)?
    }) => {
        #[doc(hidden)]
        impl $crate::internal::json::FromJson for $name {
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::Unread> {
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
            fn from_json(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::internal::json::Unread> {
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
    (@of $value:ident $($key:expr,)*) => { $crate::internal::json::Fields::of($value) };
    (@known $value:ident $($key:expr,)*) => { $crate::internal::json::Fields::known($value, &[$($key),*]) };
    (@take $fields:ident $key:expr,) => { $fields.take($key) };
    (@take $fields:ident $key:expr, $default:tt) => { $fields.take_or_default($key) };
    (@held $held:ident $variant:ident) => {
        <() as $crate::internal::json::FromJson>::from_json($held).map(|()| Self::$variant)
    };
    (@held $held:ident $variant:ident { $($field:ident $(? $(@ $spared:tt)?)?),+ }) => {{
        let mut fields = $crate::internal::json::Fields::of($held)?;
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

macro_rules! scalars {
    ($($scalar:ty: $tree:ident($number:ident)),+) => {$(
        impl ToJson for $scalar {
            fn to_json(&self) -> Tree<'_> {
                Tree::$tree(*self as $number)
            }

            fn says_nothing(&self) -> bool {
                *self == Self::default()
            }
        }
    )+};
}

scalars! {
    bool: Bool(bool), u8: UInt(u64), u32: UInt(u64), u64: UInt(u64), usize: UInt(u64), i32: Int(i64), f64: Float(f64)
}

impl ToJson for str {
    fn to_json(&self) -> Tree<'_> {
        Tree::Text(self.into())
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for String {
    fn to_json(&self) -> Tree<'_> {
        self.as_str().to_json()
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Tree<'_> {
        Tree::Value(self)
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Tree<'_> {
        T::to_json(self)
    }

    fn says_nothing(&self) -> bool {
        T::says_nothing(self)
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn to_json(&self) -> Tree<'_> {
        T::to_json(self)
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Tree<'_> {
        self.as_ref().map_or(Tree::Null, T::to_json)
    }

    fn says_nothing(&self) -> bool {
        self.is_none()
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self) -> Tree<'_> {
        Tree::list(self)
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Tree<'_> {
        self.as_slice().to_json()
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Tree<'_> {
        self.as_slice().to_json()
    }
}

impl<A: ToJson, B: ToJson> ToJson for (A, B) {
    fn to_json(&self) -> Tree<'_> {
        Tree::List(vec![&self.0, &self.1])
    }
}

impl<A: ToJson, B: ToJson, C: ToJson> ToJson for (A, B, C) {
    fn to_json(&self) -> Tree<'_> {
        Tree::List(vec![&self.0, &self.1, &self.2])
    }
}

impl<T: ToJson> ToJson for BTreeMap<String, T> {
    fn to_json(&self) -> Tree<'_> {
        Tree::Object(self.iter().map(|(key, value)| (key.as_str(), value as &dyn ToJson)).collect())
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
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
    fn from_json(value: Value) -> Result<Self, Unread> {
        let items = Vec::from_json(value)?;
        let count = items.len();
        items.try_into().map_err(|_| Unread::new(format_args!("invalid length {count}, expected {N}")))
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
            let value = read_under(&key, value)?;
            map.insert(key, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Part {
        p50: f64,
        name: String,
        rank: Option<usize>,
        best: Option<usize>,
        count: u64,
        parts: Vec<Kind>,
        by_name: BTreeMap<String, [u64; 2]>,
    }

    as_json!(struct Part { name, p50 = "p50_ms", rank?, best, count: default, parts?, by_name? });

    #[derive(Debug, PartialEq)]
    enum Kind {
        Nothing,
        OneOf(String),
        Two(usize, i32),
        Both { part: Box<Part>, is_so: bool },
    }

    as_json!(enum Kind {
        "nothing" => Nothing,
        "one-of" => OneOf(text),
        "two" => Two(a, b),
        "both" => Both { part, is_so? },
    });

    #[derive(Debug, PartialEq)]
    struct Few {
        any: Value,
    }

    as_json!(strict struct Few { any });

    #[test]
    fn what_is_written_is_read_back() {
        let inner = Part { name: "inner".to_owned(), p50: -0.0, rank: Some(3), ..Part::default() };
        let parts = vec![
            Kind::Nothing,
            Kind::OneOf("x".to_owned()),
            Kind::Two(1, -2),
            Kind::Both { part: Box::new(inner), is_so: true },
            Kind::Both { part: Box::default(), is_so: false },
        ];
        let by_name = [("a".to_owned(), [1, u64::MAX])].into();
        let part =
            Part { name: "outer".to_owned(), p50: 0.1, best: Some(0), parts, by_name, ..Part::default() };
        let text = serde_json::to_string(&part).unwrap();
        let inner = r#"{"part":{"name":"inner","p50_ms":-0.0,"rank":3,"best":null,"count":0},"is_so":true}"#;
        let blank = r#"{"part":{"name":"","p50_ms":0.0,"best":null,"count":0}}"#;
        let parts =
            format!(r#"["nothing",{{"one-of":"x"}},{{"two":[1,-2]}},{{"both":{inner}}},{{"both":{blank}}}]"#);
        let by_name = r#"{"a":[1,18446744073709551615]}"#;
        let expected = r#"{"name":"outer","p50_ms":0.1,"best":0,"count":0,"#.to_owned()
            + &format!(r#""parts":{parts},"by_name":{by_name}}}"#);
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), part);
        let value = serde_json::to_value(&part).unwrap();
        assert_eq!(serde_json::from_value::<Part>(value).unwrap(), part);
    }

    #[test]
    fn keys_that_nobody_knows_are_errors_where_a_type_is_strict() {
        let few = serde_json::from_str::<Few>(r#"{"any": {"b": [1, null]}}"#).unwrap();
        assert_eq!(serde_json::to_string(&few).unwrap(), r#"{"any":{"b":[1,null]}}"#);
        let error = serde_json::from_str::<Few>(r#"{"other": 1}"#).unwrap_err().to_string();
        assert!(error.starts_with("unknown field `other`, expected one of `any`"), "{error}");
        assert!(serde_json::from_str::<Part>(r#"{"name": "", "p50_ms": 1, "other": 1}"#).is_ok());
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
                "parts[0]: invalid type: integer `3`, expected a word or",
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
                "parts[0].part.name: invalid type: integer `1`, expected a string",
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
