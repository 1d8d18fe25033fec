//! `answerer:`: who answers with what a configuration retrieves.

use super::command::Command;
use super::http::{Headers, Url};
use super::template::{InputFile, PathTemplate, Template};
use crate::ErrorKind;
use crate::error::Quoted;
use crate::mapping::{Availability, Count, Reader, Rule, mapping};
use crate::yaml::{Problem, all_of};

mapping! {
    /// Who answers with the retrieved documents: exactly one of `command`, `http` and `name`.
    pub(super) struct RawAnswerer as "an answerer" {
        /// A program that answers as JSON lines: the program and its arguments. It runs in the folder of the spec.
        "command" => command: Command,
        /// A service that answers as JSON over HTTP.
        "http" => http: RawService,
        /// An answerer that was registered from Rust under this name.
        "name" => name: String,
        /// Its prompt: a file whose text it gets. Failures say whether it is another than when answers were
        /// blessed.
        "prompt" => prompt: InputFile,
        /// How many of the results it is given; 5 by default.
        "contexts" => contexts: Count<1000>,
        /// How often it answers each query; 1 by default. `AnswerConsistency` compares the answers, and other metrics take the first.
        "repeats" => repeats: Count<100>,
    }
    rules: [Rule::ExactlyOne(&["command", "http", "name"])]
}

mapping! {
    /// A service that is sent a query with its contexts and answers with `{"answer": ...}`.
    pub(super) struct RawService as "a service that answers" {
        /// Where requests go, such as `${ANSWER_URL}/answer`.
        "url" => url: Url,
        /// Headers of every request besides `Content-Type`.
        "headers" => headers: Headers,
    }
    rules: [Rule::Required("url")]
}

/// Who answers with what a configuration retrieves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnswererPlan {
    /// Who it is.
    pub source: AnswererSource,
    /// The file of its prompt.
    pub prompt: Option<PathTemplate>,
    /// How many of the results it is given.
    pub contexts: usize,
    /// How often it answers each query.
    pub repeats: usize,
}

/// Who answers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnswererSource {
    /// A program that answers over its standard input and output.
    Command {
        /// The program and its arguments; at least the program.
        command: Vec<Template>,
        /// The folder it runs in.
        cwd: PathTemplate,
    },
    /// A service that answers over HTTP.
    Http {
        /// Where requests go.
        url: Template,
        /// Headers of every request, by name.
        headers: Vec<(String, Template)>,
    },
    /// An answerer registered from Rust, by its name.
    Registered(String),
}

impl AnswererPlan {
    /// All that the spec says of it, variables as they are written: to see whether a model is named in it.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.source {
            AnswererSource::Command { command, .. } => {
                command.iter().map(|part| format!(" {part}")).collect()
            }
            AnswererSource::Http { url, headers } => format!(" {url} {headers:?}"),
            AnswererSource::Registered(name) => format!(" {name}"),
        }
    }
}

impl RawAnswerer {
    /// The plan; `None` where something in it could not be read, which has been reported.
    pub(super) fn check(self, reader: &mut Reader<'_>) -> Option<AnswererPlan> {
        let source = if let Some(command) = self.command.field_value() {
            let cwd = PathTemplate::folder_of_spec(reader, command.at);
            AnswererSource::Command { command: command.value.0.clone(), cwd }
        } else if let Some(name) = self.name.field_value() {
            if let Availability::No = reader.registry.knows_answerer(&name.value) {
                let message = format!("no answerer is registered as {}", Quoted(&name.value));
                let problem = Problem::new(name.at, message);
                reader.report(match all_of(reader.registry.answerers()) {
                    none if none.is_empty() => problem.help(
                        "answerers are registered from Rust, with `.answerer(name, ...)` in `tests/retrieval.rs`",
                    ),
                    names => problem.help(format!("registered are {names}")),
                });
                return None;
            }
            AnswererSource::Registered(name.value.clone())
        } else {
            let http = self.http.field_value()?;
            if let Availability::Unavailable(why) = reader.registry.knows_http() {
                let problem = Problem::new(http.key, "`http` cannot be used here");
                reader.report(problem.with_kind(ErrorKind::Setup).help(why));
                return None;
            }
            let service = self.http.into_value()?;
            let headers = service.headers.into_value().map(|headers| headers.0).unwrap_or_default();
            AnswererSource::Http { url: service.url.into_value()?.0, headers }
        };
        Some(AnswererPlan {
            source,
            prompt: self.prompt.into_value().map(|path| path.0),
            contexts: self.contexts.into_value().map_or(5, |count| count.0),
            repeats: self.repeats.into_value().map_or(1, |count| count.0),
        })
    }
}
