//! Gates as trials of libtest-mimic: what runs, and how it ends.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Trial};

use crate::Error;
use crate::Result;
use crate::benchmark::names;
use crate::benchmark::{Accept, Benchmark, Context, write_error};
use crate::cache::Cache;
use crate::error::chain;
use crate::gate::{Gate, Verdict};
use crate::golden::{Bless, TAG, VARIABLE};
use crate::progress::{Lines, Observer};
use crate::report::{self, BrokenSpec};
use crate::standalone::spec_files;
use crate::suite::Suite;
use crate::threads;
use crate::words::counted;

use super::Harness;
use super::env::{Environment, Folder};
use super::log::Log;
use super::suites;

/// libtest's exit code of a failed run.
const FAILED: u8 = 101;

pub(super) fn run(harness: Harness, arguments: &Arguments, environment: Environment) -> ExitCode {
    let (github, is_nextest) = (environment.github.clone(), environment.is_nextest);
    let log = Arc::new(Log { github, is_nextest });
    if arguments.test_threads == Some(0) {
        log.error("--test-threads takes 1 or more");
        return ExitCode::from(FAILED);
    }
    if let Err(error) = threads::from_environment() {
        log.error(&error.to_string());
        return ExitCode::from(FAILED);
    }
    let mut trials: Vec<Trial> = Vec::new();
    for (index, error) in harness.errors.iter().enumerate() {
        // Two tests of one name would be taken for one.
        let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
        trials.push(log.failing(&format!("spec::harness{number}"), None, error.to_string()));
    }
    if let Folder::Foreign(fault) = &environment.folder {
        trials.push(log.failing("spec::crate", None, fault.clone()));
        return libtest_mimic::run(arguments, trials).exit_code();
    }
    let (mut benchmarks, mut broken) = (Vec::new(), Vec::new());
    let mut suites = Vec::new();
    match Bless::from_env() {
        Err(error) => trials.push(log.failing("spec::bless", None, error.to_string())),
        Ok(bless) => match load(&harness, &environment, bless, arguments) {
            Ok(loaded) => {
                for (file, loaded) in loaded {
                    match loaded {
                        Ok(Loaded::Benchmark(benchmark)) => benchmarks.push(benchmark),
                        Ok(Loaded::Suite(suite)) => suites.push(suite),
                        Err(spec) => {
                            let (name, message) = (format!("spec::{file}"), spec.message.clone());
                            trials.push(log.failing(&name, Some(spec.clone()), message));
                            broken.push(spec);
                        }
                    }
                }
            }
            Err(error) => trials.push(log.failing("spec::none", None, chain(&error))),
        },
    }
    // A filter by name must not hide that a spec is broken: the tests it would have are not there to
    // be selected. Under one process per test the runner selects, and counts what it selected.
    let unseen =
        |trial: &&Trial| arguments.filter.is_some() && arguments.is_filtered_out(trial) && !is_nextest;
    let hidden: Vec<String> = trials.iter().filter(unseen).map(|trial| trial.name().to_owned()).collect();
    for benchmark in &benchmarks {
        trials.extend(gates(benchmark, arguments, &log));
    }
    for suite in &suites {
        trials.extend(suites::gates(suite, arguments, &log));
    }

    if !arguments.list && !arguments.quiet {
        let snapshots = benchmarks.iter().any(|benchmark| benchmark.spec().snapshot);
        let ignored = environment.ignored().filter(|_| snapshots);
        let other = match &environment.folder {
            Folder::Other(note) => Some(note.clone()),
            Folder::Own | Folder::Foreign(_) => None,
        };
        ignored.into_iter().chain(other).for_each(|note| log.note(&note));
    }
    let conclusion = libtest_mimic::run(arguments, trials);
    if arguments.list {
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    let mut fail = |message: &str| {
        log.error(message);
        failed = true;
    };
    for name in hidden {
        fail(&format!("{name} fails and the filter hides it: run without a filter to see why"));
    }
    // One process per test is told by name which test it is to run, and so is never a whole run.
    let whole = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.ignored;
    let mut reports = Vec::new();
    for benchmark in &benchmarks {
        let asked = benchmark.is_decided() || suites::have_asked(&suites, benchmark);
        if !asked {
            let ignored = benchmark.gates().len();
            if whole && !arguments.quiet && ignored > 0 {
                let gates = counted(ignored, "gate", "gates");
                log.say(&format!("{}: {gates} ignored by the spec, none decided", benchmark.name()));
            }
            continue;
        }
        if whole {
            benchmark.measure_rest();
        }
        if let Err(error) = benchmark.bless_measured() {
            fail(&format!("{} could not be blessed: {}", benchmark.name(), chain(&error)));
        }
        for refused in benchmark.refused() {
            let refusal = report::refusal(benchmark.name(), &refused);
            let tag = refused.tag.as_ref().map(|tag| format!(" {TAG}={tag}")).unwrap_or_default();
            let command = environment.command();
            fail(&format!("{refusal}; `{VARIABLE}=force{tag} {command}` blesses it all the same"));
        }
        if let Err(error) = benchmark.write_reports(report::RENDERINGS, report::plots) {
            fail(&format!("the report of {} could not be written: {}", benchmark.name(), chain(&error)));
        }
        // Under one process per test this would say one gate's share of it, once per process.
        if !is_nextest {
            let report = benchmark.report();
            if !arguments.quiet {
                log.say(&report::summary(&report, &benchmark.page()));
                log.say(report::golden_files(&report).trim_end());
            }
            reports.push(report);
        }
    }
    for suite in suites.iter().filter(|suite| suite.is_decided()) {
        if whole {
            suite.measure_rest();
        }
        if let Err(error) = suite.write_reports(report::RENDERINGS, report::plots) {
            fail(&format!("the report of {} could not be written: {}", suite.name(), chain(&error)));
        }
        if !is_nextest {
            let report = suite.report();
            if !arguments.quiet {
                log.say(&report::summary(&report, &suite.page()));
            }
            reports.push(report);
        }
    }
    if let Err(error) = log.conclude(&reports, &broken) {
        fail(&chain(&error));
    }
    let decided = conclusion.num_passed + conclusion.num_failed;
    if decided == 0 && conclusion.num_ignored > 0 && whole {
        fail(
            "no gate was decided, so nothing was tested: the specs ignore every configuration that a gate is on; \
             `-- --include-ignored` runs them",
        );
    }
    if failed { ExitCode::from(FAILED) } else { conclusion.exit_code() }
}

/// What a file of the folder holds.
enum Loaded {
    Benchmark(Arc<Benchmark>),
    Suite(Arc<Suite>),
}

impl Loaded {
    fn name(&self) -> &str {
        match self {
            Self::Benchmark(benchmark) => benchmark.name(),
            Self::Suite(suite) => suite.name(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Benchmark(_) => "benchmark",
            Self::Suite(_) => "suite",
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Benchmark(benchmark) => &benchmark.spec().path,
            Self::Suite(suite) => &suite.spec().path,
        }
    }
}

/// Every spec by its name in tests, with what is wrong with it: those of the folder in the order of the files, those that
/// only suites name, then suites.
type All = Vec<(String, Result<Loaded, BrokenSpec>)>;

fn load(harness: &Harness, environment: &Environment, bless: Bless, arguments: &Arguments) -> Result<All> {
    let runs = !arguments.list;
    let folder = environment.root.join(&harness.specs);
    let files = spec_files(&folder)?;
    // Without the feature a suite is read as a spec, which says what it is and what it needs.
    let (files, suites) = suites::apart(files, &names(&harness.registry));
    let open = |run| Cache::open(&environment.output.join("runs"), run);
    let cache = environment.run.as_ref().map(open).transpose()?;
    let context = Arc::new(Context {
        root: environment.workspace.root.clone(),
        home: environment.root.clone(),
        output: environment.output.clone(),
        bless,
        recorded: false,
        site: Some(harness.site),
        source: harness.site.file.to_owned(),
        cache,
        accept: Accept::Test(environment.command()),
        reports: true,
        snapshot: report::snapshot_of,
        commit: OnceLock::new(),
        observer: (runs && !arguments.quiet).then(|| Arc::new(Lines::new()) as Arc<dyn Observer>),
    });
    let mut loaded: All = Vec::with_capacity(files.len());
    let mut add = |file: PathBuf, opened: &dyn Fn(&All) -> Result<Loaded>| {
        let opened = opened(&loaded);
        let shown = environment.shown(&file);
        let twin = opened.as_ref().ok().and_then(|one| {
            loaded.iter().find_map(|(_, other)| other.as_ref().ok().filter(|o| o.name() == one.name()))
        });
        let opened = match twin {
            Some(other) => {
                let (kind, name, other) = (other.kind(), other.name(), environment.shown(other.path()));
                let message = format!("{shown}: the {kind} `{name}` is in {other} already");
                Err(BrokenSpec { file: shown, line: None, message })
            }
            None => opened.map_err(|error| {
                if runs {
                    let place = [&file, Path::new(&shown)];
                    let (renderings, plots) = (report::RENDERINGS, report::plots);
                    // The test fails whether or not its report says so.
                    drop(write_error(&environment.output, place, &error, renderings, plots));
                }
                BrokenSpec::new(shown, &error)
            }),
        };
        loaded.push((name_of(&folder, &file), opened));
    };
    for file in files {
        let of_suite = suites.have(&file);
        let open = |_: &All| {
            let context = Arc::clone(&context);
            Benchmark::load(&file, &harness.registry, context, of_suite).map(Arc::new).map(Loaded::Benchmark)
        };
        add(file.clone(), &open);
    }
    for file in suites.files {
        let open = |loaded: &All| {
            let member = |path: &Path| {
                let mut benchmarks = loaded.iter().filter_map(|(_, one)| match one {
                    Ok(Loaded::Benchmark(benchmark)) => Some(benchmark),
                    Ok(Loaded::Suite(_)) | Err(_) => None,
                });
                let found = benchmarks.find(|one| suites::is_same(&one.spec().path, path)).map(Arc::clone);
                found.ok_or_else(|| Error::invalid(format!("{} cannot be run", environment.shown(path))))
            };
            let suite = Suite::load(&file, &harness.registry, Arc::clone(&context), member)?;
            Ok(Loaded::Suite(Arc::new(suite)))
        };
        add(file.clone(), &open);
    }
    Ok(loaded)
}

fn gates(benchmark: &Arc<Benchmark>, arguments: &Arguments, log: &Arc<Log>) -> Vec<Trial> {
    let with_ignored = arguments.include_ignored || arguments.ignored;
    let runs = |gate: &Gate| {
        let trial = Trial::test(gate.name.clone(), || Ok(()));
        let ignored = benchmark.ignored(gate).is_some();
        !arguments.is_filtered_out(&trial.with_ignored_flag(ignored)) && (with_ignored || !ignored)
    };
    let selected: Arc<[bool]> = benchmark.gates().iter().map(runs).collect();
    if selected.contains(&true) && !arguments.list {
        // Of all benchmarks, before a retriever of any is asked that may write there.
        benchmark.read_golden_files();
    }
    (0..benchmark.gates().len())
        .map(|index| {
            let gate = &benchmark.gates()[index];
            let (name, ignored) = (gate.name.clone(), benchmark.ignored(gate).is_some());
            let (benchmark, selected, log) = (Arc::clone(benchmark), Arc::clone(&selected), Arc::clone(log));
            Trial::test(name, move || {
                let gate = benchmark.decide(index);
                if gate.verdict == Verdict::Passed {
                    return Ok(());
                }
                let report = benchmark.report();
                log.annotate(|folder| report::annotation(&report, &gate, folder));
                if gate.verdict.is_ok() {
                    return Ok(());
                }
                // One retriever that cannot be built fails many tests, and one of them is enough to say why
                // at length. A process of its own is read by itself.
                let others = |index: usize| selected.get(index).is_some_and(|&selected| selected);
                let first = benchmark.same_cause(index, others).filter(|_| !log.is_nextest);
                Err(log.failure(&match first {
                    Some(first) => report::message_like(&report, &gate, &first.name),
                    None if log.is_nextest => report::message(&report, &gate),
                    None => {
                        let earlier = benchmark.failing_before(index, report::EARLIER, others);
                        report::message_after(&report, &gate, &earlier)
                    }
                }))
            })
            .with_ignored_flag(ignored)
        })
        .collect()
}

/// A spec's file as part of a test's name, `more::toy.yaml`: its path below the folder of the specs. What
/// test runners cannot carry is percent-encoded.
fn name_of(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).ok().filter(|below| !below.as_os_str().is_empty());
    // A spec that was named itself is its own folder.
    let below = below.unwrap_or_else(|| file.file_name().map_or(file, Path::new));
    let parts = below.iter().map(|part| crate::gate::encode_name(&part.to_string_lossy()));
    parts.collect::<Vec<_>>().join("::")
}
