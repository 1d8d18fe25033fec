//! Answerers that a spec names: a program, a service, or what was registered from Rust.

#[cfg(feature = "http")]
mod service;
#[cfg(not(feature = "http"))]
mod service {
    use super::{Answerer, Arc, Error, ErrorKind, Result};
    use crate::spec::Template;

    pub(in super::super) fn service(
        _: &Template,
        _: &[(String, Template)],
        _: Option<String>,
    ) -> Result<Arc<dyn Answerer>> {
        Err(Error::with_kind(ErrorKind::Setup, "`http:` needs rankgate's feature `http`"))
    }
}

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::collection::{Document, Query};
use crate::error::chain;
use crate::rag::{Answer, Answerer, CitedSentence};
use crate::retriever::said::check_citations;
use crate::retriever::{BoxError, Limit, check_hello, protocol_line, read_object, why_broken, why_unstarted};
use crate::transport::Secrets;
use crate::transport::program::{Conversation, Program, Protocol, Unanswered};
use crate::{Error, ErrorKind, Result};

pub(super) use self::service::service;

/// Time for an answer, and to say hello.
const LIMIT: Limit = Limit { time: Duration::from_secs(300), queries: 1, line: None };
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// The question: a query with its contexts.
fn request(query: &Query, contexts: &[Document]) -> Value {
    let context = |one: &Document| json!({ "id": one.id, "title": one.title, "text": one.text });
    let contexts: Vec<Value> = contexts.iter().map(context).collect();
    let mut request = json!({ "id": query.id, "query": query.text, "contexts": contexts });
    if !query.history.is_empty() {
        request["history"] = query.history_json();
    }
    request
}

/// A program that was started once and answers all queries.
pub(super) struct ProgramAnswerer {
    conversation: Arc<Conversation<Result<Value, String>>>,
    /// The command as it is shown.
    shown: String,
    secrets: Secrets,
}

/// What a program or a service answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerLine {
    answer: String,
    #[serde(default)]
    citations: Option<Vec<CitedSentence>>,
    #[serde(default)]
    declined: bool,
    #[serde(default)]
    usage: Option<Value>,
}

impl AnswerLine {
    /// # Errors
    /// What it should not be, with a snippet.
    fn read(said: Value, who: &str, secrets: &Secrets) -> Result<Answer, BoxError> {
        let shown = secrets.excerpt(&said.to_string());
        let Self { answer, citations, declined, usage } = serde_json::from_value(said).map_err(|error| {
            let error = match secrets.withhold() {
                true => String::new(),
                false => format!(" ({})", secrets.hide(&error.to_string())),
            };
            format!("{who} is not `{{\"answer\": \"...\"}}`{error}: {shown}")
        })?;
        check_citations(&answer, citations.as_deref())
            .map_err(|why| format!("{who} is none: {}: {shown}", secrets.hide(&why)))?;
        let mut read = Answer::new(answer);
        // It goes into golden files.
        let usage = usage.map(|usage| secrets.hide_json(usage, &|_| false));
        (read.citations, read.declined, read.usage) = (citations, declined, usage);
        Ok(read)
    }
}

impl ProgramAnswerer {
    /// How long the program may take to say hello.
    pub(super) const PATIENCE: Duration = LIMIT.time;

    /// Starts the program, tells it its prompt, and waits for its hello.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub(super) fn start(program: &Program, prompt: Option<&str>) -> Result<Self> {
        #[derive(Serialize)]
        struct Hello<'a> {
            rankgate: u64,
            prompt: Option<&'a str>,
        }
        let hello = protocol_line(&Hello { rankgate: 1, prompt });
        let protocol = Protocol { check_hello, read };
        let started = Conversation::start(program, protocol, hello, LIMIT.time);
        let conversation = started.map_err(|unstarted| {
            let why = why_unstarted(unstarted, &program.shown, LIMIT);
            Error::with_kind(ErrorKind::Setup, format!("the answerer could not be set up: {why}"))
        })?;
        Ok(Self { conversation, shown: program.shown.clone(), secrets: program.secrets.clone() })
    }

    /// Ends the program, once all queries are answered.
    ///
    /// # Errors
    /// An exit that is no success, or anything written after the last answer: what it answered before may be wrong as well.
    pub(super) fn finish(&self) -> Result<()> {
        self.conversation.finish(GOODBYE).map_err(|broken| {
            let why = why_broken(&broken, &self.shown, LIMIT, None);
            Error::with_kind(ErrorKind::Setup, format!("the answerer's answers do not count: {why}"))
        })
    }
}

/// The id of the query that a line answers, and the answer.
fn read(line: &str, secrets: &Secrets) -> Result<(String, Result<Value, String>), String> {
    let wrong = |what: &str| format!("wrote a line that {what}: {}", secrets.excerpt(line));
    let mut answer = read_object(line, secrets)?;
    let Some(Value::String(id)) = answer.remove("id") else { return Err(wrong("has no `id` of a query")) };
    Ok(match answer.remove("error") {
        None | Some(Value::Null) => (id, Ok(answer.into())),
        Some(Value::String(error)) => (id, Err(secrets.excerpt(&error))),
        Some(error) => (id, Err(secrets.excerpt(&error.to_string()))),
    })
}

impl Answerer for ProgramAnswerer {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let request = request(query, contexts);
        match self.conversation.ask(&query.id, protocol_line(&request), LIMIT.time) {
            Ok(Ok(said)) => AnswerLine::read(said, "the program's answer", &self.secrets),
            Ok(Err(why)) => Err(format!("the program says: {why}").into()),
            Err(Unanswered::Twice) => Err("the same query is asked twice at once".into()),
            Err(Unanswered::Broken(broken) | Unanswered::Ended(broken)) => {
                Err(why_broken(broken, &self.shown, LIMIT, None).into())
            }
        }
    }
}

impl Drop for ProgramAnswerer {
    fn drop(&mut self) {
        self.conversation.close(GOODBYE);
    }
}

/// Asks once, for any behaviour of the answerer.
///
/// # Errors
/// What keeps it from answering, with the query.
pub(super) fn answer(answerer: &dyn Answerer, query: &Query, contexts: &[Document]) -> Result<Answer> {
    let said = crate::panic::catch(|| answerer.answer(query, contexts));
    let why = match said {
        Ok(Ok(answer)) => match answer.check_size() {
            Ok(()) => return Ok(answer),
            Err(why) => why,
        },
        Ok(Err(error)) => chain(error.as_ref()),
        Err(message) => format!("the answerer panicked: {message}"),
    };
    Err(Error::with_kind(ErrorKind::Setup, format!("query `{}` has no answer: {why}", query.id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;

    #[test]
    fn a_line_answers_one_query_in_one_way() {
        let read = |line| read(line, &Secrets::default());
        let (id, said) = read(r#"{"id": "q1", "answer": "Five.", "declined": true}"#).unwrap();
        assert_eq!((id.as_str(), said), ("q1", Ok(json!({"answer": "Five.", "declined": true}))));
        let twice =
            read(r#"{"id": "q1", "answer": "Five.", "declined": true, "declined": false}"#).unwrap_err();
        assert!(twice.starts_with("wrote a line that is ambiguous (`declined` occurs twice"), "{twice}");
        let stray = read("done").unwrap_err();
        assert!(stray.starts_with("wrote a line that is not JSON"), "{stray}");
    }

    #[test]
    fn usage_shows_no_secret() {
        let mut secrets = Secrets::default();
        secrets.add("KEY", "s3cr3t/key");
        let said = json!({"answer": "So.", "usage": {"key": "s3cr3t/key", "tokens": 7}});
        let read = AnswerLine::read(said, "the answer", &secrets).unwrap();
        assert_eq!(read.usage, Some(json!({"key": "${KEY}", "tokens": 7})));
    }

    #[test]
    fn an_answer_is_not_longer_than_anybody_reads() {
        let says = |length: usize| move |_: &Query, _: &[Document]| Ok(Answer::new("y".repeat(length)));
        let query = Query::new("q7", "text");
        assert!(answer(&says(1 << 20), &query, &[]).is_ok());
        let error = answer(&says((1 << 20) + 1), &query, &[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "query `q7` has no answer: the answer has 1048577 bytes of text, and at most 1048576 are read"
        );
    }

    #[test]
    fn a_later_turn_is_asked_with_those_before_it() {
        let mut query = Query::new("q2", "and in winter?");
        let contexts = [Document::new("d1", "text")];
        let first = json!({
            "id": "q2", "query": "and in winter?", "contexts": [{ "id": "d1", "title": null, "text": "text" }],
        });
        assert_eq!(request(&query, &contexts), first);
        query.history.push(Turn::new("when are you open?", Some("from 8".to_owned())));
        let asked = request(&query, &contexts);
        assert_eq!(asked["history"], json!([{ "text": "when are you open?", "answer": "from 8" }]));
    }
}
