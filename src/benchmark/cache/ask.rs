//! Asking a configuration: build it, ask it, judge what it answers.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::collection::{Collection, Query};
use crate::error::chain;
use crate::evaluation::{Evaluation, Judging, runs};
use crate::progress::{Observer, Watched, Work};
use crate::retriever::{
    Answers, Asking, BoxError, CommandRetriever, Factories, Failure, FailureCause, Hello, Retriever, Setup,
    ask,
};
use crate::run::{Order, Run, RunReader};
use crate::spec::{Configuration, ConfigurationSource, Spec};

use super::connect;
use super::measurement::Measurement;
use crate::finding::nothing_judged;

/// Asks a live configuration, as often as its repeats and the check for determinism need.
pub(crate) fn answers(
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
    factories: &Factories,
    observer: Option<&dyn Observer>,
) -> Result<Answers, Failure> {
    let queries: Arc<[Query]> = collection.queries().into();
    let failure = |cause| Failure::of_all(cause, queries.len());
    let (benchmark, name) = (spec.benchmark.as_str(), configuration.name.as_str());
    let building = Watched::start(observer, Work::Building { benchmark, configuration: name }, None);
    let Built { retriever, program } = build(spec, configuration, collection, factories).map_err(failure)?;
    drop(building);
    let passes = configuration.repeats.max(if spec.deterministic { 2 } else { 1 });
    let (concurrency, timeout) = pace(configuration);
    let asking = Asking {
        depth: spec.depth,
        concurrency: concurrency.and_then(NonZeroUsize::new),
        timeout,
        passes: NonZeroUsize::new(passes).unwrap_or(NonZeroUsize::MIN),
    };
    let work = Work::Asking { benchmark, configuration: name };
    let watched = Watched::start(observer, work, Some(queries.len().saturating_mul(passes)));
    let answers = ask(&retriever, &queries, asking, &|answered| watched.advance(answered));
    let answers = answers.map_err(|mut failure| {
        failure.late.iter_mut().for_each(|late| late.line = configuration.timeout_line);
        failure
    })?;
    match program.map_or(Ok(()), |program| program.finish()) {
        Ok(()) => Ok(answers),
        Err(message) => Err(failure(FailureCause::Error(message))),
    }
}

/// What is asked, and the program that it is where it is one: its end is part of what it says.
struct Built {
    retriever: Arc<dyn Retriever>,
    program: Option<Arc<CommandRetriever>>,
}

impl From<Arc<dyn Retriever>> for Built {
    fn from(retriever: Arc<dyn Retriever>) -> Self {
        Self { retriever, program: None }
    }
}

fn build(
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
    factories: &Factories,
) -> Result<Built, FailureCause> {
    let setup = |params| Setup {
        benchmark: &spec.benchmark,
        configuration: &configuration.name,
        folder: spec.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        depth: spec.depth,
        params,
        collection,
    };
    let (retriever, params) = match &configuration.source {
        ConfigurationSource::Retriever { name, params } => (factories.build(name, &setup(params)), params),
        ConfigurationSource::Builtin { name, params } => (builtin(name, &setup(params)), params),
        ConfigurationSource::Run { .. } => {
            return Err(FailureCause::Setup("a frozen run is read, not asked".into()));
        }
        ConfigurationSource::Command { command, cwd, env } => {
            let hello =
                Hello { benchmark: &spec.benchmark, configuration: &configuration.name, depth: spec.depth };
            let program = connect::command(command, cwd, env, hello, configuration).map_err(not_set_up)?;
            return Ok(Built { retriever: Arc::<CommandRetriever>::clone(&program), program: Some(program) });
        }
        ConfigurationSource::Http(http) => {
            return connect::http(http, configuration).map(Built::from).map_err(not_set_up);
        }
    };
    let retriever = retriever?;
    // A parameter that nothing reads is misspelt, or does not do what its author thinks.
    params.all_read().map_err(|error| FailureCause::Setup(chain(&error)))?;
    Ok(retriever.into())
}

fn not_set_up(error: BoxError) -> FailureCause {
    FailureCause::Setup(chain(error.as_ref()))
}

/// Queries in flight at once, and the time for each that is kept here.
///
/// Programs and services keep the time themselves, so as to end what takes too long and to tell more
/// of it. How many queries they get at once does not depend on the processors of this machine: it
/// decides how long each takes, and so whether it is in time.
fn pace(configuration: &Configuration) -> (Option<usize>, Option<Duration>) {
    let (wanted, timeout) = (configuration.concurrency, configuration.timeout);
    match &configuration.source {
        // Most programs answer one query after the other.
        ConfigurationSource::Command { .. } => (wanted.or(Some(1)), None),
        ConfigurationSource::Http(_) => (wanted.or(Some(4)), None),
        _ => (wanted, timeout),
    }
}

#[cfg(feature = "bm25")]
fn builtin(name: &str, setup: &Setup<'_>) -> Result<Arc<dyn Retriever>, FailureCause> {
    use crate::retriever::Bm25;
    let build = || -> Result<Arc<dyn Retriever>, BoxError> {
        match name {
            "bm25" => Ok(Arc::new(Bm25::build(setup.corpus()?.documents()?, &setup.params()?)?)),
            _ => Err(format!("nothing is built in as `{name}`").into()),
        }
    };
    build().map_err(not_set_up)
}

#[cfg(not(feature = "bm25"))]
fn builtin(name: &str, _: &Setup<'_>) -> Result<Arc<dyn Retriever>, FailureCause> {
    Err(FailureCause::Setup(format!("`builtin: {name}` needs rankgate's feature `{name}`")))
}

/// Judges the answers of a live configuration.
pub(crate) fn judge(
    spec: &Spec,
    configuration: &Configuration,
    collection: &Collection,
    answers: Answers,
) -> crate::Result<Measurement> {
    let mut runs = runs(collection.queries(), answers.passes)?;
    let again = if spec.deterministic { runs.get(1).cloned() } else { None };
    runs.truncate(configuration.repeats);
    let evaluation = Evaluation::of_passes(collection, judging(spec), runs)?
        .with_depth(spec.depth)
        .with_latency(answers.latency);
    Ok(Measurement { cautions: cautions(&evaluation), evaluation, again })
}

/// Reads and judges a frozen run.
pub(crate) fn frozen(
    spec: &Spec,
    path: &Path,
    order: Option<Order>,
    collection: &Collection,
) -> crate::Result<Measurement> {
    of_run(spec, reader(order).depth(spec.depth).read(path)?, collection)
}

/// Reads a frozen run in the order that was asked for, or else in the one that its head says.
pub(crate) fn read(path: &Path, order: Option<Order>) -> crate::Result<Run> {
    reader(order).read(path)
}

fn reader(order: Option<Order>) -> RunReader {
    order.map_or_else(RunReader::new, |order| RunReader::new().order(order))
}

/// Judges a run that stands for what the configuration would answer.
pub(crate) fn of_run(spec: &Spec, mut run: Run, collection: &Collection) -> crate::Result<Measurement> {
    run.truncate(spec.depth);
    let evaluation = Evaluation::of_run(collection, run)?.judged_by(judging(spec))?.with_depth(spec.depth);
    Ok(Measurement { cautions: cautions(&evaluation), evaluation, again: None })
}

fn cautions(evaluation: &Evaluation) -> Vec<String> {
    nothing_judged(evaluation).into_iter().collect()
}

pub(crate) fn judging(spec: &Spec) -> Judging {
    Judging { relevant_from: spec.collection.relevant_from, skip_unjudgeable: spec.skip_unjudgeable }
}
