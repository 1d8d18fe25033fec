//! The JSON format: `{query: {document: score}}`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::input::{Entries, Input, Json, LineIndex, uncompressed};
use crate::order;
use crate::output::replace_file;
use crate::places::Places;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::reader::{Contents, Judge, RunReader};
use crate::run::rising::Ranks;
use crate::run::{Hit, Order, Run};
use crate::{Error, Result};

/// What a run in JSON looks like.
const SHAPE: &str = "a run in JSON is `{\"q1\": {\"d7\": 12.5, \"d3\": 11.0}}`: for each query its documents with \
                     their scores";

/// By the name, or by `{` and then `"` or nothing but `}`: the id of a TREC query may begin with a
/// brace.
pub(super) fn is(input: &mut Input<'_>) -> Result<bool> {
    let name = input.path().file_name().unwrap_or_default().to_string_lossy();
    let bare = Path::new(uncompressed(&name));
    if bare.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return Ok(true);
    }
    let inside = input.peek_text()?.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    Ok(inside.is_some_and(|text| text.starts_with(b"\"") || text.trim_ascii_end() == b"}"))
}

pub(super) fn read<T>(reader: &RunReader, input: Input<'_>, judge: &Judge<'_, T>) -> Result<Contents<T>> {
    let path = input.path().to_owned();
    if reader.chosen() == Order::Rank {
        return Err(Error::in_file(&path, "a JSON run has no rank column: its order is that of the scores"));
    }
    let text = input.text()?;
    let index = LineIndex::from_text(&text);
    let json = Json::document(&path, &text, &index);
    let mut rankings = BTreeMap::new();
    let (mut held, mut seen) = (Answer { known: Ranks::Places, ..reader.answer() }, Places::default());
    for (query, answer) in json.by_query(SHAPE)? {
        if !answer.starts_with('{') {
            let message = format!("query {}: its value is no object; {SHAPE}", Quoted(&query));
            return Err(json.error(answer, message));
        }
        let Entries(scores) = json.parse::<Entries<f64>>(answer, &format!("query {}: ", Quoted(&query)))?;
        if scores.iter().any(|(document, _)| document.is_empty()) {
            let message = format!("query {}: a document has an empty id", Quoted(&query));
            return Err(json.error(answer, message));
        }
        held.clear();
        for (place, (document, score)) in (0..).zip(&scores) {
            held.push(document, *score, place, 0).map_err(|TooLong| json.error(answer, TOO_LONG))?;
        }
        let judged = judge(&query, &held.ranking(Order::Score, &query, &path, &mut seen)?)?;
        rankings.insert(query, judged);
    }
    Ok(Contents::new(rankings, None, Vec::new()))
}

pub(super) fn write(run: &Run, path: &Path) -> Result<()> {
    replace_file(path, |output| {
        output.line(format_args!("{{"))?;
        let mut queries = run.iter().peekable();
        while let Some((query, hits)) = queries.next() {
            let mut hits: Vec<&Hit> = hits.iter().collect();
            order::sort_by_key(&mut hits, |hit| &hit.id);
            if let Some(Hit { id, score, .. }) = hits.iter().find(|hit| !hit.score.is_finite()) {
                let (query, document) = (Quoted(query), Quoted(id));
                let message =
                    format!("JSON has no number for the score {score} of {document}, query {query}");
                return Err(Error::in_file(path, message));
            }
            let comma = if queries.peek().is_some() { "," } else { "" };
            let json = |error: serde_json::Error| Error::in_file(path, error.to_string());
            let query = serde_json::to_string(query).map_err(json)?;
            let mut scores = String::new();
            for hit in hits {
                let id = serde_json::to_string(&hit.id).map_err(json)?;
                let score = serde_json::to_string(&hit.score).map_err(json)?;
                let separator = if scores.is_empty() { "" } else { "," };
                scores.extend([separator, &id, ":", &score]);
            }
            output.line(format_args!("{query}: {{{scores}}}{comma}"))?;
        }
        output.line(format_args!("}}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Hit;

    fn read(text: &str) -> Result<Run> {
        RunReader::new().parse("a.json", text.as_bytes())
    }

    #[test]
    fn scores_say_the_order_as_in_the_format_of_trec() {
        let run = read("{\"q1\": {\"a\": 1, \"b\": 1.0, \"c\": 2e0}, \"q2\": {}}").unwrap();
        let hits = [Hit::new("c", 2.0), Hit::new("b", 1.0), Hit::new("a", 1.0)];
        assert_eq!(run.ranking("q1").unwrap(), hits);
        assert_eq!(run.ranking("q2").unwrap(), []);
    }

    #[test]
    fn what_is_no_run_is_an_error_that_names_line_and_query() {
        let cases = [
            (
                "{\"q1\":\n{\"a\": null}}",
                "a.json:2: query `q1`: invalid type: null, expected f64: `{\"a\": null}`",
            ),
            (
                "{\"q1\": {\"a\": 1, \"a\": 2}}",
                "a.json:1: query `q1`: `a` occurs twice: `{\"a\": 1, \"a\": 2}`",
            ),
            ("{\"q1\": {},\n\"q1\": {}}", "a.json:2: `q1` occurs twice: `\"q1\": {}}`"),
            (
                " \n",
                "a.json: the file is empty; a run in JSON is `{\"q1\": {\"d7\": 12.5, \"d3\": 11.0}}`: for each query its \
                     documents with their scores",
            ),
            ("{\"\": {}}", "a.json:1: a query has an empty id: `{}`"),
            ("{\"q1\": {\"\": 1}}", "a.json:1: query `q1`: a document has an empty id: `{\"\": 1}`"),
            ("{\"q1\": {\"a\": NaN}}", "a.json:1: expected value: `{\"q1\": {\"a\": NaN}}`"),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_run_of_another_shape_is_shown_the_shape_of_a_run() {
        for (text, found) in [
            ("{\"q1\": 1}", "a.json:1: query `q1`: its value is no object; "),
            ("{\"q1\":\n[\"d1\", \"d2\"]}", "a.json:2: query `q1`: its value is no object; "),
            ("[{\"query\": \"q1\", \"docs\": []}]", "a.json:1: this is no JSON object; "),
            (
                "{\"query_id\": \"q1\", \"text\": \"a\"}\n{\"query_id\": \"q2\", \"text\": \"b\"}\n",
                "a.json:1: these are several JSON objects, and not one; ",
            ),
            ("<html><body>502 Bad Gateway</body></html>", "a.json:1: this is no JSON object; "),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{found}{SHAPE}: `")), "{error}");
        }
    }

    #[test]
    fn ranks_cannot_order_what_has_no_ranks() {
        let by_rank = RunReader::new().order(Order::Rank).parse("a.json", b"{}").unwrap_err();
        assert!(by_rank.to_string().contains("no rank column"));
    }

    #[test]
    fn an_infinite_score_cannot_be_written() {
        let run = Run::from_rankings([("q1", vec![Hit::new("a", f64::INFINITY)])]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let error = run.write_json(dir.path().join("a.json")).unwrap_err().to_string();
        assert!(error.ends_with("JSON has no number for the score inf of `a`, query `q1`"), "{error}");
    }
}
