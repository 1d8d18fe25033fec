//! Answers beside a ranking: texts that a model made of the retrieved documents.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::content_hash::sha256;
use crate::secrets::Secrets;
use crate::wire;

/// What a model answered, and what it was given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The text; empty without one.
    pub text: String,
    /// Its contexts, in that order; `None` where the source does not say: then they are the retrieved documents.
    pub contexts: Option<Vec<Context>>,
    /// Its sentences with the documents that each cites; `None` where the source does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<CitedSentence>>,
    /// Whether it declined to answer.
    pub declined: bool,
}

/// A text that was given to the model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Context {
    /// The document's id.
    pub id: String,
    /// What was given of it; `None` for the document as the corpus has it.
    pub text: Option<String>,
}

/// A sentence of an answer, with the documents that it cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CitedSentence {
    /// Its words, as they stand in the answer.
    pub sentence: String,
    /// Ids of documents; empty where it cites nothing.
    pub documents: Vec<String>,
}

impl CitedSentence {
    /// A sentence that cites these documents.
    pub fn new(sentence: impl Into<String>, documents: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { sentence: sentence.into(), documents: documents.into_iter().map(Into::into).collect() }
    }
}

/// The same as programs and services write it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    text: String,
    contexts: Option<Vec<Json>>,
    citations: Option<Vec<CitedSentence>>,
    #[serde(default)]
    declined: bool,
}

impl Answer {
    /// An answer, of which nothing is known but its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same with what the model was given.
    #[must_use]
    pub fn with_contexts(mut self, contexts: impl IntoIterator<Item = Context>) -> Self {
        self.contexts = Some(contexts.into_iter().collect());
        self
    }

    /// The same with the documents that its sentences cite.
    #[must_use]
    pub fn with_citations(mut self, citations: impl IntoIterator<Item = CitedSentence>) -> Self {
        self.citations = Some(citations.into_iter().collect());
        self
    }

    /// The same as one that says it does not know.
    #[must_use]
    pub fn declined(mut self) -> Self {
        self.declined = true;
        self
    }

    /// The answer as a line of an answers file; `retrieved` are its contexts where it does not name them.
    #[must_use]
    pub fn line<'a>(&self, query: &str, retrieved: impl Iterator<Item = &'a str>) -> String {
        let context = |one: &Context| match &one.text {
            None => Json::from(one.id.as_str()),
            Some(text) => json!({ "id": one.id, "text": text }),
        };
        let contexts: Vec<Json> = match &self.contexts {
            Some(contexts) => contexts.iter().map(context).collect(),
            None => retrieved.map(Json::from).collect(),
        };
        let mut line = json!({ "answer": self.text, "contexts": contexts, "query": query });
        if let Some(citations) = &self.citations {
            let cited = |one: &CitedSentence| json!({ "documents": one.documents, "sentence": one.sentence });
            line["citations"] = citations.iter().map(cited).collect();
        }
        if self.declined {
            line["declined"] = true.into();
        }
        line.to_string() + "\n"
    }

    /// What tells this answer from any other: a hash of its text, contexts and citations.
    #[must_use]
    pub fn fingerprint<'a>(&self, retrieved: impl Iterator<Item = &'a str>) -> String {
        let mut hash = sha256(&self.line("", retrieved));
        hash.truncate(16);
        hash
    }

    /// An answer as programs and services write it: a text, or a text with the rest; none where there is `null`.
    ///
    /// # Errors
    /// What it should not be, with a snippet.
    pub(super) fn read(value: &Json, secrets: &Secrets) -> Result<Option<Self>, String> {
        let wrong = |why: &str| format!("`answer` {why}: {}", secrets.excerpt(&value.to_string()));
        let Whole { text, contexts, citations, declined } = match value {
            Json::Null => return Ok(None),
            Json::String(text) => Whole { text: text.clone(), ..Whole::default() },
            other => Whole::deserialize(other).map_err(|error| {
                let why = match secrets.withhold() {
                    true => String::new(),
                    false => format!(" ({})", secrets.hide(&error.to_string())),
                };
                wrong(&format!("is neither a text nor `{{\"text\": ..., \"contexts\": [...]}}`{why}"))
            })?,
        };
        let context = |value: &Json| match value {
            Json::Object(parts) => {
                let text = parts.get("text").and_then(Json::as_str)?.to_owned();
                Some(Context { id: wire::id(parts.get("id")?)?, text: Some(text) })
            }
            other => Some(Context { id: wire::id(other)?, text: None }),
        };
        let read = |contexts: Vec<Json>| contexts.iter().map(context).collect::<Option<Vec<_>>>();
        let contexts = match contexts {
            None => None,
            Some(list) => Some(
                read(list).ok_or_else(|| wrong("has a context that is neither an id nor `{id, text}`"))?,
            ),
        };
        Ok(Some(Self { text, contexts, citations, declined }))
    }
}

/// The query of a line of an answers file, and the [fingerprint](Answer::fingerprint) of its answer.
pub(crate) fn answer_fingerprint(line: &str) -> Option<(String, String)> {
    let Json::Object(mut line) = serde_json::from_str(line).ok()? else { return None };
    let query = line.insert("query".to_owned(), "".into())?.as_str()?.to_owned();
    line.entry("contexts").or_insert_with(|| json!([]));
    if line.get("declined") == Some(&Json::Bool(false)) {
        line.remove("declined");
    }
    let mut hash = sha256(&(Json::Object(line).to_string() + "\n"));
    hash.truncate(16);
    Some((query, hash))
}

impl Context {
    /// A document of the corpus.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), text: None }
    }

    /// The same, of which this was given.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}

/// Answers as they come, by the ids of their queries.
#[derive(Default)]
pub(super) struct AnswersByQuery(Mutex<BTreeMap<String, Answer>>);

impl AnswersByQuery {
    /// Keeps the first answer to a query.
    pub(super) fn keep(&self, query: &str, answer: Option<Answer>) {
        if let Some(answer) = answer {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(query.to_owned()).or_insert(answer);
        }
    }

    pub(super) fn take(&self) -> BTreeMap<String, Answer> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_what_the_model_was_given() {
        let retrieved = || ["d1", "d2"].into_iter();
        assert_eq!(
            Answer::new("Five.").line("q1", retrieved()),
            "{\"answer\":\"Five.\",\"contexts\":[\"d1\",\"d2\"],\"query\":\"q1\"}\n"
        );
        let whole = Answer::new("So.")
            .with_contexts([Context::new("a").with_text("t")])
            .with_citations([CitedSentence::new("So.", ["a"])])
            .declined();
        assert_eq!(
            whole.line("q1", retrieved()),
            "{\"answer\":\"So.\",\"citations\":[{\"documents\":[\"a\"],\"sentence\":\"So.\"}],\
             \"contexts\":[{\"id\":\"a\",\"text\":\"t\"}],\"declined\":true,\"query\":\"q1\"}\n"
        );
        for one in [whole, Answer::new("So.")] {
            let known = answer_fingerprint(&one.line("q1", retrieved())).unwrap();
            assert_eq!(known, ("q1".to_owned(), one.fingerprint(retrieved())));
        }
    }

    #[test]
    fn an_answer_is_a_text_or_a_text_with_the_rest() {
        let read = |value: Json| Answer::read(&value, &Secrets::default());
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!("")), Ok(Some(Answer::default())));
        assert_eq!(read(json!({"text": "Five."})), Ok(Some(Answer::new("Five."))));
        let whole =
            json!({"text": "Five.", "contexts": ["a", 7, {"id": "b", "text": "Of it."}], "declined": true});
        let contexts = [Context::new("a"), Context::new("7"), Context::new("b").with_text("Of it.")];
        let expected = Answer::new("Five.").with_contexts(contexts).declined();
        assert_eq!(read(whole), Ok(Some(expected)));
        for (value, why) in [
            (
                json!(3),
                "is neither a text nor `{\"text\": ..., \"contexts\": [...]}` (invalid type: integer `3`",
            ),
            (json!({"answer": "x"}), "(unknown field `answer`"),
            (json!({"declined": true}), "(missing field `text`)"),
            (json!({"text": "x", "citations": [{"sentence": "x"}]}), "(missing field `documents`)"),
            (json!({"text": "x", "contexts": [1.5]}), "has a context that is neither an id nor `{id, text}`"),
            (json!({"text": "x", "contexts": [{"text": "y"}]}), "neither an id nor"),
        ] {
            let error = read(value.clone()).unwrap_err();
            assert!(error.starts_with("`answer` ") && error.contains(why), "{error}");
            assert!(
                error.ends_with(&format!(": {}", Secrets::default().excerpt(&value.to_string()))),
                "{error}"
            );
        }
    }
}
