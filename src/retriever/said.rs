//! Answers beside a ranking: texts that a model made of the retrieved documents.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};

use crate::content_hash::sha256;
use crate::error::Quoted;
use crate::json::{FromJson, as_json, read_json};
use crate::secrets::Secrets;
use crate::wire;

/// What a model answered, and what it was given.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The text; empty without one.
    pub text: String,
    /// Its contexts, in that order; `None` where the source does not say: then they are the retrieved documents.
    pub contexts: Option<Vec<Context>>,
    /// Its sentences with the documents that each cites; `None` where the source does not say.
    pub citations: Option<Vec<CitedSentence>>,
    /// Whether it declined to answer.
    pub declined: bool,
}

as_json!(struct Answer { text, contexts, citations?, declined });

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

/// A sentence of an answer, with the documents that it cites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CitedSentence {
    /// Its words, as they stand in the answer.
    pub sentence: String,
    /// Ids of documents; empty where it cites nothing.
    pub documents: Vec<String>,
}

as_json!(strict struct CitedSentence { documents, sentence });

impl CitedSentence {
    /// A sentence that cites these documents.
    pub fn new(sentence: impl Into<String>, documents: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { sentence: sentence.into(), documents: documents.into_iter().map(Into::into).collect() }
    }
}

/// Bytes that are read of the text of one answer, and of the texts of its contexts together. A million tokens of context
/// are about four million.
const MOST_TEXT: usize = 1 << 20;
const MOST_CONTEXTS: usize = 16 << 20;

/// The same as programs and services write it.
#[derive(Default)]
struct Whole {
    text: String,
    contexts: Option<Vec<Json>>,
    citations: Option<Vec<CitedSentence>>,
    declined: bool,
}

read_json!(strict struct Whole { text, contexts, citations, declined: default });

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

    /// Whether it is an answer: of a size that can be held, with contexts that have names of their own, and citations that leave
    /// nothing out.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        self.check_size()?;
        check_contexts(self.contexts.iter().flatten())?;
        check_citations(&self.text, self.citations.as_deref())
    }

    /// Whether it is no larger than an answer can be: those to all queries are held at once.
    ///
    /// # Errors
    /// What is too large.
    pub(crate) fn check_size(&self) -> Result<(), String> {
        let contexts = self.contexts.iter().flatten().filter_map(|context| context.text.as_ref());
        let parts = [
            (self.text.len(), "text", MOST_TEXT),
            (contexts.map(String::len).sum(), "contexts", MOST_CONTEXTS),
        ];
        match parts.into_iter().find(|(bytes, _, most)| bytes > most) {
            None => Ok(()),
            Some((bytes, what, most)) => {
                Err(format!("the answer has {bytes} bytes of {what}, and at most {most} are read"))
            }
        }
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
        let answer = Self { text, contexts, citations, declined };
        answer.check().map_err(|why| wrong(&format!("is none: {}", secrets.hide(&why))))?;
        Ok(Some(answer))
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

/// Whether the cited sentences are those of the answer, in its order: what stood in none of them would be a sentence that no
/// metric counts.
///
/// # Errors
/// A sentence that is not there or says nothing, a document that it cites twice or that has no id, a part of the answer that is no
/// sentence of the list.
pub(crate) fn check_citations(text: &str, citations: Option<&[CitedSentence]>) -> Result<(), String> {
    let Some(citations) = citations else { return Ok(()) };
    // Marks such as `[1]` stand between sentences or in them.
    let says_something = |part: &str| {
        let mut is_mark = false;
        part.chars().any(|c| {
            is_mark = match c {
                '[' => true,
                ']' => false,
                _ => is_mark,
            };
            !is_mark && c.is_alphanumeric()
        })
    };
    let left_out = |part: &str| match says_something(part) {
        true => Err(format!("its `citations` leave out {}", Quoted(part.trim()))),
        false => Ok(()),
    };
    let mut rest = text;
    for CitedSentence { sentence, documents } in citations {
        if !says_something(sentence) {
            return Err(format!("a sentence of its `citations` says nothing: {}", Quoted(sentence)));
        }
        let Some(at) = rest.find(sentence.as_str()) else {
            return Err(format!("a sentence of its `citations` is not the answer's: {}", Quoted(sentence)));
        };
        left_out(&rest[..at])?;
        rest = &rest[at + sentence.len()..];
        let mut seen = std::collections::BTreeSet::new();
        for document in documents {
            if document.is_empty() {
                return Err(format!("{} cites a document with an empty id", Quoted(sentence)));
            }
            if !seen.insert(document) {
                return Err(format!("{} cites {} twice", Quoted(sentence), Quoted(document)));
            }
        }
    }
    left_out(rest)
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
    fn every_sentence_of_an_answer_stands_in_its_citations() {
        let text = "The fee is 5 EUR. [1] Pay it soon [2][3].";
        let check = |sentences: &[(&str, &[&str])]| {
            let cited = |(sentence, documents): &(&str, &[&str])| {
                CitedSentence::new(*sentence, documents.iter().copied())
            };
            check_citations(text, Some(&sentences.iter().map(cited).collect::<Vec<_>>()))
        };
        let (first, second) = ("The fee is 5 EUR.", "Pay it soon");
        assert_eq!(check(&[(first, &["a"]), (second, &["b", "c"])]), Ok(()));
        assert_eq!(check(&[(first, &[]), ("Pay it soon [2][3].", &[])]), Ok(()));
        assert_eq!(check_citations(text, None), Ok(()));
        assert_eq!(check_citations("", Some(&[])), Ok(()));
        for (sentences, why) in [
            (&[(first, &["a"][..])][..], "its `citations` leave out `[1] Pay it soon [2][3].`"),
            (&[(second, &["a"])], "its `citations` leave out `The fee is 5 EUR. [1]`"),
            (&[(second, &["a"]), (first, &["a"])], "its `citations` leave out"),
            (&[(first, &["a"]), ("Pay soon", &["b"])], "is not the answer's: `Pay soon`"),
            (&[(first, &["a"]), ("[2]", &["b"])], "says nothing: `[2]`"),
            (&[(first, &["a", "a"])], "`The fee is 5 EUR.` cites `a` twice"),
            (&[(first, &[""])], "cites a document with an empty id"),
        ] {
            let error = check(sentences).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

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
    fn an_answer_has_a_size() {
        let text = |bytes: usize| "y".repeat(bytes);
        let given =
            |bytes: usize| Answer::new("So.").with_contexts([Context::new("d1").with_text(text(bytes))]);
        for (fits, too_large, what) in [
            (Answer::new(text(1 << 20)), Answer::new(text((1 << 20) + 1)), "1048577 bytes of text"),
            (given(16 << 20), given((16 << 20) + 1), "16777217 bytes of contexts"),
        ] {
            assert_eq!(fits.check_size(), Ok(()));
            let why = too_large.check_size().unwrap_err();
            assert!(why.starts_with(&format!("the answer has {what}, and at most ")), "{why}");
        }
        let read = Answer::read(&json!(text(2 << 20)), &Secrets::default()).unwrap_err();
        assert!(read.starts_with("`answer` is none: the answer has 2097152 bytes of text"), "{read}");
        assert!(read.len() < 1000, "{}", read.len());
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
            (
                json!({"text": "x", "citations": [{"sentence": "y", "documents": []}]}),
                "is none: a sentence of its `citations` is not the answer's: `y`",
            ),
            (
                json!({"text": "x", "citations": [{"sentence": "x"}]}),
                "(citations[0]: missing field `documents`)",
            ),
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
