//! A message's tree as JSON. Each block is an object with one key, which is its kind.

use crate::json::{ToJson, Tree, write_json};
use crate::report::page::{Block, Detail, Queries, Query, Section, Table};

write_json!(struct Section { heading, parts });

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

write_json!(struct Table { header = "head", rows, right });
write_json!(struct Queries { rows, more });
write_json!(struct Query { key, id, text, number, details });
write_json!(struct Detail { document, title, said });
