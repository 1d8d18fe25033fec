//! A message's tree as JSON. Each block is an object with one key, which is its kind.

use crate::json::{ToJson, Tree};
use crate::report::page::{Block, Detail, Queries, Query, Row, Section, Table};

impl ToJson for Section {
    fn to_json(&self) -> Tree<'_> {
        Tree::Object(vec![("heading", &self.heading), ("parts", &self.parts)])
    }
}

impl ToJson for Block {
    fn to_json(&self) -> Tree<'_> {
        match self {
            Self::Text { lead, text, nested, .. } => {
                let kind = if *nested { "nested" } else { "paragraph" };
                Tree::object_with(kind, Tree::Text(format!("{lead}{text}").into()))
            }
            Self::Preformatted { text, .. } => Tree::object_with("preformatted", text.to_json()),
            Self::Line(text) => Tree::object_with("paragraph", text.to_json()),
            Self::Table(table) => Tree::object_with("table", table.to_json()),
            Self::Queries(queries) => Tree::object_with("queries", queries.to_json()),
        }
    }
}

impl ToJson for Table {
    fn to_json(&self) -> Tree<'_> {
        Tree::Object(vec![("head", &self.header), ("rows", &self.rows), ("right", &self.right)])
    }
}

impl ToJson for Row {
    fn to_json(&self) -> Tree<'_> {
        match self {
            Self::Cells(cells) => cells.to_json(),
            Self::Common(text) => Tree::object_with("common", text.to_json()),
        }
    }
}

impl ToJson for Queries {
    fn to_json(&self) -> Tree<'_> {
        Tree::Object(vec![("rows", &self.rows), ("more", &self.more)])
    }
}

impl ToJson for Query {
    fn to_json(&self) -> Tree<'_> {
        let Self { key, id, text, number, details } = self;
        Tree::Object(vec![("key", key), ("id", id), ("text", text), ("number", number), ("details", details)])
    }
}

impl ToJson for Detail {
    fn to_json(&self) -> Tree<'_> {
        let Self { document, title, said } = self;
        Tree::Object(vec![("document", document), ("title", title), ("said", said)])
    }
}
