//! What documents are, by their metadata: attributes, and metrics that count documents by them.
//!
//! An attribute is a list of conditions on a document's metadata; a document that meets all of them has the attribute. A
//! value is compared with a constant or with what the query says of itself, such as another tenant. Nothing is guessed: a
//! document of which a key is not known is an error, unless the condition says what it takes it for.

mod condition;
mod measures;
mod value;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

pub use self::condition::{Condition, Missing, Operand, Test};
pub(super) use self::measures::{COUNT, SHARE};

use super::ranked_query::RankedDocument;
use crate::error::Quoted;
use crate::{Error, Result};

/// A property of documents, by conditions on their metadata: a document that meets all of them has it.
///
/// ```
/// use rankgate::metric::{Attribute, Condition, Metric, Operand, RankedQuery, Test};
/// use serde_json::json;
///
/// let other_tenant = Condition::new("tenant", Test::Not(Operand::of_query("tenant")));
/// let leak = Attribute::new("leak", [other_tenant])?;
///
/// let tenant = |name: &str| [("tenant".to_owned(), json!(name))].into_iter().collect();
/// let (acme, globex) = (tenant("acme"), tenant("globex"));
/// let asked = RankedQuery::new(["a1", "g7"])
///     .with_metadata(&acme)
///     .with_attribute(&leak, |id| if id == "a1" { Some(&acme) } else { Some(&globex) });
/// assert_eq!("Count(leak)@10".parse::<Metric>()?.compute_of_query(&asked)?, 1.0);
/// assert_eq!("Share(leak)@10".parse::<Metric>()?.compute_of_query(&asked)?, 0.5);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    name: String,
    conditions: Vec<Condition>,
    /// The keys of documents' metadata that they name, each once.
    keys: Vec<Cow<'static, str>>,
    /// Where it was written, for messages.
    place: Option<String>,
}

impl Attribute {
    /// An attribute by its name and its conditions.
    ///
    /// # Errors
    /// A name with a character other than ASCII letters, digits, `_`, `.` and `-`; no condition.
    pub fn new(name: impl Into<String>, conditions: impl IntoIterator<Item = Condition>) -> Result<Self> {
        let (name, conditions) = (name.into(), Vec::from_iter(conditions));
        if let Some(fault) = name_fault(&name) {
            return Err(Error::invalid(format!("attribute {}: {fault}", Quoted(&name))));
        }
        if conditions.is_empty() {
            let message =
                format!("attribute {} has no condition: every document would have it", Quoted(&name));
            return Err(Error::invalid(message));
        }
        let keys: BTreeSet<&str> = conditions.iter().map(|condition| condition.key.as_str()).collect();
        let keys = keys.into_iter().map(|key| Cow::Owned(key.to_owned())).collect();
        Ok(Self { name, conditions, keys, place: None })
    }

    /// The same with the place at which it was written, such as `tenants.yaml:12`: errors name it.
    #[must_use]
    pub fn written_at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The conditions, all of which a document has to meet.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The keys of the documents' metadata that its conditions name, each once, in byte order.
    pub fn keys(&self) -> &[Cow<'static, str>] {
        &self.keys
    }

    /// The keys of the query's metadata that its conditions compare with, each once, in byte order.
    pub fn query_keys(&self) -> Vec<&str> {
        let keys: BTreeSet<&str> = self.conditions.iter().filter_map(Condition::query_key).collect();
        keys.into_iter().collect()
    }

    /// Whether a document has it, by its metadata and the query's.
    ///
    /// # Errors
    /// A key that the document or the query lacks; values that cannot be compared.
    pub(super) fn has(&self, query: &BTreeMap<String, Value>, document: &RankedDocument<'_>) -> Result<bool> {
        // Every condition is looked at: whether one is an error does not depend on another.
        let mut all = true;
        for condition in &self.conditions {
            all &= condition.holds(query, document).map_err(|error| self.named(error))?;
        }
        Ok(all)
    }

    /// An error with the attribute's name and place.
    fn named(&self, error: Error) -> Error {
        match &self.place {
            Some(place) => Error::invalid(format!("attribute {} ({place}): {error}", Quoted(&self.name))),
            None => Error::invalid(format!("attribute {}: {error}", Quoted(&self.name))),
        }
    }

    /// Checks that a query says what the conditions compare with.
    ///
    /// # Errors
    /// A key that its metadata lack, or a value that no condition takes.
    #[doc(hidden)]
    pub fn check_query(&self, id: &str, metadata: &BTreeMap<String, Value>) -> Result<()> {
        let check = |condition: &Condition| condition.check_query(metadata);
        self.conditions.iter().try_for_each(check).map_err(|error| {
            let named = Error::invalid(format!("query {}: {error}", Quoted(id)));
            self.named(named)
        })
    }
}

/// The name and the conditions in words: `leak: tenant not $query.tenant`.
impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        for (index, condition) in self.conditions.iter().enumerate() {
            write!(f, "{}{condition}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

/// Why this cannot be the name of an attribute, if it cannot.
pub(super) fn name_fault(name: &str) -> Option<&'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let starts = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    (!starts || !name.chars().all(allowed))
        .then_some("a name is a letter or digit, then letters, digits, `_`, `.` and `-`")
}

#[cfg(test)]
mod tests;
