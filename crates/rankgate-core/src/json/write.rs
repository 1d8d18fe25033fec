//! What this crate writes as JSON: reports, and what the processes of a test run tell each other.
//!
//! A derived writer is compiled for every format, and whoever has one waits for what derives it. These writers know one
//! kind of tree.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// A type that is written as JSON; the macro `as_json` implements it, and lets serde write it by this.
pub trait ToJson {
    fn to_json(&self) -> Tree<'_>;

    /// Whether it may be left out of an object: nothing, no, 0 or empty.
    fn says_nothing(&self) -> bool {
        false
    }
}

/// One level of JSON output: the parts of a list or an object are produced as they are written.
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
    /// An object of objects: the keys of the inner ones, and the rows, each with its key.
    Rows(&'a [String], &'a [(String, Vec<f64>)]),
    /// What a variant holds, under its name.
    Held(&'a str, Box<Self>),
    Value(&'a Value),
}

/// A field: its key, its value, and where it is written.
pub type Field<'a> = (&'a str, &'a dyn ToJson, Writing);

/// Where a field is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    Always,
    /// Where it says something.
    Spared,
    Never,
}

impl<'a> Tree<'a> {
    pub fn object(fields: &[Field<'a>]) -> Self {
        let mut written = Vec::with_capacity(fields.len());
        for &(key, value, writing) in fields {
            match writing {
                Writing::Never => (),
                Writing::Spared if value.says_nothing() => (),
                Writing::Always | Writing::Spared => written.push((key, value)),
            }
        }
        Self::Object(written)
    }

    pub fn list<T: ToJson + 'a>(items: impl IntoIterator<Item = &'a T>) -> Self {
        // Of a chain of iterators each type would compile ten functions.
        let mut list: Vec<&dyn ToJson> = Vec::new();
        for item in items {
            list.push(item);
        }
        Self::List(list)
    }

    pub fn object_with(name: &'a str, what: Self) -> Self {
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
            Self::Rows(keys, rows) => {
                let mut map = to.serialize_map(Some(rows.len()))?;
                for (key, values) in *rows {
                    let row =
                        keys.iter().zip(values).map(|(key, value)| (key.as_str(), value as &dyn ToJson));
                    map.serialize_entry(key, &Tree::Object(row.collect()))?;
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

/// The half of `as_json` for types that are only written.
#[macro_export]
#[doc(hidden)]
macro_rules! write_json {
    (struct $name:ident {$(
        $(#[$only:meta])* $field:ident $(= $key:literal)? $(: $default:ident)?
        $(? $(@ $spared:tt)?)? $(! $(@ $never:tt)?)?
    ),* $(,)?
    }) => {
        #[doc(hidden)]
        impl $crate::internal::json::ToJson for $name {
            fn to_json(&self) -> $crate::internal::json::Tree<'_> {
                $crate::internal::json::Tree::object(&[$(
                    $(#[$only])*
                    (
                        $crate::internal::json::write_json!(@key $field $($key)?),
                        &self.$field,
                        $crate::internal::json::write_json!(
                            @writing $(? $($spared)?)? $(! $($never)?)?
                        ),
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
    (@writing) => { $crate::internal::json::Writing::Always };
    (@writing ?) => { $crate::internal::json::Writing::Spared };
    (@writing !) => { $crate::internal::json::Writing::Never };
    (@held $word:literal) => { $crate::internal::json::Tree::Text(::std::borrow::Cow::Borrowed($word)) };
    (@held $word:literal { $($field:ident $(? $(@ $spared:tt)?)?),+ }) => {
        $crate::internal::json::Tree::object_with($word, $crate::internal::json::Tree::object(&[$(
            (stringify!($field), $field, $crate::internal::json::write_json!(@writing $(? $($spared)?)?)),
        )+]))
    };
    (@held $word:literal ($one:ident)) => {
        $crate::internal::json::Tree::object_with($word, $crate::internal::json::ToJson::to_json($one))
    };
    (@held $word:literal ($($part:ident),+)) => {
        $crate::internal::json::Tree::object_with($word, $crate::internal::json::Tree::List(vec![$($part),+]))
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
    bool: Bool(bool), u8: UInt(u64), u32: UInt(u64), u64: UInt(u64), usize: UInt(u64), i32: Int(i64), i64: Int(i64), f64: Float(f64)
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
