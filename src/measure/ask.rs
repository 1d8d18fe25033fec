//! Asking a configuration: build it, and ask it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::collection::{Collection, Corpus, Query};
use crate::error::chain;
use crate::panic;
use crate::progress::{Watched, Work};
use crate::retriever::{
    self, Answers, Asking, BoxError, CommandRetriever, Failure, FailureCause, Hello, Retriever, Served, Setup,
};
use crate::spec::{Configuration, ConfigurationSource, Spec};
use crate::yaml::Params;

use super::connect::Purpose;
use super::latency::among_others;
use super::parents::{ChunksInView, view};
use super::{Measure, connect};

/// Asks a live configuration what a spec of its own kind wants to know, as often as its repeats and the check
/// for determinism need.
pub(crate) fn ask(
    measure: &Measure,
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
) -> Result<Answers, Failure> {
    let _not_while_times_are_taken = among_others(measure).map_err(unlocked)?;
    let least = if asks_twice(measure, spec, configuration) { 2 } else { 1 };
    let passes = configuration.repeats.max(least);
    ask_build(measure, spec, configuration, collection, (Purpose::Rankings, passes))
}

/// Builds a live configuration once more and asks it once, to see whether it ranks as it did.
pub(super) fn ask_second_build(
    measure: &Measure,
    configuration: &Configuration,
    collection: &Collection,
) -> Result<Answers, Failure> {
    let _not_while_times_are_taken = among_others(measure).map_err(unlocked)?;
    ask_build(measure, &measure.spec, configuration, collection, (Purpose::Again, 1))
}

/// Builds a configuration, and asks it so many times.
fn ask_build(
    measure: &Measure,
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
    (purpose, passes): (Purpose, usize),
) -> Result<Answers, Failure> {
    let queries: Arc<[Query]> = collection.queries_to_ask().into();
    let failure = |cause| Failure::of_all(cause, queries.len());
    let start = Instant::now();
    let (retriever, program) = build(measure, spec, configuration, collection, purpose).map_err(failure)?;
    let build_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let view = view(measure, configuration).map_err(|error| failure(FailureCause::Setup(chain(&error))))?;
    let first = configuration.parents.as_ref().and_then(|plan| plan.depth);
    let documents = view.map(|view| Arc::new(ChunksInView::new(Arc::clone(&retriever), view, first)));
    let retriever = match &documents {
        Some(documents) => Arc::<ChunksInView>::clone(documents),
        None => retriever,
    };
    let (concurrency, timeout) = pace(measure, configuration);
    let asking = Asking {
        depth: spec.asked_depth(),
        concurrency: concurrency.and_then(NonZeroUsize::new),
        timeout,
        passes: NonZeroUsize::new(passes).unwrap_or(NonZeroUsize::MIN),
    };
    let what = format!("{}: asking {}", spec.benchmark, configuration.name);
    let asked = queries.len().saturating_mul(passes);
    let watched = Watched::units(measure.context.observer(), what, asked, ["query", "queries"]);
    let answers = retriever::ask(&retriever, &queries, asking, &|answered| watched.advance(answered));
    drop(watched);
    let few = documents.as_ref().and_then(|documents| documents.warning());
    let ended = release((retriever, documents));
    let mut answers = answers.map_err(|mut failure| {
        failure.limited_in(configuration.timeout_line);
        failure
    })?;
    ended.map_err(failure)?;
    // The end of a program is part of what it says.
    program
        .map_or(Ok(()), |program| program.finish())
        .map_err(|message| failure(FailureCause::Error(message)))?;
    answers.warnings.extend(few);
    Ok(Answers { build_ms, ..answers })
}

/// What is asked, and the program that it is where it is one.
pub(super) fn build(
    measure: &Measure,
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
    purpose: Purpose,
) -> Result<Built, FailureCause> {
    let observer = measure.context.observer();
    // Of a program it is told how long it may take.
    let is_started = is_started(measure, configuration);
    let work = Work {
        what: format!("{}: building {}", spec.benchmark, configuration.name),
        units: None,
        limit: is_behind_bridge(measure, configuration).then(|| connect::patience(configuration)),
    };
    let _watched = Watched::of(observer.filter(|_| !is_started), work);
    // What is built of documents is built of the chunks that are returned.
    let chunks = match &configuration.chunks {
        None => None,
        Some(path) => {
            let open = || Ok(collection.with_corpus(Corpus::open(path.resolve()?)?));
            Some(open().map_err(|error: crate::Error| FailureCause::Setup(chain(&error)))?)
        }
    };
    let collection = chunks.as_ref().unwrap_or(collection);
    let setup = |params| setup(spec, configuration, collection, params);
    let hello = Hello {
        benchmark: &spec.benchmark,
        configuration: &configuration.name,
        depth: spec.asked_depth(),
        served: None,
    };
    let (retriever, params) = match &configuration.source {
        ConfigurationSource::Retriever { name, params } => match measure.registry.retrievers.program(name) {
            None => (measure.registry.retrievers.build(name, &setup(params))?, params),
            Some(command) => {
                let given = params.deserialize().map_err(|error| FailureCause::Setup(chain(&error)))?;
                let spec_file = measure.context.root.join(&spec.path).display().to_string();
                let served = Served { retriever: name.clone(), params: given, spec: spec_file };
                let hello = Hello { served: Some(&served), ..hello };
                let is_bridge = is_behind_bridge(measure, configuration);
                let program =
                    connect::registered(command, is_bridge, hello, configuration, (purpose, observer));
                let program = program.map_err(not_set_up)?;
                return Ok((Arc::<CommandRetriever>::clone(&program), Some(program)));
            }
        },
        #[cfg(feature = "bm25")]
        ConfigurationSource::Bm25 { params } => {
            (super::builtin::build(&setup(params)).map_err(|error| not_set_up(error.into()))?, params)
        }
        #[cfg(not(feature = "bm25"))]
        ConfigurationSource::Bm25 { .. } => {
            return Err(FailureCause::Setup("`builtin: bm25` needs rankgate's feature `bm25`".into()));
        }
        ConfigurationSource::Run { .. } => {
            return Err(FailureCause::Setup("a frozen run is read, not asked".into()));
        }
        ConfigurationSource::Command { command, cwd, env } => {
            let program = connect::program(command, cwd, env).map_err(|error| not_set_up(error.into()))?;
            let program = connect::start(program, hello, configuration, (purpose, observer));
            let program = program.map_err(not_set_up)?;
            return Ok((Arc::<CommandRetriever>::clone(&program), Some(program)));
        }
        ConfigurationSource::Http(http) => {
            return Ok((connect::service(http, configuration, purpose).map_err(not_set_up)?, None));
        }
    };
    // A parameter that nothing reads is misspelt, or does not do what its author thinks.
    params.all_read().map_err(|error| FailureCause::Setup(chain(&error)))?;
    Ok((retriever, None))
}

/// Whether a configuration is asked twice, to see whether its answers repeat.
pub(super) fn asks_twice(measure: &Measure, spec: &Spec, configuration: &Configuration) -> bool {
    let is_needed = measure.asked_twice.get().is_none_or(|names| names.contains(&configuration.name));
    spec.deterministic && is_needed
}

/// Whether a program answers: that of a `command:`, or one that is registered as a retriever.
fn is_program(measure: &Measure, configuration: &Configuration) -> bool {
    match &configuration.source {
        ConfigurationSource::Command { .. } => true,
        ConfigurationSource::Retriever { name, .. } => measure.registry.retrievers.program(name).is_some(),
        _ => false,
    }
}

/// Whether a build is the start of a program, and not made in a process behind it.
pub(crate) fn is_started(measure: &Measure, configuration: &Configuration) -> bool {
    is_program(measure, configuration) && !is_behind_bridge(measure, configuration)
}

/// Whether its builds are in one process, which such a program carries queries to.
pub(crate) fn is_behind_bridge(measure: &Measure, configuration: &Configuration) -> bool {
    match &configuration.source {
        ConfigurationSource::Retriever { name, .. } => measure.registry.retrievers.is_bridge(name),
        _ => false,
    }
}

/// Queries in flight at once, and the time for each that is kept here.
///
/// Programs and services keep the time themselves, so as to end what takes too long and to tell more
/// of it. How many queries they get at once does not depend on the processors of this machine: it
/// decides how long each takes, and so whether it is in time.
pub(super) fn pace(measure: &Measure, configuration: &Configuration) -> (Option<usize>, Option<Duration>) {
    let (wanted, timeout) = (configuration.concurrency, configuration.timeout);
    match &configuration.source {
        // Most programs answer one query after the other.
        _ if is_program(measure, configuration) => (wanted.or(Some(1)), None),
        ConfigurationSource::Http(_) => (wanted.or(Some(4)), None),
        _ => (wanted, timeout),
    }
}

/// Drops what holds a retriever last: its destructor is code of the user's, and may panic.
pub(super) fn release<T>(held: T) -> Result<(), FailureCause> {
    let dropped = panic::catch(|| drop(held));
    dropped.map_err(|message| FailureCause::Panic(format!("{message}, when it was dropped")))
}

/// What a retriever in this process is made with.
fn setup<'a>(
    spec: &'a Spec,
    configuration: &'a Configuration,
    collection: &'a Collection,
    params: &'a Params,
) -> Setup<'a> {
    let folder = spec.path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Setup {
        benchmark: &spec.benchmark,
        configuration: &configuration.name,
        folder: folder.unwrap_or(Path::new(".")),
        depth: spec.asked_depth(),
        params,
        collection,
    }
}

pub(super) type Built = (Arc<dyn Retriever>, Option<Arc<CommandRetriever>>);

fn not_set_up(error: BoxError) -> FailureCause {
    FailureCause::Setup(chain(error.as_ref()))
}

/// Why no retriever runs where the lock cannot be had.
fn unlocked(error: crate::Error) -> Failure {
    Failure::of_all(FailureCause::Setup(chain(&error)), 0)
}
