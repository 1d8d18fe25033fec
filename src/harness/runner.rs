//! Gates as trials of libtest-mimic: what runs, and how it ends.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::benchmark::{Benchmark, Context};
use crate::gate::Verdict;
use crate::golden::Bless;
use crate::report::{self, BrokenSpec};
use crate::run::Cache;
use crate::standalone::spec_files;
use crate::{Error, Result};

use super::Harness;
use super::env::{Environment, is_nextest};
use super::log::Log;

/// libtest's exit code of a failed run.
const FAILED: u8 = 101;

pub(super) fn run(harness: Harness, arguments: &Arguments, environment: Environment) -> ExitCode {
    let log = Arc::new(Log { github: environment.github.clone() });
    if arguments.test_threads == Some(0) {
        log.error("--test-threads takes 1 or more");
        return ExitCode::from(FAILED);
    }
    let mut trials: Vec<Trial> =
        harness.errors.iter().map(|e| log.failing("spec::harness", None, e.to_string())).collect();
    let (mut benchmarks, mut broken) = (Vec::new(), Vec::new());
    match load(&harness, &environment) {
        Ok(loaded) => {
            for (file, benchmark) in loaded {
                match benchmark {
                    Ok(benchmark) => benchmarks.push(Arc::new(benchmark)),
                    Err(spec) => {
                        let (name, message) = (format!("spec::{}", encode(&file)), spec.message.clone());
                        trials.push(log.failing(&name, Some(spec.clone()), message));
                        broken.push(spec);
                    }
                }
            }
        }
        Err(error) => trials.push(log.failing("spec::none", None, error.to_string())),
    }
    // A filter by name must not hide that a spec is broken: the tests it would have are not there to
    // be selected. Under one process per test the runner selects, and counts what it selected.
    let unseen =
        |trial: &&Trial| arguments.filter.is_some() && arguments.is_filtered_out(trial) && !is_nextest();
    let hidden: Vec<String> = trials.iter().filter(unseen).map(|trial| trial.name().to_owned()).collect();
    for benchmark in &benchmarks {
        trials.extend(gates(benchmark, &log));
    }

    let conclusion = libtest_mimic::run(arguments, trials);
    if arguments.list {
        return ExitCode::SUCCESS;
    }
    let mut code = conclusion.exit_code();
    for name in hidden {
        log.error(&format!("{name} fails and the filter hides it: run without a filter to see why"));
        code = ExitCode::from(FAILED);
    }
    let mut reports = Vec::new();
    for benchmark in benchmarks.iter().filter(|benchmark| benchmark.is_decided()) {
        if let Err(error) = benchmark.write_reports(report::RENDERINGS) {
            log.error(&format!(
                "the report of {} could not be written: {}",
                benchmark.name(),
                chained(&error)
            ));
            code = ExitCode::from(FAILED);
        }
        for (_, reason) in benchmark.unblessed() {
            log.error(&reason);
            code = ExitCode::from(FAILED);
        }
        // Under one process per test this would say one gate's share of it, once per process.
        if !is_nextest() {
            let report = benchmark.report();
            if !arguments.quiet {
                log.say(&report::summary_line(&report));
                log.say(report::golden_files(&benchmark.blessed()).trim_end());
            }
            reports.push(report);
        }
    }
    if let Err(error) = log.conclude(&reports, &broken) {
        log.error(&chained(&error));
        code = ExitCode::from(FAILED);
    }
    let decided = conclusion.num_passed + conclusion.num_failed;
    let selective = arguments.filter.is_some() || !arguments.skip.is_empty();
    if decided == 0 && conclusion.num_ignored > 0 && !selective {
        log.error("no gate was decided: every one is on an ignored configuration");
        code = ExitCode::from(FAILED);
    }
    code
}

/// Every spec of the folder, in the order of the file names, with what is wrong with it.
type Loaded = Vec<(String, Result<Benchmark, BrokenSpec>)>;

fn load(harness: &Harness, environment: &Environment) -> Result<Loaded> {
    let folder = environment.root.join(&harness.specs);
    let files = spec_files(&folder)?;
    let cache = match &environment.run_id {
        Some(id) => Some(Cache::open(&environment.output.join("runs"), id)?),
        None => None,
    };
    let context = Arc::new(Context {
        root: environment.root.clone(),
        home: environment.root.clone(),
        output: environment.output.clone(),
        bless: Bless::from_env()?,
        site: Some(harness.site),
        source: harness.site.file.to_owned(),
        cache,
        accept: format!("RANKGATE_BLESS=1 cargo test --test {}", harness.site.target),
        reports: true,
        snapshot: report::snapshot_of,
        observer: None,
    });
    let mut loaded: Loaded = Vec::with_capacity(files.len());
    for file in files {
        let benchmark = Benchmark::load(&file, &harness.registry, Arc::clone(&context));
        let shown = environment.shown(&file);
        let twin = benchmark.as_ref().ok().and_then(|benchmark| {
            loaded.iter().find(|(_, other)| other.as_ref().is_ok_and(|o| o.name() == benchmark.name()))
        });
        let benchmark = match twin {
            Some((other, _)) => Err(BrokenSpec {
                file: shown.clone(),
                line: None,
                message: format!("{shown}: {other} already has a benchmark of this name"),
            }),
            None => benchmark.map_err(|error| BrokenSpec::new(&shown, &error)),
        };
        loaded.push((shown, benchmark));
    }
    Ok(loaded)
}

fn gates(benchmark: &Arc<Benchmark>, log: &Arc<Log>) -> Vec<Trial> {
    (0..benchmark.gates().len())
        .map(|index| {
            let gate = &benchmark.gates()[index];
            let (name, ignored) = (gate.name.clone(), benchmark.ignored(gate).is_some());
            let (benchmark, log) = (Arc::clone(benchmark), Arc::clone(log));
            Trial::test(name, move || {
                let gate = benchmark.decide(index);
                if gate.verdict == Verdict::Passed {
                    return Ok(());
                }
                let report = benchmark.report();
                log.annotate(|folder| report::annotation(&report, &gate, folder));
                if gate.verdict.is_ok() { Ok(()) } else { Err(log.failure(&report::message(&report, &gate))) }
            })
            .with_ignored_flag(ignored)
        })
        .collect()
}

/// A file's name as part of a test's name: what test runners cannot carry is percent-encoded.
fn encode(file: &str) -> String {
    crate::gate::encode_name(file)
}

fn chained(error: &Error) -> String {
    crate::error::chain(error)
}
