//! Queries, one a line, with what is said of each beside it or below.

use super::Text;
use crate::report::clean::{shorten, shorten_name};

/// Characters of a query's id, those of a UUID, and of its text.
const ID: usize = 36;
const TEXT: usize = 50;

/// A list of queries, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::report) struct Queries {
    pub(in crate::report) rows: Vec<Query>,
    pub(in crate::report) more: usize,
}

/// One query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Query {
    /// As it is in the data, to be looked up.
    pub(in crate::report) key: String,
    pub(in crate::report) id: String,
    pub(in crate::report) text: String,
    /// A short one, such as its scores.
    pub(in crate::report) number: Text,
    pub(in crate::report) details: Vec<Detail>,
}

/// A line on one query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Detail {
    /// A document's id, of which as much is shown as there is room for.
    pub(in crate::report) document: String,
    pub(in crate::report) said: String,
}

impl Query {
    /// A query by its id and text, as they are in the data.
    pub(in crate::report) fn new(id: &str, text: &str, number: Text, details: Vec<Detail>) -> Self {
        let (key, id) = (id.to_owned(), shorten_name(id, ID));
        Self { key, id, text: shorten(text, TEXT), number, details }
    }
}

impl From<String> for Detail {
    fn from(said: String) -> Self {
        Self { document: String::new(), said }
    }
}
