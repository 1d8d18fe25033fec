//! Gates as trials of libtest-mimic: what runs, and how it ends.

use std::io::Write;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::thread;

use libtest_mimic::Trial;

use crate::Result;
use crate::benchmark::names;
use crate::benchmark::{Benchmark, write_error};
use crate::cache::Cache;
use crate::error::chain;
use crate::gate::{Gate, Level, Verdict};
use crate::golden::{Bless, VARIABLE};
use crate::measure::{Accept, Context};
use crate::model::{GateReport, Report};
use crate::progress::{Lines, Observer};
use crate::report;
use crate::session::{self, Opened, Refusal, Subject};
use crate::standalone::spec_files;
use crate::threads;

use super::Harness;
use super::arguments::Arguments;
use super::env::Environment;
use super::log::Log;
use super::no_match;

/// libtest's exit code of a failed run.
const FAILED: u8 = 101;

impl Harness {
    /// Runs the tests that the command line selects and returns the exit code: 0 when they passed,
    /// 101 when one failed.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_command_line();
        let environment = Environment::read(self.site, &arguments);
        // The thread of `main` may be inside of an async runtime. There, retrievers with a runtime of their own can neither
        // wait for it nor be dropped.
        thread::scope(|scope| {
            let run = || run(self, &arguments, environment);
            match thread::Builder::new().name("rankgate".to_owned()).spawn_scoped(scope, run) {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(error) => {
                    drop(writeln!(std::io::stderr().lock(), "error: cannot start a thread: {error}"));
                    ExitCode::from(FAILED)
                }
            }
        })
    }
}

fn run(harness: Harness, arguments: &Arguments, environment: Environment) -> ExitCode {
    let (github, is_nextest) = (environment.github.clone(), environment.is_nextest);
    let log = Arc::new(Log { github, is_nextest, is_json: arguments.is_json() });
    if arguments.test_threads() == Some(0) {
        log.error("--test-threads takes 1 or more");
        return ExitCode::from(FAILED);
    }
    if let Err(error) = threads::from_environment() {
        log.error(&error.to_string());
        return ExitCode::from(FAILED);
    }
    let mut faults: Vec<Fault> = Vec::new();
    for (index, error) in harness.errors.iter().enumerate() {
        // Two tests of one name would be taken for one.
        let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
        faults.push(Fault::new(format!("spec::harness{number}"), error.to_string()));
    }
    let mut subjects = Vec::new();
    match Bless::from_env() {
        Err(error) => faults.push(Fault::new("spec::bless", error.to_string())),
        Ok(bless) => match load(&harness, &environment, bless, arguments) {
            Ok(loaded) => {
                for (file, loaded) in loaded {
                    match loaded {
                        Ok(subject) => subjects.push(subject),
                        Err(message) => faults.push(Fault::new(format!("spec::{file}"), message)),
                    }
                }
            }
            Err(error) => faults.push(Fault::new("spec::none", chain(&error))),
        },
    }
    let mut trials: Vec<Trial> = faults.iter().map(|fault| fault.trial(&log)).collect();
    for subject in &subjects {
        trials.extend(gates(subject, arguments, &log));
    }
    let is_gone = is_gone(&trials, &faults, arguments, &log);
    let conclusion = arguments.run(trials);
    if arguments.lists() {
        return ExitCode::SUCCESS;
    }
    if !is_nextest {
        let gates: Vec<&str> =
            subjects.iter().flat_map(Subject::gates).map(|gate| gate.name.as_str()).collect();
        no_match::explain(&gates, arguments, &environment.command())
            .into_iter()
            .for_each(|note| log.note(&note));
    }
    let mut failed = is_gone | hides_a_fault(&faults, arguments, &log);
    let mut fail = |message: &str| {
        log.error(message);
        failed = true;
    };
    // One process per test is told by name which test it is to run, and so is never a whole run.
    let whole = arguments.is_whole();
    let mut reports = Vec::new();
    for subject in &subjects {
        if !subject.is_decided() && !is_asked_by_a_suite(subject, &subjects) {
            continue;
        }
        if whole {
            subject.measure_rest();
        }
        if let Subject::Benchmark(benchmark) = subject {
            bless(benchmark, &environment, &mut fail);
        }
        if let Err(error) = subject.write_reports() {
            fail(&format!("the report of {} could not be written: {}", subject.name(), chain(&error)));
        }
        // Under one process per test this would say one gate's share of it, once per process.
        if !is_nextest {
            let report = subject.report();
            if !arguments.is_quiet() {
                log.say(&report::internal::summary(&report, &subject.page()));
                log.say(report::golden_files(&report).trim_end());
            }
            reports.push(report);
        } else if !arguments.is_quiet() {
            log.say(report::internal::warnings_beside(&subject.report()).trim_end());
        }
    }
    if let Err(error) = log.conclude(&reports) {
        fail(&chain(&error));
    }
    if failed { ExitCode::from(FAILED) } else { conclusion.exit_code() }
}

/// What fails beside the gates, as a test of its own.
struct Fault {
    name: String,
    message: String,
}

impl Fault {
    /// How the names of all of them begin.
    const PREFIX: &str = "spec::";

    fn new(name: impl Into<String>, message: String) -> Self {
        Self { name: name.into(), message }
    }

    fn trial(&self, log: &Arc<Log>) -> Trial {
        log.failing(&self.name, self.message.clone())
    }
}

/// Whether a filter leaves out what fails beside the gates: it must not hide that a spec is broken, for the tests that the
/// spec would have are not there to be selected. Under one process per test the runner selects, and counts what it
/// selected.
fn hides_a_fault(faults: &[Fault], arguments: &Arguments, log: &Log) -> bool {
    let mut hides = false;
    for fault in faults.iter().filter(|fault| !arguments.selects(&fault.name) && !log.is_nextest) {
        if arguments.skips_as(&fault.name, Fault::PREFIX) {
            log.note(&format!("note: {} is skipped, so none of its gates is decided", fault.name));
            continue;
        }
        log.error(&format!("{} is not selected, and fails all the same:\n{}", fault.name, fault.message));
        hides = true;
    }
    hides
}

/// Whether the one test that nextest asks for is not there any more, since it listed the tests: a process that runs nothing
/// passes.
fn is_gone(trials: &[Trial], faults: &[Fault], arguments: &Arguments, log: &Log) -> bool {
    let one = arguments.one_test().filter(|_| log.is_nextest && !arguments.lists());
    let Some(name) = one.filter(|name| trials.iter().all(|trial| trial.name() != *name)) else {
        return false;
    };
    log.error(&format!("{name} is not there any more: a spec has changed since the tests were listed"));
    for fault in faults {
        log.error(&format!("{}: {}", fault.name, fault.message));
    }
    true
}

/// Whether a suite that was decided has asked a benchmark, which need not have decided a gate of its own.
fn is_asked_by_a_suite(subject: &Subject, all: &[Subject]) -> bool {
    let Subject::Benchmark(benchmark) = subject else { return false };
    all.iter().any(|other| match other {
        Subject::Suite(suite) => {
            suite.is_decided() && suite.members().iter().any(|member| Arc::ptr_eq(member, benchmark))
        }
        Subject::Benchmark(_) => false,
    })
}

/// Blesses what was measured, where this test run is to bless.
fn bless(benchmark: &Benchmark, environment: &Environment, fail: &mut impl FnMut(&str)) {
    if let Err(error) = benchmark.bless_measured() {
        fail(&format!("{} could not be blessed: {}", benchmark.name(), chain(&error)));
    }
    for refused in benchmark.refused() {
        let refusal = report::refusal(benchmark.name(), &refused);
        let command = environment.command();
        fail(&format!("{refusal}; `{VARIABLE}=force {command}` blesses it all the same"));
    }
}

/// Every spec by its name in tests, with what is wrong with it.
type All = Vec<(String, Result<Subject, String>)>;

fn load(harness: &Harness, environment: &Environment, bless: Bless, arguments: &Arguments) -> Result<All> {
    let runs = !arguments.lists();
    let folder = environment.root.join(&harness.specs);
    let files = spec_files(&folder)?;
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
        commit: OnceLock::new(),
        observer: (runs && !arguments.is_quiet()).then(|| Arc::new(Lines::new()) as Arc<dyn Observer>),
    });
    let with = |_: &Path| (harness.registry.clone(), Arc::clone(&context));
    let opened = session::open(files, &names(&harness.registry), &with);
    let loaded = opened.into_iter().map(|Opened { file, subject }| {
        let shown = environment.shown(&file);
        let subject = subject.map_err(|refusal| match refusal {
            Refusal::Twin(other) => {
                let (kind, name, place) = (other.kind(), other.name(), environment.shown(other.path()));
                format!("{shown}: the {kind} `{name}` is in {place} already")
            }
            Refusal::Broken(error) => {
                if runs {
                    let place = [&file, Path::new(&shown)];
                    // The test fails whether or not its report says so.
                    drop(write_error(&environment.output, place, &error));
                }
                chain(&error)
            }
        });
        (name_of(&folder, &file), subject)
    });
    Ok(loaded.collect())
}

fn gates(subject: &Subject, arguments: &Arguments, log: &Arc<Log>) -> Vec<Trial> {
    let runs = |gate: &Gate| arguments.selects(&gate.name);
    let selected: Arc<[bool]> = subject.gates().iter().map(runs).collect();
    if let Subject::Benchmark(benchmark) = subject {
        benchmark.expect_gates(runs);
    }
    if selected.contains(&true) && !arguments.lists() {
        // Of all benchmarks, before a retriever of any is asked that may write there.
        subject.read_golden_files();
    }
    (0..subject.gates().len())
        .map(|index| {
            let gate = &subject.gates()[index];
            let name = gate.name.clone();
            let (subject, selected, log) = (subject.clone(), Arc::clone(&selected), Arc::clone(log));
            Trial::test(name, move || {
                let gate = subject.decide(index);
                if gate.verdict == Verdict::Passed {
                    return Ok(());
                }
                if let Subject::Benchmark(benchmark) = &subject
                    && gate.verdict.fails()
                {
                    benchmark.read_titles();
                }
                let report = subject.report();
                if !gate.verdict.fails() || gate.advisory && is_beside_blocking(&subject, &selected, &log) {
                    return Ok(());
                }
                Err(log.failure(&match &subject {
                    // A process of its own is read by itself.
                    Subject::Benchmark(benchmark) if !log.is_nextest => {
                        among_others(benchmark, &report, &gate, index, &selected)
                    }
                    Subject::Benchmark(_) | Subject::Suite(_) => report::message(&report, &gate),
                }))
            })
        })
        .collect()
}

/// Whether a blocking gate of the same spec runs as well, and says whether anything was measured. A process of its own knows
/// no other gate that runs: there the spec has to have one.
fn is_beside_blocking(subject: &Subject, selected: &[bool], log: &Log) -> bool {
    let runs = subject.gates().iter().zip(selected).filter(|(_, selected)| log.is_nextest || **selected);
    runs.map(|(gate, _)| gate).any(|gate| gate.level == Level::Blocking)
}

/// The message of a gate that is read below those before it. One retriever that cannot be built fails many tests, and one of
/// them is enough to say why at length.
fn among_others(
    benchmark: &Benchmark,
    report: &Report,
    gate: &GateReport,
    index: usize,
    selected: &[bool],
) -> String {
    let others = |index: usize| selected.get(index).is_some_and(|&selected| selected);
    match benchmark.same_cause(index, others) {
        Some(first) => report::internal::message_like(report, gate, &first.name),
        None => {
            let earlier = benchmark.failing_before(index, report::internal::EARLIER, others);
            report::internal::message_after(report, gate, &earlier)
        }
    }
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
