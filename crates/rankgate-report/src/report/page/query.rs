//! Queries, one a line, with the text of each beside it or below.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Block, Part};
use crate::report::clean::{shorten, shorten_name};

/// Characters of a query's id, those of a UUID, and of its text.
const ID: usize = 36;
const TEXT: usize = 80;

/// A list of queries, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Queries {
    pub rows: Vec<Query>,
    pub more: usize,
}

/// One query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Query {
    /// As it is in the data, to be looked up.
    pub key: String,
    pub id: String,
    pub text: String,
    /// A short one, such as its scores.
    pub number: String,
    pub details: Vec<Detail>,
}

/// A line on one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Detail {
    /// A document's id, of which as much is shown as there is room for.
    pub document: String,
    /// The document's title, of which as much is shown; empty where none is known.
    pub title: String,
    pub said: String,
}

impl Query {
    /// A query by its id and text, as they are in the data.
    pub fn new(id: &str, text: &str, number: String, details: Vec<Detail>) -> Self {
        let (key, id) = (id.to_owned(), shorten_name(id, ID));
        Self { key, id, text: shorten(text, TEXT), number, details }
    }
}

/// Puts the titles of documents, by id, beside the ids in lists of queries.
pub fn add_titles(part: &mut Part, titles: &BTreeMap<String, String>) {
    if titles.is_empty() {
        return;
    }
    let lists = part.iter_mut().filter_map(|block| match block {
        Block::Queries(queries) => Some(queries),
        _ => None,
    });
    for detail in lists.flat_map(|queries| &mut queries.rows).flat_map(|query| &mut query.details) {
        if let Some(title) = titles.get(&detail.document) {
            detail.title.clone_from(title);
        }
    }
}

impl From<String> for Detail {
    fn from(said: String) -> Self {
        Self { said, ..Self::default() }
    }
}
