//! A message's tree as JSON. Each piece is an object with one key, which is its kind; plain text is a string.

use std::borrow::Cow;

use crate::json::{ToJson, Tree};
use crate::report::page::{Block, Detail, Queries, Query, Role, Row, Section, Span, Table, Text};
use crate::report::verdict::word;

impl ToJson for Text {
    fn to_json(&self) -> Tree<'_> {
        Tree::list(self.spans())
    }
}

impl ToJson for Span {
    fn to_json(&self) -> Tree<'_> {
        let text = Tree::Text(Cow::Borrowed(&self.text));
        let role = match self.role {
            Role::Plain | Role::Code => return text,
            Role::Strong => "strong",
            Role::Verdict(verdict) => word(verdict),
            Role::Gain => "gain",
            Role::Loss => "loss",
            Role::Warning => "warning",
            Role::Number => "number",
        };
        Tree::object_with(role, text)
    }
}

impl ToJson for Section {
    fn to_json(&self) -> Tree<'_> {
        Tree::Object(vec![("heading", &self.heading), ("parts", &self.parts)])
    }
}

impl ToJson for Block {
    fn to_json(&self) -> Tree<'_> {
        let paragraph = |nested: bool| if nested { "nested" } else { "paragraph" };
        match self {
            Self::Paragraph { text, nested } => Tree::object_with(paragraph(*nested), text.to_json()),
            Self::Hanging { lead, text, nested, .. } => {
                let spans = lead.spans().iter().chain(text.spans());
                Tree::object_with(paragraph(*nested), Tree::list(spans))
            }
            Self::Preformatted { text, .. } => Tree::object_with("preformatted", text.to_json()),
            Self::List(items) => Tree::object_with("list", items.to_json()),
            Self::Line(text) => Tree::object_with("paragraph", text.to_json()),
            Self::Table(table) => Tree::object_with("table", table.to_json()),
            Self::Steps(steps) => Tree::object_with("steps", steps.to_json()),
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
