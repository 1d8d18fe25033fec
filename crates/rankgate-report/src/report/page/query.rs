//! Queries, one a line, with the text of each beside it or below.

use super::Text;
use crate::report::clean::{shorten, shorten_name};

/// Characters of a query's id, those of a UUID, and of its text.
const ID: usize = 36;
const TEXT: usize = 80;

/// A list of queries, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queries {
    pub rows: Vec<Query>,
    pub more: usize,
}

/// One query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// As it is in the data, to be looked up.
    pub key: String,
    pub id: String,
    pub text: String,
    /// A short one, such as its scores.
    pub number: Text,
    pub details: Vec<Detail>,
}

/// A line on one query.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// A document's id, of which as much is shown as there is room for.
    pub document: String,
    pub said: String,
}

impl Query {
    /// A query by its id and text, as they are in the data.
    pub fn new(id: &str, text: &str, number: Text, details: Vec<Detail>) -> Self {
        let (key, id) = (id.to_owned(), shorten_name(id, ID));
        Self { key, id, text: shorten(text, TEXT), number, details }
    }
}

impl From<String> for Detail {
    fn from(said: String) -> Self {
        Self { document: String::new(), said }
    }
}
