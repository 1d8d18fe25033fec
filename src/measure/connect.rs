//! From the words of a spec to the programs and services that it names.

use std::path::Path;
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

/// Starts the program that is registered as a retriever. Its arguments may be secrets, which no variable names.
pub(super) fn registered(
    command: &[String],
    hello: Hello<'_>,
    configuration: &Configuration,
    whence: (Purpose, Option<&dyn Observer>),
) -> Result<Arc<CommandRetriever>, BoxError> {
    let mut secrets = Secrets::default();
    let mut words = command.iter().cloned();
    let name = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    let mut shown = name.clone();
    for (at, argument) in arguments.iter().enumerate() {
        shown += " ";
        shown += &shown_argument(argument, at + 1, &mut secrets);
    }
    let folder = ".".into();
    let program = Program { shown, program: name, arguments, folder, environment: Vec::new(), secrets };
    start(program, hello, configuration, whence)
}

/// Starts a program that only carries queries to a process which runs already. Messages do not show it: the retriever is
/// that process's.
pub(super) fn bridge(
    command: &[String],
    hello: Hello<'_>,
    configuration: &Configuration,
    purpose: Purpose,
) -> Result<Arc<CommandRetriever>, BoxError> {
    let (program, arguments) = command
        .split_first()
        .map_or_else(Default::default, |(program, arguments)| (program.clone(), arguments.to_vec()));
    let (shown, folder, secrets) = (String::new(), ".".into(), Secrets::default());
    let program = Program { shown, program, arguments, folder, environment: Vec::new(), secrets };
    start(program, hello, configuration, (purpose, None))
}

/// An argument as messages show it: files and the names of options as they are, values by their number. Text that is not
/// shown is hidden in what the program writes as well.
fn shown_argument(argument: &str, number: usize, secrets: &mut Secrets) -> String {
    let is_option = |text: &str| match text.strip_prefix("--") {
        Some(name) => name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
        None => text.len() == 2 && text.starts_with('-'),
    };
    if is_option(argument) || Path::new(argument).exists() {
        return argument.to_owned();
    }
    let (option, value) = match argument.split_once('=') {
        Some((option, value)) if is_option(option) => (format!("{option}="), value),
        _ => (String::new(), argument),
    };
    let instead = format!("<argument {number}>");
    secrets.add_as(&instead, value);
    option + &instead
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
