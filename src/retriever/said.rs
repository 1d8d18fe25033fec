//! Answers beside a ranking: texts that a model made of the retrieved documents.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;

use crate::error::Quoted;
use crate::json::{FromJson, as_json, read_json};
use crate::transport::Secrets;

use super::wire;

/// What a model answered, and what it was given.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The text; empty without one.
    pub text: String,
    /// Its contexts, in that order; `None` where the source does not say: then they are the retrieved documents.
    pub contexts: Option<Vec<Context>>,
    /// Whether it declined to answer.
    pub declined: bool,
    /// What its service says of tokens and cost.
    pub usage: Option<Json>,
}

as_json!(struct Answer { text, contexts, declined, usage });

/// A text that was given to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Context {
    /// The document's id.
    pub id: String,
    /// What was given of it; `None` for the document as the corpus has it.
    pub text: Option<String>,
}

as_json!(struct Context { id, text });

/// The same as programs and services write it.
struct Whole {
    text: String,
    contexts: Option<Vec<Json>>,
    declined: bool,
    usage: Option<Json>,
}

read_json!(strict struct Whole { text, contexts, declined: default, usage });

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

    /// The same as one that says it does not know.
    #[must_use]
    pub fn declined(mut self) -> Self {
        self.declined = true;
        self
    }

    /// An answer as programs and services write it: a text, or a text with the rest; none where there is `null`.
    ///
    /// # Errors
    /// What it should not be, with a snippet.
    pub(super) fn read(value: &Json, secrets: &Secrets) -> Result<Option<Self>, String> {
        let wrong = |why: &str| format!("`answer` {why}: {}", secrets.excerpt(&value.to_string()));
        let Whole { text, contexts, declined, usage } = match value {
            Json::Null => return Ok(None),
            Json::String(text) => return Ok(Some(Self::new(text))),
            other => Whole::from_json(other.clone()).map_err(|error| {
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
        check_contexts(contexts.iter().flatten())
            .map_err(|why| wrong(&format!("is none: {}", secrets.hide(&why))))?;
        Ok(Some(Self { text, contexts, declined, usage }))
    }
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

/// Whether each context has a name of its own.
///
/// # Errors
/// A context without a name, one that comes twice.
pub(crate) fn check_contexts<'a>(contexts: impl Iterator<Item = &'a Context>) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for one in contexts {
        if one.id.is_empty() {
            return Err("a context has an empty id".to_owned());
        }
        if !seen.insert(&one.id) {
            return Err(format!("the context {} comes twice", Quoted(&one.id)));
        }
    }
    Ok(())
}

/// Answers as they come, by the ids of their queries.
#[derive(Default)]
pub(super) struct AnswersByQuery(Mutex<BTreeMap<String, Answer>>);

impl AnswersByQuery {
    /// Keeps the answer to a query; of several the first.
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
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_a_text_or_a_text_with_the_rest() {
        let read = |value: Json| Answer::read(&value, &Secrets::default());
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!("")), Ok(Some(Answer::default())));
        assert_eq!(read(json!({"text": "Five."})), Ok(Some(Answer::new("Five."))));
        let whole = json!({"text": "Five.", "contexts": ["a", 7, {"id": "b", "text": "Of it."}], "declined": true,
            "usage": {"tokens": 3}});
        let contexts = [Context::new("a"), Context::new("7"), Context::new("b").with_text("Of it.")];
        let expected = Answer::new("Five.").with_contexts(contexts).declined();
        assert_eq!(read(whole), Ok(Some(Answer { usage: Some(json!({"tokens": 3})), ..expected })));
        for (value, why) in [
            (
                json!(3),
                "is neither a text nor `{\"text\": ..., \"contexts\": [...]}` (invalid type: integer `3`",
            ),
            (json!({"answer": "x"}), "(unknown field `answer`"),
            (json!({"declined": true}), "(missing field `text`)"),
            (json!({"text": "x", "contexts": [1.5]}), "has a context that is neither an id nor `{id, text}`"),
            (json!({"text": "x", "contexts": [{"text": "y"}]}), "neither an id nor"),
            (json!({"text": "x", "contexts": [""]}), "is none: a context has an empty id"),
            (json!({"text": "x", "contexts": ["a", "a"]}), "is none: the context `a` comes twice"),
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
