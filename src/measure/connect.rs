//! From the words of a spec to the programs and services that it names.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use crate::progress::{Observer, Watched, Work};
use crate::retriever::{BoxError, CommandRetriever, Hello, Limit};
use crate::spec::{Configuration, PathTemplate, Template};
use crate::transport::Secrets;
use crate::transport::program::Program;

/// Time for a query to a program where the spec does not say: enough for the slowest, and an end for one that
/// hangs.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(300);
/// Time for a query to a service where the spec does not say.
#[cfg(feature = "http")]
const SERVICE_TIMEOUT: Duration = Duration::from_secs(30);

/// What a retriever is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// What it ranks.
    Rankings,
    /// How long it takes.
    Times,
}

/// Starts the program of a `command:`.
pub(super) fn command(
    command: &[Template],
    cwd: &PathTemplate,
    env: &[(String, Template)],
    hello: Hello<'_>,
    configuration: &Configuration,
    observer: Option<&dyn Observer>,
) -> Result<Arc<CommandRetriever>, BoxError> {
    let program = program(command, cwd, env)?;
    let limit = limit(configuration, PROGRAM_TIMEOUT);
    let _watched = starting(observer, &program, CommandRetriever::patience(limit));
    Ok(Arc::new(CommandRetriever::start(&program, hello, limit)?))
}

/// Tells that a program is started, which may take so long to say hello.
pub(crate) fn starting<'a>(
    observer: Option<&'a dyn Observer>,
    program: &'a Program,
    limit: Duration,
) -> Watched<'a> {
    Watched::start(observer, Work::Starting { program: &program.shown, limit }, None)
}

/// A program as the words of a spec name it.
///
/// # Errors
/// Variables that are not set.
pub(crate) fn program(
    command: &[Template],
    cwd: &PathTemplate,
    env: &[(String, Template)],
) -> Result<Program> {
    let mut secrets = Secrets::default();
    let mut resolve = |template: &Template| -> Result<String> {
        hide(&mut secrets, template.values()?);
        template.resolve()
    };
    let mut parts = command.iter().map(&mut resolve).collect::<Result<Vec<String>>>()?.into_iter();
    let environment =
        env.iter().map(|(name, value)| Ok((name.clone(), resolve(value)?))).collect::<Result<_>>()?;
    hide(&mut secrets, cwd.values()?);
    // The folder of a spec that is named by its file name alone is empty, and no program runs there.
    let folder = Some(cwd.resolve()?).filter(|folder| !folder.as_os_str().is_empty());
    Ok(Program {
        shown: command.iter().map(Template::to_string).collect::<Vec<_>>().join(" "),
        program: parts.next().unwrap_or_default(),
        arguments: parts.collect(),
        folder: folder.unwrap_or_else(|| ".".into()),
        environment,
        secrets,
    })
}

/// Prepares to ask the service of an `http:`.
#[cfg(feature = "http")]
pub(super) fn http(
    http: &crate::spec::Http,
    configuration: &Configuration,
    purpose: Purpose,
) -> Result<Arc<dyn crate::Retriever>, BoxError> {
    use crate::retriever::{HttpRetriever, Service, Shape};
    use crate::transport::http::Connections;

    let body = http.body.clone();
    let service = Service {
        endpoint: endpoint(&http.url, &http.headers, http.body.values()?)?,
        body: Box::new(move |query, depth| body.fill(query, depth)),
        shape: Shape {
            hits: http.hits.to_string(),
            id: http.id.to_string(),
            score: http.score.as_ref().map(ToString::to_string),
            said: http.answer.as_ref().map(ToString::to_string),
            errors: http.errors.iter().map(ToString::to_string).collect(),
        },
        limit: limit(configuration, SERVICE_TIMEOUT),
        connections: match purpose {
            Purpose::Rankings => Connections::Single,
            Purpose::Times => Connections::Kept,
        },
    };
    Ok(Arc::new(HttpRetriever::new(service)?))
}

/// Where a service is, as the words of a spec say; values of other variables are hidden with those of these.
///
/// # Errors
/// Variables that are not set.
#[cfg(feature = "http")]
pub(super) fn endpoint(
    url: &Template,
    given: &[(String, Template)],
    others: Vec<(&str, String)>,
) -> Result<crate::transport::http::Endpoint> {
    use crate::transport::http::{Endpoint, Header};

    let mut secrets = Secrets::default();
    hide(&mut secrets, url.values()?);
    hide(&mut secrets, others);
    let mut headers = Vec::with_capacity(given.len());
    for (name, value) in given {
        hide(&mut secrets, value.values()?);
        headers.push(Header { name: name.clone(), value: value.resolve()?, shown: value.to_string() });
    }
    Ok(Endpoint { url: url.resolve()?, shown: url.to_string(), headers, secrets })
}

#[cfg(not(feature = "http"))]
pub(super) fn http(
    _: &crate::spec::Http,
    _: &Configuration,
    _: Purpose,
) -> Result<Arc<dyn crate::Retriever>, BoxError> {
    Err("`http:` needs rankgate's feature `http`".into())
}

fn limit(configuration: &Configuration, default: Duration) -> Limit {
    Limit { time: configuration.timeout.unwrap_or(default), line: configuration.timeout_line }
}

fn hide(secrets: &mut Secrets, values: Vec<(&str, String)>) {
    for (name, value) in values {
        secrets.add(name, &value);
    }
}
