//! Specs opened together: each benchmark once, then the suites over them. The harness and the command carry them out alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::benchmark::{self, Benchmark};
use crate::gate::Gate;
use crate::measure::Context;
use crate::model::{GateReport, Report};
use crate::spec::{Registry, SuiteSpec};
use crate::suite::Suite;
use crate::{Error, Result};

/// What a spec's file holds: a benchmark, or a suite over several.
#[derive(Clone)]
pub enum Subject {
    /// Gates on one collection.
    Benchmark(Arc<Benchmark>),
    /// Gates on means over the collections of several benchmarks.
    Suite(Arc<Suite>),
}

/// What a benchmark and a suite both have.
macro_rules! either {
    ($subject:expr, $one:ident => $then:expr) => {
        match $subject {
            Subject::Benchmark($one) => $then,
            Subject::Suite($one) => $then,
        }
    };
}

impl Subject {
    /// Its name.
    pub fn name(&self) -> &str {
        either!(self, one => one.name())
    }

    /// `benchmark` or `suite`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Benchmark(_) => "benchmark",
            Self::Suite(_) => "suite",
        }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        either!(self, one => &one.spec().path)
    }

    /// Every gate, in the order of the spec.
    pub fn gates(&self) -> &[Gate] {
        either!(self, one => one.gates())
    }

    /// Reads blessed files, before anything runs that may write there.
    pub fn read_golden_files(&self) {
        either!(self, one => one.read_golden_files());
    }

    /// Decides the gates that are selected, and asks nothing for others: the first selection says what is asked. Where all are
    /// selected, what no gate needs is measured as well.
    pub fn decide_where(&self, selected: impl Fn(&Gate) -> bool) {
        if let Self::Benchmark(one) = self {
            one.expect_gates(&selected);
        }
        either!(self, one => one.decide_where(selected));
    }

    /// The report of all that is known by now.
    pub fn report(&self) -> Report {
        either!(self, one => one.report())
    }

    /// Where the page of the report is once it was written, as messages show it.
    pub fn page(&self) -> String {
        either!(self, one => one.page())
    }

    pub(crate) fn decide(&self, index: usize) -> GateReport {
        either!(self, one => one.decide(index))
    }

    pub(crate) fn is_decided(&self) -> bool {
        either!(self, one => one.is_decided())
    }

    pub(crate) fn measure_rest(&self) {
        either!(self, one => one.measure_rest());
    }

    pub(crate) fn write_reports(&self) -> Result<()> {
        either!(self, one => one.write_reports())
    }

    fn benchmark(&self) -> Option<&Arc<Benchmark>> {
        match self {
            Self::Benchmark(benchmark) => Some(benchmark),
            Self::Suite(_) => None,
        }
    }
}

/// A spec of a session, and what came of opening it.
pub struct Opened {
    /// The spec's file.
    pub file: PathBuf,
    /// What it holds, or why it cannot be carried out.
    pub subject: Result<Subject, Refusal>,
}

/// Why a spec of a session cannot be carried out.
pub enum Refusal {
    /// Something is wrong with it.
    Broken(Error),
    /// An earlier one has its name.
    Twin(Subject),
}

/// Opens specs: those of these files in their order, then those that only suites name, then suites. Nothing is read but the
/// specs; `how` says with what each is carried out.
pub(crate) fn open(
    files: Vec<PathBuf>,
    names: &Registry,
    how: &dyn Fn(&Path) -> (benchmark::Registry, Arc<Context>),
) -> Vec<Opened> {
    let (suites, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| SuiteSpec::is_in(file));
    // What is wrong with a suite is said where it is opened.
    let read = suites.iter().filter_map(|suite| SuiteSpec::load(suite, names).ok());
    let members: Vec<PathBuf> = read.flat_map(|suite| suite.members).map(|member| member.path).collect();
    let is_in = |files: &[PathBuf], file: &Path| files.iter().any(|one| is_same(one, file));
    for member in &members {
        if !is_in(&files, member) {
            files.push(member.clone());
        }
    }
    let mut all: Vec<Opened> = Vec::with_capacity(files.len() + suites.len());
    for file in files {
        let (registry, context) = how(&file);
        let benchmark = Benchmark::load(&file, &registry, context, is_in(&members, &file));
        add(&mut all, file, benchmark.map(|one| Subject::Benchmark(Arc::new(one))));
    }
    for file in suites {
        let (registry, context) = how(&file);
        let member = |path: &Path| {
            let mut benchmarks = subjects(&all).filter_map(Subject::benchmark);
            let found = benchmarks.find(|one| is_same(&one.spec().path, path)).map(Arc::clone);
            found.ok_or_else(|| Error::invalid(format!("{} cannot be run", context.shown(path))))
        };
        let suite = Suite::load(&file, &registry, Arc::clone(&context), member);
        add(&mut all, file, suite.map(|one| Subject::Suite(Arc::new(one))));
    }
    all
}

fn add(all: &mut Vec<Opened>, file: PathBuf, opened: Result<Subject>) {
    let subject = opened.map_err(Refusal::Broken).and_then(|subject| {
        match subjects(all).find(|other| other.name() == subject.name()) {
            Some(other) => Err(Refusal::Twin(other.clone())),
            None => Ok(subject),
        }
    });
    all.push(Opened { file, subject });
}

/// Those that can be carried out.
pub(crate) fn subjects(all: &[Opened]) -> impl Iterator<Item = &Subject> {
    all.iter().filter_map(|one| one.subject.as_ref().ok())
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || place(one) == place(other)
}
