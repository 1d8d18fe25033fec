//! Who is asked: a server that speaks as OpenAI's does, or a program.

use std::sync::Arc;
use std::time::Duration;

use rankgate::internal::program::{
    Conversation, Limit, Program, Protocol, Unanswered, check_hello, protocol_line, read_object, why_broken,
    why_unstarted,
};
use rankgate_core::internal::secrets::Secrets;
use serde::Serialize;
use serde_json::Value;

use crate::reply::Reply;
use crate::request::Request;
use crate::settings::Settings;
use crate::{Error, ErrorKind, Result};

/// Time to say hello at least: a model may have to be loaded.
const HELLO: Duration = Duration::from_secs(300);
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// What comes of a request.
pub(crate) enum Response {
    Answered(Reply),
    /// Nothing was paid: it may be asked again, after this wish of the server.
    Later {
        why: String,
        wish: Option<Duration>,
    },
    /// This request fails.
    Never(String),
    /// Every request would fail.
    Stop(String),
}

pub(crate) trait Backend: Sync {
    fn ask(&self, request: &Request) -> Response;

    /// Ends it, once all is answered.
    fn finish(&self) -> Result<()> {
        Ok(())
    }
}

/// Opens what the settings name; nothing is asked yet.
///
/// # Errors
/// A variable that is not set, a program that does not start.
pub(crate) fn open(settings: &Settings) -> Result<Box<dyn Backend + '_>> {
    match &settings.endpoint {
        Some(endpoint) => server(settings, endpoint),
        None => Ok(Box::new(OwnProgram::start(settings)?)),
    }
}

/// A text with the values of its variables, `${NAME}`, which are secrets from then on.
fn resolved(text: &str, secrets: &mut Secrets) -> Result<String> {
    let (mut resolved, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((name, behind)) = behind.split_once('}') else { break };
        let value = std::env::var(name).map_err(|_| {
            let message =
                format!("the environment variable `{name}` is not set; the judge's settings need it");
            Error::with_kind(ErrorKind::Setup, message)
        })?;
        secrets.add(name, &value);
        resolved += before;
        resolved += &value;
        rest = behind;
    }
    Ok(resolved + rest)
}

fn limit(settings: &Settings) -> Limit {
    Limit { time: settings.timeout(), queries: 1, line: None }
}

fn server<'a>(settings: &'a Settings, endpoint: &str) -> Result<Box<dyn Backend + 'a>> {
    use rankgate_http::{Client, Endpoint, Header};

    let mut secrets = Secrets::default();
    let url = completions(&resolved(endpoint, &mut secrets)?);
    let key = settings.api_key.as_ref().map(|key| {
        let (value, shown) = (format!("Bearer {}", resolved(key, &mut secrets)?), format!("Bearer {key}"));
        Ok::<_, Error>(Header { name: "Authorization".to_owned(), value, shown })
    });
    let headers = key.transpose()?.into_iter().collect();
    let shown = completions(endpoint);
    let endpoint = Endpoint { url, shown: shown.clone(), headers, secrets };
    let client = Client::new(endpoint).map_err(|error| Error::other(ErrorKind::Setup, error))?;
    Ok(Box::new(Server { client, shown, settings }))
}

/// The address of completions below that of a server, whose query stays behind it.
fn completions(endpoint: &str) -> String {
    let (path, query) = endpoint.split_at(endpoint.find('?').unwrap_or(endpoint.len()));
    format!("{}/chat/completions{query}", path.trim_end_matches('/'))
}

struct Server<'a> {
    client: rankgate_http::Client,
    shown: String,
    settings: &'a Settings,
}

impl Backend for Server<'_> {
    fn ask(&self, request: &Request) -> Response {
        use rankgate_http::Failure;

        let body = request.body(self.settings).to_string();
        let failure = match self.client.exchange(body.as_bytes(), self.settings.timeout()) {
            Ok(answer) => return self.read(&answer, request),
            Err(failure) => failure,
        };
        let why = format!("`{}` {failure}", self.shown);
        match failure {
            Failure::TimedOut => {
                Response::Later { why: format!("{why} ({})", limit(self.settings)), wish: None }
            }
            Failure::Unreadable { again: true, .. } => Response::Later { why, wish: None },
            Failure::Unreadable { again: false, .. } => Response::Never(why),
            Failure::Redirected { .. } => {
                Response::Stop(format!("{why}; give the final address in `endpoint`"))
            }
            // Azure's, and those that copy it.
            Failure::Status { code: Some(code), .. } if code == "content_filter" => Response::Answered(
                Reply::without(crate::reply::State::Refused, "the server's content filter"),
            ),
            Failure::Status { status, wish, .. } => match status.as_u16() {
                408 | 409 | 425 | 429 | 500.. => Response::Later { why, wish },
                401 | 403 => Response::Stop(format!("{why}; is `api-key` right?")),
                404 => Response::Stop(format!(
                    "{why}; is `endpoint` the address before `/chat/completions`, and does it have the model?"
                )),
                402 | 405 | 407 => Response::Stop(why),
                _ => Response::Never(why),
            },
        }
    }
}

impl Server<'_> {
    fn read(&self, answer: &Value, request: &Request) -> Response {
        match serde_json::from_value::<crate::reply::Completion>(answer.clone()) {
            Ok(completion) => {
                let mut reply = completion.reply(request, self.settings);
                reply.analysis = self.client.secrets.hide(&reply.analysis);
                Response::Answered(reply)
            }
            Err(_) => Response::Never(format!(
                "`{}` sent no chat completion: {}",
                self.shown,
                self.client.secrets.excerpt(&answer.to_string())
            )),
        }
    }
}

/// A program that was started once and answers all questions, a line of JSON each.
struct OwnProgram<'a> {
    conversation: Arc<Conversation<Answered>>,
    shown: String,
    secrets: Secrets,
    settings: &'a Settings,
}

/// The answer to one question, or why there is none.
type Answered = Result<Value, String>;

impl<'a> OwnProgram<'a> {
    fn start(settings: &'a Settings) -> Result<Self> {
        #[derive(Serialize)]
        struct Hello<'a> {
            rankgate: u64,
            judge: &'a str,
        }
        let mut secrets = Secrets::default();
        let shown = settings.command.join(" ");
        let command: Result<Vec<String>> =
            settings.command.iter().map(|part| resolved(part, &mut secrets)).collect();
        let mut command = command?.into_iter();
        let program = Program {
            shown: shown.clone(),
            program: command.next().unwrap_or_default(),
            arguments: command.collect(),
            folder: settings.folder(),
            environment: Vec::new(),
            secrets: secrets.clone(),
        };
        let hello = protocol_line(&Hello { rankgate: 1, judge: &settings.model });
        let patience = HELLO.max(settings.timeout());
        let started = Conversation::start(&program, Protocol { check_hello, read }, hello, patience);
        let conversation = started.map_err(|unstarted| {
            let why = why_unstarted(unstarted, &shown, limit(settings));
            Error::with_kind(ErrorKind::Setup, format!("the judge could not be set up: {why}"))
        })?;
        Ok(Self { conversation, shown, secrets, settings })
    }
}

/// The id of the question that a line answers, and the answer.
fn read(line: &str, secrets: &Secrets) -> Result<(String, Answered), String> {
    let wrong = |what: &str| format!("wrote a line that {what}: {}", secrets.excerpt(line));
    let mut answer = read_object(line, secrets)?;
    let Some(Value::String(id)) = answer.remove("id") else { return Err(wrong("has no `id` of a question")) };
    let answered = match answer.remove("error") {
        None | Some(Value::Null) => Ok(answer.into()),
        Some(error) => {
            let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            Err(format!("the program says: {}", secrets.excerpt(&text)))
        }
    };
    Ok((id, answered))
}

impl Backend for OwnProgram<'_> {
    fn ask(&self, request: &Request) -> Response {
        let id = request.id();
        let line = protocol_line(&request.line());
        match self.conversation.ask(&id, line, self.settings.timeout()) {
            Ok(Ok(mut answer)) => {
                // Who has nothing to say of a verdict leaves the analysis out.
                if let Some(answer) = answer.as_object_mut().filter(|answer| !answer.contains_key("claims")) {
                    answer.entry("analysis").or_insert_with(|| "".into());
                }
                Response::Answered(Reply::read(&answer.to_string(), request, self.settings))
            }
            Ok(Err(why)) => Response::Never(why),
            Err(Unanswered::Twice) => Response::Never("the same is asked twice at once".to_owned()),
            Err(Unanswered::Broken(broken) | Unanswered::Ended(broken)) => {
                Response::Stop(why_broken(broken, &self.shown, limit(self.settings), None))
            }
        }
    }

    fn finish(&self) -> Result<()> {
        self.conversation.finish(GOODBYE).map_err(|broken| {
            let why = why_broken(&broken, &self.shown, limit(self.settings), None);
            let why = self.secrets.hide(&why);
            let message = format!("the judge's answers are on file, and may be wrong: {why}");
            Error::with_kind(ErrorKind::Setup, message)
        })
    }
}
