//! `attributes:`: what documents are, by their metadata.

use serde_json::Value as Json;

use super::scalar::read_words;
use crate::error::Quoted;
use crate::mapping::{FromNode, Reader, Rule, mapping};
use crate::metric::{Attribute, Condition, Missing, Operand, Test};
use crate::yaml::{Entry, Node, Problem, Typed, Value};

read_words!(Missing);

/// What a value of the query begins with.
const OF_QUERY: &str = "$query.";

mapping! {
    /// What has to hold of the value under one key. Values of different types are never compared: that is an error.
    pub(super) struct RawCondition as "a condition" {
        /// The value is this one, or one of a list: a text, a number, true or false, or `$query.KEY`, the query's.
        "in" => one_of: RawOperand,
        /// The value is not this one, and none of a list.
        "not" => not: RawOperand,
        /// What a document without the key is taken for, and one that is not in the corpus: an `error` (default), a
        /// `match`, or `other`, which is none.
        "missing" => missing: Missing,
    }
    rules: [Rule::ExactlyOne(&["in", "not"])]
}

/// What a value is compared with, as it is written.
pub(super) struct RawOperand(Operand);

impl FromNode for RawOperand {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = match &node.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(&*scalar.text),
            _ => None,
        };
        match text.and_then(|text| text.strip_prefix(OF_QUERY)) {
            Some("") => reader.refuse(node.span, format!("`{OF_QUERY}` needs a key of the query's metadata")),
            Some(key) => Some(Self(Operand::of_query(key))),
            None => operand(node, reader).map(|value| Self(Operand::Constant(value))),
        }
    }
}

/// A constant: a scalar, or a list of them.
fn operand(node: &Node, reader: &mut Reader<'_>) -> Option<Json> {
    match &node.value {
        Value::Scalar(scalar) if !scalar.is_null() => Some(match scalar.typed() {
            // What is written as a number is compared as one, however it is written.
            Typed::Float(number) => Json::from(number),
            Typed::Unsigned(number) => Json::from(number),
            Typed::Signed(number) => Json::from(number),
            Typed::Bool(value) => Json::Bool(value),
            Typed::Text(text) => Json::from(text),
            Typed::Null => return None,
        }),
        Value::List(items) if items.is_empty() => {
            reader.refuse(node.span, "an empty list has no value to compare with")
        }
        Value::List(items) => {
            let all: Vec<Option<Json>> = items
                .iter()
                .map(|item| match &item.value {
                    Value::Scalar(scalar) if scalar.text.starts_with(OF_QUERY) => {
                        let problem = Problem::new(item.span, format!("{} in a list", Quoted(&scalar.text)));
                        reader
                            .report(problem.help("the query's value stands alone; it may be a list itself"));
                        None
                    }
                    Value::Scalar(_) => operand(item, reader),
                    _ => reader.expected(item, "a text, a number, true or false"),
                })
                .collect();
            all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
        }
        Value::Broken => None,
        _ => reader.expected(node, "a text, a number, true or false, a list of them, or `$query.KEY`"),
    }
}

/// The conditions of one attribute.
pub(super) struct RawAttribute(Vec<Condition>);

impl FromNode for RawAttribute {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from keys of documents' metadata to conditions")?;
        if entries.is_empty() {
            return reader
                .refuse(node.span, "an attribute without a condition: every document would have it");
        }
        let all: Vec<Option<Condition>> = entries.iter().map(|entry| condition(entry, reader)).collect();
        all.into_iter().collect::<Option<_>>().map(Self)
    }
}

/// `{tenant: {not: $query.tenant}}`; `{kind: [draft, retired]}` is short for `{kind: {in: [draft, retired]}}`.
fn condition(Entry { key, value }: &Entry, reader: &mut Reader<'_>) -> Option<Condition> {
    let condition = match &value.value {
        Value::Map(_) => reader.read::<RawCondition>(value)?.check(&key.text)?,
        _ => Condition::new(&*key.text, Test::Equal(reader.read::<RawOperand>(value)?.0)),
    };
    match condition.check_constant() {
        Ok(()) => Some(condition),
        Err(error) => reader.refuse(value.span, format!("{}: {error}", Quoted(&key.text))),
    }
}

impl RawCondition {
    /// The condition; `None` where something is wrong, which has been reported.
    fn check(self, key: &str) -> Option<Condition> {
        let test = match self.not.into_value() {
            Some(operand) => Test::Not(operand.0),
            None => Test::Equal(self.one_of.into_value()?.0),
        };
        let missing = self.missing.into_value().unwrap_or_default();
        Some(Condition::new(key, test).with_missing(missing))
    }
}

/// The mapping from names to attributes. One that cannot be read still has a name.
#[derive(Default)]
pub(super) struct RawAttributes(Vec<(String, Option<Attribute>)>);

impl FromNode for RawAttributes {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from names to attributes")?;
        let named = |entry: &Entry, reader: &mut Reader<'_>| {
            let raw: Option<RawAttribute> = reader.read(&entry.value);
            let name = entry.key.text.to_string();
            let line = reader.source.position(entry.key.span).0;
            let place = format!("{}:{line}", reader.source.name());
            match Attribute::new(&name, raw?.0) {
                Ok(attribute) => Some(attribute.written_at(place)),
                Err(error) => reader.refuse(entry.key.span, error.to_string()),
            }
        };
        Some(Self(entries.iter().map(|entry| (entry.key.text.to_string(), named(entry, reader))).collect()))
    }
}

impl RawAttributes {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The attributes, unless something is wrong with one, which has been reported.
    pub(super) fn into_attributes(self) -> Option<Vec<Attribute>> {
        self.0.into_iter().map(|(_, attribute)| attribute).collect()
    }
}
