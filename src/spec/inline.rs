//! `inline:`: a handful of queries in the spec itself.

use std::collections::HashMap;

use crate::collection::{Collection, CollectionBuilder, Document, Query, mark_fault, meant_judged};
use crate::error::Quoted;
use crate::mapping::{FromNode, Reader};
use crate::yaml::{Entry, Node, Problem, Span, Value};

/// A collection whose problems have been reported at their places.
pub(super) struct Inline(pub(super) Collection);

/// Ids with the places of their first appearance.
type Places<'n> = HashMap<&'n str, Span>;

/// The documents there are.
struct KnownDocuments<'n> {
    ids: Places<'n>,
    /// Those that a wrong id is compared with: all or, where they are very many, none.
    listed: Vec<&'n str>,
}

impl FromNode for Inline {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping with `queries` and perhaps `documents`")?;
        let find = |key: &str| entries.iter().find(|entry| &*entry.key.text == key).map(|entry| &entry.value);
        for entry in entries.iter().filter(|entry| !matches!(&*entry.key.text, "queries" | "documents")) {
            let message = format!("unknown key {} in an inline collection", Quoted(&entry.key.text));
            reader
                .report(Problem::new(entry.key.span, message).help("the keys are `queries` and `documents`"));
        }
        let mut builder = CollectionBuilder::new();
        let known = find("documents").and_then(|documents| read_documents(documents, &mut builder, reader));
        let Some(queries) = find("queries") else {
            return reader.refuse(node.span, "an inline collection needs `queries`");
        };
        let Value::List(queries) = &queries.value else {
            return reader.expected(queries, "a list of queries");
        };
        let mut ids = Places::new();
        let mut complete = true;
        for query in queries.iter() {
            complete &= read_query(query, &mut ids, known.as_ref(), &mut builder, reader).is_some();
        }
        if !complete {
            return None;
        }
        match builder.build() {
            Ok(collection) => Some(Self(collection)),
            Err(error) => reader.refuse(node.span, error.to_string()),
        }
    }
}

/// Adds the documents; gives their ids.
fn read_documents<'n>(
    node: &'n Node,
    builder: &mut CollectionBuilder,
    reader: &mut Reader<'_>,
) -> Option<KnownDocuments<'n>> {
    let entries = reader.entries(node, "a mapping from document ids to texts")?;
    let mut ids = Places::new();
    for Entry { key, value } in entries.iter() {
        ids.insert(&key.text, key.span);
        if key.text.is_empty() {
            reader.report(Problem::new(key.span, "a document has an empty id"));
        } else if let Some(text) = reader.text(value, "the document's text") {
            builder.add_document(Document::new(&*key.text, text));
        }
    }
    let few = entries.len() <= 1000;
    let listed = entries.iter().filter(|_| few).map(|entry| &*entry.key.text).collect();
    Some(KnownDocuments { ids, listed })
}

/// Adds one query with its judgments.
fn read_query<'n>(
    node: &'n Node,
    ids: &mut Places<'n>,
    documents: Option<&KnownDocuments<'_>>,
    builder: &mut CollectionBuilder,
    reader: &mut Reader<'_>,
) -> Option<()> {
    let entries = reader.entries(node, "a query, which is a mapping with `id` and `text`")?;
    let (mut id, mut text, mut relevant) = (None, None, None);
    let mut query = Query::default();
    for Entry { key, value } in entries.iter() {
        match &*key.text {
            "id" => id = Some(reader.text(value, "an id").map(|id| (id, value.span))),
            "text" => text = Some(reader.text(value, "text")),
            "relevant" => relevant = Some(value),
            // As metadata it would not be missed, and the query be left out of every mean.
            other
                if matches!(value.value, Value::Map(_) | Value::List(_)) && meant_judged(other).is_some() =>
            {
                let problem = Problem::new(key.span, format!("{} are no judgments", Quoted(other)));
                reader.report(problem.help("a query's judgments are `relevant`"));
            }
            _ => {
                query.metadata.insert(key.text.to_string(), value.to_json());
            }
        }
    }
    if let Some(fault) = mark_fault(&query.metadata) {
        reader.report(Problem::new(node.span, fault));
    }
    let judged = match relevant {
        None => Some(Vec::new()),
        Some(none) if query.is_unanswerable() && is_empty(none) => Some(Vec::new()),
        Some(given) => read_judgments(given, documents, reader),
    };
    for (key, missing) in [("id", id.is_none()), ("text", text.is_none())] {
        if missing {
            reader.report(Problem::new(node.span, format!("a query needs `{key}`")));
        }
    }
    let (id, at) = id.flatten()?;
    if id.is_empty() {
        return reader.refuse(at, "a query has an empty id");
    }
    if let Some(first) = ids.get(id) {
        let message = format!("two queries have the id {}", Quoted(id));
        reader.report(Problem::new(at, message).related(*first, "first here"));
        return None;
    }
    ids.insert(id, at);
    (query.id, query.text) = (id.to_owned(), text.flatten()?.to_owned());
    builder.add_query(query, judged?);
    Some(())
}

/// `[d1, d2]`, which are relevant, or `{d1: 2, d2: 0}`, which have these grades.
fn read_judgments(
    node: &Node,
    documents: Option<&KnownDocuments<'_>>,
    reader: &mut Reader<'_>,
) -> Option<Vec<(String, i32)>> {
    let mut judged: Vec<(&str, Span, i32)> = Vec::new();
    let mut complete = true;
    match &node.value {
        Value::List(items) => {
            for item in items.iter() {
                match reader.text(item, "the id of a document") {
                    Some(id) => judged.push((id, item.span, 1)),
                    None => complete = false,
                }
            }
        }
        Value::Map(entries) => {
            for Entry { key, value } in entries.iter() {
                match read_grade(value, reader) {
                    Some(grade) => judged.push((&key.text, key.span, grade)),
                    None => complete = false,
                }
            }
        }
        _ => {
            return reader.expected(node, "a list of document ids, or a mapping from document ids to grades");
        }
    }
    let mut places = Places::new();
    for (id, at, _) in &judged {
        let problem = if id.is_empty() {
            Problem::new(*at, "a document has an empty id")
        } else if let Some(first) = places.insert(id, *at) {
            Problem::new(*at, format!("document {} is judged twice", Quoted(id))).related(first, "first here")
        } else if let Some(documents) = documents.filter(|documents| !documents.ids.contains_key(id)) {
            let problem = Problem::new(*at, format!("no document has the id {}", Quoted(id)));
            let known = documents.listed.iter().copied();
            reader.suggest(problem, id, known).unwrap_or_else(|problem| problem)
        } else {
            continue;
        };
        complete = false;
        reader.report(problem);
    }
    if complete && judged.is_empty() {
        let problem = Problem::new(node.span, "no document is judged here");
        reader.report(problem.help(
            "leave `relevant` out for an unjudged query; `unanswerable: true` says that no document answers it",
        ));
        return None;
    }
    complete.then(|| judged.into_iter().map(|(id, _, grade)| (id.to_owned(), grade)).collect())
}

/// Whether it lists no document.
fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Scalar(_) | Value::Broken => false,
    }
}

fn read_grade(node: &Node, reader: &mut Reader<'_>) -> Option<i32> {
    let grade = match &node.value {
        Value::Scalar(scalar) => scalar.float().filter(|grade| grade.fract() == 0.0 && grade.abs() <= 1e6),
        _ => None,
    };
    match grade {
        // Whole and within a million either way.
        Some(grade) => Some(grade as i32),
        None => reader.expected(node, "a grade, which is a whole number"),
    }
}
