//! A tree as a serde deserializer, whose errors know their place.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};

use super::node::{Entry, Key, Kind, Node, Scalar, Typed, Value};
use super::source::Span;
use super::suggest::{any_of, nearest};
use crate::error::Problem;
use crate::error::Quoted;

/// Why a tree is not the value that was wanted.
#[derive(Clone, Debug)]
pub(super) struct DeError {
    message: String,
    help: Option<String>,
    pub(super) at: Option<Span>,
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
        let help = match nearest(given, known.iter().copied()) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            // Of a variant with fields serde does not say what they are called.
            None if known.is_empty() => None,
            None => Some(format!("it takes {}", any_of(known.iter().copied()))),
        };
        Self { help, ..Self::new(format!("unknown {what} {}", Quoted(given))) }
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
        Self::new(match found {
            Unexpected::Unit => format!("expected {expected}, found nothing"),
            Unexpected::Map => format!("expected {expected}, found a mapping"),
            Unexpected::Seq => format!("expected {expected}, found a list"),
            found => format!("expected {expected}, found {found}"),
        })
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::unknown("key", field, known)
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        Self::unknown("value", variant, known)
    }
}

/// A node being read, for callers that report unread keys.
pub(super) struct Reading<'s> {
    node: Node,
    skipped: &'s RefCell<Vec<DeError>>,
    /// The key that the node is the value of, and the keys that are read beside it.
    key: Option<(Key, &'static [&'static str])>,
}

impl<'s> Reading<'s> {
    /// Keys that a type lets pass without reading their values are added to `skipped`.
    pub(super) fn new(node: &Node, skipped: &'s RefCell<Vec<DeError>>) -> Self {
        Self { node: node.clone(), skipped, key: None }
    }

    /// The entries of a mapping, of which `known` are the keys that the wanted type reads.
    fn entries<'de, 'a>(
        &self,
        entries: &'a [Entry],
        known: &'static [&'static str],
    ) -> MapDeserializer<'de, impl Iterator<Item = (Self, Self)> + use<'a, 's>, DeError> {
        let skipped = self.skipped;
        MapDeserializer::new(entries.iter().map(move |Entry { key, value }| {
            let text = Scalar { text: key.text.clone(), kind: Kind::Text };
            let name = Self::new(&Node { span: key.span, value: Value::Scalar(text) }, skipped);
            (name, Self { key: Some((key.clone(), known)), ..Self::new(value, skipped) })
        }))
    }

    /// Reads it; what goes wrong went wrong here, unless it knows of a place inside.
    fn here<T>(&self, read: impl FnOnce() -> Result<T, DeError>) -> Result<T, DeError> {
        read().map_err(|error| error.at(self.node.span))
    }

    fn instead_of<T>(&self, wanted: &str) -> Result<T, DeError> {
        Err(DeError::new(format!("expected {wanted}, found {}", self.node.describe())))
    }
}

impl<'de> IntoDeserializer<'de, DeError> for Reading<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Reading<'_> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.here(|| match &self.node.value {
            Value::Scalar(scalar) => match scalar.typed() {
                Typed::Null => visitor.visit_unit(),
                Typed::Bool(value) => visitor.visit_bool(value),
                Typed::Unsigned(value) => visitor.visit_u64(value),
                Typed::Signed(value) => visitor.visit_i64(value),
                Typed::Float(value) => visitor.visit_f64(value),
                Typed::Text(text) => visitor.visit_str(text),
            },
            Value::List(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(|item| Self::new(item, self.skipped)));
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            Value::Map(entries) => visitor.visit_map(self.entries(entries, &[])),
            Value::Broken => Err(DeError::new("unreadable")),
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    /// Takes a scalar as it is written, be it `01`, `no` or `1e3`.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match &self.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => self.here(|| visitor.visit_str(&scalar.text)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        // serde would take a list of the fields' values as well, which reads like an accident.
        self.here(|| match &self.node.value {
            Value::Map(entries) => visitor.visit_map(self.entries(entries, known)),
            _ => self.instead_of("a mapping"),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.here(|| match &self.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => {
                visitor.visit_enum(StrDeserializer::new(&scalar.text))
            }
            Value::Map(entries) if entries.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(self.entries(entries, &[])))
            }
            _ => self.instead_of("a name, or a mapping with one key"),
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        visitor.visit_newtype_struct(self)
    }

    /// A value that the wanted type has no place for.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let unread = self.key.map(|(key, known)| DeError::unknown("key", &key.text, known).at(key.span));
        self.skipped.borrow_mut().extend(unread);
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct map
    }
}
