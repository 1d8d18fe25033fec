//! Who answers with what was retrieved: a program, a service, or anything in Rust.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::collection::{Document, Query};
use crate::error::{Quoted, chain};
use crate::retriever::said::Answer;
use crate::retriever::{BoxError, Limit, check_hello, protocol_line, why_broken, why_unstarted};
use crate::transport::Secrets;
use crate::transport::program::{Conversation, Program, Protocol, Unanswered};
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

type Factory = dyn Fn(Option<&str>) -> Result<Arc<dyn Answerer>, BoxError> + Send + Sync;

/// Answerers by the name that `answerer: {name: ...}` in a spec gives.
///
/// Nothing is built until a gate needs it.
///
/// ```
/// use rankgate::benchmark::Registry;
/// use rankgate::rag::Answer;
/// use rankgate::{BoxError, Document, Query};
///
/// let mut registry = Registry::new();
/// registry.answerers.register("first", |prompt: Option<&str>| {
///     let prompt = prompt.unwrap_or("Be short.").to_owned();
///     Ok(move |query: &Query, contexts: &[Document]| -> Result<Answer, BoxError> {
///         let first = contexts.first().map_or("", |context| context.text.as_str());
///         Ok(Answer::new(format!("{prompt} {}: {first}", query.text)))
///     })
/// })?;
/// assert_eq!(registry.answerers.names().collect::<Vec<_>>(), ["first"]);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Answerers {
    by_name: BTreeMap<String, Arc<Factory>>,
}

impl Answerers {
    /// Registers a factory, which is given the text of the spec's `prompt:`.
    ///
    /// # Errors
    ///
    /// A name that is empty or taken.
    pub fn register<A: Answerer + 'static>(
        &mut self,
        name: &str,
        factory: impl Fn(Option<&str>) -> Result<A, BoxError> + Send + Sync + 'static,
    ) -> Result<()> {
        if name.is_empty() {
            return Err(Error::with_kind(ErrorKind::Setup, "an answerer needs a name"));
        }
        let factory = move |prompt: Option<&str>| Ok(Arc::new(factory(prompt)?) as Arc<dyn Answerer>);
        match self.by_name.insert(name.to_owned(), Arc::new(factory)) {
            None => Ok(()),
            Some(_) => {
                Err(Error::with_kind(ErrorKind::Setup, format!("two answerers are registered as `{name}`")))
            }
        }
    }

    /// The registered names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Builds the answerer called `name`.
    ///
    /// # Errors
    /// What keeps it from being built.
    pub(crate) fn build(&self, name: &str, prompt: Option<&str>) -> Result<Arc<dyn Answerer>> {
        let why = match self.by_name.get(name).map(|factory| crate::panic::catch(|| factory(prompt))) {
            Some(Ok(Ok(answerer))) => return Ok(answerer),
            Some(Ok(Err(error))) => chain(error.as_ref()),
            Some(Err(message)) => format!("its factory panicked: {message}"),
            // Specs are checked against the names there are, unless they may name any.
            None => {
                "it is registered from Rust, which `cargo test` can ask and this command cannot".to_owned()
            }
        };
        let message = format!("the answerer {} could not be set up: {why}", Quoted(name));
        Err(Error::with_kind(ErrorKind::Setup, message))
    }
}

impl std::fmt::Debug for Answerers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}

/// What is asked: a query with its contexts.
fn request(query: &Query, contexts: &[Document]) -> Value {
    let context = |one: &Document| json!({ "id": one.id, "title": one.title, "text": one.text });
    let contexts: Vec<Value> = contexts.iter().map(context).collect();
    json!({ "id": query.id, "query": query.text, "contexts": contexts })
}

/// A program that was started once and answers all queries.
pub(crate) struct ProgramAnswerer {
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
    declined: bool,
    #[serde(default)]
    usage: Option<Value>,
}

impl AnswerLine {
    /// # Errors
    /// What it should not be, with a snippet.
    fn read(said: Value, who: &str, secrets: &Secrets) -> Result<Answer, BoxError> {
        let shown = secrets.excerpt(&said.to_string());
        let Self { answer, declined, usage } = serde_json::from_value(said).map_err(|error| {
            let error = match secrets.withhold() {
                true => String::new(),
                false => format!(" ({})", secrets.hide(&error.to_string())),
            };
            format!("{who} is not `{{\"answer\": \"...\"}}`{error}: {shown}")
        })?;
        let mut read = Answer::new(answer);
        (read.declined, read.usage) = (declined, usage);
        Ok(read)
    }
}

impl ProgramAnswerer {
    /// How long the program may take to say hello.
    pub(crate) const PATIENCE: Duration = LIMIT.time;

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
            let why = why_unstarted(unstarted, &program.shown, LIMIT);
            Error::with_kind(ErrorKind::Setup, format!("the answerer could not be set up: {why}"))
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
        let request = request(query, contexts);
        match self.conversation.ask(&query.id, protocol_line(&request), LIMIT.time) {
            Ok(Ok(said)) => AnswerLine::read(said, "the program's answer", &self.secrets),
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

/// A service that is asked by POST.
#[cfg(feature = "http")]
pub(crate) struct ServiceAnswerer {
    client: crate::transport::http::Client,
    /// The URL as it is shown.
    shown: String,
    prompt: Option<String>,
}

#[cfg(feature = "http")]
impl ServiceAnswerer {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// What is no URL or no header once variables are filled in.
    pub(crate) fn new(endpoint: crate::transport::http::Endpoint, prompt: Option<String>) -> Result<Self> {
        let shown = endpoint.shown.clone();
        let client = crate::transport::http::Client::new(endpoint);
        let client = client.map_err(|error| {
            Error::with_kind(ErrorKind::Setup, format!("the answerer could not be set up: {}", chain(&error)))
        })?;
        Ok(Self { client, shown, prompt })
    }
}

#[cfg(feature = "http")]
impl Answerer for ServiceAnswerer {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let mut request = request(query, contexts);
        if let Some(prompt) = &self.prompt {
            request["prompt"] = prompt.as_str().into();
        }
        let said = crate::retriever::post(&self.client, query, &request, LIMIT);
        let mut said = said.map_err(|what| format!("`{}` {what}", self.shown))?;
        let secrets = &self.client.secrets;
        match said.as_object_mut().and_then(|said| said.remove("error")).filter(|error| !error.is_null()) {
            Some(error) => {
                Err(format!("`{}` says: {}", self.shown, secrets.excerpt(&error.to_string())).into())
            }
            None => AnswerLine::read(said, &format!("the answer of `{}`", self.shown), secrets),
        }
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
    Err(Error::with_kind(ErrorKind::Setup, format!("query `{}` has no answer: {why}", query.id)))
}
