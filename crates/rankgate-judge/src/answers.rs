//! Files of answers: JSON lines of `query`, `answer` and what the model was given.

use std::collections::BTreeMap;
use std::path::Path;

use rankgate::retriever::{Answer, CitedSentence, Context};
use rankgate::{Collection, Query};
use serde::Deserialize;

use crate::error::Quoted;
use crate::{Error, Result, sound};

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    query: String,
    answer: String,
    #[serde(default)]
    contexts: Vec<ContextLine>,
    #[serde(default)]
    citations: Option<Vec<CitationLine>>,
    #[serde(default)]
    declined: bool,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a context is an id, or `{\"id\": ..., \"text\": ...}`")]
enum ContextLine {
    Id(String),
    Text { id: String, text: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CitationLine {
    sentence: String,
    documents: Vec<String>,
}

/// The answers of one configuration, by query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerFile(BTreeMap<String, Answer>);

/// An answer with all that a metric may look at.
#[derive(Clone, Debug)]
pub struct Case {
    /// The query, with its reference answer and nuggets in its metadata.
    pub query: Query,
    /// The answer.
    pub answer: Answer,
    /// What the model was given: ids and texts.
    pub contexts: Vec<(String, String)>,
}

impl AnswerFile {
    /// Reads a file's text; errors call it by `name`.
    ///
    /// # Errors
    /// A line that is no answer, a second answer to a query, citations that leave out a sentence.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut answers = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place = |why: String| Error::invalid(format!("{name}:{number}: {why}"));
            let read: Line = serde_json::from_str(line).map_err(|error| {
                let why = error.to_string().replace(" at line 1 column ", ", column ");
                place(format!(
                    "no answer, which is `{{\"query\": \"q1\", \"answer\": \"...\"}}`: {why}: {}",
                    Quoted(line)
                ))
            })?;
            if read.query.is_empty() {
                return Err(place(format!("its query has an empty id: {}", Quoted(line))));
            }
            let context = |one: ContextLine| match one {
                ContextLine::Id(id) => Context::new(id),
                ContextLine::Text { id, text } => Context::new(id).with_text(text),
            };
            let mut answer = Answer::new(read.answer).with_contexts(read.contexts.into_iter().map(context));
            if let Some(cited) = read.citations {
                answer = answer.with_citations(
                    cited.into_iter().map(|one| CitedSentence::new(one.sentence, one.documents)),
                );
            }
            if read.declined {
                answer = answer.declined();
            }
            sound::check(&answer).map_err(|why| place(format!("query {}: {why}", Quoted(&read.query))))?;
            if answers.insert(read.query.clone(), answer).is_some() {
                return Err(place(format!("query {} was answered above already", Quoted(&read.query))));
            }
        }
        Ok(Self(answers))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io("cannot read", path, error))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// The answers with their queries and the texts of their contexts, in the order of the queries' ids; and the queries without an
    /// answer.
    ///
    /// # Errors
    /// An answer to a query that the collection does not have, a context without a text.
    pub fn cases(&self, collection: &Collection) -> Result<(Vec<Case>, Vec<String>)> {
        let others = collection.without_judgments().iter().chain(collection.unanswerable());
        let queries: BTreeMap<&str, &Query> =
            collection.queries().iter().chain(others).map(|query| (query.id.as_str(), query)).collect();
        if let Some(unknown) = self.0.keys().find(|id| !queries.contains_key(id.as_str())) {
            return Err(Error::invalid(format!(
                "query {} was answered, and the spec's collection has no such query",
                Quoted(unknown)
            )));
        }
        let contexts = || self.0.values().flat_map(|answer| answer.contexts.iter().flatten());
        let ids = || contexts().filter(|one| one.text.is_none()).map(|one| one.id.as_str());
        let documents =
            if ids().next().is_some() { collection.corpus()?.find(ids())? } else { Default::default() };
        let text = |one: &Context| -> Result<(String, String)> {
            let text = match (&one.text, documents.get(&one.id)) {
                (Some(text), _) => text.clone(),
                (None, Some(document)) => {
                    let parts = document.title.as_deref().into_iter().chain([&*document.text]);
                    parts.collect::<Vec<_>>().join("\n")
                }
                (None, None) => {
                    let message = format!(
                        "the context {} has no text, and the corpus no such document",
                        Quoted(&one.id)
                    );
                    return Err(Error::invalid(message));
                }
            };
            Ok((one.id.clone(), text))
        };
        let case = |(id, answer): (&String, &Answer)| {
            let contexts = answer.contexts.iter().flatten().map(text).collect::<Result<_>>()?;
            Ok(Case { query: queries[id.as_str()].clone(), answer: answer.clone(), contexts })
        };
        let cases = self.0.iter().map(case).collect::<Result<_>>()?;
        let asked = collection.queries().iter().map(|query| query.id.clone());
        Ok((cases, asked.filter(|id| !self.0.contains_key(id)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_answer_is_an_error_with_its_place() {
        let error = |text: &str| AnswerFile::parse("a.jsonl", text).unwrap_err().to_string();
        let good = "{\"query\": \"q1\", \"answer\": \"So.\"}\n";
        assert!(AnswerFile::parse("a.jsonl", &format!("\u{feff}{good}\r\n")).is_ok());
        for (line, why) in [
            ("{\"query\": \"q2\"}", "missing field `answer`"),
            ("{\"query\": 7, \"answer\": \"a\"}", "invalid type: integer `7`"),
            ("{\"query\": \"\", \"answer\": \"a\"}", "its query has an empty id"),
            ("{\"query\": \"q1\", \"answer\": \"a\"}", "query `q1` was answered above already"),
            ("{\"query\": \"q2\", \"answer\": \"a\", \"more\": 1}", "unknown field `more`"),
            ("{\"query\": \"q2\", \"answer\": \"a\", \"contexts\": [7]}", "a context is an id, or"),
            (
                "{\"query\": \"q2\", \"answer\": \"a\", \"contexts\": [\"d\", \"d\"]}",
                "the context `d` comes twice",
            ),
            (
                "{\"query\": \"q2\", \"answer\": \"So. Too.\", \"citations\": [{\"sentence\": \"So.\", \"documents\": []}]}",
                "leave out `Too.`",
            ),
        ] {
            let said = error(&format!("{good}{line}"));
            assert!(said.starts_with("a.jsonl:2: ") && said.contains(why), "{said}");
        }
    }
}
