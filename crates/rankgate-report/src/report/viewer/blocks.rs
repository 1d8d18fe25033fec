//! A block as JSON: an object with one key, which is its kind.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::report::page::Block;

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(1))?;
        match self {
            Self::Text { lead, text, nested, .. } => {
                let kind = if *nested { "nested" } else { "paragraph" };
                map.serialize_entry(kind, &format!("{lead}{text}"))?;
            }
            Self::Preformatted { text, .. } => map.serialize_entry("preformatted", text)?,
            Self::Line(text) => map.serialize_entry("paragraph", text)?,
            Self::Table(table) => map.serialize_entry("table", table)?,
            Self::Queries(queries) => map.serialize_entry("queries", queries)?,
        }
        map.end()
    }
}
