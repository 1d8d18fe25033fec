//! A condition on one key of a document's metadata.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::value::{check_choice, describe, same};
use crate::error::Quoted;
use crate::metric::ranked_query::RankedDocument;
use crate::words::keywords;
use crate::{Error, Result};

/// What has to hold of the value under one key.
///
/// ```
/// use rankgate::metric::{Condition, Missing, Operand, Test};
///
/// // Release notes and changelogs; a document without a kind is neither.
/// let kinds = Test::Equal(Operand::constant(["release-note", "changelog"].as_slice()));
/// let noise = Condition::new("kind", kinds).with_missing(Missing::Other);
/// assert_eq!(noise.key, "kind");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// The key of the documents' metadata.
    pub key: String,
    /// What has to hold of the value.
    pub test: Test,
    /// What a document without the key is taken for.
    pub missing: Missing,
}

/// A test of one value. Values of different types are never compared: that is an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// The value is the operand, or one of them where it is a list.
    Equal(Operand),
    /// The value is not the operand, and none of them where it is a list.
    Not(Operand),
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operand {
    /// The same for every query.
    Constant(Value),
    /// What the query's metadata have under this key.
    OfQuery(String),
}

keywords! {
    /// What a document without the key, or one that is not in the corpus, is taken for.
    #[derive(Default)]
    pub enum Missing {
        /// An error that names query and document.
        #[default]
        Error = "error",
        /// One that meets the condition.
        Match = "match",
        /// One that does not.
        Other = "other",
    }
}

impl Operand {
    /// The same value for every query.
    pub fn constant(value: impl Into<Value>) -> Self {
        Self::Constant(value.into())
    }

    /// What the query's metadata have under a key.
    pub fn of_query(key: impl Into<String>) -> Self {
        Self::OfQuery(key.into())
    }

    fn get<'a>(&'a self, query: &'a BTreeMap<String, Value>) -> Result<&'a Value> {
        match self {
            Self::Constant(value) => Ok(value),
            Self::OfQuery(key) => query.get(key).filter(|value| !value.is_null()).ok_or_else(|| {
                Error::invalid(format!("the query has no {} in its metadata to compare with", Quoted(key)))
            }),
        }
    }
}

impl Test {
    /// What it compares with.
    pub fn operand(&self) -> &Operand {
        match self {
            Self::Equal(operand) | Self::Not(operand) => operand,
        }
    }

    /// Whether it holds of a value that is there.
    fn holds(&self, value: &Value, query: &BTreeMap<String, Value>) -> Result<bool> {
        let is_same = same(value, self.operand().get(query)?)?;
        Ok(is_same == matches!(self, Self::Equal(_)))
    }
}

impl Condition {
    /// A condition on the value under `key`.
    pub fn new(key: impl Into<String>, test: Test) -> Self {
        Self { key: key.into(), test, missing: Missing::Error }
    }

    /// The same with what a document without the key is taken for.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// The key of the query's metadata that it compares with.
    pub(super) fn query_key(&self) -> Option<&str> {
        match self.test.operand() {
            Operand::OfQuery(key) => Some(key),
            Operand::Constant(_) => None,
        }
    }

    /// Checks an operand that does not depend on a query.
    ///
    /// # Errors
    /// A value that nothing can be equal to.
    #[doc(hidden)]
    pub fn check_constant(&self) -> Result<()> {
        match self.test.operand() {
            Operand::Constant(value) => check_choice(value),
            Operand::OfQuery(_) => Ok(()),
        }
    }

    /// Checks an operand that a query has.
    pub(super) fn check_query(&self, query: &BTreeMap<String, Value>) -> Result<()> {
        let Operand::OfQuery(key) = self.test.operand() else { return Ok(()) };
        let wrong = |error| Error::invalid(format!("{} of the query: {error}", Quoted(key)));
        check_choice(self.test.operand().get(query)?).map_err(wrong)
    }

    pub(super) fn holds(
        &self,
        query: &BTreeMap<String, Value>,
        document: &RankedDocument<'_>,
    ) -> Result<bool> {
        let key = Quoted(&self.key);
        let value = document.metadata.get(&self.key).filter(|value| !value.is_null());
        let Some(value) = value else {
            return match self.missing {
                Missing::Match => Ok(true),
                Missing::Other => Ok(false),
                Missing::Error => Err(Error::invalid(match document.is_known {
                    true => {
                        format!("document {} has no {key} in its metadata; {WHAT_THEN}", Quoted(document.id))
                    }
                    false => format!(
                        "document {} is not in the corpus, so that its {key} is unknown; {WHAT_THEN}",
                        Quoted(document.id)
                    ),
                })),
            };
        };
        let wrong = |error| {
            let (id, value) = (Quoted(document.id), describe(value));
            Error::invalid(format!("document {id}, of which {key} is {value}: {error}"))
        };
        self.test.holds(value, query).map_err(wrong)
    }
}

/// As a spec has it, in a few words: `tenant not $query.tenant`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.test)?;
        match self.missing {
            Missing::Error => Ok(()),
            missing => write!(f, " (missing: {missing})"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal(operand) => write!(f, "equal {operand}"),
            Self::Not(operand) => write!(f, "not {operand}"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfQuery(key) => write!(f, "$query.{key}"),
            Self::Constant(Value::String(text)) => f.write_str(text),
            Self::Constant(value) => write!(f, "{value}"),
        }
    }
}

const WHAT_THEN: &str =
    "add it, or say what such a document is taken for: `missing: match` or `missing: other`";
