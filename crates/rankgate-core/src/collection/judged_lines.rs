//! Judgments as JSON lines: `{"query": "q1", "document": "d1", "grade": 2}`, the lines of a pool with grades in them.

use crate::Result;
use crate::collection::Qrels;
use crate::collection::judgment_line::insert_judgment;
use crate::collection::record::{Record, parse_grade};
use crate::error::Quoted;
use crate::input::{Json, Lines};

/// Returns true if the first line has the key `query`, and its first value is neither an object nor a list: those are
/// judgments by query.
pub(super) fn begins(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if !line.windows(7).any(|part| part == b"\"query\"") {
        return false;
    }
    let key = head.strip_prefix(b"{").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"\""));
    let Some(key) = key else { return false };
    let mut escaped = false;
    let end = key.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    let after = end.map(|end| key[end + 1..].trim_ascii_start()).and_then(|rest| rest.strip_prefix(b":"));
    after.map(<[u8]>::trim_ascii_start).is_some_and(|value| !value.is_empty() && !b"{[".contains(&value[0]))
}

/// Other keys are ignored; a grade of `null` means that the document is unjudged.
pub(super) fn read_qrels(mut lines: Lines<'_>) -> Result<Qrels> {
    let mut qrels = Qrels::of_file(lines.path());
    while let Some(line) = lines.next()? {
        let json = Json::of_line(line);
        let mut record = Record::parse(json, line.text)?;
        if record.names().any(|name| matches!(name, "quote" | "start")) {
            return Err(record.error(
                "this is a judged span of a document, and judgments of documents are expected: spans stand under \
                 `passages` in the `collection` of a spec, and beside `--documents FILE` without one",
            ));
        }
        if record.names().any(|name| name == "subtopic") {
            return Err(record.error(
                "judgments by subtopic stand in TREC's form, with the subtopic in the second column",
            ));
        }
        let has_grade = record.names().any(|name| name == "grade");
        let query = record.take_id(&["query"])?.ok_or_else(|| record.error("there is no `query`"))?;
        let document =
            record.take_id(&["document"])?.ok_or_else(|| record.error("there is no `document`"))?;
        if !has_grade {
            return Err(record.error("there is no `grade`; `null` leaves the document unjudged"));
        }
        let Some(grade) = record.take(&["grade"])? else {
            continue;
        };
        let grade = parse_grade(&json, grade, &format!("query {}: ", Quoted(&query)), &document)?;
        if qrels.grade(&query, &document) != Some(grade) {
            insert_judgment(&mut qrels, line, (&query, None), &document, grade)?;
        }
    }
    Ok(qrels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    #[test]
    fn a_line_says_query_document_and_grade() {
        let text = "{\"query\": \"q1\", \"document\": 7, \"grade\": -1, \"note\": \"x\"}\n\n\
                    {\"grade\": 2, \"query\": 1, \"document\": \"d\"}\n{\"query\": \"q\", \"document\": \"d\", \"grade\": null}\n\
                    {\"grade\": 2, \"query\": \"1\", \"document\": \"d\"}\n";
        let qrels = Qrels::parse("a.jsonl", text.as_bytes()).unwrap();
        let found = |query, document| {
            let at = qrels.origin(query, document).unwrap().to_string();
            (qrels.grade(query, document).unwrap(), at)
        };
        assert_eq!(found("q1", "7"), (-1, "a.jsonl:1".to_owned()));
        assert_eq!(found("1", "d"), (2, "a.jsonl:3".to_owned()));
        assert_eq!(qrels.len(), 2);
    }

    #[test]
    fn what_is_no_judgment_is_an_error_with_its_line() {
        let cases = [
            ("{\"query\": \"q\", \"document\": \"d\"}", "a.jsonl:1: there is no `grade`; `null` leaves"),
            ("{\"document\": \"d\", \"grade\": 1}", "a.jsonl:1: there is no `query`"),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"quote\": \"a\", \"grade\": 1}",
                "a.jsonl:1: this is a judged span of a document, and judgments of documents are expected",
            ),
            ("{\"query\": \"q\", \"grade\": 1}", "a.jsonl:1: there is no `document`"),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": 1, \"subtopic\": \"a\"}",
                "a.jsonl:1: judgments by subtopic stand in TREC's form",
            ),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": 0.5}",
                "a.jsonl:1: query `q`: the grade of `d` is not a whole number of 32 bits, such as 0, 1 or 2: `0.5`",
            ),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": \"1\"}",
                "a.jsonl:1: query `q`: the grade of `d`",
            ),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": 1}\n{\"query\": \"q\", \"document\": \"d\", \"grade\": 2}",
                "a.jsonl:2: document `d` is judged twice for query `q` (first in line 1)",
            ),
            ("[]", "a.jsonl:1: "),
        ];
        for (text, message) in cases {
            let error = read_qrels(Source::bytes("a.jsonl", text.as_bytes()).lines().unwrap())
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(message), "{text}\n{error}");
        }
    }

    #[test]
    fn lines_are_told_from_one_object_by_their_first_value() {
        for lines in
            [r#"{"grade": 1, "query": "q", "document": "d"}"#, r#"{ "a\"b" : 1, "query""#, r#"{"query":null"#]
        {
            assert!(begins(lines.as_bytes()), "{lines}");
        }
        for other in [
            r#"{"query": {"d": 1}}"#,
            r#"{"q\\" : ["query"]}"#,
            "{}",
            "[",
            "q1 0 d1 1",
            r#"{"query"#,
            r#"{"query":"#,
        ] {
            assert!(!begins(other.as_bytes()), "{other}");
        }
    }
}
