//! Reading spans: JSON lines of query, document and quote, or start and end.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Found, JudgedPassages, Span, texts};
use crate::collection::record::{Record, parse_grade};
use crate::collection::{Corpus, Qrels};
use crate::error::Quoted;
use crate::input::{Json, Lines, Source};
use crate::yaml::nearest;
use crate::{Error, Result};

/// Places of a quote that a message names.
const NAMED: usize = 5;

/// The keys of a span beside its query and document.
const KEYS: [&str; 4] = ["quote", "start", "end", "grade"];

/// Reads spans of the documents of a corpus, and gives them as judgments of passages as well.
pub(in crate::collection) fn read(source: &Source<'_>, corpus: &Corpus) -> Result<(JudgedPassages, Qrels)> {
    let mut lines = Lines::new(source.open()?);
    let mut passages = JudgedPassages { documents: Arc::new(texts(corpus)?), spans: Arc::default() };
    let (mut qrels, mut spans) = (Qrels::of_file(lines.path()), BTreeMap::<String, Vec<Span>>::new());
    while let Some(line) = lines.next()? {
        let json = Json::of_line(line);
        let mut record = Record::parse(json, line.text)?;
        let query = record.take_id(&["query"])?.ok_or_else(|| record.error("there is no `query`"))?;
        let document =
            record.take_id(&["document"])?.ok_or_else(|| record.error("there is no `document`"))?;
        let of_query = format!("query {}: ", Quoted(&query));
        let grade = match record.take(&["grade"])? {
            None => 1,
            Some(grade) => parse_grade(&json, grade, &of_query, &document)?,
        };
        let fail = |message: String| -> Error { line.error(format!("{of_query}{message}")) };
        if grade < 0 {
            return Err(fail(format!("a span has a grade of 0 or more, not {grade}")));
        }
        let number = |record: &mut Record<'_>, key: &str| -> Result<Option<usize>> {
            record.take(&[key])?.map(|value| json.parse(value, &format!("{of_query}{key}: "))).transpose()
        };
        let (start, end) = (number(&mut record, "start")?, number(&mut record, "end")?);
        let quote: Option<String> = record
            .take(&["quote"])?
            .map(|value| json.parse(value, &format!("{of_query}quote: ")))
            .transpose()?;
        if let Some((key, near)) = record.names().find_map(|key| Some((key, nearest(key, KEYS)?))) {
            return Err(fail(format!("a span has no key {}; did you mean `{near}`?", Quoted(key))));
        }
        let source = passages.source(&document).map_err(|error| fail(error.to_string()))?;
        let characters = match (&quote, start, end) {
            (Some(quote), None, None) if quote.trim().is_empty() => {
                return Err(fail("the quote is empty".into()));
            }
            (Some(quote), None, None) => match source.find(quote) {
                Found::Once(characters) => characters,
                Found::Often(places) => return Err(fail(several(&document, &places))),
                Found::Never => {
                    return Err(fail(format!("the quote is not in document {}", Quoted(&document))));
                }
            },
            (None, Some(start), Some(end)) if start < end && end <= source.len() => start..end,
            (None, Some(start), Some(end)) => {
                let length = source.len();
                let message =
                    format!("a span from {start} to {end} is none of document {}", Quoted(&document));
                return Err(fail(format!("{message}, which has {length} characters")));
            }
            _ => return Err(fail("a span has a `quote`, or a `start` and an `end`, and not both".into())),
        };
        let span = Span { document, characters, grade };
        passages.qrels(&mut qrels, &query, &span, line.number).map_err(|first| {
            let first = first.map(|line| format!(" (first in line {line})")).unwrap_or_default();
            fail(format!("this span is judged already{first}"))
        })?;
        spans.entry(query).or_default().push(span);
    }
    if spans.is_empty() {
        return Err(Error::in_file(source.path(), "there are no spans"));
    }
    passages.spans = Arc::new(spans);
    Ok((passages, qrels))
}

/// Says that a quote is in several places, the first of them by their characters.
fn several(document: &str, places: &[Range<usize>]) -> String {
    let shown: Vec<String> = places.iter().take(NAMED).map(|place| place.start.to_string()).collect();
    let more = if places.len() > shown.len() { ", ..." } else { "" };
    format!(
        "the quote is in document {} {} times, at characters {}{more}: give `start` and `end`",
        Quoted(document),
        places.len(),
        shown.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Document;

    pub(super) fn passages(lines: &str) -> Result<(JudgedPassages, Qrels)> {
        let corpus = Corpus::in_memory([
            Document::new("refunds", "Refunds take five days. In Ulm they take seven days. Call us."),
            Document::new("fees", "Fees are 5 €.\nFees are due at once."),
        ]);
        read(&Source::bytes("passages.jsonl", lines.as_bytes()), &corpus)
    }

    fn error(line: &str) -> String {
        passages(line).unwrap_err().to_string()
    }

    #[test]
    fn spans_are_read_by_quote_or_by_characters() {
        let (passages, qrels) = passages(
            "{\"query\": \"q1\", \"document\": \"refunds\", \"quote\": \"take  five days\", \"grade\": 2}\n\
             {\"query\": \"q1\", \"document\": \"refunds\", \"start\": 24, \"end\": 30}\n\
             {\"query\": 2, \"document\": \"fees\", \"start\": 14, \"end\": 22}\n",
        )
        .unwrap();
        let judged: Vec<_> = qrels.judgments("q1").unwrap().iter().collect();
        assert_eq!(judged, [("refunds#char=24,30", 1), ("refunds#char=8,22", 2)]);
        assert_eq!(qrels.grade("2", "fees#char=14,22"), Some(1));
        assert_eq!(passages.grade("q1", "refunds#char=0,9"), Some(2), "one character in common");
        assert_eq!(passages.grade("q1", "refunds#char=0,8"), Some(0), "none");
        assert_eq!((passages.grade("q1", "fees"), passages.grade("q1", "refunds")), (None, Some(2)));
    }

    #[test]
    fn what_is_no_span_is_an_error_with_its_line() {
        let line = |rest: &str| format!("{{\"query\": \"q1\", \"document\": \"fees\", {rest}}}");
        for (text, message) in [
            (
                line("\"quote\": \"Fees are\""),
                ":1: query `q1`: the quote is in document `fees` 2 times, at characters 0, 14: give `start` and `end`",
            ),
            (line("\"quote\": \"nothing alike\""), ":1: query `q1`: the quote is not in document `fees`: `{"),
            (
                line("\"start\": 3, \"end\": 36"),
                ":1: query `q1`: a span from 3 to 36 is none of document `fees`, which has 35 characters",
            ),
            (line("\"start\": 3, \"end\": 3"), "a span from 3 to 3 is none of document `fees`"),
            (line("\"start\": 3"), "a span has a `quote`, or a `start` and an `end`, and not both"),
            (line("\"quote\": \"5\", \"start\": 3, \"end\": 4"), "a span has a `quote`, or"),
            (line("\"quote\": \" \""), "the quote is empty"),
            (
                line("\"quote\": \"5 €\", \"grades\": 2"),
                ":1: query `q1`: a span has no key `grades`; did you mean `grade`?",
            ),
            (line("\"quote\": 5"), ":1: query `q1`: quote: "),
            (line("\"start\": -1, \"end\": 4"), ":1: query `q1`: start: "),
            (line("\"quote\": \"5 €\", \"grade\": -1"), "a span has a grade of 0 or more, not -1"),
            (line("\"quote\": \"5 €\", \"grade\": 0.5"), "the grade of `fees` is not a whole number"),
            ("{\"query\": \"q1\", \"document\": \"x\", \"quote\": \"a\"}".into(), "there is no document `x`"),
            ("{\"document\": \"fees\", \"quote\": \"a\"}".into(), "there is no `query`"),
            (
                format!("{0}\n{0}", line("\"quote\": \"5 €\"")),
                ":2: query `q1`: this span is judged already (first in line 1)",
            ),
            (String::new(), "there are no spans"),
        ] {
            let error = error(&text);
            assert!(error.contains(message), "{text}\n{error}");
        }
    }
}
