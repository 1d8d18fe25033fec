//! What gates need of a file of judgments: the judges, and of each item all but what the model wrote.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use super::claim::Claim;
use super::item::{Description, seal};
use super::lines::{Line, lines};
use crate::gate::State;
use crate::{Result, order};

/// What gates need of an item; what the model wrote is looked at and not kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glance<'t> {
    #[serde(rename = "analysis")]
    _analysis: Text,
    #[serde(default)]
    claims: Option<Vec<Claim>>,
    #[serde(default, rename = "confidence")]
    _confidence: Option<f64>,
    #[serde(borrow)]
    pub(crate) document: Cow<'t, str>,
    #[serde(borrow)]
    pub(crate) document_sha256: Cow<'t, str>,
    #[serde(default)]
    pub(crate) grade: Option<u8>,
    #[serde(default)]
    grades: Vec<Option<u8>>,
    #[serde(borrow)]
    pub(crate) judge: Cow<'t, str>,
    #[serde(borrow)]
    pub(crate) query: Cow<'t, str>,
    #[serde(borrow)]
    pub(crate) query_sha256: Cow<'t, str>,
    #[serde(borrow, default)]
    seal: Option<Cow<'t, str>>,
    #[serde(default, rename = "served")]
    _served: Option<Text>,
    pub(crate) state: State,
    #[serde(default)]
    pub(crate) tokens: Option<[u64; 2]>,
}

impl Glance<'_> {
    fn shas(&self) -> [&str; 2] {
        [&self.query_sha256, &self.document_sha256]
    }

    fn own_seal(&self) -> String {
        let Self {
            judge, query, query_sha256, document, document_sha256, state, grade, grades, claims, ..
        } = self;
        seal(&(judge, query, query_sha256, document, document_sha256, state, grade, grades, claims))
    }
}

impl<'t> Line<'t> for Glance<'t> {
    fn read(line: &'t str) -> serde_json::Result<(Self, bool)> {
        let item: Self = serde_json::from_str(line)?;
        let is_whole = item.seal.as_deref().is_none_or(|seal| seal == item.own_seal());
        Ok((item, is_whole))
    }

    fn key(&self) -> [&str; 3] {
        [&self.query, &self.document, &self.judge]
    }

    fn outcome(&self) -> (State, Option<u8>) {
        (self.state, self.grade)
    }

    fn claims(&self) -> Option<&[Claim]> {
        self.claims.as_deref()
    }
}

/// What gates need of a file's text: the judges, and the items by query, document and judge.
///
/// # Errors
///
/// As [`JudgmentsFile::parse`].
pub(crate) fn glance<'t>(
    name: &str,
    text: &'t str,
) -> Result<(BTreeMap<String, Description>, Vec<Glance<'t>>)> {
    let (judges, mut items) = lines::<Glance<'_>>(name, text, false)?;
    order::sort_by(&mut items, |a, b| a.key().cmp(&b.key()));
    Ok((judges, items))
}

/// The same of the committed file's text and of the one beside the report, where there is one. Of a question that both
/// answer, the answer beside the report counts.
///
/// # Errors
///
/// As [`JudgmentsFile::parse`].
pub(crate) fn glance_beside<'t>(
    committed: (&str, &'t str),
    own: (&str, &'t str),
) -> Result<(BTreeMap<String, Description>, Vec<Glance<'t>>)> {
    let (mut judges, committed) = glance(committed.0, committed.1)?;
    let (own_judges, mut items) = glance(own.0, own.1)?;
    judges.extend(own_judges);
    let mut more = Vec::new();
    for item in committed {
        let at = items.binary_search_by(|own| own.key().cmp(&item.key()));
        let same = |at: usize| items[at].shas() == item.shas();
        if !at.is_ok_and(same) {
            more.push(item);
        }
    }
    items.extend(more);
    order::sort_by(&mut items, |a, b| a.key().cmp(&b.key()));
    Ok((judges, items))
}

/// Some text, whatever it says.
struct Text;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Text;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_str<E>(self, _: &str) -> std::result::Result<Text, E> {
                Ok(Text)
            }
        }
        deserializer.deserialize_str(Any)
    }
}
