//! Adding judgments to a JSON text without touching anything else in it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::Result;
use crate::collection::json::{JUDGED as JUDGED_BY_QUERY, QUERIES};
use crate::collection::record::{JUDGED, Record};
use crate::input::{Entries, Json, Line, LineIndex};

/// New grades by query and document.
pub(super) type Added<'a> = BTreeMap<&'a str, BTreeMap<&'a str, i32>>;

/// What a place of the text is replaced by.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Adds judgments to a text of one query a line.
pub(super) fn add_to_lines(path: &Path, text: &str, added: &Added<'_>) -> Result<String> {
    let mut edits = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let json = Json::of_line(Line { path, number, text: line });
        if let Place::Edit(edit) = edit_query(json, text, line, None, added)? {
            edits.push(edit);
        }
    }
    Ok(apply(text, edits))
}

/// Adds judgments to one JSON text with queries.
pub(super) fn add_to_file(path: &Path, text: &str, added: &Added<'_>) -> Result<String> {
    let index = LineIndex::of(text);
    let json = Json::whole(path, text, &index);
    let root = text.trim();
    let mut edits = Vec::new();
    // Queries with new grades that have no place of their own: texts under their ids.
    let mut homeless: BTreeMap<String, &BTreeMap<&str, i32>> = BTreeMap::new();
    let mut by_query: Option<&str> = None;
    let mut elsewhere: BTreeMap<String, &str> = BTreeMap::new();
    let mut queries = root;
    if root.starts_with('{') {
        let Entries(fields) = json.parse::<Entries<&RawValue>>(root, "")?;
        let field = |names: &[&str]| fields.iter().find(|(name, _)| names.contains(&name.as_str()));
        queries = field(QUERIES).map_or("[]", |(_, value)| value.get());
        by_query = field(JUDGED_BY_QUERY).map(|(_, value)| value.get());
        if let Some(map) = by_query.filter(|map| *map != "null") {
            let Entries(judged) = json.parse::<Entries<&RawValue>>(map, "")?;
            elsewhere.extend(judged.into_iter().map(|(query, value)| (query, value.get())));
        }
    }
    let records: Vec<(Option<String>, &str)> = if queries.starts_with('{') {
        let Entries(by_id) = json.parse::<Entries<&RawValue>>(queries, "")?;
        by_id.into_iter().map(|(id, record)| (Some(id), record.get())).collect()
    } else {
        json.parse::<Vec<&RawValue>>(queries, "")?.into_iter().map(|record| (None, record.get())).collect()
    };
    for (key, record) in records {
        let id = match &key {
            Some(id) => id.clone(),
            None => Record::parse(json, record)?.query(None)?.0.id,
        };
        let Some(new) = added.get(id.as_str()) else { continue };
        if let Some(judged) = elsewhere.get(&id) {
            edits.push(replace(text, judged, with_more(json, judged, new)?));
        } else if record.starts_with('{') {
            if let Place::Edit(edit) = edit_query(json, text, record, key.as_deref(), added)? {
                edits.push(edit);
            }
        } else {
            homeless.insert(id, new);
        }
    }
    if !homeless.is_empty() {
        let entries: Vec<String> =
            homeless.iter().map(|(query, new)| format!("{}: {}", quoted(query), object(new))).collect();
        edits.push(match by_query {
            Some(map) if map == "null" => replace(text, map, format!("{{{}}}", entries.join(", "))),
            Some(map) => replace(text, map, append(map, &entries)),
            None => {
                let entry = format!("\"relevant_docs\": {{{}}}", entries.join(", "));
                insert_at_end(text, root, &entry)
            }
        });
    }
    Ok(apply(text, edits))
}

enum Place {
    Edit(Edit),
    /// Nothing new about this query.
    Nothing,
}

/// The edit of a query's own object.
fn edit_query<'a>(
    json: Json<'a>,
    text: &str,
    record: &'a str,
    key: Option<&str>,
    added: &Added<'_>,
) -> Result<Place> {
    let (query, _) = Record::parse(json, record)?.query(key)?;
    let Some(new) = added.get(query.id.as_str()) else { return Ok(Place::Nothing) };
    let Entries(fields) = json.parse::<Entries<&RawValue>>(record, "")?;
    let judged =
        fields.iter().find(|(name, _)| JUDGED.contains(&name.as_str())).map(|(_, value)| value.get());
    Ok(Place::Edit(match judged {
        Some(judged) => replace(text, judged, with_more(json, judged, new)?),
        None => insert_at_end(text, record, &format!("\"relevant\": {}", object(new))),
    }))
}

/// A query's judgments with more of them.
fn with_more<'a>(json: Json<'a>, judged: &'a str, new: &BTreeMap<&str, i32>) -> Result<String> {
    let graded = |(document, grade): (&&str, &i32)| format!("{}: {grade}", quoted(document));
    match judged.as_bytes().first() {
        Some(b'{') => Ok(append(judged, &new.iter().map(graded).collect::<Vec<_>>())),
        Some(b'[') => {
            let items: Vec<&RawValue> = json.parse(judged, "")?;
            if items.iter().any(|item| item.get().starts_with('{')) {
                let item = |(document, grade): (&&str, &i32)| {
                    format!("{{\"id\": {}, \"grade\": {grade}}}", quoted(document))
                };
                return Ok(append(judged, &new.iter().map(item).collect::<Vec<_>>()));
            }
            // Of a list of ids each has grade 1.
            if !items.is_empty() && new.values().all(|grade| *grade == 1) {
                return Ok(append(judged, &new.keys().map(|document| quoted(document)).collect::<Vec<_>>()));
            }
            Ok(listed(items.iter().map(|item| item.get()), new))
        }
        _ if judged == "null" => Ok(object(new)),
        _ => Ok(listed(std::iter::once(judged), new)),
    }
}

/// Ids as they are written, with grade 1 each, and new grades.
fn listed<'a>(ids: impl Iterator<Item = &'a str>, new: &BTreeMap<&str, i32>) -> String {
    let key = |id: &str| if id.starts_with('"') { id.to_owned() } else { quoted(id) };
    let mut entries: Vec<String> = ids.map(|id| format!("{}: 1", key(id))).collect();
    entries.extend(new.iter().map(|(document, grade)| format!("{}: {grade}", quoted(document))));
    format!("{{{}}}", entries.join(", "))
}

fn object(new: &BTreeMap<&str, i32>) -> String {
    listed(std::iter::empty(), new)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An object or a list with more entries, laid out as its first one is.
fn append(part: &str, entries: &[String]) -> String {
    let (kept, end) = part.split_at(body(part));
    format!("{kept}{}{end}", more(part, entries))
}

/// Where the last entry of an object or a list ends.
fn body(part: &str) -> usize {
    let open = part.get(..part.len().saturating_sub(1)).unwrap_or_default();
    open.trim_end().len()
}

fn more(part: &str, entries: &[String]) -> String {
    let inner = part.get(1..part.len().saturating_sub(1)).unwrap_or_default();
    let lead = inner.get(..inner.len() - inner.trim_start().len()).unwrap_or_default();
    let empty = inner.trim().is_empty();
    let gap = if !empty && lead.contains('\n') { lead } else { " " };
    let mut text = String::new();
    for entry in entries {
        if !empty || !text.is_empty() {
            text.push(',');
            text += gap;
        }
        text += entry;
    }
    text
}

fn insert_at_end(text: &str, part: &str, entry: &str) -> Edit {
    let at = offset(text, part) + body(part);
    Edit { start: at, end: at, text: more(part, &[entry.to_owned()]) }
}

fn replace(text: &str, part: &str, by: String) -> Edit {
    let start = offset(text, part);
    Edit { start, end: start + part.len(), text: by }
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        edited += text.get(at..edit.start).unwrap_or_default();
        edited += &edit.text;
        at = edit.end;
    }
    edited + text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added() -> Added<'static> {
        BTreeMap::from([("q1", BTreeMap::from([("n", 0), ("d\"9", 2)])), ("q2", BTreeMap::from([("n", 1)]))])
    }

    #[test]
    fn judgments_of_every_form_are_added_to_and_nothing_else_changes() {
        let path = Path::new("a.jsonl");
        for (before, after) in [
            (r#"{"d1": 2}"#, r#"{"d1": 2, "d\"9": 2, "n": 0}"#),
            (r#"{ }"#, r#"{"d\"9": 2, "n": 0 }"#),
            (r#"["d1", 7]"#, r#"{"d1": 1, "7": 1, "d\"9": 2, "n": 0}"#),
            (r#"[]"#, r#"{"d\"9": 2, "n": 0}"#),
            (r#""d1""#, r#"{"d1": 1, "d\"9": 2, "n": 0}"#),
            ("null", r#"{"d\"9": 2, "n": 0}"#),
            (
                r#"[{"id": "d1", "rel": 3}]"#,
                r#"[{"id": "d1", "rel": 3}, {"id": "d\"9", "grade": 2}, {"id": "n", "grade": 0}]"#,
            ),
        ] {
            let text = |judged: &str| {
                format!(
                    "\n{{\"qid\":\"q1\",\"query\":\"a\",  \"expected_ids\" : {judged},\"x\":[ 1]}}\r\n{{\"id\":\"q3\",\"text\":\"\"}}"
                )
            };
            assert_eq!(add_to_lines(path, &text(before), &added()).unwrap(), text(after));
        }
        // A list of ids stays one where all are of grade 1, and a query without judgments gets some.
        let text =
            "{\"id\": \"q2\", \"text\": \"a\", \"relevant\": [\"d1\"]}\n{\"id\": \"q1\", \"text\": \"b\"}\n";
        assert_eq!(
            add_to_lines(path, text, &added()).unwrap(),
            "{\"id\": \"q2\", \"text\": \"a\", \"relevant\": [\"d1\", \"n\"]}\n\
             {\"id\": \"q1\", \"text\": \"b\", \"relevant\": {\"d\\\"9\": 2, \"n\": 0}}\n"
        );
    }

    #[test]
    fn one_file_is_added_to_where_its_judgments_are() {
        let path = Path::new("a.json");
        for (before, after) in [
            (
                "[\n  {\"id\": \"q2\", \"text\": \"a\", \"relevant\": {\n    \"d1\": 1\n  }}\n]\n",
                "[\n  {\"id\": \"q2\", \"text\": \"a\", \"relevant\": {\n    \"d1\": 1,\n    \"n\": 1\n  }}\n]\n",
            ),
            (
                r#"{"queries": {"q2": "a", "q3": "b"}, "qrels": {"q3": ["d1"], "q2": {"d1": 2}}}"#,
                r#"{"queries": {"q2": "a", "q3": "b"}, "qrels": {"q3": ["d1"], "q2": {"d1": 2, "n": 1}}}"#,
            ),
            (
                r#"{"queries": {"q2": "a", "q3": "b"}, "qrels": {"q3": ["d1"]}}"#,
                r#"{"queries": {"q2": "a", "q3": "b"}, "qrels": {"q3": ["d1"], "q2": {"n": 1}}}"#,
            ),
            (
                r#"{"queries": {"q2": "a"}, "qrels": null}"#,
                r#"{"queries": {"q2": "a"}, "qrels": {"q2": {"n": 1}}}"#,
            ),
            (
                r#"{"queries": {"q2": "a", "q1": {"text": "b"}}}"#,
                r#"{"queries": {"q2": "a", "q1": {"text": "b", "relevant": {"d\"9": 2, "n": 0}}}, "relevant_docs": {"q2": {"n": 1}}}"#,
            ),
            (r#"{"queries": {"q2": "a"}}"#, r#"{"queries": {"q2": "a"}, "relevant_docs": {"q2": {"n": 1}}}"#),
            (
                r#"{"queries": {"q2": {"text": "a"}}, "docs": {}}"#,
                r#"{"queries": {"q2": {"text": "a", "relevant": {"n": 1}}}, "docs": {}}"#,
            ),
        ] {
            assert_eq!(add_to_file(path, before, &added()).unwrap(), after);
        }
    }
}
