//! A condition on one key of a document's metadata.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::date::{Age, moment};
use super::value::{self, describe, order, same};
use crate::error::Quoted;
use crate::metric::ranked_query::RankedDocument;
use crate::words::keywords;
use crate::{Error, Result};

/// What has to hold of the value under one key: every test of it.
///
/// ```
/// use rankgate::metric::{Condition, Missing, Operand, Test};
///
/// // Release notes and changelogs; a document without a kind is neither.
/// let kinds = Test::Equal(Operand::constant(["release-note", "changelog"].as_slice()));
/// let noise = Condition::new("kind", [kinds]).with_missing(Missing::Other);
/// assert_eq!(noise.key(), "kind");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    key: String,
    tests: Vec<Test>,
    missing: Missing,
}

/// A test of one value. Values of different types are never compared: that is an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// The value is the operand, or one of them where it is a list.
    Equal(Operand),
    /// The value is not the operand, and none of them where it is a list.
    Not(Operand),
    /// The value, a list, has the operand, or one of them; a text has it as a part.
    Contains(Operand),
    /// The opposite of [`Contains`](Self::Contains).
    Lacks(Operand),
    /// The value is less than the operand: numbers, or dates.
    LessThan(Operand),
    /// The value is greater than the operand.
    GreaterThan(Operand),
    /// The value is at most the operand.
    AtMost(Operand),
    /// The value is at least the operand.
    AtLeast(Operand),
    /// The value is a date that is earlier than another date by more than an age.
    OlderThan(Age, Operand),
    /// The key is there, with a value other than null; or it is not.
    Present(bool),
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
    /// What it compares with; nothing where presence is tested.
    #[must_use]
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Self::Equal(operand)
            | Self::Not(operand)
            | Self::Contains(operand)
            | Self::Lacks(operand)
            | Self::LessThan(operand)
            | Self::GreaterThan(operand)
            | Self::AtMost(operand)
            | Self::AtLeast(operand)
            | Self::OlderThan(_, operand) => Some(operand),
            Self::Present(_) => None,
        }
    }

    /// Whether it holds of a value that is there.
    fn holds(&self, value: &Value, query: &BTreeMap<String, Value>) -> Result<bool> {
        Ok(match self {
            Self::Equal(operand) => same(value, operand.get(query)?)?,
            Self::Not(operand) => !same(value, operand.get(query)?)?,
            Self::Contains(operand) => value::contains(value, operand.get(query)?)?,
            Self::Lacks(operand) => !value::contains(value, operand.get(query)?)?,
            Self::LessThan(operand) => order(value, operand.get(query)?)?.is_lt(),
            Self::GreaterThan(operand) => order(value, operand.get(query)?)?.is_gt(),
            Self::AtMost(operand) => order(value, operand.get(query)?)?.is_le(),
            Self::AtLeast(operand) => order(value, operand.get(query)?)?.is_ge(),
            Self::OlderThan(age, than) => age.before(moment(than.get(query)?)?) > moment(value)?,
            Self::Present(present) => *present,
        })
    }

    /// Whether an operand is one that it takes, whatever the value.
    pub(super) fn check_operand(&self, operand: &Value) -> Result<()> {
        match self {
            Self::Equal(_) | Self::Not(_) | Self::Contains(_) | Self::Lacks(_) => {
                value::check_choice(operand)
            }
            Self::LessThan(_) | Self::GreaterThan(_) | Self::AtMost(_) | Self::AtLeast(_) => {
                value::check_ordered(operand)
            }
            Self::OlderThan(..) => moment(operand).map(drop),
            Self::Present(_) => Ok(()),
        }
    }
}

impl Condition {
    /// A condition on the value under `key`: every test of it has to hold.
    pub fn new(key: impl Into<String>, tests: impl IntoIterator<Item = Test>) -> Self {
        Self { key: key.into(), tests: Vec::from_iter(tests), missing: Missing::Error }
    }

    /// The same with what a document without the key is taken for.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// What a document without the key is taken for.
    #[must_use]
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// What has to hold of the value.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// The key of the documents' metadata.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The keys of the query's metadata that it compares with.
    pub(super) fn query_keys(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().filter_map(|test| match test.operand() {
            Some(Operand::OfQuery(key)) => Some(key.as_str()),
            Some(Operand::Constant(_)) | None => None,
        })
    }

    /// Checks the operands that do not depend on a query.
    ///
    /// # Errors
    /// A value that a test cannot compare with.
    #[doc(hidden)]
    pub fn check_constants(&self) -> Result<()> {
        self.tests.iter().try_for_each(|test| match test.operand() {
            Some(Operand::Constant(value)) => test.check_operand(value),
            Some(Operand::OfQuery(_)) | None => Ok(()),
        })
    }

    /// Checks the operands that a query has.
    pub(super) fn check_query(&self, query: &BTreeMap<String, Value>) -> Result<()> {
        self.tests.iter().try_for_each(|test| match test.operand() {
            Some(operand @ Operand::OfQuery(key)) => {
                let wrong = |error| Error::invalid(format!("{} of the query: {error}", Quoted(key)));
                test.check_operand(operand.get(query)?).map_err(wrong)
            }
            Some(Operand::Constant(_)) | None => Ok(()),
        })
    }

    pub(super) fn holds(
        &self,
        query: &BTreeMap<String, Value>,
        document: &RankedDocument<'_>,
    ) -> Result<bool> {
        let key = Quoted(&self.key);
        let value = document.metadata.get(&self.key).filter(|value| !value.is_null());
        let tests_presence = self.tests.iter().any(|test| matches!(test, Test::Present(_)));
        let Some(value) = value else {
            // A document that is known not to have the key is what `present` asks for.
            if document.is_known && tests_presence {
                return Ok(self.tests.iter().all(|test| *test == Test::Present(false)));
            }
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
        let mut all = true;
        for test in &self.tests {
            all &= test.holds(value, query).map_err(wrong)?;
        }
        Ok(all)
    }
}

/// As a spec has it, in a few words: `tenant not $query.tenant`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        for (index, test) in self.tests.iter().enumerate() {
            write!(f, "{} {test}", if index == 0 { "" } else { "," })?;
        }
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
            Self::Contains(operand) => write!(f, "contains {operand}"),
            Self::Lacks(operand) => write!(f, "lacks {operand}"),
            Self::LessThan(operand) => write!(f, "less-than {operand}"),
            Self::GreaterThan(operand) => write!(f, "greater-than {operand}"),
            Self::AtMost(operand) => write!(f, "at-most {operand}"),
            Self::AtLeast(operand) => write!(f, "at-least {operand}"),
            Self::OlderThan(age, than) => write!(f, "older-than {age} than {than}"),
            Self::Present(present) => write!(f, "present {present}"),
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
