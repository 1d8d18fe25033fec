//! The list of nuggets that a model proposes: its schema, and how a reply is read.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::claim::Claim;

/// The schema of a reply.
pub(super) fn schema() -> Value {
    let nugget = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "document": { "type": "integer" },
            "importance": { "enum": ["vital", "okay"] },
        },
        "required": ["text", "document", "importance"],
        "additionalProperties": false,
    });
    let nuggets = json!({ "type": "array", "items": nugget });
    json!({ "type": "object", "properties": { "nuggets": nuggets }, "required": ["nuggets"], "additionalProperties": false })
}

/// The nuggets of a reply, called `v1` where vital and `o1` where okay; `None` where it has not exactly the demanded form.
/// Of two with the same text the first counts.
pub(super) fn read(content: &str, documents: usize) -> Option<Vec<Claim>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Reply {
        nuggets: Vec<Proposed>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Proposed {
        text: String,
        document: usize,
        importance: Importance,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Importance {
        Vital,
        Okay,
    }
    let Reply { nuggets } = serde_json::from_str(content).ok()?;
    let (mut list, mut seen) = (Vec::new(), BTreeSet::new());
    for Proposed { text, document, importance } in nuggets {
        let text = text.trim().to_owned();
        if text.is_empty() || !(1..=documents).contains(&document) {
            return None;
        }
        if seen.insert(text.clone()) {
            let letter = if matches!(importance, Importance::Vital) { 'v' } else { 'o' };
            let id = format!("{letter}{}", list.len() + 1);
            list.push(Claim { context: Some(document), id, text: Some(text), verdict: None });
        }
    }
    Some(list)
}

/// Whether a list is one of nuggets: each with a text, an id as [`read`] gives it, and a document that was sent.
pub(super) fn is_list(claims: &[Claim], documents: usize) -> bool {
    (1..).zip(claims).all(|(at, claim): (usize, _)| {
        let is_called = [format!("v{at}"), format!("o{at}")].contains(&claim.id);
        let has_text = claim.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        is_called && has_text && claim.context.is_some_and(|at| (1..=documents).contains(&at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nugget(text: &str, document: usize, importance: &str) -> String {
        json!({ "text": text, "document": document, "importance": importance }).to_string()
    }

    fn list(nuggets: &[String]) -> Option<Vec<(String, String, usize)>> {
        let read = read(&format!("{{\"nuggets\": [{}]}}", nuggets.join(", ")), 2)?;
        assert!(is_list(&read, 2));
        Some(read.into_iter().map(|one| (one.id, one.text.unwrap(), one.context.unwrap())).collect())
    }

    #[test]
    fn nuggets_are_vital_or_okay_and_name_their_document() {
        let found =
            list(&[nugget(" 5 EUR ", 2, "vital"), nugget("a card", 1, "okay"), nugget("5 EUR", 1, "okay")]);
        let expected = [("v1", "5 EUR", 2), ("o2", "a card", 1)];
        assert_eq!(found.unwrap(), expected.map(|(id, text, at)| (id.to_owned(), text.to_owned(), at)));
        assert_eq!(list(&[]), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_no_list() {
        for wrong in [
            nugget("", 1, "vital"),
            nugget("a", 0, "vital"),
            nugget("a", 3, "vital"),
            nugget("a", 1, "nice"),
            r#"{"text": "a", "importance": "vital"}"#.to_owned(),
            r#"{"text": "a", "document": 1}"#.to_owned(),
            r#"{"text": "a", "document": 1, "importance": "vital", "why": "so"}"#.to_owned(),
            r#""a""#.to_owned(),
        ] {
            assert_eq!(list(std::slice::from_ref(&wrong)), None, "{wrong}");
        }
        for content in ["[]", "{}", r#"{"nuggets": {}}"#, r#"{"nuggets": [], "analysis": ""}"#] {
            assert_eq!(read(content, 2), None, "{content}");
        }
        let claim = |id: &str, context| Claim { context, ..Claim { id: id.into(), ..Claim::found("a") } };
        for (id, context) in [("c1", Some(1)), ("v2", Some(1)), ("v1", None), ("v1", Some(3))] {
            assert!(!is_list(&[claim(id, context)], 2), "{id} {context:?}");
        }
    }
}
