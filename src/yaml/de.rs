//! A tree as a serde deserializer, whose errors know their place.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

use super::node::{Entry, Key, Kind, Node, Scalar, Typed, Value};
use super::source::Span;
use super::suggest::{any_of, nearest};
use crate::error::Problem;
use crate::error::Quoted;

/// Why a tree is not the value that was wanted.
#[derive(Debug)]
pub(crate) struct DeError {
    message: String,
    help: Option<String>,
    at: Option<Span>,
}

impl DeError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, at: None }
    }

    /// The same, at a place unless it has one already: the innermost is the most telling.
    fn at(mut self, span: Span) -> Self {
        self.at.get_or_insert(span);
        self
    }

    pub(super) fn into_problem(self, otherwise: Span) -> Problem {
        let problem = Problem::new(self.at.unwrap_or(otherwise), self.message);
        match self.help {
            Some(help) => problem.help(help),
            None => problem,
        }
    }

    fn unknown(what: &str, given: &str, known: &'static [&'static str]) -> Self {
        let mut error = Self::new(format!("unknown {what} {}", Quoted(given)));
        error.help = match nearest(given, known.iter().copied()) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            None if known.is_empty() => Some(format!("no {what} is known here")),
            None => Some(format!("it takes {}", any_of(known.iter().copied()))),
        };
        error
    }
}

impl fmt::Display for DeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeError {}

impl de::Error for DeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Unit => Self::new(format!("expected {expected}, found nothing")),
            Unexpected::Map => Self::new(format!("expected {expected}, found a mapping")),
            Unexpected::Seq => Self::new(format!("expected {expected}, found a list")),
            found => Self::new(format!("expected {expected}, found {found}")),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {found}"))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::unknown("key", field, known)
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        Self::unknown("value", variant, known)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the key `{field}` is missing"))
    }
}

impl Scalar {
    fn visit<'de, V: Visitor<'de>>(&'de self, visitor: V) -> Result<V::Value, DeError> {
        match self.typed() {
            Typed::Null => visitor.visit_unit(),
            Typed::Bool(value) => visitor.visit_bool(value),
            Typed::Unsigned(value) => visitor.visit_u64(value),
            Typed::Signed(value) => visitor.visit_i64(value),
            Typed::Float(value) => visitor.visit_f64(value),
            Typed::Text(text) => visitor.visit_borrowed_str(text),
        }
    }
}

/// A key that a type let pass without reading its value.
#[derive(Clone, Debug)]
pub(super) struct Skipped {
    key: Arc<str>,
    pub(super) at: Span,
    /// The keys that the type does read.
    known: &'static [&'static str],
}

impl Skipped {
    pub(super) fn into_problem(self) -> Problem {
        DeError::unknown("key", &self.key, self.known).into_problem(self.at)
    }
}

/// A node being read, by whoever wants to know what of it is not.
#[derive(Clone, Copy)]
pub(super) struct Reading<'de> {
    node: &'de Node,
    skipped: &'de RefCell<Vec<Skipped>>,
    /// The key that the node is the value of, and its siblings' known names.
    key: Option<(&'de Key, &'static [&'static str])>,
    /// The keys that the wanted type reads, where it is a struct.
    known: Option<&'static [&'static str]>,
}

impl<'de> Reading<'de> {
    pub(super) fn new(node: &'de Node, skipped: &'de RefCell<Vec<Skipped>>) -> Self {
        Self { node, skipped, key: None, known: None }
    }
}

impl<'de> Reading<'de> {
    /// Text is wanted: a scalar is taken as it is written, be it `01`, `no` or `1e3`.
    fn visit_text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match &self.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => visitor.visit_borrowed_str(&scalar.text),
            _ => return self.deserialize_any(visitor),
        }
        .map_err(|error: DeError| error.at(self.node.span))
    }
}

impl<'de> Deserializer<'de> for Reading<'de> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match &self.node.value {
            Value::Scalar(scalar) => scalar.visit(visitor),
            Value::List(items) => {
                let mut items = Items { rest: items.iter(), skipped: self.skipped };
                visitor.visit_seq(&mut items).and_then(|value| match items.rest.next() {
                    None => Ok(value),
                    Some(more) => Err(DeError::new("more items than expected").at(more.span)),
                })
            }
            Value::Map(entries) => visitor.visit_map(Entries::new(entries, self)),
            Value::Broken => Err(DeError::new("unreadable")),
        }
        .map_err(|error| error.at(self.node.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
            .map_err(|error: DeError| error.at(self.node.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_newtype_struct(self).map_err(|error: DeError| error.at(self.node.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        let this = Self { known: Some(known), ..self };
        // serde would take a list of the fields' values as well, which reads like an accident.
        match &self.node.value {
            Value::Map(_) => this.deserialize_map(visitor),
            _ if self.node.is_null() => this.deserialize_map(visitor),
            _ => Err(DeError::new(format!("expected a mapping, found {}", self.node.describe()))
                .at(self.node.span)),
        }
    }

    /// An empty mapping is nothing, as nothing is an empty mapping.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match &self.node.value {
            Value::Map(entries) if entries.is_empty() => visitor.visit_unit(),
            _ if self.node.is_null() => visitor.visit_unit(),
            _ => Err(DeError::new(format!("expected nothing, found {}", self.node.describe()))),
        }
        .map_err(|error: DeError| error.at(self.node.span))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_unit(visitor)
    }

    /// Nothing at all is an empty mapping: `params:` with every key commented out.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.node.is_null() {
            return visitor.visit_map(Entries::new(&[], self)).map_err(|error| error.at(self.node.span));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        match &self.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => {
                let name: BorrowedStrDeserializer<'de, DeError> = BorrowedStrDeserializer::new(&scalar.text);
                visitor.visit_enum(name)
            }
            Value::Map(entries) if entries.len() == 1 => {
                visitor.visit_enum(Variant { entry: &entries[0], skipped: self.skipped })
            }
            _ => Err(DeError::new(format!(
                "expected a name, or a mapping with one key, found {}",
                self.node.describe()
            ))),
        }
        .map_err(|error| error.at(self.node.span))
    }

    /// A value that the wanted type has no place for.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if let Some((key, known)) = self.key {
            self.skipped.borrow_mut().push(Skipped { key: Arc::clone(&key.text), at: key.span, known });
        }
        visitor.visit_unit()
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.visit_text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.visit_text(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.visit_text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.visit_text(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if let Value::Scalar(scalar) = &self.node.value {
            let meant = match &*scalar.text {
                "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some("true"),
                "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some("false"),
                _ => None,
            };
            if let Some(meant) = meant {
                let mut error =
                    DeError::new(format!("expected true or false, found {}", self.node.describe()));
                error.help = Some(format!("write `{meant}`"));
                return Err(error.at(self.node.span));
            }
        }
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 bytes byte_buf seq tuple tuple_struct
    }
}

struct Items<'de> {
    rest: std::slice::Iter<'de, Node>,
    skipped: &'de RefCell<Vec<Skipped>>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = DeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DeError> {
        self.rest.next().map(|node| seed.deserialize(Reading::new(node, self.skipped))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Entries<'de> {
    rest: std::slice::Iter<'de, Entry>,
    entry: Option<&'de Entry>,
    skipped: &'de RefCell<Vec<Skipped>>,
    known: &'static [&'static str],
}

impl<'de> Entries<'de> {
    fn new(entries: &'de [Entry], of: Reading<'de>) -> Self {
        let known = of.known.unwrap_or_default();
        Self { rest: entries.iter(), entry: None, skipped: of.skipped, known }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = DeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DeError> {
        let Some(entry) = self.rest.next() else { return Ok(None) };
        self.entry = Some(entry);
        seed.deserialize(&entry.key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, DeError> {
        match self.entry.take() {
            Some(entry) => {
                let key = Some((&entry.key, self.known));
                seed.deserialize(Reading { key, ..Reading::new(&entry.value, self.skipped) })
            }
            None => Err(DeError::new("a value was asked for before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            self.visit_number(visitor)
        }
    )*};
}

/// Keys are text; a map from numbers reads them as such.
impl<'de> Deserializer<'de> for &'de Key {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_borrowed_str(&self.text).map_err(|error: DeError| error.at(self.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_newtype_struct(self).map_err(|error: DeError| error.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_some(self).map_err(|error: DeError| error.at(self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        let name: BorrowedStrDeserializer<'de, DeError> = BorrowedStrDeserializer::new(&self.text);
        visitor.visit_enum(name).map_err(|error| error.at(self.span))
    }

    numbers! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl Key {
    fn visit_number<'de, V: Visitor<'de>>(&'de self, visitor: V) -> Result<V::Value, DeError> {
        let scalar = Scalar { text: Arc::clone(&self.text), kind: Kind::Plain };
        match scalar.typed() {
            Typed::Bool(value) => visitor.visit_bool(value),
            Typed::Unsigned(value) => visitor.visit_u64(value),
            Typed::Signed(value) => visitor.visit_i64(value),
            Typed::Float(value) => visitor.visit_f64(value),
            Typed::Null | Typed::Text(_) => visitor.visit_borrowed_str(&self.text),
        }
        .map_err(|error: DeError| error.at(self.span))
    }
}

/// `Variant: value`, the notation of an enum's variant that holds something.
struct Variant<'de> {
    entry: &'de Entry,
    skipped: &'de RefCell<Vec<Skipped>>,
}

impl<'de> Variant<'de> {
    fn value(&self) -> Reading<'de> {
        Reading::new(&self.entry.value, self.skipped)
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = DeError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), DeError> {
        Ok((seed.deserialize(&self.entry.key)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        let value = &self.entry.value;
        if value.is_null() {
            return Ok(());
        }
        let message = format!("{} takes no value", Quoted(&self.entry.key.text));
        Err(DeError::new(message).at(value.span))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DeError> {
        seed.deserialize(self.value())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeError> {
        self.value().deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        Reading { known: Some(known), ..self.value() }.deserialize_map(visitor)
    }
}
