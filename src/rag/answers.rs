//! Files of answers: JSON lines of `query`, `answer` and what the model was given.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Quoted;
use crate::judge::sha256;
use crate::retriever::said::{Answer, CitedSentence, Context, check_citations, check_contexts};
use crate::run::{Hit, Run};
use crate::{Error, Result};

/// The answers of one configuration, by query.
///
/// ```
/// use rankgate::rag::Answers;
///
/// let line = r#"{"query": "q1", "answer": "Five days.", "contexts": ["delivery-2", {"id": "faq-1", "text": "..."}]}"#;
/// let answers = Answers::parse("new.jsonl", line)?;
/// assert_eq!(answers.get("q1").map(|answer| answer.text.as_str()), Some("Five days."));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers(BTreeMap<String, Answer>);

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    citations: Option<Vec<CitedSentence>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contexts: Option<Vec<ContextLine>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    declined: bool,
    query: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
}

/// A context as it stands in a line.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a context is an id, or `{\"id\": ..., \"text\": ...}`")]
enum ContextLine {
    Id(String),
    Text(ContextText),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    text: String,
}

impl Answers {
    /// Reads a file's text; errors call it by `name`.
    ///
    /// # Errors
    ///
    /// A line that is no answer, a second answer to a query that has no `repeat` or the number of another, an empty id, a context that
    /// comes twice.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut answers: BTreeMap<String, Answer> = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place = |message: String| Error::invalid(format!("{name}:{number}: {message}"));
            let none = |why: String| {
                let why = why.replace(" at line 1 column ", ", column ");
                place(format!(
                    "no answer, which is `{{\"query\": \"q1\", \"answer\": \"...\"}}`: {why}: {}",
                    Quoted(line)
                ))
            };
            if !line.trim_start().starts_with('{') {
                return Err(none("it is no JSON object".into()));
            }
            let line: Line = serde_json::from_str(line).map_err(|error| none(error.to_string()))?;
            if line.query.is_empty() {
                return Err(none("its query has an empty id".into()));
            }
            let context = |given| match given {
                ContextLine::Id(id) => Context::new(id),
                ContextLine::Text(ContextText { id, text }) => {
                    Context::new(id.unwrap_or_else(|| format!("text-{}", &sha256(text.as_bytes())[..12])))
                        .with_text(text)
                }
            };
            let contexts: Option<Vec<Context>> =
                line.contexts.map(|all| all.into_iter().map(context).collect());
            check_contexts(contexts.iter().flatten()).map_err(place)?;
            check_citations(&line.answer, line.citations.as_deref()).map_err(place)?;
            let query = Quoted(&line.query).to_string();
            let repeat = line.repeat.unwrap_or(1);
            let mut answer = Answer::new(line.answer);
            (answer.contexts, answer.declined, answer.usage) = (contexts, line.declined, line.usage);
            answer.citations = line.citations;
            answer.check_size().map_err(|why| place(format!("query {query}: {why}")))?;
            match answers.get_mut(&line.query) {
                None if repeat == 1 => drop(answers.insert(line.query, answer)),
                Some(first) if repeat == first.repeats.len() + 2 => first.repeats.push(answer),
                Some(first) if (1..first.repeats.len() + 2).contains(&repeat) => {
                    let next = first.repeats.len() + 2;
                    return Err(place(format!(
                        "query {query} was answered above already; another answer to the same question has `\"repeat\": {next}`"
                    )));
                }
                known => {
                    let next = known.map_or(1, |first| first.repeats.len() + 2);
                    return Err(place(format!(
                        "`\"repeat\": {repeat}` of query {query}: answers are numbered from 1 in their order, and {next} comes next"
                    )));
                }
            }
        }
        Ok(Self(answers))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io("cannot read", path, error))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// The answer to a query.
    #[must_use]
    pub fn get(&self, query: &str) -> Option<&Answer> {
        self.0.get(query)
    }

    /// All of them, by query.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Answer)> {
        self.0.iter().map(|(query, answer)| (query.as_str(), answer))
    }

    /// The contexts as rankings.
    ///
    /// # Errors
    ///
    /// An answer that does not say what the model was given.
    pub fn run(&self) -> Result<Run> {
        let ranking = |(query, answer): (&String, &Answer)| {
            let none = || {
                Error::invalid(format!(
                    "the answer to query {} has no `contexts`, and nothing else says what was retrieved",
                    Quoted(query)
                ))
            };
            let contexts = answer.contexts.as_ref().ok_or_else(none)?;
            let hit = |(rank, context): (u32, &Context)| Hit::new(&context.id, 1.0 / f64::from(rank));
            Ok((query.clone(), (1..).zip(contexts).map(hit).collect()))
        };
        Run::from_rankings(self.0.iter().map(ranking).collect::<Result<Vec<_>>>()?)
    }

    /// The whole text, sorted by query, keys in alphabetical order.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |(query, repeat, answer): (&String, Option<usize>, &Answer)| {
            let given = |context: &Context| match &context.text {
                None => ContextLine::Id(context.id.clone()),
                Some(text) => {
                    ContextLine::Text(ContextText { id: Some(context.id.clone()), text: text.clone() })
                }
            };
            let line = Line {
                answer: answer.text.clone(),
                citations: answer.citations.clone(),
                contexts: answer.contexts.as_ref().map(|all| all.iter().map(given).collect()),
                declined: answer.declined,
                query: query.clone(),
                repeat,
                usage: answer.usage.clone(),
            };
            serde_json::to_string(&line).map(|line| line + "\n").unwrap_or_default()
        };
        self.0.iter().flat_map(numbered).map(line).collect()
    }
}

/// The lines of a query: its answer, then the numbered repeats of it.
fn numbered<'a>(
    (query, answer): (&'a String, &'a Answer),
) -> impl Iterator<Item = (&'a String, Option<usize>, &'a Answer)> {
    let repeats = (2..).zip(&answer.repeats).map(move |(number, one)| (query, Some(number), one));
    std::iter::once((query, None, answer)).chain(repeats)
}

impl FromIterator<(String, Answer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (String, Answer)>>(answers: I) -> Self {
        Self(answers.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_numbered_in_their_order() {
        let line =
            |answer: &str, repeat: &str| format!("{{\"answer\":\"{answer}\",\"query\":\"q1\"{repeat}}}\n");
        let text = [line("a", ""), line("b", ",\"repeat\":2"), line("c", ",\"repeat\":3")].concat();
        let answers = Answers::parse("a.jsonl", &text).unwrap();
        let first = answers.get("q1").unwrap();
        let repeats: Vec<&str> = first.repeats.iter().map(|one| one.text.as_str()).collect();
        assert_eq!((first.text.as_str(), &repeats[..]), ("a", &["b", "c"][..]));
        assert_eq!(answers.text(), text);
        for (second, expected) in [
            (
                ",\"repeat\":3",
                "`\"repeat\": 3` of query `q1`: answers are numbered from 1 in their order, and 2 comes next",
            ),
            (
                ",\"repeat\":0",
                "`\"repeat\": 0` of query `q1`: answers are numbered from 1 in their order, and 2 comes next",
            ),
            (",\"repeat\":1", "query `q1` was answered above already"),
        ] {
            let text = [line("a", ""), line("b", second)].concat();
            let error = Answers::parse("a.jsonl", &text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a.jsonl:2: {expected}")), "{error}");
        }
        let alone = Answers::parse("a.jsonl", &line("b", ",\"repeat\":2")).unwrap_err().to_string();
        assert!(
            alone.starts_with("a.jsonl:1: `\"repeat\": 2` of query `q1`") && alone.ends_with("1 comes next"),
            "{alone}"
        );
    }

    #[test]
    fn files_of_answers_come_back_and_say_what_is_wrong_with_them() {
        let text = "{\"answer\":\"Five days.\",\"contexts\":[\"d1\",{\"id\":\"d2\",\"text\":\"t\"}],\"query\":\"q1\"}\n\
                {\"answer\":\"I do not know.\",\"declined\":true,\"query\":\"q2\",\"usage\":{\"tokens\":3}}\n";
        let answers = Answers::parse("a.jsonl", text).unwrap();
        assert_eq!(answers.text(), text);
        assert!(answers.get("q2").unwrap().declined);
        assert!(
            answers.run().unwrap_err().to_string().contains("the answer to query `q2` has no `contexts`")
        );
        let error = |text: &str| Answers::parse("a.jsonl", text).unwrap_err().to_string();
        assert!(error("{\"query\": \"q1\"}").starts_with("a.jsonl:1: no answer, which is"));
        let twice = "{\"query\": \"q1\", \"answer\": \"a\"}\n{\"query\": \"q1\", \"answer\": \"b\"}";
        assert_eq!(
            error(twice),
            "a.jsonl:2: query `q1` was answered above already; another answer to the same question has `\"repeat\": 2`"
        );
        for (text, expected) in [
            ("[\"a\", null, false, \"q1\"]", "it is no JSON object: `[\"a\", null, false, \"q1\"]`"),
            ("\0\0", "it is no JSON object"),
            (
                "{\"query\": 7, \"answer\": \"a\"}",
                "invalid type: integer `7`, expected a string, column 11: `{\"query\": 7,",
            ),
            ("{\"query\": \"q1\", \"answer\": \"a\0\"}", "control character"),
            ("{\"query\": \"\", \"answer\": \"a\"}", "its query has an empty id"),
            (
                "{\"query\": \"q1\", \"answer\": \"a\", \"contexts\": [7]}",
                "a context is an id, or `{\"id\": ..., \"text\": ...}`",
            ),
            (
                "{\"query\": \"q1\", \"answer\": \"a\", \"declined\": \"yes\"}",
                "invalid type: string \"yes\", expected a boolean",
            ),
            ("{\"query\": \"q1\", \"answer\": \"a\", \"more\": 1}", "unknown field `more`"),
            (
                "{\"query\": \"q1\", \"answer\": \"a\", \"citations\": [{\"sentence\": \"a\"}]}",
                "missing field `documents`",
            ),
        ] {
            let said = error(&format!("{{\"query\": \"q0\", \"answer\": \"a\"}}\n{text}\n"));
            assert!(said.starts_with("a.jsonl:2: no answer, which is ") && said.contains(expected), "{said}");
            assert!(said.len() < 400, "{said}");
        }
        assert!(Answers::parse("a.jsonl", &format!("\u{feff}{}", text.replace('\n', "\r\n"))).is_ok());
        let again = "{\"query\": \"q1\", \"answer\": \"a\", \"contexts\": [\"d1\", \"d1\"]}";
        assert_eq!(error(again), "a.jsonl:1: the context `d1` comes twice");
        let cited = "{\"answer\":\"So. Too.\",\"citations\":[{\"documents\":[\"d1\"],\"sentence\":\"So.\"},\
                     {\"documents\":[],\"sentence\":\"Too.\"}],\"query\":\"q1\"}\n";
        assert_eq!(Answers::parse("a.jsonl", cited).unwrap().text(), cited);
        let left_out = cited.replace(",{\"documents\":[],\"sentence\":\"Too.\"}", "");
        assert_eq!(error(&left_out), "a.jsonl:1: its `citations` leave out `Too.`");
    }
}
