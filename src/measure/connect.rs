//! From the words of a spec to the programs and services that it names.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
#[cfg(feature = "http")]
use crate::collection::Query;
use crate::error::Excerpt;
use crate::program::Program;
use crate::progress::{Observer, Watched, Work};
#[cfg(feature = "http")]
use crate::retriever::HttpRetriever;
use crate::retriever::{BoxError, CommandRetriever, Hello, Limit, Retriever};
use crate::secrets::Secrets;
use crate::spec::{Configuration, Http, PathTemplate, Template};
#[cfg(feature = "http")]
use rankgate_http::{Endpoint, Header, Search, Shape};

/// Time for a query to a program where the spec does not say: enough for the slowest, and an end for one that
/// hangs.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(300);

/// Time for a query to a service where the spec does not say.
#[cfg(feature = "http")]
const SERVICE_TIMEOUT: Duration = Duration::from_secs(30);

/// The variable by which Python orders sets. Each process draws a seed unless it is set, as some do to hide that answers
/// depend on it.
const HASH_SEED: &str = "PYTHONHASHSEED";
/// A seed that nobody sets.
const OTHER_SEED: &str = "2718281828";

/// The purpose of a retriever.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// What it ranks.
    Rankings,
    /// The same once more, to see whether it ranks as it did.
    Again,
    /// How long it takes.
    Times,
}

/// Starts the program that is registered as a retriever. Its arguments may be secrets: messages name the program alone. They
/// show nothing of one that only carries queries to a process which runs already: the retriever is that process's.
pub(super) fn registered(
    command: &[String],
    is_bridge: bool,
    hello: Hello<'_>,
    configuration: &Configuration,
    (purpose, observer): (Purpose, Option<&dyn Observer>),
) -> Result<Arc<CommandRetriever>, BoxError> {
    let (program, arguments) = command.split_first().ok_or("the command has no program")?;
    let shown = match (is_bridge, arguments) {
        (true, _) => String::new(),
        (false, []) => program.clone(),
        (false, [_, ..]) => format!("{program} ..."),
    };
    let (folder, secrets) = (".".into(), Secrets::default());
    let program = Program {
        shown,
        program: program.clone(),
        arguments: arguments.to_vec(),
        folder,
        environment: Vec::new(),
        secrets,
    };
    start(program, hello, configuration, (purpose, observer.filter(|_| !is_bridge)))
}

/// Starts a program; once more, it gets another seed for the hashes of Python, unless the spec gives it one.
pub(super) fn start(
    mut program: Program,
    hello: Hello<'_>,
    configuration: &Configuration,
    (purpose, observer): (Purpose, Option<&dyn Observer>),
) -> Result<Arc<CommandRetriever>, BoxError> {
    let is_seeded = || program.environment.iter().any(|(name, _)| name == HASH_SEED);
    if matches!(purpose, Purpose::Again) && !is_seeded() {
        program.environment.push((HASH_SEED.to_owned(), OTHER_SEED.to_owned()));
    }
    let limit = limit(configuration, PROGRAM_TIMEOUT);
    let _watched = starting(observer, &program, patience(configuration));
    Ok(Arc::new(CommandRetriever::start(&program, hello, limit)?))
}

/// Tells that a program is started, which may take so long to say hello.
pub(crate) fn starting<'a>(
    observer: Option<&'a dyn Observer>,
    program: &Program,
    limit: Duration,
) -> Watched<'a> {
    let what = format!("waiting for {} to say hello", Excerpt(&program.shown, 200));
    Watched::of(observer, Work { what, units: None, limit: Some(limit) })
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

/// How long the program of a configuration may take until it can be asked.
pub(super) fn patience(configuration: &Configuration) -> Duration {
    CommandRetriever::patience(limit(configuration, PROGRAM_TIMEOUT))
}

pub(super) fn limit(configuration: &Configuration, default: Duration) -> Limit {
    Limit { time: configuration.timeout.unwrap_or(default), queries: 1, line: configuration.timeout_line }
}

pub(super) fn hide(secrets: &mut Secrets, values: Vec<(&str, String)>) {
    for (name, value) in values {
        secrets.add(name, &value);
    }
}

/// Prepares to ask the service of an `http:`.
#[cfg(feature = "http")]
pub(super) fn service(
    http: &Http,
    configuration: &Configuration,
    purpose: Purpose,
) -> Result<Arc<dyn Retriever>, BoxError> {
    let body = http.body.clone();
    let endpoint = endpoint(&http.url, &http.headers, http.body.values()?)?;
    let shape = Shape {
        hits: http.hits.to_string(),
        id: http.id.to_string(),
        score: http.score.as_ref().map(ToString::to_string),
        scores: http.scores.iter().map(|(name, at)| (name.clone(), at.to_string())).collect(),
        said: http.answer.as_ref().map(ToString::to_string),
    };
    let body = Box::new(move |query: &Query, depth| body.fill(query, depth));
    let is_timed = matches!(purpose, Purpose::Times);
    let limit = limit(configuration, SERVICE_TIMEOUT);
    let service = Search::new(endpoint, shape, (limit.time, limit.to_string()), is_timed)?;
    Ok(Arc::new(HttpRetriever::new(service, body)))
}

/// Where a service is, as the words of a spec say; values of other variables are hidden with those of these.
///
/// # Errors
/// Variables that are not set.
#[cfg(feature = "http")]
fn endpoint(url: &Template, given: &[(String, Template)], others: Vec<(&str, String)>) -> Result<Endpoint> {
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
pub(super) fn service(_: &Http, _: &Configuration, _: Purpose) -> Result<Arc<dyn Retriever>, BoxError> {
    Err("`http:` needs rankgate's feature `http`".into())
}
