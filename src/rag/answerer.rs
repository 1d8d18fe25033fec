//! Who answers with what was retrieved: a program, or anything in Rust.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::Answer;
use crate::collection::{Document, Query};
use crate::error::chain;
use crate::retriever::{BoxError, Limit, check_hello, protocol_line, why_broken};
use crate::transport::Secrets;
use crate::transport::program::{Conversation, Program, Protocol, Unanswered, Unstarted};
use crate::{Error, ErrorKind, Result};

/// Time for an answer, and to say hello.
const LIMIT: Limit = Limit { time: Duration::from_secs(300), line: None };
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// Whatever answers a query with what was retrieved for it: the second half of a pipeline.
///
/// It stands beside a [`Retriever`](crate::Retriever), and is asked a second time with the contexts that were blessed, which
/// tells whether retrieval or generation has changed an answer. Equal contexts are to get equal answers.
///
/// ```
/// use rankgate::rag::{Answer, Answerer};
/// use rankgate::retriever::BoxError;
/// use rankgate::{Document, Query};
///
/// /// Answers with the first sentence of the first context.
/// struct First;
///
/// impl Answerer for First {
///     fn answer(&self, _: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
///         let Some(first) = contexts.first() else { return Ok(Answer::new("I do not know.").declined()) };
///         Ok(Answer::new(first.text.split_inclusive(". ").next().unwrap_or_default()))
///     }
/// }
/// # let answer = First.answer(&Query::new("q1", "fees"), &[Document::new("d1", "Five. And more.")])?;
/// # assert_eq!(answer.text, "Five. ");
/// # Ok::<(), BoxError>(())
/// ```
pub trait Answerer: Send + Sync {
    /// Answers a query with these contexts, the best one first.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from answering: gates on its answers are errored, and no error becomes an answer.
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError>;
}

impl<F: Fn(&Query, &[Document]) -> Result<Answer, BoxError> + Send + Sync> Answerer for F {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        self(query, contexts)
    }
}

/// A program that was started once and answers all queries.
pub(crate) struct ProgramAnswerer {
    conversation: Arc<Conversation<Result<Value, String>>>,
    /// The command as it is shown.
    shown: String,
    secrets: Secrets,
}

/// What a program answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    answer: String,
    #[serde(default)]
    declined: bool,
    #[serde(default)]
    usage: Option<Value>,
}

impl ProgramAnswerer {
    /// Starts the program, tells it its prompt, and waits for its hello.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub(crate) fn start(program: &Program, prompt: Option<&str>) -> Result<Self> {
        #[derive(Serialize)]
        struct Hello<'a> {
            rankgate: u64,
            prompt: Option<&'a str>,
        }
        let hello = protocol_line(&Hello { rankgate: 1, prompt });
        let protocol = Protocol { check_hello, read };
        let started = Conversation::start(program, protocol, hello, LIMIT.time);
        let conversation = started.map_err(|unstarted| {
            let why = match unstarted {
                Unstarted::Program(why) => why,
                Unstarted::Broken(broken) => why_broken(&broken, &program.shown, LIMIT, None),
            };
            Error::of(ErrorKind::Setup, format!("the answerer could not be set up: {why}"))
        })?;
        Ok(Self { conversation, shown: program.shown.clone(), secrets: program.secrets.clone() })
    }
}

/// The id of the query that a line answers, and the answer.
fn read(line: &str, secrets: &Secrets) -> Result<(String, Result<Value, String>), String> {
    let wrong = |what: &str| format!("wrote a line that {what}: {}", secrets.excerpt(line));
    let mut answer: serde_json::Map<String, Value> =
        serde_json::from_str(line).map_err(|_| wrong("is not a JSON object"))?;
    let Some(Value::String(id)) = answer.remove("id") else { return Err(wrong("has no `id` of a query")) };
    Ok(match answer.remove("error") {
        None | Some(Value::Null) => (id, Ok(answer.into())),
        Some(Value::String(error)) => (id, Err(secrets.excerpt(&error))),
        Some(error) => (id, Err(secrets.excerpt(&error.to_string()))),
    })
}

impl Answerer for ProgramAnswerer {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let context = |one: &Document| json!({ "id": one.id, "title": one.title, "text": one.text });
        let contexts: Vec<Value> = contexts.iter().map(context).collect();
        let request = json!({ "id": query.id, "query": query.text, "contexts": contexts });
        match self.conversation.ask(&query.id, protocol_line(&request), LIMIT.time) {
            Ok(Ok(said)) => {
                let Said { answer, declined, usage } = serde_json::from_value(said.clone()).map_err(|error| {
                    let said = self.secrets.excerpt(&said.to_string());
                    format!("the program's answer is not `{{\"id\": ..., \"answer\": \"...\"}}` ({error}): {said}")
                })?;
                Ok(Answer { text: answer, contexts: None, declined, usage })
            }
            Ok(Err(why)) => Err(format!("the program says: {why}").into()),
            Err(Unanswered::Twice) => Err("the same query is asked twice at once".into()),
            Err(Unanswered::Broken(broken)) => Err(why_broken(broken, &self.shown, LIMIT, None).into()),
        }
    }
}

impl Drop for ProgramAnswerer {
    fn drop(&mut self) {
        self.conversation.close(GOODBYE);
    }
}

/// Asks once, whatever the answerer does.
///
/// # Errors
/// What keeps it from answering, with the query.
pub(crate) fn answer(answerer: &dyn Answerer, query: &Query, contexts: &[Document]) -> Result<Answer> {
    let said = crate::panic::catch(|| answerer.answer(query, contexts));
    let why = match said {
        Ok(Ok(answer)) => return Ok(answer),
        Ok(Err(error)) => chain(error.as_ref()),
        Err(message) => format!("the answerer panicked: {message}"),
    };
    Err(Error::of(ErrorKind::Setup, format!("query `{}` has no answer: {why}", query.id)))
}
