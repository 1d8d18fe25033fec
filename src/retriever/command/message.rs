//! The lines of the protocol.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use serde_json::error::Category;
use serde_json::{Map, Value as Json};

use crate::collection::{HitPlace, Metadata, Passage, Query};
use crate::json::Distinct;
use crate::retriever::Response;
use crate::retriever::said::Answer;
use crate::run::Hit;
use crate::secrets::Secrets;
use crate::wire;

/// The version of the protocol that is spoken here.
const VERSION: u64 = 1;

/// The first message to the program.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Hello<'a> {
    /// The benchmark's name.
    pub(crate) benchmark: &'a str,
    /// The configuration's name.
    pub(crate) configuration: &'a str,
    /// The number of documents for each query.
    pub(crate) depth: usize,
    /// Where the spec names a retriever and the program serves it: which one.
    #[serde(flatten)]
    pub(crate) served: Option<&'a Served>,
}

/// The retriever of a spec that a program serves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Served {
    /// Its name.
    pub(crate) retriever: String,
    /// The configuration's parameters.
    pub(crate) params: Json,
    /// The spec's file.
    pub(crate) spec: String,
}

impl Hello<'_> {
    pub(super) fn line(self) -> String {
        #[derive(Serialize)]
        struct Versioned<'a> {
            rankgate: u64,
            #[serde(flatten)]
            hello: Hello<'a>,
        }
        line(&Versioned { rankgate: VERSION, hello: self })
    }
}

/// The request for one query.
pub(super) fn request(query: &Query, depth: usize) -> String {
    let Query { id, text, metadata, .. } = query;
    line(&Request { id, text, metadata, depth })
}

#[derive(Serialize)]
struct Request<'a> {
    id: &'a str,
    text: &'a str,
    metadata: &'a Metadata,
    depth: usize,
}

/// A message as a line.
pub fn line(message: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Ascii);
    // Texts, numbers and maps with keys of text can always be written to memory.
    let written = message.serialize(&mut serializer);
    debug_assert!(written.is_ok(), "{written:?}");
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

/// JSON in ASCII: readable in any encoding of the program's input, and without the
/// separators that some languages end a line at, such as U+2028.
struct Ascii;

impl serde_json::ser::Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, to: &mut W, text: &str) -> io::Result<()> {
        let mut parents = [0; 2];
        for c in text.chars() {
            if c.is_ascii() && c != '\x7f' {
                to.write_all(&[c as u8])?;
            } else {
                for unit in c.encode_utf16(&mut parents) {
                    write!(to, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// Checks the program's first line.
///
/// # Errors
/// The error in it, as a phrase that follows the program's name.
pub fn check_hello(line: &str, secrets: &Secrets) -> Result<(), String> {
    let hello = serde_json::from_str::<Json>(line).ok();
    match hello.as_ref().and_then(|hello| hello.get("rankgate")) {
        Some(version) if version.as_u64() == Some(VERSION) => Ok(()),
        Some(version) => Err(format!(
            "speaks version {} of the protocol; this rankgate speaks version {VERSION}",
            secrets.excerpt(&version.to_string())
        )),
        None => Err(format!(
            "should have said hello with {{\"rankgate\": {VERSION}}} on its first line, but wrote {}\n{STDERR}",
            secrets.excerpt(line)
        )),
    }
}

/// The same of a program that retrieves: its hello may have a `batch` as well.
pub(super) fn check_retriever_hello(line: &str, secrets: &Secrets) -> Result<(), String> {
    check_hello(line, secrets)?;
    batch(line).map(drop).map_err(|batch| {
        let batch = secrets.excerpt(&batch.to_string());
        format!("said hello with a `batch` that is no whole number from 1 to {MAX_BATCH}: {batch}")
    })
}

/// How many queries a program wants to get at once, as its hello says; 1 where that says nothing.
///
/// # Errors
/// An invalid number.
pub(super) fn batch(line: &str) -> Result<usize, Json> {
    let hello = serde_json::from_str::<Json>(line).unwrap_or_default();
    match hello.get("batch").filter(|batch| !batch.is_null()) {
        None => Ok(1),
        Some(batch) => {
            let number = batch.as_u64().and_then(|number| usize::try_from(number).ok());
            number.filter(|number| (1..=MAX_BATCH).contains(number)).ok_or_else(|| batch.clone())
        }
    }
}

/// More queries than anybody embeds at once.
const MAX_BATCH: usize = 4096;

const STDERR: &str = "standard output is for the protocol alone; print everything else to standard error";

/// What the program says to one query: its hits and what it answers beside them, or why there are none.
pub(crate) type Reply = Result<(Response, Option<Answer>), String>;

/// What a program wrote, as an object of which every key stands there once: of two grades either could be the answer.
///
/// # Errors
/// A line that is none, as a phrase that follows the program's name.
pub fn read_object(line: &str, secrets: &Secrets) -> Result<Map<String, Json>, String> {
    match read_json(line, secrets)? {
        Json::Object(object) => Ok(object),
        _ => Err(format!("wrote a line that is not a JSON object: {}", secrets.excerpt(line))),
    }
}

fn read_json(line: &str, secrets: &Secrets) -> Result<Json, String> {
    serde_json::from_str(line).map(|Distinct(value)| value).map_err(|error| {
        if error.classify() == Category::Data {
            let error = secrets.hide(&error.to_string());
            return format!("wrote a line that is ambiguous ({error}): {}", secrets.excerpt(line));
        }
        // Python's and JavaScript's names for what JSON has no number for.
        let number = ["NaN", "Infinity"].into_iter().find(|name| line.contains(name));
        let help = match number {
            Some(name) if line.starts_with('{') => format!("JSON has no {name}"),
            _ => STDERR.to_owned(),
        };
        format!("wrote a line that is not JSON ({error}): {}\n{help}", secrets.excerpt(line))
    })
}

/// Reads an answer, with the id of the query that it answers.
///
/// # Errors
/// A line of which it is not clear what it answers, as a phrase that follows the program's name.
/// When only the hits are wrong, that is the query's answer.
pub(crate) fn answer(line: &str, secrets: &Secrets) -> Result<(String, Reply), String> {
    let answer = read_json(line, secrets)?;
    let Some(id) = answer.get("id").and_then(wire::id) else {
        return Err(format!("wrote a line that has no `id` of a query: {}\n{STDERR}", secrets.excerpt(line)));
    };
    let error = answer.get("error").filter(|error| !error.is_null());
    let ranking = match (error, answer.get("hits")) {
        (Some(Json::String(error)), _) => Err(format!("the program says: {}", secrets.excerpt(error))),
        (Some(error), _) => Err(format!("the program says: {}", secrets.excerpt(&error.to_string()))),
        (None, Some(Json::Array(hits))) => read_hits(hits, secrets).map(Response::new),
        (None, Some(other)) => Err(format!("`hits` is not a list: {}", secrets.excerpt(&other.to_string()))),
        (None, None) => Err(format!("the answer has neither `hits` nor `error`: {}", secrets.excerpt(line))),
    };
    let said = || Answer::read(answer.get("answer").unwrap_or(&Json::Null), secrets);
    let response = |ranking: Response| {
        let wrong = |why: String| {
            let given = answer.get("scores").unwrap_or(&Json::Null);
            format!("{why}: {}", secrets.excerpt(&given.to_string()))
        };
        let response = Response { scores: scores(answer.get("scores")).map_err(wrong)?, ..ranking };
        Ok((response, said()?))
    };
    Ok((id, ranking.and_then(response)))
}

/// The id of a hit with a place in a document: `document`, `start` and `end`. `own` is the hit's id, if it has one. `None` of a
/// hit without a place.
fn place(own: Option<&str>, hit: &Map<String, Json>) -> Option<String> {
    let document = hit.get("document").and_then(wire::id)?;
    let number = |key: &str| usize::try_from(hit.get(key)?.as_u64()?).ok();
    let (start, end) = (number("start")?, number("end")?);
    let passage = (start < end).then(|| Passage::new(document, start..end))?;
    Some(match own {
        Some(id) => HitPlace { id, passage }.to_string(),
        None => passage.to_string(),
    })
}

/// Numbers about an answer, by name.
///
/// # Errors
/// What it should not be, without a snippet.
fn scores(value: Option<&Json>) -> Result<BTreeMap<String, f64>, String> {
    match value {
        None | Some(Json::Null) => Ok(BTreeMap::new()),
        Some(Json::Object(given)) => {
            given.iter().map(|(name, value)| Ok((name.clone(), wire::score(name, value)?))).collect()
        }
        Some(_) => Err("`scores` is not an object of numbers by name".to_owned()),
    }
}

fn read_hits(hits: &[Json], secrets: &Secrets) -> Result<Vec<Hit>, String> {
    let mut read = Vec::with_capacity(hits.len());
    let mut scored = false;
    for (position, hit) in hits.iter().enumerate() {
        let wrong =
            |what: &str| format!("hit {} {what}: {}", position + 1, secrets.excerpt(&hit.to_string()));
        let (id, score) = match hit {
            Json::Object(hit) if !hit.contains_key("id") && hit.contains_key("document") => {
                let place = place(None, hit)
                    .ok_or_else(|| wrong("has a `document` without a `start` before an `end`"))?;
                (Some(place), hit.get("score"))
            }
            Json::Object(hit) => {
                let id = hit.get("id").and_then(wire::id);
                let place = id.as_deref().and_then(|id| place(Some(id), hit));
                (place.or(id), hit.get("score"))
            }
            Json::Array(pair) if pair.len() == 2 => (pair.first().and_then(wire::id), pair.get(1)),
            Json::Array(_) => return Err(wrong("is not a pair of an id and a score")),
            plain => (wire::id(plain), None),
        };
        let Some(id) = id else {
            return Err(wrong("has no `id` that is text or a whole number"));
        };
        let score = match score.filter(|score| !score.is_null()) {
            None if scored => return Err(wrong("has no score, and those before it have one")),
            None => crate::run::score_by_order(position),
            Some(_) if !scored && position > 0 => {
                return Err(wrong("has a score, and those before it have none"));
            }
            Some(score) => {
                scored = true;
                score.as_f64().ok_or_else(|| wrong("has a score that is not a number"))?
            }
        };
        read.push(Hit::new(id, score));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_are_one_line_of_ascii() {
        let query = Query::new("q\n1", "a\0b\u{2028}\u{1f600}\u{7f}é\"").with("tags", json!(["ü", 1]));
        let line = request(&query, 10);
        assert_eq!(
            line,
            "{\"id\":\"q\\n1\",\"text\":\"a\\u0000b\\u2028\\ud83d\\ude00\\u007f\\u00e9\\\"\",\
             \"metadata\":{\"tags\":[\"\\u00fc\",1]},\"depth\":10}\n"
        );
        let read: Json = serde_json::from_str(&line).unwrap();
        assert_eq!(read["text"], query.text.as_str());
        let hello = Hello { benchmark: "helpdesk", configuration: "python", depth: 100, served: None };
        assert_eq!(
            hello.line(),
            "{\"rankgate\":1,\"benchmark\":\"helpdesk\",\"configuration\":\"python\",\"depth\":100}\n"
        );
        let served =
            Served { retriever: "mine".into(), params: json!({"alpha": 0.5}), spec: "/a/b.yaml".into() };
        assert_eq!(
            Hello { served: Some(&served), ..hello }.line(),
            "{\"rankgate\":1,\"benchmark\":\"helpdesk\",\"configuration\":\"python\",\"depth\":100,\
             \"retriever\":\"mine\",\"params\":{\"alpha\":0.5},\"spec\":\"/a/b.yaml\"}\n"
        );
    }

    #[test]
    fn a_hello_has_the_version() {
        for line in [r#"{"rankgate": 1}"#, " {\"rankgate\":1,\"name\":\"mine\"}\r"] {
            assert_eq!(check_hello(line, &Secrets::default()), Ok(()));
        }
        for (line, expected) in [
            (r#"{"rankgate": 2}"#, "speaks version `2` of the protocol; this rankgate speaks version 1"),
            (
                r#"{"rankgate": "1"}"#,
                "speaks version `\"1\"` of the protocol; this rankgate speaks version 1",
            ),
            (
                "Loading",
                "should have said hello with {\"rankgate\": 1} on its first line, but wrote `Loading`",
            ),
            (
                "{\"id\":1}",
                "should have said hello with {\"rankgate\": 1} on its first line, but wrote `{\"id\":1}`",
            ),
            ("[]", "should have said hello with {\"rankgate\": 1} on its first line, but wrote `[]`"),
        ] {
            let error = check_hello(line, &Secrets::default()).unwrap_err();
            assert_eq!(error.lines().next(), Some(expected));
        }
    }

    #[test]
    fn a_hello_may_ask_for_many_queries_at_once() {
        for (line, expected) in [
            (r#"{"rankgate": 1}"#, Ok(1)),
            (r#"{"rankgate": 1, "batch": null}"#, Ok(1)),
            (r#"{"rankgate": 1, "batch": 64}"#, Ok(64)),
            (r#"{"rankgate": 1, "batch": 0}"#, Err("`0`")),
            (r#"{"rankgate": 1, "batch": "64"}"#, Err("`\"64\"`")),
            (r#"{"rankgate": 1, "batch": 4097}"#, Err("`4097`")),
        ] {
            let checked = check_retriever_hello(line, &Secrets::default());
            match expected {
                Ok(number) => assert_eq!((checked, batch(line)), (Ok(()), Ok(number)), "{line}"),
                Err(wrong) => {
                    let expected =
                        format!("said hello with a `batch` that is no whole number from 1 to 4096: {wrong}");
                    assert_eq!(checked, Err(expected));
                }
            }
        }
    }

    #[test]
    fn hits_come_in_three_shapes() {
        let scored = Response::new([Hit::new("a", 2.5), Hit::new("7", 1.0)]);
        let ordered = Response::new(vec![Hit::new("a", 1.0), Hit::new("7", 0.5)]);
        for (hits, expected) in [
            (r#"[{"id": "a", "score": 2.5, "text": "x"}, {"id": 7, "score": 1}]"#, scored.clone()),
            (r#"[["a", 2.5], [7, 1]]"#, scored),
            (r#"["a", 7]"#, ordered.clone()),
            (r#"[{"id": "a"}, {"id": "7", "score": null}]"#, ordered),
            (
                r#"[{"document": "d", "start": 2, "end": 5, "score": 2.5}, {"document": 7, "start": 0, "end": 3, "score": 1}]"#,
                Response::new([Hit::new("d#char=2,5", 2.5), Hit::new("7#char=0,3", 1.0)]),
            ),
            (
                r#"[{"document": "d", "start": 2, "end": 5, "text": "a b", "score": 2.5}, {"id": "w7", "document": "d", "start": 2, "end": 5, "text": " ", "score": 1}]"#,
                Response::new([Hit::new("d#char=2,5", 2.5), Hit::new("w7#:~:place=d#char=2,5", 1.0)]),
            ),
            // What says no place is not one.
            (
                r#"[{"id": "w7", "document": "d", "start": 5, "score": 2.5}, {"id": "w8", "document": "d", "text": 3, "score": 1}]"#,
                Response::new([Hit::new("w7", 2.5), Hit::new("w8", 1.0)]),
            ),
            ("[]", Response::default()),
        ] {
            let line = format!(r#"{{"id": "q1", "hits": {hits}, "error": null, "took": 3}}"#);
            let expected = Ok(("q1".into(), Ok((expected, None))));
            assert_eq!(answer(&line, &Secrets::default()), expected, "{hits}");
        }
    }

    #[test]
    fn an_answer_may_stand_beside_the_hits() {
        let said = |rest: &str| {
            answer(&format!(r#"{{"id": "q1", "hits": ["a"], {rest}}}"#), &Secrets::default()).unwrap().1
        };
        let response = Response::new(vec![Hit::new("a", 1.0)]);
        assert_eq!(said(r#""answer": "Five.""#), Ok((response.clone(), Some(Answer::new("Five.")))));
        assert_eq!(said(r#""answer": null"#), Ok((response, None)));
        let wrong = said(r#""answer": {"txt": "Five."}"#).unwrap_err();
        assert!(wrong.starts_with("`answer` is neither a text nor") && wrong.contains("Five."), "{wrong}");
    }

    #[test]
    fn scores_stand_beside_the_hits() {
        let read = |scores: &str| {
            let line = format!(r#"{{"id": "q1", "hits": [], "scores": {scores}}}"#);
            answer(&line, &Secrets::default()).unwrap().1.map(|(response, _)| response.scores)
        };
        assert_eq!((read("null").unwrap().len(), read("{}").unwrap().len()), (0, 0));
        let scores = read(r#"{"tokens": 812, "cost": 0.0021}"#).unwrap();
        assert_eq!((scores["tokens"], scores["cost"]), (812.0, 0.0021));
        for (text, why) in [
            ("7", "`scores` is not an object of numbers by name: `7`"),
            (r#"{"cost":"2 ct"}"#, "the score `cost` is not a number: `{\"cost\":\"2 ct\"}`"),
            (r#"{"cost":null}"#, "the score `cost` is not a number: `{\"cost\":null}`"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn wrong_hits_fail_their_query() {
        for (rest, expected) in [
            (r#""hits": [["a"]]"#, "hit 1 is not a pair of an id and a score: `[\"a\"]`"),
            (
                r#""hits": [{"_id": "a"}]"#,
                "hit 1 has no `id` that is text or a whole number: `{\"_id\":\"a\"}`",
            ),
            (
                r#""hits": [{"document": "a", "start": 5, "end": 5}]"#,
                "hit 1 has a `document` without a `start` before an `end`: \
                 `{\"document\":\"a\",\"end\":5,\"start\":5}`",
            ),
            (r#""hits": ["a", 1.5]"#, "hit 2 has no `id` that is text or a whole number: `1.5`"),
            (r#""hits": [["a", "1"]]"#, "hit 1 has a score that is not a number: `[\"a\",\"1\"]`"),
            (r#""hits": [["a", 1], "b"]"#, "hit 2 has no score, and those before it have one: `\"b\"`"),
            (
                r#""hits": ["a", "b", ["c", 1]]"#,
                "hit 3 has a score, and those before it have none: `[\"c\",1]`",
            ),
            (r#""hits": {"a": 1}"#, "`hits` is not a list: `{\"a\":1}`"),
            (r#""hit": []"#, "the answer has neither `hits` nor `error`: `{\"id\": 1, \"hit\": []}`"),
            (r#""error": "no\nindex", "hits": []"#, r"the program says: `no\nindex`"),
            (r#""error": {"code": 1}"#, "the program says: `{\"code\":1}`"),
        ] {
            let (id, hits) = answer(&format!("{{\"id\": 1, {rest}}}"), &Secrets::default()).unwrap();
            assert_eq!((id.as_str(), hits), ("1", Err(expected.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn any_line_is_an_answer_or_an_error(line in any::<String>(), hits in any::<String>()) {
            let mut secrets = Secrets::default();
            secrets.add("PASSWORD", "hunter2hunter2");
            for line in [line.clone(), format!("hunter2hunter2{line}"), format!("{{\"id\":\"q\",\"error\":{}}}", json!(format!("{line}hunter2hunter2")))] {
                let said = [check_hello(&line, &secrets).err(), answer(&line, &secrets).err()];
                let reply = answer(&line, &secrets).ok().and_then(|(_, reply)| reply.err());
                prop_assert!(said.into_iter().flatten().chain(reply).all(|said| !said.contains("hunter2hunter2")));
            }
            for value in [hits.clone(), json!(hits).to_string(), format!("[{hits}]"), format!("[[{hits},1]]")] {
                // An id and something else: only an error of JSON may lose the id.
                let line = format!("{{\"id\":\"q1\",\"hits\":{value}}}");
                if serde_json::from_str::<Json>(&line).is_ok_and(|line| line["id"] == "q1") {
                    prop_assert_eq!(answer(&line, &Secrets::default()).unwrap().0, "q1");
                }
            }
        }

        #[test]
        fn any_query_comes_back_from_its_line(id in any::<String>(), text in any::<String>(), depth in any::<usize>()) {
            let line = request(&Query::new(id.clone(), text.clone()).with(text.clone(), id.clone()), depth);
            prop_assert!(line.is_ascii() && line.ends_with('\n') && line.matches('\n').count() == 1);
            let expected = json!({"id": id, "text": text, "metadata": {text.clone(): id}, "depth": depth});
            prop_assert_eq!(serde_json::from_str::<Json>(&line).unwrap(), expected);
        }
    }

    #[test]
    fn lines_that_answer_nothing_are_errors() {
        for (line, first, second) in [
            (
                "debug: 3",
                "wrote a line that is not JSON (expected value at line 1 column 1): `debug: 3`",
                STDERR,
            ),
            (r#"{"id":"q1","hits":[["a",NaN]]}"#, "wrote a line that is not JSON (", "JSON has no NaN"),
            (
                "{\"id\":\"q1\",\"hits\":[\"d1\"],\"hits\":[]}\n",
                "wrote a line that is ambiguous (`hits` occurs twice at line 1 column 35): ",
                "",
            ),
            (r#"{"hits":[]}"#, "wrote a line that has no `id` of a query: `{\"hits\":[]}`", STDERR),
            ("3", "wrote a line that has no `id` of a query: `3`", STDERR),
        ] {
            let error = answer(line, &Secrets::default()).unwrap_err();
            let (head, help) = error.split_once('\n').unwrap_or((&error, ""));
            assert!(head.starts_with(first), "{error}");
            assert_eq!(help, second);
        }
    }
}
