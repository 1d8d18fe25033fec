//! The request to a service: JSON with places for the query.

use serde_json::{Map, Value as Json, json};

use super::template::Template;
use crate::collection::Query;
use crate::error::Quoted;
use crate::mapping::{FromNode, Reader};
use crate::yaml::{Node, Problem, Scalar, Span, Typed, Value, nearest};
use crate::{Error, Result};

/// The request to a service: JSON whose texts have places for the query (`{text}`, `{depth}`, `{id}`,
/// `{metadata.KEY}`) and for variables of the environment (`${NAME}`).
///
/// A text that is nothing but a place takes on its type: `"{depth}"` is sent as a number. Other
/// braces, doubled ones among them, are text.
#[derive(Clone, Debug)]
pub struct Body(Part);

#[derive(Clone, Debug)]
enum Part {
    /// What has no places.
    Fixed(Json),
    /// A text; what is nothing but a place keeps its type: `{depth}` is a number.
    Text(Vec<Piece>),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
}

#[derive(Clone, Debug)]
enum Piece {
    Text(Template),
    Place(Place),
}

/// A value that is known when a query is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Text,
    Depth,
    Id,
    Metadata(String),
}

impl Place {
    const NAMES: [&'static str; 3] = ["text", "depth", "id"];

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "depth" => Self::Depth,
            "id" => Self::Id,
            _ => Self::Metadata(name.strip_prefix("metadata.").filter(|key| !key.is_empty())?.to_owned()),
        })
    }

    fn fill(&self, query: &Query, depth: usize) -> Result<Json> {
        Ok(match self {
            Self::Text => json!(query.text),
            Self::Depth => json!(depth),
            Self::Id => json!(query.id),
            Self::Metadata(key) => query.metadata.get(key).cloned().ok_or_else(|| {
                Error::invalid(format!("query {} has no metadata {}", Quoted(&query.id), Quoted(key)))
            })?,
        })
    }
}

impl Body {
    /// The request for one query.
    ///
    /// # Errors
    /// A variable that is not set; metadata that the query does not have.
    pub fn fill(&self, query: &Query, depth: usize) -> Result<Json> {
        self.0.fill(query, depth)
    }

    /// The values of its variables, with their names.
    ///
    /// # Errors
    /// A variable that is not set.
    #[cfg(feature = "http")]
    pub(crate) fn values(&self) -> Result<Vec<(&str, String)>> {
        let mut values = Vec::new();
        for piece in self.0.pieces() {
            if let Piece::Text(template) = piece {
                values.extend(template.values()?);
            }
        }
        Ok(values)
    }

    /// Whether different queries get different requests.
    pub(super) fn depends_on_query(&self) -> bool {
        self.0.pieces().any(|piece| matches!(piece, Piece::Place(place) if *place != Place::Depth))
    }
}

impl Part {
    fn fill(&self, query: &Query, depth: usize) -> Result<Json> {
        Ok(match self {
            Self::Fixed(value) => value.clone(),
            Self::Text(pieces) if let [Piece::Place(place)] = &pieces[..] => place.fill(query, depth)?,
            Self::Text(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(template) => text.push_str(&template.resolve()?),
                        Piece::Place(place) => match place.fill(query, depth)? {
                            Json::String(value) => text.push_str(&value),
                            value => text.push_str(&value.to_string()),
                        },
                    }
                }
                Json::String(text)
            }
            Self::List(items) => {
                items.iter().map(|item| item.fill(query, depth)).collect::<Result<Vec<_>>>()?.into()
            }
            Self::Map(entries) => {
                let mut filled = Map::new();
                for (key, part) in entries {
                    filled.insert(key.clone(), part.fill(query, depth)?);
                }
                Json::Object(filled)
            }
        })
    }

    /// The pieces of all its texts.
    fn pieces(&self) -> Box<dyn Iterator<Item = &Piece> + '_> {
        match self {
            Self::Fixed(_) => Box::new(std::iter::empty()),
            Self::Text(pieces) => Box::new(pieces.iter()),
            Self::List(items) => Box::new(items.iter().flat_map(Self::pieces)),
            Self::Map(entries) => Box::new(entries.iter().flat_map(|(_, part)| part.pieces())),
        }
    }
}

impl FromNode for Body {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        read(node, reader).map(Self)
    }
}

fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Part> {
    match &node.value {
        Value::Broken => None,
        Value::List(items) => {
            let parts: Vec<Option<Part>> = items.iter().map(|item| read(item, reader)).collect();
            Some(Part::List(parts.into_iter().collect::<Option<_>>()?))
        }
        Value::Map(entries) => {
            let parts: Vec<Option<(String, Part)>> = entries
                .iter()
                .map(|entry| Some((entry.key.text.to_string(), read(&entry.value, reader)?)))
                .collect();
            Some(Part::Map(parts.into_iter().collect::<Option<_>>()?))
        }
        Value::Scalar(scalar) => read_scalar(scalar, node.span, reader),
    }
}

/// A request is JSON that a service reads, so numbers are numbers even where JSON prints them
/// otherwise than they are written here.
fn read_scalar(scalar: &Scalar, at: Span, reader: &mut Reader<'_>) -> Option<Part> {
    Some(Part::Fixed(match scalar.typed() {
        Typed::Null => Json::Null,
        Typed::Bool(value) => Json::Bool(value),
        Typed::Unsigned(value) => json!(value),
        Typed::Signed(value) => json!(value),
        Typed::Float(value) if value.is_finite() => json!(value),
        Typed::Float(_) => return reader.refuse(at, "JSON has no such number"),
        Typed::Text(text) => return read_text(text, at, reader),
    }))
}

fn read_text(text: &str, at: Span, reader: &mut Reader<'_>) -> Option<Part> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        literal.push_str(before);
        if let Some(template) = after.strip_prefix('{') {
            // Doubled braces are some other language's places; they are left as they are.
            literal.push_str("{{");
            rest = template;
            continue;
        }
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| is_place(name));
        let Some(name) = name.filter(|_| !before.ends_with('$')) else {
            // A brace of the text itself, or a variable of the environment.
            literal.push('{');
            rest = after;
            continue;
        };
        rest = &after[name.len() + 1..];
        let Some(place) = Place::parse(name) else {
            let problem = Problem::new(at, format!("{} is nothing that is known of a query", Quoted(name)));
            let problem = problem.help(match nearest(name, Place::NAMES) {
                Some(near) => format!("did you mean `{{{near}}}`?"),
                None => "known are `{text}`, `{depth}`, `{id}` and `{metadata.KEY}`".to_owned(),
            });
            reader.report(problem.help("doubled braces are left as they are"));
            return None;
        };
        if !literal.is_empty() {
            pieces.push(Piece::Text(Template::parse(&std::mem::take(&mut literal), at, reader)?));
        }
        pieces.push(Piece::Place(place));
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Text(Template::parse(&literal, at, reader)?));
    }
    Some(Part::Text(pieces))
}

/// Whether what stands in braces looks like a name, not like text in a language with braces.
fn is_place(name: &str) -> bool {
    name.len() < 80
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::yaml::{Problems, Source, parse};

    fn body(text: &str) -> Result<Body> {
        let source = Source::new("x.yaml", text).unwrap();
        let registry = super::super::Registry::new();
        let mut reader =
            Reader { registry: &registry, folder: Path::new(""), source: &source, found: Default::default() };
        let body = reader.read(&parse(&source).root.unwrap());
        body.ok_or_else(|| Problems::new(std::sync::Arc::clone(&source), reader.found).into())
    }

    #[test]
    fn places_are_filled() {
        let query = Query::new("q1", "say \"hi\"").with("lang", "en").with("tags", json!(["a"]));
        for (text, expected) in [
            ("{q: '{text}', limit: '{depth}'}", json!({"q": "say \"hi\"", "limit": 10})),
            ("{q: 'top {depth} for {text}'}", json!({"q": "top 10 for say \"hi\""})),
            (
                "[{a: '{id}', b: '{metadata.lang}', c: '{metadata.tags}'}]",
                json!([{"a": "q1", "b": "en", "c": ["a"]}]),
            ),
            (
                "{q: '{text}', n: [1, 1.50, 1e3, true, null, x]}",
                json!({"q": "say \"hi\"", "n": [1, 1.5, 1000.0, true, null, "x"]}),
            ),
            ("'query { search(q: $q) { id } } {text}'", json!("query { search(q: $q) { id } } say \"hi\"")),
            ("'{{text}} {text}'", json!("{{text}} say \"hi\"")),
            ("{q: '{text}', '{depth}': 1, e: ''}", json!({"q": "say \"hi\"", "{depth}": 1, "e": ""})),
        ] {
            assert_eq!(body(text).unwrap().fill(&query, 10).unwrap(), expected, "{text}");
        }
        let root = std::env::var("CARGO_MANIFEST_DIR").unwrap(); // set by cargo for every test
        let filled = body("'{text} ${CARGO_MANIFEST_DIR}'").unwrap().fill(&Query::new("q", "t"), 1).unwrap();
        assert_eq!(filled, json!(format!("t {root}")));
        let error = body("'{metadata.x}'").unwrap().fill(&query, 1).unwrap_err();
        assert_eq!(error.to_string(), "query `q1` has no metadata `x`");
    }

    #[test]
    #[cfg(feature = "http")]
    fn the_values_of_its_variables_are_known() {
        let root = std::env::var("CARGO_MANIFEST_DIR").unwrap(); // set by cargo for every test
        let filled = body("{q: ['{text} ${CARGO_MANIFEST_DIR}']}").unwrap();
        assert_eq!(filled.values().unwrap(), [("CARGO_MANIFEST_DIR", root)]);
    }

    #[test]
    fn unknown_places_are_errors() {
        let error = body("{q: '{txt}'}").unwrap_err().to_string();
        insta::assert_snapshot!(error, @"
        `txt` is nothing that is known of a query
         --> x.yaml:1:5
          |
        1 | {q: '{txt}'}
          |     ^^^^^^^
          |
          = help: did you mean `{text}`?
          = help: doubled braces are left as they are
        ");
    }

    #[test]
    fn a_body_depends_on_the_query_or_not() {
        for (text, expected) in
            [("'{text}'", true), ("[a, '{metadata.a} b']", true), ("{n: '{depth}'}", false)]
        {
            assert_eq!(body(text).unwrap().depends_on_query(), expected, "{text}");
        }
    }
}
