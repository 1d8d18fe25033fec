//! A tree as a serde deserializer, whose errors know their place.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, Unexpected, VariantAccess,
    Visitor,
};

use super::node::{Entry, Kind, Node, Scalar, Typed, Value};
use super::source::Span;
use super::suggest::{any_of, nearest};
use crate::error::Problem;
use crate::error::Quoted;

/// Why a tree is not the value that was wanted.
#[derive(Debug)]
pub(super) struct DeError {
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

/// A node being read, for callers that report unread keys. A key is read like a node.
pub(super) struct Reading<'s> {
    node: Node,
    skipped: &'s RefCell<Vec<Skipped>>,
    /// The key that the node is the value of.
    key: Option<Skipped>,
    /// Whether the node is a key: text, unless a number is wanted.
    is_key: bool,
    /// The keys that the wanted type reads, where it is a struct.
    known: &'static [&'static str],
}

impl<'s> Reading<'s> {
    pub(super) fn new(node: &Node, skipped: &'s RefCell<Vec<Skipped>>) -> Self {
        Self { node: node.clone(), skipped, key: None, is_key: false, known: &[] }
    }

    fn entry(&self, Entry { key, value }: &Entry) -> (Self, Self) {
        let text = Scalar { text: Arc::clone(&key.text), kind: Kind::Text };
        let node = Node { span: key.span, value: Value::Scalar(text) };
        let skipped = Skipped { key: Arc::clone(&key.text), at: key.span, known: self.known };
        let key = Self { is_key: true, ..Self::new(&node, self.skipped) };
        (key, Self { key: Some(skipped), ..Self::new(value, self.skipped) })
    }

    /// Reads it; what goes wrong went wrong here, unless it knows of a place inside.
    fn here<T>(self, read: impl FnOnce(Self) -> Result<T, DeError>) -> Result<T, DeError> {
        let at = self.node.span;
        read(self).map_err(|error| error.at(at))
    }

    fn instead_of(&self, wanted: &str) -> DeError {
        DeError::new(format!("expected {wanted}, found {}", self.node.describe()))
    }

    /// A number or a truth value is wanted: a key is what it looks like.
    fn by_its_look(mut self) -> Self {
        if let (true, Value::Scalar(scalar)) = (self.is_key, &mut self.node.value) {
            scalar.kind = Kind::Plain;
        }
        self
    }
}

impl<'de> IntoDeserializer<'de, DeError> for Reading<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods that read a node, each as messages name it.
macro_rules! reads {
    ($($($name:ident)+ = |$this:ident, $visitor:ident| $read:expr;)+) => {
        $(reads! { @ $this $visitor ($read) $($name)+ })+
    };
    (@ $this:ident $visitor:ident ($read:expr) $($name:ident)+) => {$(
        fn $name<V: Visitor<'de>>(self, $visitor: V) -> Result<V::Value, DeError> {
            self.here(|$this| $read)
        }
    )+};
}

impl<'de> Deserializer<'de> for Reading<'_> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.here(|this| match &this.node.value {
            Value::Scalar(scalar) => match scalar.typed() {
                Typed::Null => visitor.visit_unit(),
                Typed::Bool(value) => visitor.visit_bool(value),
                Typed::Unsigned(value) => visitor.visit_u64(value),
                Typed::Signed(value) => visitor.visit_i64(value),
                Typed::Float(value) => visitor.visit_f64(value),
                Typed::Text(text) => visitor.visit_str(text),
            },
            Value::List(items) => {
                let mut rest = items.iter();
                let items = rest.by_ref().map(|item| Self::new(item, this.skipped));
                let value = visitor.visit_seq(SeqDeserializer::new(items))?;
                match rest.next() {
                    None => Ok(value),
                    Some(more) => Err(DeError::new("more items than expected").at(more.span)),
                }
            }
            Value::Map(entries) => {
                visitor.visit_map(MapDeserializer::new(entries.iter().map(|entry| this.entry(entry))))
            }
            Value::Broken => Err(DeError::new("unreadable")),
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        // serde would take a list of the fields' values as well, which reads like an accident.
        self.here(|this| match &this.node.value {
            Value::Map(_) => Self { known, ..this }.deserialize_map(visitor),
            _ if this.node.is_null() => this.deserialize_map(visitor),
            _ => Err(this.instead_of("a mapping")),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.here(|this| match &this.node.value {
            Value::Scalar(scalar) if !scalar.is_null() => {
                visitor.visit_enum(StrDeserializer::new(&scalar.text))
            }
            Value::Map(entries) if entries.len() == 1 => visitor.visit_enum(Variant(this.entry(&entries[0]))),
            _ => Err(this.instead_of("a name, or a mapping with one key")),
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.here(|this| visitor.visit_newtype_struct(this))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_unit(visitor)
    }

    reads! {
        deserialize_option = |this, visitor| match this.node.is_null() {
            true => visitor.visit_none(),
            false => visitor.visit_some(this),
        };

        // Nothing at all is an empty mapping: `params:` with every key commented out.
        deserialize_map = |this, visitor| match this.node.is_null() {
            true => visitor.visit_map(MapDeserializer::new(std::iter::empty::<(Self, Self)>())),
            false => this.deserialize_any(visitor),
        };

        // An empty mapping is nothing, as nothing is an empty mapping.
        deserialize_unit = |this, visitor| match &this.node.value {
            Value::Map(entries) if entries.is_empty() => visitor.visit_unit(),
            _ if this.node.is_null() => visitor.visit_unit(),
            _ => Err(this.instead_of("nothing")),
        };

        // A value that the wanted type has no place for.
        deserialize_ignored_any = |this, visitor| {
            this.skipped.borrow_mut().extend(this.key);
            visitor.visit_unit()
        };

        // Text is wanted: a scalar is taken as it is written, be it `01`, `no` or `1e3`.
        deserialize_str deserialize_string deserialize_char deserialize_identifier = |this, visitor| match &this.node.value {
                Value::Scalar(scalar) if !scalar.is_null() => visitor.visit_str(&scalar.text),
                _ => this.deserialize_any(visitor),
            };

        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 = |this, visitor| this.by_its_look().deserialize_any(visitor);

        deserialize_bool = |this, visitor| {
            let this = this.by_its_look();
            let meant = match &this.node.value {
                Value::Scalar(scalar) => match &*scalar.text {
                    "yes" | "Yes" | "YES" | "on" | "On" | "ON" => "true",
                    "no" | "No" | "NO" | "off" | "Off" | "OFF" => "false",
                    _ => return this.deserialize_any(visitor),
                },
                _ => return this.deserialize_any(visitor),
            };
            Err(DeError { help: Some(format!("write `{meant}`")), ..this.instead_of("true or false") })
        };
    }

    serde::forward_to_deserialize_any! { bytes byte_buf seq tuple tuple_struct }
}

/// `Variant: value`, the notation of an enum's variant that holds something.
struct Variant<'s>((Reading<'s>, Reading<'s>));

impl<'de, 's> EnumAccess<'de> for Variant<'s> {
    type Error = DeError;
    type Variant = Reading<'s>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Reading<'s>), DeError> {
        let Self((key, value)) = self;
        Ok((seed.deserialize(key)?, value))
    }
}

/// The value of a variant.
impl<'de> VariantAccess<'de> for Reading<'_> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        let name = self.key.map(|key| key.key).unwrap_or_default();
        let message = || DeError::new(format!("{} takes no value", Quoted(&name))).at(self.node.span);
        if self.node.is_null() { Ok(()) } else { Err(message()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DeError> {
        seed.deserialize(Self { key: None, ..self })
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        Self { known, ..self }.deserialize_map(visitor)
    }
}
